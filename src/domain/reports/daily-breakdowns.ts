// A client's day by bank and by merchant. Counted with the hourly totals, from the same events in the
// same statement (hourly-totals.ts); readers add the events after the last round, as they do there.

import type { Queryable } from '#db/pool.ts'
import { PARTS, type Sums } from '#domain/records/movements.ts'
import type { ClientId } from '#ids.ts'
import { watDay } from '#wat-time.ts'
import { BROKEN_DOWN, readAfter, SUMS, TAIL_MAX } from './hourly-totals.ts'

export const MERCHANTS_MAX = 100 // Those with the largest gross; the rest is one row.

export type BreakdownRow = Sums & {
  bankCode: string | null // Null in the rows by merchant.
  merchantCode: string | null // '' for payments, which have none. Null in the rows by bank, and …
  isRest: boolean // … of all other merchants.
  credits: bigint
}

// One statement, so one moment.
export async function readBreakdown(
  db: Queryable,
  clientId: ClientId,
  { day, limit = TAIL_MAX }: { day: Date; limit?: number },
): Promise<BreakdownRow[]> {
  const sums = SUMS.map((name) => `sum(${name})::bigint as ${name}`).join(', ')
  const { rows } = await db.query<BreakdownRow>({
    name: `read-breakdown-${limit}`,
    text: `with counted as materialized (
             select coalesce((select sequence from totals_cursors where client_id = $1), 0) as past
           ), ${readAfter('(select past from counted)', limit)}, ${BROKEN_DOWN}, whole as (
             select bank_code, merchant_code, ${SUMS.join(', ')} from daily_breakdowns
              where client_id = $1 and day = $2
             union all
             select bank_code, merchant_code, ${SUMS.join(', ')} from parts where day = $2
           ), by_bank as (
             select bank_code, ${sums} from whole group by bank_code
           ), by_merchant as (
             select merchant_code, row_number() over (order by sum(gross_kobo) desc, merchant_code)
                      > ${MERCHANTS_MAX} as is_rest, ${sums}
               from whole group by merchant_code
           )
           select bank_code as "bankCode", null as "merchantCode", false as "isRest", ${SHOWN}
             from by_bank
           union all
           select null, case when not is_rest then merchant_code end, is_rest, ${sums}
             from by_merchant
            group by is_rest, case when not is_rest then merchant_code end
            order by "isRest", "grossKobo" desc, "bankCode", "merchantCode"`,
    values: [clientId, watDay(day)],
  })
  return rows
}

const SHOWN = ['credits', ...PARTS.map((part) => `${part}_kobo as "${part}Kobo"`)].join(', ')
