// A client's day by bank and by merchant. Counted with the hourly totals, from the same events in the
// same statement (hourly-totals.ts). Readers add the events after the last round, and refunds from the
// ledger, as there.

import type { Queryable } from '#db/pool.ts'
import { PARTS, type Sums } from '#domain/records/movements.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY } from '#money.ts'
import { watDay } from '#wat-time.ts'
import { BREAKDOWN_PARTS, readAfter, SUMS, TAIL_MAX } from './hourly-totals.ts'
import { CLIENT_REFUNDS } from './refund-movements.ts'

export const MERCHANTS_MAX = 100 // Those with the largest gross; one row sums the rest.

export type BreakdownRow = Sums & {
  bankCode: string | null // Null in the rows by merchant.
  merchantCode: string | null // '' for payments, which have none. Null in the rows by bank and in the rest.
  isRest: boolean // The sum of all other merchants.
  credits: bigint
}

// One statement, so all rows are from the same moment.
export async function readBreakdown(
  db: Queryable,
  clientId: ClientId,
  { day, limit = TAIL_MAX }: { day: Date; limit?: number },
): Promise<BreakdownRow[]> {
  const sums = [...SUMS, 'refunded_kobo']
    .map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`)
    .join(', ')
  const { rows } = await db.query<BreakdownRow>({
    name: `read-breakdown-${limit}`,
    text: `with counted as materialized (
             select coalesce((select sequence from totals_cursors where client_id = $1), 0) as past
           ), ${readAfter('(select past from counted)', limit)}, ${BREAKDOWN_PARTS}, whole as (
             select bank_code, merchant_code, ${SUMS.join(', ')}, 0 as refunded_kobo
               from daily_breakdowns where client_id = $1 and day = $2
             union all
             select bank_code, merchant_code, ${SUMS.join(', ')}, 0 from parts where day = $2
             union all
             ${REFUNDS}
           ), by_bank as (
             select bank_code, ${sums} from whole group by bank_code
           ), by_merchant as (
             select merchant_code, row_number()
                      over (order by coalesce(sum(gross_kobo), 0) desc, merchant_code)
                      > ${MERCHANTS_MAX} as is_rest, ${sums}
               from whole group by merchant_code
           )
           select bank_code as "bankCode", null as "merchantCode", false as "isRest", ${COLUMNS}
             from by_bank
           union all
           select null, case when not is_rest then merchant_code end, is_rest, ${ADDED}
             from by_merchant
            group by is_rest, case when not is_rest then merchant_code end
            order by "isRest", "grossKobo" desc, "bankCode", "merchantCode"`,
    values: [clientId, watDay(day)],
  })
  return rows
}

const ADDED = ['credits', 'refunded_kobo', ...PARTS.map((part) => `${part}_kobo`)]
  .map((name) => `sum(${name})::bigint`)
  .join(', ')

// On the day $2 in West Africa, by the bank and the merchantCode of the refunded credit.
const REFUNDS = `
  select coalesce(c.bank_code, ''), coalesce(a.merchant_code, '') collate "C",
         ${SUMS.map(() => 'null').join(', ')}, r.refunded_kobo
    from (${CLIENT_REFUNDS}) as r
    left join payouts p on p.id = r.payout_id
    left join credits c on c.id = p.credit_id
    left join suspense_items i on i.id = p.item_id
    left join collection_accounts a
           on a.id = coalesce(i.assigned_account_id, c.collection_account_id)
   where (r.posted_at at time zone interval '1 hour')::date = $2 and r.currency = '${CURRENCY}'`

const COLUMNS = [
  'credits',
  'refunded_kobo as "refundedKobo"',
  ...PARTS.map((part) => `${part}_kobo as "${part}Kobo"`),
].join(', ')
