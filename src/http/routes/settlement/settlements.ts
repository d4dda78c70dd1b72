// /api/v1/settlements: list and read settlements and their lines, and what is upcoming.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
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
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { presentObstacle, toViewer } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, oneOf } from '#http/schemas.ts'
import {
  LineBody,
  presentLine,
  presentPayees,
  presentSettlement,
  presentUpcoming,
  ReferenceParams,
  requireReference,
  SETTLEMENTS,
  SettlementBody,
  SettlementDetailBody,
  UpcomingBody,
} from './settlement-presenters.ts'

const about = { tags: ['Settlements'], security: BEARER }
const UNRESTRICTED = 'Not available to clients restricted to certain merchantCodes.'

export const settlementRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listing, deps)
  await app.register(reading, deps)
  await app.register(lines, deps)
}

const listing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('payouts:read')

  app.get(
    SETTLEMENTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listSettlements',
        summary: 'List settlements, newest first',
        description: UNRESTRICTED,
        querystring: query({
          status: Type.Optional({
            ...oneOf(SETTLEMENT_STATUSES, 'Filter by status.'),
            'x-says': `Must be one of ${SETTLEMENT_STATUSES.join(', ')}.`,
          }),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(SettlementBody) },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const { status } = asked
      const list: List = { name: 'settlements', clientId: client.id, filters: { status } }
      const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
        listSettlements(db, client.id, { status: status ?? null, beforeId: after, limit }),
      )
      return listResponse('Settlements retrieved successfully', page, presentSettlement)
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, nameBank, authentication, clock } = deps
  const onRequest = authentication.requires('payouts:read')

  app.get(
    `${SETTLEMENTS}/upcoming`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getUpcomingSettlement',
        summary: 'Retrieve the upcoming settlement',
        description: `What would be in it if it were closed now, and when it closes. ${UNRESTRICTED}`,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(UpcomingBody) },
      },
    },
    async ({ client }) => {
      refuseRestricted(client)
      const asked = { clientId: client.id, now: clock() }
      const upcoming = await withSnapshot(db, (tx) => readUpcoming(tx, asked))
      return accepted('Upcoming settlement retrieved successfully', presentUpcoming(upcoming))
    },
  )

  app.get(
    `${SETTLEMENTS}/:reference`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getSettlement',
        summary: 'Retrieve a settlement',
        description:
          'Its amounts by party, its state, and the payouts that pay it; before it is approved, ' +
          'the bank accounts that it would be paid to.',
        params: ReferenceParams,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(SettlementDetailBody) },
      },
    },
    async (request) => {
      const { client, params } = request
      refuseRestricted(client)
      const settlement = await getSettlement(db, client.id, requireReference(params.reference))
      const isClosed = settlement.status === 'closed'
      const payees = isClosed ? await readPayees(db, settlement.id) : []
      const obstacle = isClosed
        ? (lackOf(request, 'payouts:write') ??
          (await findObstacleToViewer(db, toViewer(deps, request), { settlement, payees })))
        : null
      return accepted('Settlement retrieved successfully', {
        ...presentSettlement(settlement),
        payees: presentPayees(payees, { sealer, by: request, nameBank }),
        cannotApprove: presentObstacle(obstacle),
      })
    },
  )
}

const lines: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication } = deps

  app.get(
    `${SETTLEMENTS}/:reference/lines`,
    {
      onRequest: authentication.requires('payouts:read'),
      schema: {
        ...about,
        operationId: 'listSettlementLines',
        summary: 'List the lines of a settlement, in the order in which the money moved',
        description: 'One for each credit, and for each payout, refund or adjustment.',
        params: ReferenceParams,
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(LineBody) },
      },
    },
    async ({ client, params, query: asked }) => {
      refuseRestricted(client)
      const reference = requireReference(params.reference)
      const list: List = { name: 'settlement-lines', clientId: client.id, filters: { reference } }
      const page = await pageById(sealer, { list, asked }, async ({ after, limit }) => {
        const { id: settlementId } = await getSettlement(db, client.id, reference)
        return listLines(db, { settlementId, afterId: after, limit })
      })
      return listResponse('Lines retrieved successfully', page, (line) => presentLine(sealer, line))
    },
  )
}
