// The number of requests that a signed-in user may approve now, by workflow: those of others, without an
// obstacle for this user. Each workflow applies the rule of its approval. Counts up to a hundred each.

import type { Queryable } from '#db/pool.ts'
import { unfitnessOf } from '#domain/access/approvers.ts'
import type { Client } from '#domain/access/clients.ts'
import type { Scope } from '#domain/access/scopes.ts'
import { findApprovalObstacle } from '#domain/payouts/decide-payout.ts'
import { listFailures } from '#domain/payouts/payout-failures.ts'
import { listAdjustments } from '#domain/refunds/adjustments.ts'
import { findObstacleToViewer } from '#domain/settlement/settlement-approvers.ts'
import { readPayees } from '#domain/settlement/settlement-payees.ts'
import { readSettlement } from '#domain/settlement/settlements.ts'
import { listRequests } from '#domain/suspense/approval-request-list.ts'
import type { PayoutId, SettlementId, UserId } from '#ids.ts'

export const COUNTED_MAX = 100

export const WORKFLOWS = [
  'payouts',
  'settlements',
  'suspense',
  'adjustments',
  'differences',
  'payoutFailures',
] as const
export type Workflow = (typeof WORKFLOWS)[number]

type Viewer = {
  client: Client
  actor: string
  userId: UserId
  newSince: Date
  scopes: ReadonlySet<Scope>
}

type Count = (db: Queryable, viewer: Viewer) => Promise<number>

const SCOPES: Readonly<Record<Workflow, Scope>> = {
  payouts: 'payouts:write',
  settlements: 'payouts:write',
  suspense: 'suspense:write',
  adjustments: 'accounting:write',
  differences: 'accounting:write',
  payoutFailures: 'accounting:write',
}

const COUNTS: Readonly<Record<Workflow, Count>> = {
  payouts: countPayouts,
  settlements: countSettlements,
  suspense: async (db, viewer) => {
    const open = { state: 'open', itemId: null, beforeId: null, limit: COUNTED_MAX } as const
    return countClear(await listRequests(db, viewer, open))
  },
  adjustments: async (db, viewer) => countClear(await listAdjustments(db, viewer, OPEN)),
  differences: countDifferences,
  payoutFailures: async (db, viewer) => countClear(await listFailures(db, viewer, OPEN)),
}

const OPEN = { state: 'open', beforeId: null, limit: COUNTED_MAX } as const

const countClear = (requests: readonly { obstacle: unknown }[]) =>
  requests.filter(({ obstacle }) => obstacle === null).length

export async function countPendingApprovals(
  db: Queryable,
  viewer: Viewer,
): Promise<Record<Workflow, number>> {
  const counts = {} as Record<Workflow, number>
  for (const workflow of WORKFLOWS) {
    const may = viewer.scopes.has(SCOPES[workflow])
    counts[workflow] = may ? await COUNTS[workflow](db, viewer) : 0
  }
  return counts
}

const UNFITNESS = (maker: string) =>
  unfitnessOf({ maker, people: 'maker_people', viewer: '$1::uuid', newSince: '$2' })

async function countPayouts(db: Queryable, viewer: Viewer): Promise<number> {
  const { rows } = await db.query<{ id: PayoutId }>({
    name: 'payouts-to-approve',
    text: `select id from payouts
            where client_id = $3 and status = 'queued' and approval = 'needed'
              and ${UNFITNESS('requested_by_user')} is null
            order by id limit ${COUNTED_MAX}`,
    values: [viewer.userId, viewer.newSince, viewer.client.id],
  })
  const obstacles = []
  for (const { id } of rows) obstacles.push(await findApprovalObstacle(db, viewer, id))
  return obstacles.filter((obstacle) => obstacle === null).length
}

async function countSettlements(db: Queryable, viewer: Viewer): Promise<number> {
  const { rows } = await db.query<{ id: SettlementId }>({
    name: 'settlements-to-approve',
    text: `select id from settlements
            where client_id = $1 and status = 'closed' order by id limit ${COUNTED_MAX}`,
    values: [viewer.client.id],
  })
  let count = 0
  for (const { id } of rows) {
    const settlement = await readSettlement(db, id)
    const payees = await readPayees(db, id)
    if ((await findObstacleToViewer(db, viewer, { settlement, payees })) === null) count++
  }
  return count
}

async function countDifferences(db: Queryable, { userId, newSince }: Viewer): Promise<number> {
  const { rows } = await db.query<{ count: number }>({
    name: 'count-differences-to-approve',
    text: `select count(*)::int as count
             from (select from differences
                    where state = 'asked' and ${UNFITNESS('asked_by_user')} is null
                    limit ${COUNTED_MAX}) as d`,
    values: [userId, newSince],
  })
  return rows[0]?.count ?? 0
}
