// The items that make up the amounts of daily proofs (daily-proof.ts). At the end of each day
//
//   waiting    the sum of the items that wait, up to that day
//   crossDay   the sum of the pairs of which one side is of that day or before, and the other is later
//   noted      the sum of the reconciling items, up to that day
//   difference the sum of the open items, up to that day

import { watDay } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { DifferenceId, StatementLineId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import type { BankAccount } from './banks.ts'
import { IS_NOTED, isTiming, type TimingWindows } from './daily-proof.ts'
import type { DifferenceKind } from './difference.ts'
import type { ItemKind } from './items.ts'

type ItemQuery = { fromDay: string; toDay: string; windows: TimingWindows; now: Date }

// A difference that is not cleared.
export type StandingItem = BankAccount & {
  day: string
  state: 'waiting' | 'noted' | 'open'
  kind: DifferenceKind
  amountKobo: Kobo // The amount by which the statement exceeds the books.
  differenceId: DifferenceId
  lineId: StatementLineId | null // Null: the difference is about an item of the books, or a statement.
  item: string | null
  reason: string | null
}

// The differences that count in the proof of the last day, in the order of their days.
export async function readStandingItems(
  db: Queryable,
  { toDay, windows, now }: ItemQuery,
): Promise<StandingItem[]> {
  const { rows } = await db.query<StandingItem>({
    name: 'read-standing-items',
    text: `select d.bank_code, d.currency, d.day::text as day,
                  case when ${isTiming('$2')} then 'waiting' when ${IS_NOTED} then 'noted'
                       else 'open' end as state,
                  d.kind, d.amount_kobo, d.id as difference_id, d.line_id,
                  d.item_kind || ' ' || d.item_id as item, d.reason
             from differences d
             left join unnest($3::text[], $4::int[]) as w (bank_code, days) using (bank_code)
            where d.state <> 'cleared' and d.day <= $1::date
            order by d.bank_code, d.currency, d.day, d.id`,
    values: [toDay, watDay(now), [...windows.keys()], [...windows.values()]],
  })
  return rows
}

// A pair of a line and an item of different days.
export type CrossDayItem = BankAccount & {
  fromDay: string
  untilDay: string
  amountKobo: Kobo // The amount by which the statement exceeds the books from the one day until the other.
  rule: string
  lineId: StatementLineId | null // Null: an adjusting entry offsets the item.
  kind: ItemKind
  item: string
}

// The pairs that are in transit at the end of a day of the range.
export async function readCrossDayItems(
  db: Queryable,
  { fromDay, toDay }: Pick<ItemQuery, 'fromDay' | 'toDay'>,
): Promise<CrossDayItem[]> {
  const { rows } = await db.query<CrossDayItem>({
    name: 'read-cross-day-items',
    text: `select bank_code, currency, least(line_day, item_day)::text as from_day,
                  greatest(line_day, item_day)::text as until_day,
                  case when line_day < item_day then amount_kobo else -amount_kobo end as amount_kobo,
                  rule, nullif(line_id, 0) as line_id, item_kind as kind,
                  item_kind || ' ' || item_id as item
             from statement_matches
            where line_day <> item_day and least(line_day, item_day) <= $2::date
              and greatest(line_day, item_day) > $1::date
            order by bank_code, currency, least(line_day, item_day), item_kind, item_id, line_id`,
    values: [fromDay, toDay],
  })
  return rows
}
