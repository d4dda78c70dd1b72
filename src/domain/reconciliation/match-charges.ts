// Rule 6: matches lines of fees, VAT and stamp duty with the booked charges: of a credit or payout that
// the line names, or else of a whole day.
//
// The books have one item for all charges of a credit or payout, with its parts; a bank may book the
// parts separately. So the lines of one item add up to it. The last line takes the remaining amount, and
// its difference from that becomes its rest.

import type { Transaction } from '#db/transaction.ts'
import type { Run } from './reconciled-banks.ts'
import { takeMatches } from './take-pairs.ts'

export const CHARGE_LINE = `l.kind in ('fee', 'vat', 'stamp_duty')`
const PART_OF_LINE = `case l.kind when 'stamp_duty' then 'duty' else l.kind end`
const PARTS = `(values ('fee', x.fee), ('vat', x.vat), ('duty', x.duty)) as p (part, amount)`

// With more lines, a day's total says nothing, and every line would be compared with every item.
const LINES_OF_TOTAL_MAX = 10

// The charges of the items that the line `l` names.
export const NAMED_CHARGES = `line_names n on n.line_id = l.id
  join open_items x on x.parent_kind = n.item_kind and x.parent_id = n.item_id`

// Returns the number of matched lines.
export async function matchCharges(tx: Transaction, run: Run): Promise<number> {
  let matched = await matchExactCharges(tx, run, { join: NAMED_CHARGES })
  matched += await matchExactCharges(tx, run, { join: NAMED_CHARGES, isCharge: UNWORDED })
  matched += await matchOtherCharges(tx, run, NAMED_CHARGES)
  const { rows } = await tx.query(
    `select from open_lines l
      where ${CHARGE_LINE} and l.amount < 0 and not l.is_decided and ${UNNAMED} limit 1`,
  )
  return rows.length === 0 ? matched : matched + (await matchChargesOfDay(tx, run))
}

const UNNAMED = 'not exists (select from line_names n where n.line_id = l.id)'

const WORDED = `${CHARGE_LINE} and p.part = ${PART_OF_LINE}`
// A debit of exactly the charged amount is that charge, whatever the bank calls it.
const UNWORDED = `l.kind = 'other' and l.amount < 0`

// For items that lines name: `x` is the item, joined to the line `l`. First the lines that equal a part
// of it to the kobo, then the others in order.
export function matchExactCharges(
  tx: Transaction,
  run: Run,
  { join, isCharge = WORDED }: { join: string; isCharge?: string },
): Promise<number> {
  return takeMatches(tx, run, {
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

// A debit by which the bank takes back the credit `c`, gross or net.
export const TAKES_BACK = `-l.amount in
  (c.amount_kobo, c.amount_kobo - c.fee_kobo - c.vat_kobo - c.duty_kobo)`

// A debit of the item's whole amount is no charge, whatever its words: a credit taken back, or a payout
// or return made twice.
const IS_WHOLE = `(l.amount <> x.amount and (
  x.kind = 'charges' and exists (select from all_credits c where c.id = x.id and ${TAKES_BACK})
  or x.kind = 'payout_cost' and exists (
    select from payouts p where p.id = x.id and p.amount_kobo = -l.amount)))`

export function matchOtherCharges(tx: Transaction, run: Run, join: string): Promise<number> {
  return takeMatches(tx, run, {
    rule: 'charge',
    pairs: `
     with candidates as (
       select distinct on (l.id) l.id, l.amount, l.day, x.kind, x.id as item_id,
              x.amount as due, x.day as item_day
         from open_lines l join ${join}
        where ${CHARGE_LINE} and l.amount < 0 and x.parent_kind is not null and not ${IS_WHOLE}
        order by l.id, x.kind, x.id
     ), running as (
       select *, sum(amount) over w - amount as before, sum(amount) over w as so_far,
              lead(id) over (partition by kind, item_id order by id) is null as is_last
         from candidates window w as (partition by kind, item_id order by id)
     )
     select id, kind, item_id,
            case when is_last or so_far <= due then due - before else amount end, day, item_day, ''
       from running where before > due`,
  })
}

// By kind and then together; for credits and payouts together and then separately.
async function matchChargesOfDay(tx: Transaction, run: Run): Promise<number> {
  let matched = 0
  for (const isWhole of [false, true]) {
    matched += await matchTotals(tx, run, { isWhole, itemKinds: null })
    for (const kind of ['charges', 'payout_cost']) {
      matched += await matchTotals(tx, run, { isWhole, itemKinds: kind })
    }
  }
  return matched
}

// Matches the lines of a day that sum to the day's items; for one kind of items, a single line. Lays both
// sides along the same sum: a line and an item that overlap are a pair.
async function matchTotals(
  tx: Transaction,
  run: Run,
  { isWhole, itemKinds }: { isWhole: boolean; itemKinds: string | null },
): Promise<number> {
  return takeMatches(tx, run, {
    rule: 'charge',
    values: [itemKinds],
    pairs: `
     with lines as (
       select l.id, l.day, -l.amount as amount, ${isWhole ? `'whole'` : PART_OF_LINE} as part
         from open_lines l
        where ${CHARGE_LINE} and l.amount < 0 and not l.is_decided and ${UNNAMED}
     ), items as (
       select x.kind, x.id, x.day, -p.amount as amount, p.part
         from open_items x
        cross join lateral ${isWhole ? `(values ('whole', x.amount)) as p (part, amount)` : PARTS}
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
