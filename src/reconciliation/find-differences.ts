// Turns lines and items that no rule explains into differences, and finds gaps between statements.

import type { Transaction } from '#db/transaction.ts'
import { dayBefore, type Run } from './banks.ts'
import { readLedgerBalance } from './items.ts'
import { CHARGE_LINE, NUMBERS, NUMBERS_OF_LINE, TAKES_BACK, UNNAMED } from './match-amounts.ts'
import { loadChain } from './sets.ts'
import { clearDifferences } from './states.ts'

// SQL condition: whether the line `l` may repeat another line.
const CANDIDATE = `l.amount > 0 and l.session_id is null and not ${CHARGE_LINE} and ${UNNAMED}`

// Finds unmatched lines that equal a matched line in account number, amount and day, while only one
// credit exists: the bank may have written the line twice. Stores them in the temporary table equal_lines.
async function findEqualLines(tx: Transaction, run: Run): Promise<void> {
  const { rows } = await tx.query(`select from open_lines l where ${CANDIDATE} limit 1`)
  if (rows.length === 0) return
  await tx.query(
    `insert into equal_lines
     with candidates as materialized (
       select l.id, l.day, l.amount, a.number
         from open_lines l cross join lateral ${NUMBERS_OF_LINE('$3')} as a
        where ${CANDIDATE}
     ), matched as (
       select m.line_day, s.amount_kobo, c.account_number
         from statement_matches m
         join statement_lines s on s.id = m.line_id
         join credits c on c.id = m.item_id
        where m.bank_code = $1 and m.currency = $2 and m.rule = 'account_and_amount'
          and m.item_kind = 'credit' and m.line_day in (select day from candidates)
     )
     select distinct k.id
       from candidates k
       join matched m on m.line_day = k.day and m.amount_kobo = k.amount
                     and m.account_number = k.number`,
    [run.bankCode, run.currency, NUMBERS],
  )
}

// Turns lines and items that no rule explained into differences, and clears explained differences (I65).
// A requested or decided difference stays unchanged until a line or an item explains it.
//
// Kinds of lines, in the order of the checks:
//   currency_differs   it names an item in another currency
//   wrong_account      it names an item at another bank, or for another of our account numbers
//   late_at_bank       it names an item that an adjusting entry of its amount has replaced
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
// Kinds of residues, where a matched line has another amount than its items: fee_differs if the items include
// charges, otherwise amount_differs.
// Kinds of items: duplicate_in_books (a line names the item but is matched to another item), missing_at_bank.
//
// Returns the number of new differences.
export async function updateDifferences(tx: Transaction, run: Run): Promise<number> {
  await clearExplained(tx, run)
  const lineCount = await openForLines(tx, run)
  const residueCount = await openForResidues(tx, run)
  const itemCount = await openForItems(tx, run)
  return lineCount + residueCount + itemCount
}

// SQL statement: inserts differences and writes their history. `candidates` is a common table expression with
// day, kind, amount, line_id, item_kind, item_id and statement_id. $1 and $2 are the account, $3 is now.
// `payout` is the payout that a line names.
const openDifferences = (candidates: string, payout = 'null::bigint') => `
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

// Clears the differences whose line or item this run has matched.
async function clearExplained(tx: Transaction, { now }: Run): Promise<void> {
  await tx.query(clearDifferences('select difference_id from explained'), [now])
}

// SQL condition: whether a line of the same amount is matched to the item that the line `l` names or, for a
// line of charges, to the charges of that item.
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

// SQL condition: whether an adjusting entry of the same amount has offset the item that the line `l` names.
const REPLACED_ALREADY = `exists (
  select from line_names n
    join statement_matches m on m.item_kind = n.item_kind and m.item_id = n.item_id
   where n.line_id = l.id and n.bank_code = $1 and n.currency = $2
     and m.line_id = 0 and m.amount_kobo = l.amount)`

// SQL scalar: the kind of the difference of the line `l`. Session ids and our own references are unique; two
// banks may use the same bank reference.
const KIND_OF_LINE = `case
  when target.is_named and not target.here and target.in_other_currency then 'currency_differs'
  when target.at_other_bank and not target.here or target.for_other_number then 'wrong_account'
  when ${REPLACED_ALREADY} then 'late_at_bank'
  when ${MATCHED_ALREADY} or l.id in (select line_id from equal_lines) then 'duplicate_at_bank'
  when target.payout_id is not null
    then case when l.amount < 0 then 'payout_paid' else 'payout_returned' end
  when l.amount < 0 and target.names_credit and (not ${CHARGE_LINE} or target.takes_back)
    then 'reversed_at_bank'
  when ${CHARGE_LINE} then 'fee_differs'
  when l.amount < 0 then 'unexplained_debit'
  else 'missing_in_books' end`

// SQL condition: whether the line `l` names the payout `p`. A line names a payout by our own reference. The
// line of a returned payout may instead have the bank's reference and the whole amount.
const NAMES_PAYOUT = `n.bank_code = $1 and n.currency = $2
  and (not ${CHARGE_LINE} or abs(l.amount) >= p.amount_kobo)
  and (l.amount < 0 and n.item_kind = 'unpaid_payout'
       or l.amount > 0 and k.account_number is null
          and (n.has_our_reference or l.amount = p.amount_kobo))`

// SQL subquery: facts about the items that the line `l` names, for KIND_OF_LINE. `here` means an item of
// this bank and currency. Ranks 1 and 3 are session ids and our own references, which are unique across
// banks.
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
    left join credits c on n.item_kind = 'credit' and c.id = n.item_id
    left join payouts p on n.item_kind in ('payout', 'unpaid_payout') and p.id = n.item_id
    left join numbers k on k.account_number = l.account_number
   where n.line_id = l.id) as target`

// SQL from clause: the unmatched lines with the kind of their difference and, for the kinds about payouts,
// the payout.
const CLASSIFIED_LINES = `open_lines l cross join lateral ${TARGET}
  cross join lateral (select ${KIND_OF_LINE} as kind) as class
  cross join lateral (select case when class.kind in ('payout_paid', 'payout_returned')
                                  then target.payout_id end as payout_id) as of_payout`

// Opens differences for lines that no rule matched. Lines that already have an open difference get its kind
// anew, because later items may have changed what the line means. CLASSIFIED_LINES provides the kind
// (`class`) and the payout that the line names (`of_payout`).
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

// Opens differences for the unmatched remainders of matched lines.
async function openForResidues(tx: Transaction, run: Run): Promise<number> {
  const { rowCount } = await tx.query(
    openDifferences(`candidates as (
      select day, kind, amount, line_id, null::text as item_kind, null::bigint as item_id,
             null::bigint as statement_id
        from residues)`),
    [run.bankCode, run.currency, run.now],
  )
  return rowCount ?? 0
}

// Opens differences for items of covered days that no line matched. The amount of a difference is statement
// less books, so it is the negated amount of the item.
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

// A line may name an item within this many days before or after it.
const DAYS_AROUND = 7

// Returns unmatched credits that are named by a line which is matched to another item. The query for the
// lines gets the identifiers of the credits as an array, which PostgreSQL hashes. A join took minutes,
// because the planner does not know the number of lines.
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

// Checks that a bank's statements follow one another. A missing number is a `sequence_gap`. An opening
// balance that differs from the previous closing balance is a `balance_gap`. So is the opening balance of
// the first statement, as far as the books did not have it; items from before that statement are not part of
// this gap if one of its lines matches them, because they were in transit.
//
// First collects all gaps in the table `gaps`. Then clears differences whose gap is closed, moves those
// whose gap has another day, and opens differences for new gaps. Returns the number of new gaps.
export async function findGaps(tx: Transaction, run: Run): Promise<number> {
  if (run.isFirst) await storeBooksBalance(tx, run)
  await loadChain(tx, run)
  await storeFirstStatement(tx, run)
  await tx.query(INSERT_GAPS, [run.bankCode, run.currency, run.fromDay])
  await tx.query(
    clearDifferences(`
      select d.id from differences d
       where d.bank_code = $2 and d.currency = $3 and d.state <> 'cleared'
         and d.statement_id is not null
         and not exists (select from gaps g
                          where g.statement_id = d.statement_id and g.kind = d.kind
                            and g.amount = d.amount_kobo)`),
    [run.now, run.bankCode, run.currency],
  )
  await tx.query(
    `update differences d set day = g.day from gaps g
      where d.statement_id = g.statement_id and d.kind = g.kind and d.state <> 'cleared'
        and d.day <> g.day`,
  )
  const { rowCount } = await tx.query(
    openDifferences(`candidates as (
      select g.day, g.kind, g.amount, null::bigint as line_id, null::text as item_kind,
             null::bigint as item_id, g.statement_id
        from gaps g
       where not exists (select from differences d
                          where d.statement_id = g.statement_id and d.kind = g.kind
                            and d.state <> 'cleared'))`),
    [run.bankCode, run.currency, run.now],
  )
  return rowCount ?? 0
}

// Stores the books' balance before the first covered day. The daily proofs add the later days to it.
async function storeBooksBalance(tx: Transaction, run: Run): Promise<void> {
  const booksKobo = await readLedgerBalance(tx, run, dayBefore(run.fromDay))
  await tx.query(
    'update reconciled_banks set books_kobo = $3 where bank_code = $1 and currency = $2',
    [run.bankCode, run.currency, booksKobo],
  )
}

// Stores the id of the first statement, and the balance before all lines according to it. The running totals
// of the daily proof start from that balance.
async function storeFirstStatement(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `update reconciled_banks b set first_id = f.id, opening_kobo = f.ahead
       from chain f where f.is_first and b.bank_code = $1 and b.currency = $2`,
    [bankCode, currency],
  )
}

// SQL join: keeps statements with a line on the day. It is a lateral look-up in the index, because otherwise
// PostgreSQL may read the lines of all banks.
const hasLine = (statementId: string, day: string) => `cross join lateral (
  select from statement_lines l
   where l.statement_id = ${statementId} and l.booked_on = ${day} limit 1) as l`

// SQL statement: inserts the gaps. Compares how far each opening balance is ahead of the lines (CHAIN in
// sets.ts) with how far the previous one was. The first opening balance is compared with the books. If the
// first file has no balances, its opening balance is zero, and the balance of the books becomes its gap. For
// a statement that follows another, the closing balance is compared instead, unless other statements also
// have lines on its last day: then it is unknown which lines that balance includes.
//
// A line that is dated back makes a gap from its day to the day of its statement, because earlier
// statements did not have it. So if an opening balance equals the previous closing balance, its gap
// starts on that day.
//
// After an adjusting entry has explained a gap, only the amount by which the gap has changed since is
// reported.
const INSERT_GAPS = `
  with closings as (
    select distinct to_day as day, closing from chain where follows
  ), last_days as (
    select n.to_day as day, min(n.id) as least, max(n.id) as most
      from chain n ${hasLine('n.id', 'n.to_day')}
     where n.to_day in (select day from closings)
     group by n.to_day
  ), continuing as materialized (
    select n.id, c.day, c.closing
      from (select id, opening, from_day + generate_series(0, to_day - from_day - 1) as day
              from chain) as n
      join closings c on c.day = n.day and c.closing = n.opening
  ), continued as (
    select distinct c.day, c.closing from continuing c ${hasLine('c.id', 'c.day')}
  ), unclear as (
    select o.id
      from chain o
      left join last_days d on d.day = o.to_day
      left join continued c on c.day = o.to_day and c.closing = o.closing
     where d.least <> o.id or d.most <> o.id or c.day is not null
  ), balances as (
    select id, opening, closing, to_day, sequence, ahead, from_day as day, 0 as moment
      from chain where is_first or has_balances and not follows
    union all
    select id, opening, closing, to_day, sequence, ahead_after, to_day, 1
      from chain left join unclear u using (id)
     where follows and not is_first and has_balances and u.id is null
  ), steps as (
    select *, lag(ahead) over w as ahead_before, lag(closing) over w as closing_before,
           lag(to_day) over w as day_before
      from balances
    window w as (order by day, moment, to_day, sequence nulls first, id)
  ), numbered as (
    select id, covers_from, sequence,
           lag(sequence) over (order by to_day, sequence, id) as sequence_before
      from chain where sequence is not null
  ), found as (
  select id, 'balance_gap' as kind, ahead - ahead_before as amount,
         case when moment = 0 and closing_before = opening and day_before < day then day_before
              else day end as day
    from steps where ahead <> ahead_before
  union all
  select f.id, 'balance_gap', f.ahead - b.kobo, $3::date
    from chain f
   cross join lateral (
     select b.books_kobo - coalesce((select sum(d.matched_items_kobo) from reconciled_days d
              where d.bank_code = $1 and d.currency = $2 and d.day < $3::date), 0) as kobo
       from reconciled_banks b where b.bank_code = $1 and b.currency = $2) as b
   where f.is_first and f.ahead <> b.kobo
  union all
  select id, 'sequence_gap', 0, covers_from from numbered where sequence > sequence_before + 1
  ), adjusted as (
  select statement_id as id, kind, sum(amount_kobo) as amount, max(day) as day
    from differences
   where bank_code = $1 and currency = $2 and statement_id is not null and state = 'cleared'
     and action = 'adjust'
   group by 1, 2
  )
  insert into gaps
  select id, kind, coalesce(f.amount, 0) - coalesce(a.amount, 0), coalesce(f.day, a.day)
    from found f full join adjusted a using (id, kind)
   where kind = 'sequence_gap' or f.amount is distinct from a.amount`
