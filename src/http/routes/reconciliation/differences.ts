// /api/v1/operator/reconciliation/differences, and one of them with its history.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import { DIFFERENCE_KINDS } from '#domain/reconciliation/allowed-actions.ts'
import { timingWindows } from '#domain/reconciliation/daily-proof.ts'
import {
  AGE_BUCKETS,
  DIFFERENCE_STATES,
  listDifferences,
} from '#domain/reconciliation/differences.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { choice } from '#http/routes/refunds/adjustment-presenters.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, bankCode } from '#http/schemas.ts'
import { RECONCILIATION } from './daily-proofs.ts'
import { Day, requireDay } from './days.ts'
import {
  DifferenceBody,
  DifferenceDetailBody,
  presentDifferences,
} from './difference-presenters.ts'
import { OwnerName, toOwner } from './owner-presenters.ts'
import { requireDifferenceId } from './resolution-presenters.ts'
import { showDifference } from './show-difference.ts'

const about = { tags: ['Operator'], security: BEARER }

export const differenceRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(listing, deps)
  await app.register(reading, deps)
}

const listing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, sealer, banks, authentication } = deps
  const onRequest = authentication.requires('accounting:read')
  const windows = timingWindows(banks)

  app.get(
    `${RECONCILIATION}/differences`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listDifferences',
        summary: 'List differences between statements and the books, newest first',
        description:
          'Filter by bank, day, kind, state, age and owner to find what is still to be explained.',
        querystring: query({
          bankCode: Type.Optional(bankCode('Filter by bank.')),
          day: Type.Optional(Day('Filter by day.')),
          kind: Type.Optional(choice(DIFFERENCE_KINDS, 'Filter by kind.')),
          state: Type.Optional(
            choice(DIFFERENCE_STATES, 'Filter by state. Default: all but cleared.'),
          ),
          bucket: Type.Optional(choice(AGE_BUCKETS, 'Filter by age in days.')),
          owner: Type.Optional(OwnerName('Filter by owner: me, nobody, or the ID of a user.')),
          ...PageQuery,
        }),
        response: { 200: ListEnvelope(DifferenceBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      const { cursor, limit: _, day, owner, ...filters } = asked
      if (day !== undefined) requireDay('day', day)
      const list: List = {
        name: 'differences',
        clientId: client.id,
        filters: { ...filters, day, owner },
      }
      const position = readCursor(sealer, list, cursor)
      const limit = parseLimit(asked)
      const beforeId = position && BigInt(position[0] as string)
      const ownerId = owner === undefined ? undefined : toOwner(owner, request)
      return withSnapshot(db, async (tx) => {
        const at = { now: clock(), windows, viewer: toViewer(deps, request) }
        const filter = { ...filters, day, ownerId, beforeId, limit: limit + 1 }
        const rows = await listDifferences(tx, at, filter)
        const page = toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
        const shown = await presentDifferences({ db: tx, sealer }, page.rows)
        return listResponse(
          'Differences retrieved successfully',
          { ...page, rows: shown },
          (row) => row,
        )
      })
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const onRequest = deps.authentication.requires('accounting:read')

  app.get(
    `${RECONCILIATION}/:id`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getDifference',
        summary: 'Retrieve a difference with its history',
        description:
          'Its line or item, what can be done about it, and everything that happened to it.',
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(DifferenceDetailBody) },
      },
    },
    async (request) => {
      const id = requireDifferenceId(request.params.id)
      const shown = await showDifference(deps, request, id)
      return accepted('Difference retrieved successfully', shown)
    },
  )
}
