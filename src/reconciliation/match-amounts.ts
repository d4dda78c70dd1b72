// Rules 4 to 6 of matching. Rules 4 and 5 match lines that name no item: rule 4 by account number and
// amount, rule 5 as a sweep, which is one transfer of the whole balance. Rule 6 matches lines of charges.

import type { Transaction } from '#db/transaction.ts'
import type { Run } from './banks.ts'
import { JOIN_CHARGES, pairsOf, storeMatches } from './pairs.ts'

// Rule 6: matches lines of fees, VAT and stamp duty with booked charges: the charges of a credit or payout
// that the line names, or else the charges of a whole day.
//
// The books have one item for all charges of a credit or payout, with a fee, VAT and duty part; a bank may
// book the parts separately. So several lines may add up to one item. The last line takes the remaining
// amount of the item. If that line has another amount, the difference is its residue.

export const CHARGE_LINE = `l.kind in ('fee', 'vat', 'stamp_duty')`
// SQL scalar: the part of an item's charges (fee, vat or duty) that the line `l` is for.
const PART_OF_LINE = `case l.kind when 'stamp_duty' then 'duty' else l.kind end`
// SQL table: the charges of the item `x`, one row for each part.
const PARTS = `(values ('fee', x.fee), ('vat', x.vat), ('duty', x.duty)) as p (part, amount)`

// With more lines than this, an equal total proves nothing, and comparing every line with every item is slow.
const LINES_OF_TOTAL_MAX = 10

// SQL join: the charges `x` of the items that the line `l` names.
export const NAMED_CHARGES = `line_names n on n.line_id = l.id
  join open_items x on x.parent_kind = n.item_kind and x.parent_id = n.item_id`

// Applies rule 6, which matches lines of fees, VAT and stamp duty with booked charges. Lines that name an
// item come first: those that equal a part of its charges, then debits that equal one without being worded as
// charges, then lines that together make up the rest. If charge lines that name nothing are left, compares
// the totals of whole days. Returns the number of matched lines.
export async function matchCharges(tx: Transaction, run: Run): Promise<number> {
  let matched = await matchExactCharges(tx, run, { join: NAMED_CHARGES })
  matched += await matchExactCharges(tx, run, { join: NAMED_CHARGES, isCharge: UNWORDED })
  matched += await matchRemainingCharges(tx, run, NAMED_CHARGES)
  const { rows } = await tx.query(
    `select from open_lines l
      where ${CHARGE_LINE} and l.amount < 0 and not l.is_decided and ${UNNAMED_CHARGE} limit 1`,
  )
  return rows.length === 0 ? matched : matched + (await matchChargesOfDay(tx, run))
}

// SQL condition: whether the line `l` names no item. Only such lines are compared with a whole day's
// charges.
const UNNAMED_CHARGE = 'not exists (select from line_names n where n.line_id = l.id)'

// SQL condition: whether the line `l` is worded as the part `p` of a charge.
const WORDED = `${CHARGE_LINE} and p.part = ${PART_OF_LINE}`
// SQL condition: whether the line `l` is a debit that is not worded as a charge. If it has exactly the
// charged amount, it is the charge.
const UNWORDED = `l.kind = 'other' and l.amount < 0`

// Matches lines that equal a part of the item that they name, to the kobo. `join` joins the item `x` to the
// line `l`. `isCharge` is a SQL condition that selects the lines and the part `p`.
export function matchExactCharges(
  tx: Transaction,
  run: Run,
  { join, isCharge = WORDED }: { join: string; isCharge?: string },
): Promise<number> {
  return storeMatches(tx, run, {
    rule: 'charge',
    pairs: `
     select line_id, kind, id, amount, line_day, item_day, part
       from (select l.id as line_id, x.kind, x.id, l.amount, l.day as line_day, x.day as item_day,
                    p.part, row_number() over (partition by l.id order by x.kind, x.id) as of_line,
                    row_number() over (partition by x.kind, x.id, p.part order by l.id) as of_part
               from open_lines l join ${join} cross join lateral ${PARTS}
              where ${isCharge} and x.parent_kind is not null and p.amount = l.amount) as f
      where of_line = 1 and of_part = 1`,
  })
}

// SQL condition: whether the line `l` takes back the credit `c`, gross or net.
export const TAKES_BACK = `-l.amount in
  (c.amount_kobo, c.amount_kobo - c.fee_kobo - c.vat_kobo - c.duty_kobo)`

// SQL condition: whether the line `l` has the whole amount of the credit or payout of the charges `x`. Such a
// debit is no charge, whatever its words: the bank took the credit back, or paid a payout or return twice.
const IS_REPEAT_OR_TAKE_BACK = `(l.amount <> x.amount and (
  x.kind = 'charges' and exists (select from credits c where c.id = x.id and ${TAKES_BACK})
  or x.kind = 'payout_cost' and exists (
    select from payouts p where p.id = x.id and p.amount_kobo = -l.amount)))`

// Matches the charge lines that equal no part of their item. The lines of one item are added up in order
// until they reach its amount. The line that reaches it, or else the last line, is paired with the remaining
// part of the item's amount. Later lines stay unmatched. All amounts are debits, so they are negative: a
// total has reached the item's amount when it is less than or equal to it.
export function matchRemainingCharges(tx: Transaction, run: Run, join: string): Promise<number> {
  return storeMatches(tx, run, {
    rule: 'charge',
    pairs: `
     with candidates as (
       select distinct on (l.id) l.id, l.amount, l.day, x.kind, x.id as item_id,
              x.amount as item_amount, x.day as item_day
         from open_lines l join ${join}
        where ${CHARGE_LINE} and l.amount < 0 and x.parent_kind is not null
          and not ${IS_REPEAT_OR_TAKE_BACK}
        order by l.id, x.kind, x.id
     ), running as (
       select *, sum(amount) over w - amount as total_before,
              sum(amount) over w as total_after,
              lead(id) over (partition by kind, item_id order by id) is null as is_last
         from candidates window w as (partition by kind, item_id order by id)
     )
     select id, kind, item_id,
            case when is_last or total_after <= item_amount then item_amount - total_before
                 else amount end,
            day, item_day, '' as part
       from running where total_before > item_amount`,
  })
}

// Matches lines with charges by total: first kind by kind, then all kinds together. For each, tries credits
// and payouts together, then each alone.
async function matchChargesOfDay(tx: Transaction, run: Run): Promise<number> {
  let matched = 0
  for (const allPartsTogether of [false, true]) {
    matched += await matchTotals(tx, run, { allPartsTogether, itemKinds: null })
    for (const kind of ['charges', 'payout_cost']) {
      matched += await matchTotals(tx, run, { allPartsTogether, itemKinds: kind })
    }
  }
  return matched
}

// Matches all charge lines of a day if their total is the total of the day's items. With `itemKinds`,
// matches a single line that has the total of the items of that kind. With `allPartsTogether`, compares all
// parts of the charges together; otherwise compares fees, VAT and duty separately.
//
// To decide how much of an item each line pays, the SQL lays lines and items end to end along the total: a
// line and an item that overlap are a pair, and the overlap is the amount of the pair.
async function matchTotals(
  tx: Transaction,
  run: Run,
  { allPartsTogether, itemKinds }: { allPartsTogether: boolean; itemKinds: string | null },
): Promise<number> {
  return storeMatches(tx, run, {
    rule: 'charge',
    values: [itemKinds],
    pairs: `
     with lines as (
       select l.id, l.day, -l.amount as amount, ${allPartsTogether ? `'whole'` : PART_OF_LINE} as part
         from open_lines l
        where ${CHARGE_LINE} and l.amount < 0 and not l.is_decided and ${UNNAMED_CHARGE}
     ), items as (
       select x.kind, x.id, x.day, -p.amount as amount, p.part
         from open_items x
        cross join lateral ${allPartsTogether ? `(values ('whole', x.amount)) as p (part, amount)` : PARTS}
        where x.parent_kind is not null and p.amount < 0 and not x.is_decided
          and ($1::text is null or x.kind = $1)
     ), due as (
       select day, part, sum(amount) as amount from items group by 1, 2
     ), groups as (
       select day, part, array_agg(id) as ids from lines
        where $1::text is null group by 1, 2
       having count(*) <= ${LINES_OF_TOTAL_MAX}
          and sum(amount) = (select d.amount from due d
                              where d.day = lines.day and d.part = lines.part)
       union all
       select day, part, array[min(id)] from lines
        where $1::text is not null
          and amount = (select d.amount from due d where d.day = lines.day and d.part = lines.part)
        group by 1, 2
     ), laid_lines as (
       select l.id, l.day, l.part, sum(l.amount) over w - l.amount as low, sum(l.amount) over w as high
         from groups g join lines l on l.day = g.day and l.part = g.part and l.id = any (g.ids)
       window w as (partition by l.day, l.part order by l.id)
     ), laid_items as (
       select i.*, sum(i.amount) over w - i.amount as low, sum(i.amount) over w as high
         from groups g join items i on i.day = g.day and i.part = g.part
       window w as (partition by i.day, i.part order by i.kind, i.id)
     )
     select l.id, i.kind, i.id, greatest(l.low, i.low) - least(l.high, i.high), l.day, i.day, i.part
       from laid_lines l
       join laid_items i on i.day = l.day and i.part = l.part
                        and i.low < l.high and i.high > l.low`,
  })
}

// Rules 4 and 5, for lines that name no item.
//
// Rule 4 compares our account number (in the line or its narration), the amount and the day. Equal lines and
// items are matched in order, first those with the same name. If an unmatched line equals a matched one, it
// is a duplicate (find-differences.ts): booking it would book the transfer twice. Lines with session ids are
// different transfers, so they are matched only if there are as many items.
//
// Rule 5 matches a sweep: a line whose amount is the sum of all items since the last sweep.

// A regular expression for account numbers: ten digits that are not part of a longer number.
export const NUMBERS = '(?<![0-9])[0-9]{10}(?![0-9])'
// SQL condition: whether the line `l` names no item, and no user has requested or decided its resolution.
export const UNNAMED = `not l.is_decided
  and not exists (select from line_names n where n.line_id = l.id)`

// SQL subquery: the account numbers in the line `l`. `pattern` is NUMBERS as a SQL parameter.
export const NUMBERS_OF_LINE = (pattern: string) => `(
  select l.account_number as number where l.account_number is not null
  union
  select m[1] from regexp_matches(l.narration, ${pattern}, 'g') as m
   where l.account_number is null)`

// Applies rule 4, which matches, by account number and amount, lines that name no item. Different session ids
// are different transfers, even if all else is equal. So a line with a session id is compared only with items
// that have none. Returns the number of matched lines.
export async function matchByAccount(tx: Transaction, run: Run): Promise<number> {
  let matched = 0
  for (const hasSessionId of [false, true]) {
    for (const isNet of [false, true]) {
      for (const isNamed of [true, false]) {
        matched += await matchEqual(tx, run, { hasSessionId, isNet, isNamed })
      }
    }
  }
  return matched
}

// One pass of rule 4 (the same account number, amount and day). `hasSessionId` selects the lines with or
// without a session id. With `isNet`, a line must equal the item less the bank's charges, instead of the item
// alone. With `isNamed`, the names must also be equal. Among equals, the first line is paired with the first
// item, and so on (`place`). Lines with session ids are paired only if there are as many equal items
// (`copies`).
async function matchEqual(
  tx: Transaction,
  run: Run,
  { hasSessionId, isNet, isNamed }: { hasSessionId: boolean; isNet: boolean; isNamed: boolean },
): Promise<number> {
  return storeMatches(tx, run, {
    rule: 'account_and_amount',
    values: [NUMBERS, hasSessionId, isNet],
    pairs: `
     with lines as (
       select l.id, l.day, l.amount, a.number, w.name, count(*) over same as copies,
              row_number() over (partition by a.number, l.day, l.amount, w.name order by l.id) as place
         from open_lines l
        cross join lateral ${NUMBERS_OF_LINE('$1')} as a
        cross join lateral (select ${isNamed ? 'lower(l.name)' : `''`} as name) as w
        where ${UNNAMED} and not ${CHARGE_LINE} and (l.session_id is not null) = $2
       window same as (partition by a.number, l.day, l.amount, w.name)
     ), items as (
       select i.kind, i.id, i.day as item_day, i.amount, i.account_number as number, x.kind as x_kind,
              x.id as x_id, x.amount as x_amount, x.day as x_day, w.whole, w.name,
              count(*) over same as copies,
              row_number() over (partition by i.account_number, i.day, w.whole, w.name
                                 order by i.kind, i.id) as place
         from open_items i ${JOIN_CHARGES}
        cross join lateral (
          select i.amount + case when $3 then x.amount else 0 end as whole,
                 ${isNamed ? 'lower(i.name)' : `''`} as name) as w
        where i.parent_kind is null and i.account_number is not null and not i.is_decided
          and not (i.has_session_id and $2) and w.whole is not null
       window same as (partition by i.account_number, i.day, w.whole, w.name)
     ), candidates as (
       select l.id as line_id, l.day as line_day, i.*, count(*) over (partition by l.id) as choices
         from lines l
         join items i on i.number = l.number and i.item_day = l.day and i.whole = l.amount
                     and i.name = l.name and i.place = l.place and (not $2 or i.copies = l.copies)
     )
     ${pairsOf('(select * from candidates where choices = 1)', '$3')}`,
  })
}

// Applies rule 5, which matches a sweep (one transfer of the whole balance) with the items that add up to it.
// Looks for a sweep on the day of the last item and on the next day, each time first without and then with
// charges.
export async function matchSweeps(tx: Transaction, run: Run): Promise<number> {
  const { rows } = await tx.query(
    `select from open_lines l where l.kind = 'sweep' and ${UNNAMED} limit 1`,
  )
  if (rows.length === 0) return 0
  let matched = 0
  for (const daysLater of [0, 1]) {
    for (const isNet of [false, true]) {
      matched += await matchSums(tx, run, { daysLater, isNet })
    }
  }
  return matched
}

// Matches a sweep with all items between the last sweep and this one, if the sums are equal. `daysLater` is
// the number of days between the last item and the sweep; with `isNet`, the sum includes the charges. A sweep
// has items of one direction: money in with its charges, or money out with its charges. Two sweeps of a day
// in the same direction are ambiguous, so neither is matched.
async function matchSums(
  tx: Transaction,
  run: Run,
  { daysLater, isNet }: { daysLater: number; isNet: boolean },
): Promise<number> {
  return storeMatches(tx, run, {
    rule: 'sweep',
    values: [run.bankCode, run.currency, run.fromDay, daysLater, isNet],
    pairs: `
     with items as (
       select kind, id, day, amount, sign(case when parent_kind is null then amount
                                               when kind = 'charges' then 1 else -1 end) as direction
         from open_items
        where not is_decided and day >= $3::date - $4::int and ($5 or parent_kind is null)
     ), days as (
       select day, direction, sum(amount) as amount from items group by 1, 2
     ), sweeps as (
       select l.id, l.day, l.amount, sign(l.amount) as direction,
              count(*) over (partition by l.day, sign(l.amount)) as copies,
              coalesce((select max(s.booked_on) from statement_lines s
                         where s.bank_code = $1 and s.currency = $2 and s.kind = 'sweep'
                           and s.booked_on < l.day and sign(s.amount_kobo) = sign(l.amount)),
                       $3::date - 1) as since
         from open_lines l where l.kind = 'sweep' and ${UNNAMED}
     ), met as (
       select w.id, w.day, w.since, w.direction
         from sweeps w
         join days d on d.direction = w.direction
                    and d.day + $4::int > w.since and d.day + $4::int <= w.day
        where w.copies = 1
        group by w.id, w.day, w.since, w.direction, w.amount having sum(d.amount) = w.amount
     )
     select m.id, i.kind, i.id, i.amount, m.day, i.day
       from met m
      cross join lateral generate_series(m.since + 1, m.day, interval '1 day') as g (day)
       join items i on i.direction = m.direction and i.day = g.day::date - $4::int`,
  })
}
