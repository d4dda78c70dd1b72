// /api/v1/settlements: list and read settlements and their lines, preview the next settlement, and close,
// approve and cancel settlements.

import { type Static, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApprovalBody, toViewer } from '#approvals/views.ts'
import { parseBankTime } from '#clock.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Transaction } from '#db/transaction.ts'
import { invalidField, Refusal } from '#errors.ts'
import { scopeRefusal } from '#http/authentication.ts'
import { withCaller } from '#http/caller.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { choice } from '#http/lists.ts'
import { Nothing, resource } from '#http/resource.ts'
import { namedBody } from '#http/schemas.ts'
import {
  approveSettlement,
  findObstacleToViewer,
  readPayees,
  settlementRevision,
} from './approve.ts'
import { awaitTurn, cancelSettlement, closeSettlement } from './close.ts'
import { listLines, readUpcoming } from './queries.ts'
import { getSettlement, listSettlements } from './settlement.ts'
import { SETTLEMENT_STATUSES } from './states.ts'
import {
  LineView,
  requireReference,
  SettlementDetailView,
  SettlementView,
  UpcomingView,
} from './views.ts'

const UNRESTRICTED = 'Not available to clients restricted to certain merchantCodes.'

export const settlements = resource('/api/v1/settlements', {
  tag: 'Settlements',
  noun: 'settlement',
  view: SettlementView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { reference: requireReference },
  isForWholeClient: true,
})
  .list('listSettlements', {
    exportAs: 'exportSettlements',
    summary: 'List settlements, newest first',
    description: UNRESTRICTED,
    filters: { status: choice(SETTLEMENT_STATUSES, 'Filter by status.') },
    rows: (db, { clientId, query, after, limit }) =>
      listSettlements(db, clientId, { status: query.status ?? null, beforeId: after, limit }),
  })
  .get('getUpcomingSettlement', {
    path: '/upcoming',
    summary: 'Retrieve the upcoming settlement',
    description: `What would be in it if it were closed now, and when it closes. ${UNRESTRICTED}`,
    view: UpcomingView,
    message: 'Upcoming settlement retrieved successfully',
    run: (db, call) => withSnapshot(db, (tx) => readUpcoming(tx, call)),
  })
  .get('getSettlement', {
    summary: 'Retrieve a settlement',
    description:
      'Its amounts by party, its state, and the payouts that pay it; before it is approved, ' +
      'the bank accounts that it would be paid to.',
    view: SettlementDetailView,
    errors: ['settlement_not_found'],
    run: async (db, call) => {
      const settlement = await getSettlement(db, call.clientId, call.params.reference)
      if (settlement.status !== 'closed') {
        const revision = settlementRevision(settlement, [])
        return { ...settlement, payees: [], obstacle: null, revision }
      }
      const payees = await readPayees(db, settlement.id)
      const obstacle =
        scopeRefusal(call, 'payouts:write') ??
        (await findObstacleToViewer(db, toViewer(call, call), { settlement, payees }))
      const revision = settlementRevision(settlement, payees)
      return { ...settlement, payees, obstacle, revision }
    },
  })
  .list('listSettlementLines', {
    path: '/:reference/lines',
    name: 'settlement-lines',
    summary: 'List the lines of a settlement, in the order in which the money moved',
    description: 'One for each credit, and for each payout, refund or adjustment.',
    view: LineView,
    errors: ['settlement_not_found'],
    message: 'Lines retrieved successfully',
    rows: async (db, { clientId, params, after, limit }) => {
      const { id: settlementId } = await getSettlement(db, clientId, params.reference)
      return listLines(db, { settlementId, afterId: after, limit })
    },
  })

const ATTEMPTS_MAX = 5
const CUT_OFF_SAYS = 'Must be an ISO 8601 date or time that is not in the future.'

const CloseRequest = namedBody('CloseSettlementRequest', {
  cutOff: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Settle what was posted before this (ISO 8601). Default: everything.',
      'x-says': CUT_OFF_SAYS,
    }),
  ),
})

export const settlementChanges = resource('/api/v1/settlements', {
  tag: 'Settlements',
  noun: 'settlement',
  view: SettlementView,
  scopes: { read: 'payouts:read', write: 'payouts:write' },
  params: { reference: requireReference },
  isForWholeClient: true,
})
  .route('POST', 'closeSettlement', {
    summary: 'Close a settlement now',
    description:
      'Takes what is available up to the cut-off, and pays it out unless that needs approval. ' +
      'Refused with settlement_empty when there is nothing, cut_off_passed when the cut-off ' +
      'is not later than the last one. A settlement of very many credits may be answered with ' +
      'try_again before it is done: retry with the same Idempotency-Key.',
    body: CloseRequest,
    isKeyed: true,
    errors: ['client_suspended', 'cut_off_passed', 'settlement_empty', 'settlement_in_progress'],
    handle: (call) => {
      const cutOff = parseCutOff(call.body, call.now)
      return inTurn(call, async (tx) => {
        const now = call.clock()
        const settlement = await closeSettlement(tx, { ...call, now }, { ...call, cutOff })
        return accepted('Settlement closed successfully', SettlementView.present(settlement))
      })
    },
  })
  .act('approveSettlement', {
    path: '/:reference/approve',
    summary: 'Approve a settlement',
    description:
      'Creates its payouts. Where approval is needed, or no bank has confirmed the name of an ' +
      'account it is paid to, only for a signed-in user other than who closed it or chose its ' +
      'bank account. Otherwise needed only where a bank account was missing.',
    body: ApprovalBody,
    errors: [
      'second_approver_needed',
      'approver_chose_account',
      'approver_gave_access',
      'approver_not_independent',
      'approver_too_new',
      'maker_counts_as_you',
      'bank_account_inactive',
      'bank_account_mismatch',
      'client_held',
      'client_suspended',
      'no_default_bank_account',
      'other_person_needed',
      'request_changed',
      'settlement_not_closed',
      'settlement_not_found',
    ],
    message: 'Settlement approved successfully',
    pool: 'batchPool',
    run: (tx, call) => {
      const { scopes, params, body } = call
      const by = { ...toViewer(call, call), scopes }
      return approveSettlement(tx, call, { ...by, ...params, ...body })
    },
  })
  .route('POST', 'cancelSettlement', {
    path: '/:reference/cancel',
    summary: 'Cancel a settlement',
    description: 'Your latest, before it is approved. The next settlement takes it all again.',
    body: Nothing,
    isKeyed: true,
    errors: ['settlement_in_progress', 'settlement_not_cancellable', 'settlement_not_found'],
    handle: (call) =>
      inTurn(call, async (tx) => {
        const { clientId, actor, params, clock } = call
        const cancellation = { clientId, actor, reference: params.reference, now: clock() }
        const settlement = await cancelSettlement(tx, cancellation)
        return accepted('Settlement cancelled successfully', SettlementView.present(settlement))
      }),
  })

// Runs `work` in a transaction. If another call is closing a settlement of the client, a call with an
// idempotency key waits for that call and tries again, so that a retry gets the first call's answer. A call
// without a key is refused.
async function inTurn<T extends object>(
  { request, reply, ...deps }: Deps & { request: FastifyRequest; reply: FastifyReply },
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const pool = deps.settlementPool
  for (let attempt = 1; ; attempt++) {
    try {
      return await withIdempotency(deps, { request, reply, pool }, work)
    } catch (error) {
      const isInProgress = error instanceof Refusal && error.code === 'settlement_in_progress'
      const isKeyed = request.headers['idempotency-key'] !== undefined
      if (!isInProgress || !isKeyed || attempt === ATTEMPTS_MAX) throw error
      await withCaller(deps, { request, pool }, (tx) => awaitTurn(tx, request.client.id))
    }
  }
}

// Parses the requested cut-off, which must not be in the future. Returns undefined if the request has none.
function parseCutOff({ cutOff }: Static<typeof CloseRequest>, now: Date): Date | undefined {
  if (cutOff === undefined) return undefined
  const time = parseBankTime(cutOff)
  if (time && time <= now) return time
  throw invalidField('cutOff', CUT_OFF_SAYS)
}
