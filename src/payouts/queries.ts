// Lists, sums, finds and reads payouts: of one client or, for operators, of all clients.
//
// Amounts and most states have no index, because payouts are few compared with payments, and a list stops at
// the end of a page.

import type { Window } from '#db/bounds.ts'
import {
  type Conditions,
  composed,
  joinConditions,
  listQuery,
  type Order,
  PREFIX_SCAN_MAX,
  pastPrefix,
  SUMMED_MAX,
  type Summary,
  summaryOf,
  type Total,
} from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { ClientId, SettlementId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { findBlock } from './holds.ts'
import { type Approval, getPayout, type Payout, type Purpose, SELECT_PAYOUT } from './payout.ts'
import { type PayoutChange, type PayoutStatus, readPayoutChanges } from './states.ts'

export type PayoutFilter = Window & {
  clientId?: ClientId | undefined // Undefined for all clients, which only operators see.
  status?: PayoutStatus | undefined
  approval?: Approval | undefined
  purpose?: Purpose | undefined
  bankCode?: string | undefined
  settlementId?: SettlementId | undefined
  fileId?: bigint | undefined // The payout file that the payouts are in.
  minKobo?: Kobo | undefined
  maxKobo?: Kobo | undefined
  recipient?: string | undefined // A part of the recipient's name, case-insensitive.
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

// Counts and sums the payouts that the filter matches, by currency, up to SUMMED_MAX payouts.
export async function summarizePayouts(db: Queryable, filter: PayoutFilter): Promise<Summary> {
  const { sql, values } = joinConditions(conditions(filter))
  const text = `select currency, count(*) as count, sum(amount_kobo)::bigint as amount_kobo
                  from (select p.currency, p.amount_kobo from payouts p
                         where ${sql} order by p.id desc limit ${SUMMED_MAX + 1}) as found
                 group by currency order by currency`
  const { rows } = await db.query<Total>(composed(text, values))
  return summaryOf(rows, true) // `true`: the query does not stop its scan early.
}

export type PayoutDetail = Payout & { blockedBy: string | null; history: PayoutChange[] }

// Reads a payout with its history, and why it is blocked. Without `clientId`, reads a payout of any client,
// for operators.
export async function readPayoutDetail(
  db: Queryable,
  { reference, clientId }: { reference: string; clientId?: ClientId },
): Promise<PayoutDetail> {
  const payout = await getPayout(db, { reference, clientId })
  const [blockedBy, history] = [
    await findBlock(db, payout.id),
    await readPayoutChanges(db, payout.id),
  ]
  return { ...payout, blockedBy, history }
}

// Finds payouts whose reference starts with the prefix, or whose bank reference equals it. Without
// `clientId`, searches all clients, for operators.
export async function findPayoutsLike(
  db: Queryable,
  { prefix, clientId, limit }: { prefix: string; clientId: ClientId | undefined; limit: number },
): Promise<Payout[]> {
  const { sql, values } = joinConditions(
    [['p.client_id = $', clientId]],
    [prefix, pastPrefix(prefix), limit],
  )
  const text = `${SELECT_PAYOUT}
                 where p.id = any(array(
                         (select id from payouts
                           where reference >= upper($1) and reference < upper($2)
                           order by reference limit ${PREFIX_SCAN_MAX})
                         union all
                         (select id from payouts where bank_reference = $1)))
                   and ${sql}
                 order by p.id desc limit $3`
  const { rows } = await db.query<Payout>(composed(text, values))
  return rows
}
