// Requests to fail a payout that a bank may have (unknown, or in a file), or all open payouts of a file that
// the bank does not have, as an operator's user sees them, each with the reason why this user may not approve
// it, if any (approvers.ts).

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { unfitnessOf } from '#domain/access/approvers.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'
import type { Kobo } from '#money.ts'
import { newReference } from '#references.ts'

export const FAILURE_STATES = ['open', 'approved', 'rejected', 'withdrawn'] as const
export type FailureState = (typeof FAILURE_STATES)[number]

export type PayoutFailure = {
  id: bigint
  reference: string
  payout: string | null // Its reference; null: it is about a file.
  payoutFile: string | null
  amountKobo: Kobo // That becomes available: of the payout, or of the open ones of the file.
  reason: string | null // Of a payout: shown to the client.
  evidence: string
  state: FailureState
  requestedBy: string
  requestedAt: Date
  decidedBy: string | null
  decidedAt: Date | null
  decisionReason: string | null
  obstacle: RefusalCode | null // To an approval by who looks.
}

// Who looks. `newSince`: whose access was changed later than this approves nothing yet.
export type FailureViewer = { userId: UserId | null; newSince: Date }

export function newFailureReference(): string {
  return newReference('PFR')
}

const REFERENCE = /^PFR[0-9]{15}$/

const UNFITNESS = unfitnessOf({
  maker: 'r.requested_by_user',
  people: 'r.maker_people',
  viewer: '$1::uuid',
  newSince: '$2',
})

const IS_SETTLED = `p.status not in ('sending', 'unknown')`

const SELECT_FAILURE = `
  select r.id, r.reference, p.reference as payout, f.reference as "payoutFile",
         coalesce(p.amount_kobo, (select coalesce(sum(o.amount_kobo), 0)::bigint from payouts o
                                   where o.batch_id = r.file_id
                                     and o.status in ('sending', 'unknown', 'failed')))
           as "amountKobo",
         r.reason, r.evidence, r.state, r.requested_by as "requestedBy",
         r.requested_at as "requestedAt", r.decided_by as "decidedBy",
         r.decided_at as "decidedAt", r.decision_reason as "decisionReason",
         case when r.state <> 'open' then null
              else coalesce(${UNFITNESS}, case when ${IS_SETTLED} then 'payout_settled' end)
         end as obstacle
    from payout_failures r
    left join payouts p on p.id = r.payout_id
    left join payout_files f on f.id = r.file_id`

export async function getFailure(
  db: Queryable,
  viewer: FailureViewer,
  reference: string,
): Promise<PayoutFailure> {
  return read(db, viewer, { reference, lock: '' })
}

export async function lockFailure(
  tx: Transaction,
  viewer: FailureViewer,
  reference: string,
): Promise<PayoutFailure> {
  return read(tx, viewer, { reference, lock: 'for no key update of r' })
}

async function read(
  db: Queryable,
  { userId, newSince }: FailureViewer,
  { reference, lock }: { reference: string; lock: '' | 'for no key update of r' },
): Promise<PayoutFailure> {
  if (!REFERENCE.test(reference)) throw new Refusal('request_not_found')
  const { rows } = await db.query<PayoutFailure>({
    name: lock === '' ? 'get-payout-failure' : 'lock-payout-failure',
    text: `${SELECT_FAILURE} where r.reference = $3 ${lock}`,
    values: [userId, newSince, reference],
  })
  if (!rows[0]) throw new Refusal('request_not_found')
  return rows[0]
}

// The open one about a payout or a file; null: there is none.
export async function findOpenFailure(
  db: Queryable,
  { userId, newSince }: FailureViewer,
  of: { payoutId: bigint } | { fileId: bigint },
): Promise<PayoutFailure | null> {
  const { rows } = await db.query<PayoutFailure>({
    name: 'find-open-payout-failure',
    text: `${SELECT_FAILURE} where r.state = 'open' and (r.payout_id = $3 or r.file_id = $4)`,
    values: [
      userId,
      newSince,
      'payoutId' in of ? of.payoutId : null,
      'fileId' in of ? of.fileId : null,
    ],
  })
  return rows[0] ?? null
}

type FailureFilter = { state: FailureState | null; beforeId: bigint | null; limit: number }

// Newest first.
export async function listFailures(
  db: Queryable,
  { userId, newSince }: FailureViewer,
  { state, beforeId, limit }: FailureFilter,
): Promise<PayoutFailure[]> {
  const { rows } = await db.query<PayoutFailure>({
    name: 'list-payout-failures',
    text: `${SELECT_FAILURE}
            where ($3::text is null or r.state = $3) and ($4::bigint is null or r.id < $4)
            order by r.id desc limit $5`,
    values: [userId, newSince, state, beforeId, limit],
  })
  return rows
}
