// Lists and adds up payouts, of one client or, for operators, of all, newest or oldest first.
//
// Amounts and most states have no index; payouts are few beside payments, and a list stops at a page.

import { type Conditions, composed, fits, listQuery } from '#db/list-query.ts'
import type { Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { PREFIX_SCAN_MAX, pastPrefix } from '#db/prefixes.ts'
import { SUMMED_MAX, type Summary, summaryOf, type Total } from '#db/summaries.ts'
import type { Window } from '#db/time-bounds.ts'
import type { ClientId, SettlementId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import {
  type Approval,
  type Payout,
  type PayoutStatus,
  type Purpose,
  SELECT_PAYOUT,
} from './payouts.ts'

export type PayoutFilter = Window & {
  clientId?: ClientId | undefined // Undefined: of all clients, for operators.
  status?: PayoutStatus | undefined
  approval?: Approval | undefined
  purpose?: Purpose | undefined
  bankCode?: string | undefined
  settlementId?: SettlementId | undefined
  fileId?: bigint | undefined // The payout file that they are in.
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
  recipient?: string | undefined // A part of the recipient's name, in any case.
}

type Paging = { order?: Order | undefined; after: bigint | null; limit: number }

const conditions = (filter: PayoutFilter): Conditions => [
  ['p.client_id = $', filter.clientId],
  ['p.status = $', filter.status],
  ['p.approval = $', filter.approval],
  ['p.purpose = $', filter.purpose],
  ['p.bank_code = $', filter.bankCode],
  ['p.settlement_id = $', filter.settlementId],
  ['p.requested_at >= $', filter.from],
  ['p.requested_at < $', filter.to],
  ['p.amount_kobo >= $', filter.minKobo],
  ['p.amount_kobo <= $', filter.maxKobo],
  ['strpos(lower(p.to_account_name), lower($)) > 0', filter.recipient],
  ['p.batch_id = $', filter.fileId],
]

export async function listPayouts(
  db: Queryable,
  { order, after, limit, ...filter }: PayoutFilter & Paging,
): Promise<Payout[]> {
  const where = conditions(filter)
  const page = { id: 'p.id', order, after, limit }
  const { rows } = await db.query<Payout>(listQuery({ select: SELECT_PAYOUT, where, ...page }))
  return rows
}

// What all that fit come to: see summaries.ts.
export async function summarizePayouts(db: Queryable, filter: PayoutFilter): Promise<Summary> {
  const { sql, values } = fits(conditions(filter))
  const text = `select currency, count(*) as count, sum(amount_kobo)::bigint as "amountKobo"
                  from (select p.currency, p.amount_kobo from payouts p
                         where ${sql} order by p.id desc limit ${SUMMED_MAX + 1}) as found
                 group by currency order by currency`
  const { rows } = await db.query<Total>(composed(text, values))
  return summaryOf(rows, true)
}

// Of those whose reference, or the bank's, begins like this; of one client or, for operators, any.
export async function findPayoutsLike(
  db: Queryable,
  { prefix, clientId, limit }: { prefix: string; clientId: ClientId | undefined; limit: number },
): Promise<Payout[]> {
  const { rows } = await db.query<Payout>({
    name: 'find-payouts-like',
    text: `${SELECT_PAYOUT}
            where p.id = any(array(
                    (select id from payouts where reference >= upper($2) and reference < upper($3)
                      order by reference limit ${PREFIX_SCAN_MAX})
                    union all
                    (select id from payouts where bank_reference = $2)))
              and ($1::bigint is null or p.client_id = $1)
            order by p.id desc limit $4`,
    values: [clientId ?? null, prefix, pastPrefix(prefix), limit],
  })
  return rows
}
