// Rules 1 to 3 of matching: they match lines with the items that the lines name, by session id (1), by the
// bank's reference (2) and by our own reference (3). Also rule 7, which only suggests items, by the payer's
// name.

import type { Transaction } from '#db/transaction.ts'
import type { Run } from './banks.ts'
import {
  CHARGE_LINE,
  matchExactCharges,
  matchRemainingCharges,
  NAMED_CHARGES,
} from './match-amounts.ts'
import {
  clearErasedPayersOfMatches,
  HAS_CHARGES,
  JOIN_CHARGES,
  pairsOf,
  type Rule,
  storeMatches,
} from './pairs.ts'
import { byHashing, loadNamedItems } from './sets.ts'

// Rule 1 for clear cases, which are nearly all lines of a statement: a credit has the session id and the
// amount of the line. This step compares lines and credits in their tables and writes only the matches. The
// remaining lines may need a choice, so they are copied to the working sets for the other rules.
//
// Measured with 200,000 lines, PostgreSQL's CPU time per line: 12 µs including the read of the remaining
// lines. Copying both sides, ranking the pairs and removing them took 32 µs.
//
// If several lines qualify for a credit, the first line is matched; lines with words of charges come last. If
// a new line has the session id of a line in a difference, the other rules choose between the two lines. A
// bank reports a session id once, so no line has two credits.
export async function matchSessionIds(tx: Transaction, run: Run): Promise<number> {
  if (run.newStatements.length === 0) return 0
  const matched = await byHashing(tx, () => insertMatches(tx, run))
  if (matched > 0) await clearErasedPayersOfMatches(tx, run)
  return matched
}

// Runs rule 1 for clear cases: a line and a credit have the same session id and amount. Returns the number of
// matched lines.
async function insertMatches(tx: Transaction, run: Run): Promise<number> {
  const { rowCount } = await tx.query(
    `insert into statement_matches
       (line_id, item_kind, item_id, amount_kobo, bank_code, currency, line_day, item_day, rule,
        matched_at)
     select distinct on (c.id) l.id, 'credit', c.id, c.amount_kobo, $1, $2, l.booked_on,
            (c.received_at at time zone 'Africa/Lagos')::date, 'session_id', $6
       from statement_lines l
       join credits c on c.session_id = l.session_id and c.amount_kobo = l.amount_kobo
      where l.statement_id = any ($5)
        and (l.account_number is null or l.account_number = c.account_number)
        and not exists (select from open_lines o where o.session_id = l.session_id)
        and c.bank_code = $1 and c.currency = $2 and c.id >= $4 and c.received_at >= $3
        and c.identified_by = 'session_id'
        and not exists (select from statement_matches m
                         where m.item_kind = 'credit' and m.item_id >= $4 and m.item_id = c.id)
        and not exists (select from differences d
                         where d.item_kind = 'credit' and d.item_id = c.id
                           and d.state <> 'cleared')
      order by c.id, ${CHARGE_LINE}, l.id`,
    [run.bankCode, run.currency, run.itemsSince, run.creditsFrom, run.newStatements, run.now],
  )
  return rowCount ?? 0
}

// Rules 1 to 3: a line names its item by the session id, by the bank's reference or settlement id, or by
// our own reference of a payout, return, refund or recovery.
//
// A line and an item are a pair if each is the other's best match. The best match has the same amount; then
// the line has the item's own reference; then the item has the lower id. Lines and items that are equal in
// all of this are paired in order.
//
// Lines of fees, VAT and duty name the charged item; rule 6 (match-amounts.ts) reads them. Most charges are
// recognised by words, but a payer may write such words too ("school fees"). So a line with exactly the
// amount of the named item, alone or with its charges, is matched to that item, unless a charge for the item
// has that amount too.

const RANKED: readonly Rule[] = ['booked', 'session_id', 'bank_reference', 'our_reference']
const OUR_REFERENCE = '(?:PYT|RTN|RFD|ADJ)[0-9]{12,15}'

// Applies rules 1 to 3 (by session id, by the bank's reference, by our own reference) to the lines that are
// left, from the clearest matches to the least clear. Returns the number of matched lines.
export async function matchByName(tx: Transaction, run: Run): Promise<number> {
  // This step matches almost all lines, so that few remain for the next steps.
  let matched = await matchPairs(tx, run, {
    rule: 'session_id',
    from: 'open_lines l join open_items i on i.session_id = l.session_id',
    isOurs: 'false',
    isExact: true,
  })
  const itemsOfSession = 'open_items x on x.session_id = l.session_id'
  matched += await matchExactCharges(tx, run, { join: itemsOfSession })
  await tx.query('analyze open_lines')
  await tx.query('analyze open_items')
  await nameLines(tx, run)
  await loadNamedItems(tx, run)
  // First matches the charges that have lines of their own, so that a later rule does not take the line of an
  // item to include its charges.
  matched += await matchExactCharges(tx, run, { join: NAMED_CHARGES })
  for (const [rank, rule] of RANKED.entries()) {
    const from = `line_names n
      join open_lines l on l.id = n.line_id
      join open_items i on i.kind = n.item_kind and i.id = n.item_id and n.rank = ${rank}`
    matched += await matchAllPairs(tx, run, { rule, from, isOurs: 'n.has_our_reference' })
  }
  return matched + (await matchRemainingCharges(tx, run, itemsOfSession))
}

// SQL condition: whether the line `l`, with one of our account numbers, is not for the item `i` that it
// names. Either the named credit went to another number, so the line belongs to another owner; or the item
// is a returned payout, so the line is a customer's payment.
const OTHER_NUMBER = `((i.kind = 'credit' and l.account_number <> i.account_number
                        or i.kind = 'payout_return')
  and exists (select from numbers k where k.account_number = l.account_number))`

// SQL condition: whether the line `l` is not a charge. A line worded as a charge is one, unless it has
// exactly the amount of the item that it names.
const NO_CHARGE = `(not ${CHARGE_LINE} or l.amount in (i.amount, i.amount + x.amount)
  and coalesce(l.amount not in (x.amount, x.fee, x.vat, x.duty), true))`

// A pass removes pairs, so other lines and items may become each other's best match in the next pass.
const PASSES_MAX = 20

// `from` joins lines and items; `isOurs` is a SQL condition for lines with our own reference; `isExact` asks
// for equal amounts.
type NameRule = { rule: Rule; from: string; isOurs: string; isExact?: boolean }

// Repeats a rule until a pass finds no further pairs.
async function matchAllPairs(tx: Transaction, run: Run, nameRule: NameRule): Promise<number> {
  let matched = 0
  for (let pass = 0; pass < PASSES_MAX; pass++) {
    const count = await matchPairs(tx, run, nameRule)
    if (count === 0) break
    matched += count
  }
  return matched
}

// One pass of a rule: pairs each line with its best item, if the line is also that item's best line. The
// items of a line are ranked (`of_line`), and so are the lines of an item (`of_item`): the same amount comes
// first, then our own reference. A line and an item are a pair if they have the same rank for each other. The
// SQL in `from` joins lines `l` with the items `i` that they name.
async function matchPairs(
  tx: Transaction,
  run: Run,
  { rule, from, isOurs, isExact = false }: NameRule,
): Promise<number> {
  return storeMatches(tx, run, {
    rule,
    pairs: `
     with candidates as (
       select l.id as line_id, l.day as line_day, i.kind, i.id, i.day as item_day, i.amount,
              ${HAS_CHARGES} as has_charges, x.kind as x_kind, x.id as x_id, x.amount as x_amount,
              x.day as x_day, ${CHARGE_LINE} as is_charge, ${isOurs} as is_ours,
              case when l.amount in (i.amount, i.amount + x.amount) then 0 else 1 end as is_off
         from ${from} ${JOIN_CHARGES}
        where sign(l.amount) = sign(i.amount) and i.parent_kind is null and ${NO_CHARGE}
          and not ${OTHER_NUMBER}
          ${isExact ? 'and l.amount in (i.amount, i.amount + x.amount)' : ''}
     ), ranked as (
       select *, row_number() over (partition by line_id
                                    order by is_off, is_ours desc, kind, id) as of_line,
              row_number() over (partition by kind, id
                                 order by is_off, is_ours desc, is_charge, line_id) as of_item
         from candidates
     ), level as (
       select *, min(of_line) over (partition by line_id) as first_of_line,
              min(of_item) over (partition by kind, id) as first_of_item
         from ranked where of_line = of_item and (of_line = 1 or is_off = 0)
     )
     ${pairsOf(LEVEL_PAIRS, 'f.has_charges')}`,
  })
}

// SQL query: the pairs in which line and item have the same rank for each other, the best rank first.
const LEVEL_PAIRS = `
  (select * from level where of_line = first_of_line and of_item = first_of_item)`

// SQL scalar: the kind of item that the payout `p` is. An unconfirmed payout is not an item of the books,
// but it shows what the line is for.
const PAYOUT_KIND = `case when p.status = 'confirmed' then 'payout' else 'unpaid_payout' end`

// SQL query: confirmed payouts that the bank returned. A match by the bank's own reference needs the whole
// amount.
const RETURNS_NAMED = `
  select w.id, w.rank, 'payout_return', p.id, p.bank_code, p.currency
    from words w
    join payouts p on p.bank_reference = w.word
    join payout_returns n on n.payout_id = p.id and n.amount_kobo = w.amount
  union all
  select o.id, 3, 'payout_return', p.id, p.bank_code, p.currency
    from ours o
    join payouts p on p.reference = o.word
    join payout_returns n on n.payout_id = p.id
  union all
  select o.id, 3, 'payout_return', p.id, p.bank_code, p.currency
    from ours o
    join refunds f on f.reference = o.word
    join payouts p on p.refund_id = f.id
    join payout_returns n on n.payout_id = p.id`

// Stores all items that the remaining lines name, at any bank. `rank` says how a line names an item: 0 by a
// booking for the line, 1 by session id, 2 by the bank's reference, 3 by our own reference. Includes matched
// items: if a line matches no open item, they show what the line is for.
async function nameLines(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `insert into line_names
     with words as (
       select l.id, l.amount, w.word, w.rank from open_lines l
        cross join lateral (values (l.session_id, 1), (l.bank_reference, 2), (l.end_to_end_id, 2))
                           as w (word, rank)
        where w.word is not null
     ), ours as (
       select l.id, w.word[1] as word from open_lines l
        cross join lateral regexp_matches(
          concat_ws(' ', l.end_to_end_id, l.bank_reference, l.narration), $3, 'g') as w (word)
     ), credits_named as (
       select w.id, w.rank, w.amount, c.id as credit_id, c.bank_code, c.currency
         from words w
         join credit_identifiers k on k.value = w.word
         join credits c on c.id = k.credit_id
     ), names as (
       select id, rank, 'credit' as kind, credit_id as item_id, bank_code, currency
         from credits_named
       union all
       select n.id, n.rank, 'reversal', r.id, r.bank_code, n.currency
         from credits_named n join reversals r on r.credit_id = n.credit_id
        where n.amount = -r.amount_kobo
       union all
       select w.id, w.rank, 'reversal', r.id, r.bank_code, $2
         from words w join reversals r on r.session_id = w.word
       union all
       select w.id, w.rank, 'payout', p.id, p.bank_code, p.currency
         from words w join payouts p on p.bank_reference = w.word
        where p.status = 'confirmed' and p.purpose <> 'return'
       union all
       select w.id, w.rank, 'return', r.id, $1, $2
         from words w join returns r on r.bank_reference = w.word where r.status = 'confirmed'
       union all
       select o.id, 3, ${PAYOUT_KIND}, p.id, p.bank_code, p.currency
         from ours o join payouts p on p.reference = o.word
        where p.status <> 'confirmed' or p.purpose <> 'return'
       union all
       ${RETURNS_NAMED}
       union all
       select o.id, 3, ${PAYOUT_KIND}, p.id, p.bank_code, p.currency
         from ours o join refunds f on f.reference = o.word join payouts p on p.refund_id = f.id
       union all
       select o.id, 3, 'return', r.id, $1, $2
         from ours o join returns r on r.reference = o.word where r.status = 'confirmed'
       union all
       select o.id, 3, 'recovery', a.id, a.bank_code, a.currency
         from ours o join adjustments a on a.reference = o.word where a.bank_code is not null
       union all
       select l.id, 0, 'booked', i.id, $1, $2
         from open_lines l join open_items i on i.line_id = l.id
     )
     select id, min(rank), kind, item_id, bank_code, currency, bool_or(rank = 3)
       from names group by 1, 3, 4, 5, 6`,
    [bankCode, currency, OUR_REFERENCE],
  )
  await tx.query('analyze line_names')
}

const DAYS = 2 // Rule 7 compares items up to this many days before or after a line.

// SQL scalar: the sorted words of a name in lower case: JOHN ADEBAYO-OBI equals Obi, John Adebayo.
const words = (name: string) => `array(
  select w from regexp_split_to_table(lower(${name}), '[^[:alpha:]]+') as w
   where length(w) > 1 order by w)`

// Rule 7 compares the name, the amount and the day, plus or minus DAYS. This is not enough for a match, so it
// becomes a suggestion, which a user confirms. Suggests only if exactly one item and one line fit.
//
// Lines of the same day, amount and name form a group, and so do items. A group of lines and a group of items
// are compared if they share a word. Comparing line by line would compare thousands of equal amounts of a day
// with thousands of items.
export async function suggestItems(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `with lines as materialized (
       select d.id as difference_id, l.day, l.amount, ${words('l.name')} as words
         from open_lines l join differences d on d.line_id = l.id
        where d.state = 'open' and d.bank_code = $1 and d.currency = $2
          and d.kind in ('missing_in_books', 'unexplained_debit') and l.name is not null
     ), items as materialized (
       select i.kind, i.id, i.day, w.whole, ${words('i.name')} as words
         from open_items i ${JOIN_CHARGES}
        cross join lateral (values (i.amount), (i.amount + x.amount)) as w (whole)
        where i.parent_kind is null and i.name is not null and not i.is_decided
          and w.whole in (select amount from lines)
     ), line_groups as materialized (
       select row_number() over () as g, day, amount, words, count(*) as lines,
              min(difference_id) as difference_id
         from lines group by day, amount, words
     ), item_groups as materialized (
       select row_number() over () as h, day, whole, words, count(*) as items
         from items group by day, whole, words
     ), met as materialized (
       select distinct l.g, i.h
         from (select g, day, amount, unnest(words) as word from line_groups) as l
         join (select h, day, whole, unnest(words) as word from item_groups) as i
           on i.whole = l.amount and i.word = l.word
          and i.day between l.day - ${DAYS} and l.day + ${DAYS}
     ), fitting as materialized (
       select m.g, m.h, l.lines, l.difference_id, sum(i.items) over (partition by m.g) as items
         from met m join line_groups l using (g) join item_groups i using (h)
        where l.words @> i.words or l.words <@ i.words
     ), of_items as materialized (
       select i.kind, i.id, min(f.difference_id) as difference_id, min(f.items) as items
         from fitting f
         join item_groups using (h)
         join items i using (day, whole, words)
        group by 1, 2 having sum(f.lines) = 1
     ), suggestions as (
       select l.difference_id, o.kind, o.id
         from lines l left join of_items o on o.difference_id = l.difference_id and o.items = 1
     )
     update differences d set suggested_kind = w.kind, suggested_id = w.id
       from suggestions w
      where d.id = w.difference_id
        and (d.suggested_kind, d.suggested_id) is distinct from (w.kind, w.id)`,
    [bankCode, currency],
  )
}

// Suggests the credit that a line names although the line is for another of our account numbers: a user
// decides. The line's amount is the credit's, with or without the bank's charges, so after the match no
// amount is left to adjust.
export async function suggestNamed(tx: Transaction, { bankCode, currency }: Run): Promise<void> {
  await tx.query(
    `with lines as materialized (
       select d.id as difference_id, l.id as line_id, l.amount
         from open_lines l join differences d on d.line_id = l.id
        where d.state = 'open' and d.bank_code = $1 and d.currency = $2
          and d.kind = 'wrong_account'
     ), fitting as materialized (
       select l.difference_id, i.kind, i.id, count(*) over (partition by l.difference_id) as items,
              count(*) over (partition by i.kind, i.id) as lines
         from lines l
         join line_names n on n.line_id = l.line_id and n.bank_code = $1 and n.currency = $2
         join open_items i on i.kind = n.item_kind and i.id = n.item_id
         ${JOIN_CHARGES}
        where i.kind = 'credit' and not i.is_decided and l.amount in (i.amount, i.amount + x.amount)
     ), suggestions as (
       select l.difference_id, f.kind, f.id
         from lines l
         left join fitting f on f.difference_id = l.difference_id and f.items = 1 and f.lines = 1
     )
     update differences d set suggested_kind = w.kind, suggested_id = w.id
       from suggestions w
      where d.id = w.difference_id
        and (d.suggested_kind, d.suggested_id) is distinct from (w.kind, w.id)`,
    [bankCode, currency],
  )
}
