// /api/v1/settlements: list and read settlements and their lines, and what is upcoming.

import { withSnapshot } from '#db/snapshot.ts'
import { findObstacleToViewer } from '#domain/settlement/settlement-approvers.ts'
import { listLines } from '#domain/settlement/settlement-lines.ts'
import { readPayees } from '#domain/settlement/settlement-payees.ts'
import {
  getSettlement,
  listSettlements,
  SETTLEMENT_STATUSES,
} from '#domain/settlement/settlements.ts'
import { readUpcoming } from '#domain/settlement/upcoming-settlement.ts'
import { lackOf } from '#http/authentication.ts'
import { choice } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import {
  LineView,
  requireReference,
  SettlementDetailView,
  SettlementView,
  UpcomingView,
} from './settlement-presenters.ts'

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
      if (settlement.status !== 'closed') return { ...settlement, payees: [], obstacle: null }
      const payees = await readPayees(db, settlement.id)
      const obstacle =
        lackOf(call, 'payouts:write') ??
        (await findObstacleToViewer(db, toViewer(call, call), { settlement, payees }))
      return { ...settlement, payees, obstacle }
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
