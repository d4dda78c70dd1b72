// Lists and adds up payouts, of one client or, for operators, of all, newest or oldest first.
//
// Amounts and most states have no index; payouts are few beside payments, and a list stops at a page.

import { ORDER_SQL, type Order } from '#db/paging.ts'
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

const FITS = `
      ($1::bigint is null or p.client_id = $1)
  and ($2::text is null or p.status = $2)
  and ($3::text is null or p.approval = $3)
  and ($4::text is null or p.purpose = $4)
  and ($5::text is null or p.bank_code = $5)
  and ($6::bigint is null or p.settlement_id = $6)
  and ($7::timestamptz is null or p.requested_at >= $7)
  and ($8::timestamptz is null or p.requested_at < $8)
  and ($9::bigint is null or p.amount_kobo >= $9)
  and ($10::bigint is null or p.amount_kobo <= $10)
  and ($11::text is null or strpos(lower(p.to_account_name), lower($11)) > 0)
  and ($12::bigint is null or p.batch_id = $12)`

function given(filter: PayoutFilter): unknown[] {
  return [
    filter.clientId ?? null,
    filter.status ?? null,
    filter.approval ?? null,
    filter.purpose ?? null,
    filter.bankCode ?? null,
    filter.settlementId ?? null,
    filter.from ?? null,
    filter.to ?? null,
    filter.minKobo ?? null,
    filter.maxKobo ?? null,
    filter.recipient ?? null,
    filter.fileId ?? null,
  ]
}

export async function listPayouts(
  db: Queryable,
  { order = 'newest', after, limit, ...filter }: PayoutFilter & Paging,
): Promise<Payout[]> {
  const { sort, isAfter } = ORDER_SQL[order]
  const { rows } = await db.query<Payout>({
    name: `list-payouts-${order}`,
    text: `${SELECT_PAYOUT}
            where ${FITS} and ($13::bigint is null or p.id ${isAfter} $13)
            order by p.id ${sort} limit $14`,
    values: [...given(filter), after, limit],
  })
  return rows
}

// What all that fit come to: see summaries.ts.
export async function summarizePayouts(db: Queryable, filter: PayoutFilter): Promise<Summary> {
  const { rows } = await db.query<Total>({
    name: 'summarize-payouts',
    text: `select currency, count(*) as count, sum(amount_kobo)::bigint as "amountKobo"
             from (select p.currency, p.amount_kobo from payouts p
                    where ${FITS} order by p.id desc limit $13) as found
            group by currency order by currency`,
    values: [...given(filter), SUMMED_MAX + 1],
  })
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
