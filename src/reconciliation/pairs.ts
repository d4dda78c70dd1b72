// Stores the pairs of lines and items that a matching rule finds, and removes these lines and items from the
// working sets (sets.ts), so that later rules do not see them.

import type { Transaction } from '#db/transaction.ts'
import { NOBODY_ON_LINE } from '#records/shared-sql.ts'
import type { Run } from './banks.ts'

// A statement must not reintroduce the personal data of erased payers. So matching clears the data from a
// line that is matched to a credit of an erased payer, or to its reversal or return. The erasure itself
// clears lines that were matched before (privacy/erasure.ts).

const IS_ERASED_ACCOUNT = (id: string) =>
  `exists (select from collection_accounts a where a.id = ${id} and a.erased_at is not null)`
const IS_ERASED_PAYMENT = (id: string) =>
  `exists (select from payments p join advices a on a.id = p.advice_id
            where p.id = ${id} and a.erased_at is not null)`

// SQL condition: whether the payer of the credit `c` is erased: the credit names no payer, and its account or
// payment is erased. A credit with money in suspense keeps its payer, so it is not included.
const IS_ERASED = `c.source_account_name is null and c.source_account_sealed is null
  and c.narration is null
  and (exists (select from numbers k where k.account_number = c.account_number
                  and ${IS_ERASED_ACCOUNT('k.collection_account_id')})
       or ${IS_ERASED_PAYMENT('c.payment_id')}
       or exists (select from suspense_items s where s.credit_id = c.id
                     and (${IS_ERASED_ACCOUNT('s.assigned_account_id')}
                          or ${IS_ERASED_PAYMENT('s.assigned_payment_id')})))`

// SQL statement: clears the lines of erased payers. `pairs` selects line_id, item_kind and item_id.
const clearErasedPayers = (pairs: string) => `
  with pairs as materialized (${pairs}), named as (
    select line_id, item_id as credit_id from pairs where item_kind = 'credit'
    union all
    select p.line_id, r.credit_id from pairs p join reversals r on r.id = p.item_id
     where p.item_kind = 'reversal'
    union all
    select p.line_id, s.credit_id from pairs p
      join returns r on r.id = p.item_id join suspense_items s on s.id = r.item_id
     where p.item_kind = 'return'
  )
  update statement_lines l set ${NOBODY_ON_LINE}
    from named n join credits c on c.id = n.credit_id
   where l.id = n.line_id and ${IS_ERASED}`

// Clears the payer from the lines of new_pairs whose payer was erased from the books. Must run while the
// items of the new pairs are in open_items. Nearly all items have a payer, so few lines change.
async function clearErasedPayersOfPairs(tx: Transaction): Promise<void> {
  await tx.query(
    clearErasedPayers(`select p.line_id, p.item_kind, p.item_id from new_pairs p
              join open_items i on i.kind = p.item_kind and i.id = p.item_id
             where i.name is null and i.kind in ('credit', 'reversal', 'return')`),
  )
}

// Clears erased payers from the new lines that rule 1 (the session id) has matched. Must run directly after
// rule 1, while each line is matched to a single credit.
export async function clearErasedPayersOfMatches(tx: Transaction, run: Run): Promise<void> {
  await tx.query(
    clearErasedPayers(`select m.line_id, 'credit' as item_kind, c.id as item_id
              from credits c
             cross join lateral (
               select n.line_id from statement_matches n
                where n.item_kind = 'credit' and n.item_id = c.id and n.line_id >= $3 limit 1) as m
             where c.bank_code = $1 and c.id >= $2 and c.source_account_name is null
               and c.source_account_sealed is null and c.narration is null`),
    [run.bankCode, run.creditsFrom, run.linesFrom],
  )
}

// Clears the payer from a line that a user matched, if the payer is erased.
export async function clearErasedPayer(
  tx: Transaction,
  { lineId, item }: { lineId: bigint; item: { kind: string; id: bigint } },
): Promise<void> {
  await tx.query({
    name: 'forget-erased-payer',
    text: clearErasedPayers(
      'select $1::bigint as line_id, $2::text as item_kind, $3::bigint as item_id',
    ),
    values: [lineId, item.kind, item.id],
  })
}

export type Rule =
  | 'session_id'
  | 'bank_reference'
  | 'our_reference'
  | 'account_and_amount'
  | 'sweep'
  | 'charge'
  | 'booked'

// SQL condition: whether the line `l` of the item `i` includes the bank's charges `x` for that item. The
// line of a credit includes them if it is below the credit's amount. The line of a payout includes them if
// its amount is at least as close to payout plus charges as to the payout alone.
export const HAS_CHARGES = `(x.amount is not null and l.amount <> i.amount
  and (l.amount = i.amount + x.amount
       or l.amount > 0 and l.amount < i.amount
       or l.amount < 0 and abs(l.amount - i.amount - x.amount) <= abs(l.amount - i.amount)))`
export const JOIN_CHARGES = `
  left join open_items x on x.parent_kind = i.kind and x.parent_id = i.id`

// SQL query: the pairs of each candidate: the line with the item and, if `hasCharges`, the line with the
// item's charges.
export const pairsOf = (candidates: string, hasCharges: string) => `
  select f.line_id, p.kind, p.id, p.amount, f.line_day, p.day
    from ${candidates} as f
   cross join lateral (values (f.kind, f.id, f.amount, f.item_day, true),
                              (f.x_kind, f.x_id, f.x_amount, f.x_day, ${hasCharges}))
                      as p (kind, id, amount, day, is_paired)
   where p.is_paired`

type Matches = { rule: Rule; pairs: string; values?: readonly unknown[] }

// Stores the pairs of a rule as matches, and removes their lines and items from the open sets. The difference
// between a line and its items becomes the residue of the line, so that no kobo is lost (I65). `pairs` is a
// SQL query for rows of new_pairs. Returns the number of matched lines.
export async function storeMatches(
  tx: Transaction,
  run: Run,
  { rule, pairs, values = [] }: Matches,
): Promise<number> {
  const parts = rule === 'charge' ? ', part' : ''
  const columns = `line_id, item_kind, item_id, amount, line_day, item_day${parts}`
  const { rowCount } = await tx.query(`insert into new_pairs (${columns}) ${pairs}`, [...values])
  return rowCount === 0 ? 0 : storePairs(tx, run, rule)
}

// Stores new_pairs as matches, and removes their lines and items from the open sets. Returns the number of
// matched lines.
async function storePairs(tx: Transaction, run: Run, rule: Rule): Promise<number> {
  await tx.query('analyze new_pairs')
  // Several lines of charges may be for parts of one item. Inserts in index order, so that the indexes grow
  // at their ends.
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
  if (rule !== 'charge') await clearErasedPayersOfPairs(tx)
  const lines = await removePairedLines(tx)
  await (rule === 'charge' ? reduceCharges(tx) : removePairedItems(tx))
  await tx.query('truncate new_pairs')
  return lines
}

// Removes the paired lines from open_lines, and stores what is left of their amounts as residues. Returns
// the number of paired lines.
async function removePairedLines(tx: Transaction): Promise<number> {
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
  await removePairedRows(tx, 'open_lines', 'p.line_id = t.id')
  return Number((rows[0] as { lines: bigint }).lines)
}

// Removes whole items from open_items. reduceCharges() removes charges part by part.
const removePairedItems = (tx: Transaction) =>
  removePairedRows(tx, 'open_items', 'p.item_kind = t.kind and p.item_id = t.id')

// Removes paired rows from a table. If a row belonged to a difference, stores the id of the difference in
// `explained`, so that it is cleared later. Rewrites the table instead of deleting rows: after most of a
// million rows were deleted, every later rule would still scan them. `isPaired` is a SQL condition on a row
// `t` and a new pair `p`.
async function removePairedRows(
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
    `create temporary table remaining on commit drop as
     select t.* from ${table} t where not exists (select from new_pairs p where ${isPaired})`,
  )
  await tx.query(`truncate ${table}`)
  await tx.query(`insert into ${table} select * from remaining`)
  await tx.query('drop table remaining')
}

// Subtracts the matched fee, VAT and duty from open charges, and deletes charges that are matched in full.
// If a charge belonged to a difference, stores the id of the difference in `explained`, so that it is
// cleared later. The rest of a charge stays open without a difference, so that a new one opens for it.
async function reduceCharges(tx: Transaction): Promise<void> {
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
     ), reduced as (
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
