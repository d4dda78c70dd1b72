// What a rule found, taken out of the open sets: its pairs are written as matches, and what a line
// has more or less than its items stands as its rest (I65).

import type { Transaction } from '#db/transaction.ts'
import { forgetErasedPairs } from './forget-erased.ts'
import type { Run } from './reconciled-banks.ts'

export type Rule =
  | 'session_id'
  | 'bank_reference'
  | 'our_reference'
  | 'account_and_amount'
  | 'sweep'
  | 'charge'
  | 'booked'

// Whether a line `l` of the item `i` has what the bank charged for it, `x`, in it. Charges that were
// withheld from a credit are, whatever their amount. Those of a payout are if the line differs less
// from the payout with them than from the payout alone.
export const HAS_CHARGES = `(x.amount is not null and l.amount <> i.amount
  and (l.amount = i.amount + x.amount
       or l.amount > 0 and l.amount < i.amount
       or l.amount < 0 and abs(l.amount - i.amount - x.amount) <= abs(l.amount - i.amount)))`
export const JOIN_CHARGES = `
  left join open_items x on x.parent_kind = i.kind and x.parent_id = i.id`

// The pairs of `found`, of a line and an item, and if so of the line and what was charged for the item.
export const pairsOf = (found: string, hasCharges: string) => `
  select f.line_id, p.kind, p.id, p.amount, f.line_day, p.day
    from ${found} as f
   cross join lateral (values (f.kind, f.id, f.amount, f.item_day, true),
                              (f.x_kind, f.x_id, f.x_amount, f.x_day, ${hasCharges}))
                      as p (kind, id, amount, day, is_paired)
   where p.is_paired`

type Found = { rule: Rule; pairs: string; values?: readonly unknown[] }

// How many lines were matched. `pairs` selects them as new_pairs has them.
export async function takeFound(
  tx: Transaction,
  run: Run,
  { rule, pairs, values = [] }: Found,
): Promise<number> {
  const parts = rule === 'charge' ? ', part' : ''
  const columns = `line_id, item_kind, item_id, amount, line_day, item_day${parts}`
  const { rowCount } = await tx.query(`insert into new_pairs (${columns}) ${pairs}`, [...values])
  return rowCount === 0 ? 0 : takePairs(tx, run, rule)
}

async function takePairs(tx: Transaction, run: Run, rule: Rule): Promise<number> {
  await tx.query('analyze new_pairs')
  // Lines of charges may be for several parts of one item. In the order of the indexes, so that they
  // grow at their ends.
  const pairs =
    rule === 'charge'
      ? `(select line_id, item_kind, item_id, sum(amount) as amount, min(line_day) as line_day,
                 min(item_day) as item_day
            from new_pairs group by 1, 2, 3)`
      : 'new_pairs'
  await tx.query(
    `insert into statement_matches
       (line_id, item_kind, item_id, amount_kobo, bank_code, currency, line_day, item_day, rule,
        matched_at)
     select line_id, item_kind, item_id, amount, $1, $2, line_day, item_day, $3, $4
       from ${pairs} as p order by item_kind, item_id, line_id`,
    [run.bankCode, run.currency, rule, run.now],
  )
  if (rule !== 'charge') await forgetErasedPairs(tx)
  const lines = await takeLines(tx)
  await (rule === 'charge' ? takeParts(tx) : takeItems(tx))
  await tx.query('truncate new_pairs')
  return lines
}

async function takeLines(tx: Transaction): Promise<number> {
  await tx.query(
    `insert into residues
     select l.id, l.day, l.amount - p.amount,
            case when p.has_charges then 'fee_differs' else 'amount_differs' end
       from open_lines l
       join (select line_id, sum(amount) as amount,
                    bool_or(item_kind in ('charges', 'payout_cost')) as has_charges
               from new_pairs group by 1) as p on p.line_id = l.id
      where l.amount <> p.amount`,
  )
  const { rows } = await tx.query<{ lines: bigint }>(
    'select count(distinct line_id) as lines from new_pairs',
  )
  await takeOut(tx, 'open_lines', 'p.line_id = t.id')
  return Number((rows[0] as { lines: bigint }).lines)
}

// All of an item, unless it is charges.
const takeItems = (tx: Transaction) =>
  takeOut(tx, 'open_items', 'p.item_kind = t.kind and p.item_id = t.id')

// What is left is written anew: of a million rows, most would be deleted, and every later rule would
// read past them.
async function takeOut(
  tx: Transaction,
  table: 'open_lines' | 'open_items',
  isPaired: string,
): Promise<void> {
  await tx.query(
    `insert into explained
     select t.difference_id from ${table} t
      where t.difference_id is not null and exists (select from new_pairs p where ${isPaired})`,
  )
  await tx.query(
    `create temporary table kept on commit drop as
     select t.* from ${table} t where not exists (select from new_pairs p where ${isPaired})`,
  )
  await tx.query(`truncate ${table}`)
  await tx.query(`insert into ${table} select * from kept`)
  await tx.query('drop table kept')
}

// Of an item that was matched in part, the rest stays open.
async function takeParts(tx: Transaction): Promise<void> {
  const part = (name: string) =>
    `coalesce(sum(amount) filter (where part = '${name}'), 0) as ${name}`
  await tx.query(
    `with paired as (
       select item_kind, item_id, sum(amount) as amount, ${part('fee')}, ${part('vat')},
              ${part('duty')}
         from new_pairs group by 1, 2
     ), gone as (
       delete from open_items i using paired p
        where p.item_kind = i.kind and p.item_id = i.id and p.amount = i.amount
       returning i.difference_id
     ), left_over as (
       select i.kind, i.id, i.difference_id
         from open_items i join paired p on p.item_kind = i.kind and p.item_id = i.id
        where p.amount <> i.amount
     ), kept as (
       update open_items i
          set amount = i.amount - p.amount, fee = i.fee - p.fee, vat = i.vat - p.vat,
              duty = i.duty - p.duty, difference_id = null, is_decided = false
         from paired p
        where p.item_kind = i.kind and p.item_id = i.id and p.amount <> i.amount
     )
     insert into explained
     select difference_id from gone where difference_id is not null
     union all
     select difference_id from left_over where difference_id is not null`,
  )
}
