// Turns lines and items that no rule explained into differences, and clears explained differences (I65).
// A requested or decided difference stays unchanged until a line or an item explains it.
//
// Kinds of lines, in the order of the checks:
//   currency_differs   it names an item in another currency
//   wrong_account      it names an item at another bank, or for another of our account numbers
//   duplicate_at_bank  it names an item that another line of the same amount is matched to; or it names
//                      nothing, and a line that is equal to it in account number, amount and day has
//                      the only credit
//   payout_paid        a debit that names an unconfirmed payout, and is no charge or has its whole
//                      amount; this and payout_returned store the payout
//   payout_returned    a credit that names a payout, and is neither a refunded charge nor for one of
//                      our account numbers
//   reversed_at_bank   a debit that names a credit, and is no charge or has its whole amount, gross or
//                      net; the books have no such reversal
//   fee_differs        a fee, VAT or duty that the books do not have
//   unexplained_debit, missing_in_books
// Items: duplicate_in_books (a line matched to another item names it too), missing_at_bank.

import type { Transaction } from '#db/transaction.ts'
import { findEqualLines } from './equal-lines.ts'
import { CHARGE_LINE, TAKES_BACK } from './match-charges.ts'
import type { Run } from './reconciled-banks.ts'

// Returns the number of new differences.
export async function findDifferences(tx: Transaction, run: Run): Promise<number> {
  await clearExplained(tx, run)
  const lines = await openForLines(tx, run)
  const rests = await openForRests(tx, run)
  return lines + rests + (await openForItems(tx, run))
}

// Also writes the history. `candidates` has day, kind, amount, line_id, item_kind, item_id, statement_id.
// $1 and $2 are the account, $3 is now. `payout` is the payout that a line names.
export const openDifferences = (candidates: string, payout = 'null::bigint') => `
  with ${candidates}, opened as (
    insert into differences
      (bank_code, currency, day, kind, amount_kobo, line_id, item_kind, item_id, statement_id,
       payout_id, opened_at)
    select $1, $2, day, kind, amount, line_id, item_kind, item_id, statement_id, ${payout}, $3
      from candidates
     order by line_id, item_kind, item_id, statement_id, kind
    returning id, kind, amount_kobo
  )
  insert into difference_changes (difference_id, change, detail, changed_at)
  select id, 'opened', jsonb_build_object('kind', kind, 'amountKobo', amount_kobo::text), $3
    from opened order by id`

export const clearDifferences = (ids: string) => `
  with cleared as (
    update differences set state = 'cleared' where id in (${ids}) and state <> 'cleared'
    returning id
  )
  insert into difference_changes (difference_id, change, detail, changed_at)
  select id, 'cleared', '{}', $1 from cleared order by id`

async function clearExplained(tx: Transaction, { now }: Run): Promise<void> {
  await tx.query(clearDifferences('select difference_id from explained'), [now])
}

// The item that the line names or, for a line of charges, the charges of that item.
const MATCHED_ALREADY = `exists (
  select from line_names n
   cross join lateral (
     values (n.item_kind),
            (case when ${CHARGE_LINE} then
               case n.item_kind when 'credit' then 'charges' when 'payout' then 'payout_cost' end
             end)) as k (kind)
    join statement_matches m on m.item_kind = k.kind and m.item_id = n.item_id
    join statement_lines s on s.id = m.line_id
   where n.line_id = l.id and n.bank_code = $1 and n.currency = $2 and s.amount_kobo = l.amount)`

// Session ids and our own references are unique; two banks may use the same bank reference.
const KIND_OF_LINE = `case
  when target.is_named and not target.here and target.in_other_currency then 'currency_differs'
  when target.at_other_bank and not target.here or target.for_other_number then 'wrong_account'
  when ${MATCHED_ALREADY} or l.id in (select line_id from equal_lines) then 'duplicate_at_bank'
  when target.payout_id is not null
    then case when l.amount < 0 then 'payout_paid' else 'payout_returned' end
  when l.amount < 0 and target.names_credit and (not ${CHARGE_LINE} or target.takes_back)
    then 'reversed_at_bank'
  when ${CHARGE_LINE} then 'fee_differs'
  when l.amount < 0 then 'unexplained_debit'
  else 'missing_in_books' end`

// By our own reference. A returned payout may also have the bank's reference of the payout.
const NAMES_PAYOUT = `n.bank_code = $1 and n.currency = $2
  and (not ${CHARGE_LINE} or abs(l.amount) >= p.amount_kobo)
  and (l.amount < 0 and n.item_kind = 'unpaid_payout'
       or l.amount > 0 and k.account_number is null
          and (n.has_our_reference or l.amount = p.amount_kobo))`

const TARGET = `(
  select count(*) > 0 as is_named,
         coalesce(bool_or(n.bank_code = $1 and n.currency = $2), false) as here,
         coalesce(bool_or(n.bank_code = $1 and n.currency <> $2), false) as in_other_currency,
         coalesce(bool_or(n.bank_code <> $1 and n.rank in (1, 3)), false) as at_other_bank,
         coalesce(bool_or(n.bank_code = $1 and n.currency = $2 and n.item_kind = 'credit'), false)
           as names_credit,
         coalesce(bool_or(n.bank_code = $1 and n.currency = $2 and ${TAKES_BACK}), false)
           as takes_back,
         coalesce(bool_or(n.bank_code = $1 and n.currency = $2 and n.item_kind = 'credit'
           and l.amount > 0 and l.account_number <> c.account_number
           and k.account_number is not null), false) as for_other_number,
         (array_agg(p.id order by abs(l.amount) = p.amount_kobo desc, p.id)
           filter (where p.id is not null and ${NAMES_PAYOUT}))[1] as payout_id
    from line_names n
    left join all_credits c on n.item_kind = 'credit' and c.id = n.item_id
    left join payouts p on n.item_kind in ('payout', 'unpaid_payout') and p.id = n.item_id
    left join numbers k on k.account_number = l.account_number
   where n.line_id = l.id) as target`

const CLASSIFIED_LINES = `open_lines l cross join lateral ${TARGET}
  cross join lateral (select ${KIND_OF_LINE} as kind) as class
  cross join lateral (select case when class.kind in ('payout_paid', 'payout_returned')
                                  then target.payout_id end as payout_id) as of_payout`

async function openForLines(tx: Transaction, run: Run): Promise<number> {
  await tx.query('analyze open_lines')
  await findEqualLines(tx, run)
  await tx.query(
    `update differences d
        set kind = f.kind, payout_id = f.payout_id,
            suggested_kind = case when f.payout_id is null then d.suggested_kind end,
            suggested_id = case when f.payout_id is null then d.suggested_id end
       from (select l.difference_id, class.kind, of_payout.payout_id from ${CLASSIFIED_LINES}
              where l.difference_id is not null and not l.is_decided) as f
      where d.id = f.difference_id
        and (d.kind, d.payout_id) is distinct from (f.kind, f.payout_id)`,
    [run.bankCode, run.currency],
  )
  const { rowCount } = await tx.query(
    openDifferences(
      `candidates as (
      select l.day, class.kind, l.amount, l.id as line_id, null::text as item_kind,
             null::bigint as item_id, null::bigint as statement_id, of_payout.payout_id
        from ${CLASSIFIED_LINES} where l.difference_id is null)`,
      'payout_id',
    ),
    [run.bankCode, run.currency, run.now],
  )
  return rowCount ?? 0
}

async function openForRests(tx: Transaction, run: Run): Promise<number> {
  const { rowCount } = await tx.query(
    openDifferences(`candidates as (
      select day, kind, amount, line_id, null::text as item_kind, null::bigint as item_id,
             null::bigint as statement_id
        from residues)`),
    [run.bankCode, run.currency, run.now],
  )
  return rowCount ?? 0
}

async function openForItems(tx: Transaction, run: Run): Promise<number> {
  const { rows } = await tx.query(
    'select from open_items where is_covered and difference_id is null limit 1',
  )
  if (rows.length === 0) return 0
  const { rowCount } = await tx.query(
    openDifferences(`candidates as (
      select i.day, case when i.kind = 'credit' and i.id = any ($4) then 'duplicate_in_books'
                         else 'missing_at_bank' end as kind, -i.amount as amount,
             null::bigint as line_id, i.kind as item_kind, i.id as item_id,
             null::bigint as statement_id
        from open_items i where i.is_covered and i.difference_id is null)`),
    [run.bankCode, run.currency, run.now, await findDuplicates(tx, run)],
  )
  return rowCount ?? 0
}

// Days around an item in which a line may name it.
const DAYS_AROUND = 7

// Unmatched credits that are named by a line matched to something else. The words are an array, which
// PostgreSQL hashes; a join would be planned without knowing the number of lines, and took minutes.
async function findDuplicates(tx: Transaction, { bankCode, currency }: Run): Promise<bigint[]> {
  const { rows: names } = await tx.query<{ id: bigint; word: string; day: string }>(
    `with left_over as materialized (
       select id, session_id, day from open_items
        where kind = 'credit' and is_covered and difference_id is null
     )
     select id, session_id as word, day::text from left_over
     union all
     select i.id, k.value, i.day::text
       from left_over i join credit_identifiers k on k.credit_id = i.id and not k.is_first`,
  )
  if (names.length === 0) return []
  const days = names.map(({ day }) => day).sort()
  const { rows: lines } = await tx.query<{ words: (string | null)[] }>(
    `select array[s.session_id, s.bank_reference, s.end_to_end_id] as words
       from statements f
       join statement_lines s on s.statement_id = f.id
      where f.bank_code = $1 and f.currency = $2 and s.amount_kobo > 0
        and f.to_day >= $3::date - ${DAYS_AROUND} and f.from_day <= $4::date + ${DAYS_AROUND}
        and s.booked_on between $3::date - ${DAYS_AROUND} and $4::date + ${DAYS_AROUND}
        and (s.session_id = any ($5) or s.bank_reference = any ($5) or s.end_to_end_id = any ($5))
        and exists (select from statement_matches m where m.line_id = s.id)`,
    [bankCode, currency, days[0], days.at(-1), names.map(({ word }) => word)],
  )
  const words = new Set(lines.flatMap((line) => line.words))
  return names.filter(({ word }) => words.has(word)).map(({ id }) => id)
}
