// /api/v1/suspense: list, assign and return suspense items.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { withSnapshot } from '#db/snapshot.ts'
import type { Transaction } from '#db/transaction.ts'
import { readSuspenseChanges } from '#domain/credits/suspense-history.ts'
import { assignSuspense } from '#domain/suspense/assign-suspense.ts'
import { requestReturn } from '#domain/suspense/return-suspense.ts'
import { getSuspense, listSuspense } from '#domain/suspense/suspense-list.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency, withIdempotentSteps } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, PageQuery, parseLimit, query } from '#http/lists.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, named, text } from '#http/schemas.ts'
import {
  OrderField,
  parseSuspenseFilters,
  positionOf,
  SuspenseFilterFields,
  toPosition,
} from './suspense-filters.ts'
import {
  AssignTarget,
  parseAssignTo,
  presentSuspense,
  presentSuspenseDetail,
  requireItemId,
  SuspenseBody,
  SuspenseDetailBody,
} from './suspense-presenters.ts'
import { suspenseSummary } from './suspense-summary.ts'

const Note = Type.Optional(text(500, 'Reason (audit log).'))
const AssignRequest = named(
  'AssignRequest',
  { ...AssignTarget, note: Note },
  { additionalProperties: false },
)
const Params = Type.Object({ id: Type.String() })
const response = { 200: ApiEnvelope(SuspenseBody) }
const tags = ['Suspense']

type Acting = Identity & { body: { note?: string } }

export const suspenseRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  await app.register(suspenseActions, deps)
  await app.register(suspenseSummary, deps)

  app.get(
    '/api/v1/suspense',
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'listSuspense',
        tags,
        summary: 'List suspense items, newest first',
        description: 'Your own; operators also see unidentified items (unknown account numbers).',
        security: BEARER,
        querystring: query({ ...SuspenseFilterFields, ...OrderField, ...PageQuery }),
        response: { 200: ListEnvelope(SuspenseBody) },
      },
    },
    async ({ client, query: asked }) => {
      const { cursor, limit: size, ...given } = asked
      const filters = parseSuspenseFilters(asked)
      const list: List = { name: 'suspense', clientId: client.id, filters: given }
      const position = readCursor(sealer, list, cursor)
      const limit = parseLimit({ limit: size })
      const rows = await listSuspense(db, client, {
        filters,
        order: asked.order,
        after: position && toPosition(position),
        now: clock(),
        limit: limit + 1,
      })
      const page = toPage(rows, limit, (last) => writeCursor(sealer, list, positionOf(last)))
      return listResponse('Suspense retrieved successfully', page, (entry) =>
        presentSuspense(entry, sealer, clock()),
      )
    },
  )

  app.get(
    '/api/v1/suspense/:id',
    {
      onRequest: authentication.requires('suspense:read'),
      schema: {
        operationId: 'getSuspense',
        tags,
        summary: 'Retrieve a suspense item',
        description: 'Why the money could not be booked, and every change since.',
        security: BEARER,
        params: Params,
        response: { 200: ApiEnvelope(SuspenseDetailBody) },
      },
    },
    async ({ client, params }) => {
      const [entry, changes] = await withSnapshot(db, async (tx) => {
        const found = await getSuspense(tx, client, requireItemId(sealer, params.id))
        const history = await readSuspenseChanges(tx, [found.id])
        return [found, history.get(found.id) ?? []] as const
      })
      const data = presentSuspenseDetail(entry, { changes, sealer, now: clock() })
      return accepted('Suspense retrieved successfully', data)
    },
  )
}

const suspenseActions: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  // Not on `db`: a shared account is opened on a connection of it; if transactions held them all,
  // they would deadlock.
  const { db, batchPool, sealer, sharedAccounts, mode, authentication, clock } = deps
  const actionOf = ({ client: by, actor, body: { note } }: Acting) => {
    return { sealer, sharedAccounts, mode, now: clock(), by, actor, note: note ?? null }
  }

  app.post(
    '/api/v1/suspense/:id/assign',
    {
      onRequest: authentication.requires('suspense:write'),
      schema: {
        operationId: 'assignSuspense',
        tags,
        summary: 'Assign a suspense item to a payment or collection account',
        description:
          'Send either accountNumber or paymentReference. Idempotent. Refused with ' +
          'approval_needed while maker-checker is on.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Params,
        body: AssignRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client, params, body } = request
      const itemId = requireItemId(sealer, params.id)
      const target = parseAssignTo(body)
      return withIdempotency(deps, { request, reply, pool: batchPool }, async (tx) => {
        await assignSuspense(tx, actionOf(request), { itemId, to: target })
        const entry = await getSuspense(tx, client, itemId)
        return accepted('Suspense assigned successfully', presentSuspense(entry, sealer, clock()))
      })
    },
  )

  app.post(
    '/api/v1/suspense/:id/return',
    {
      onRequest: authentication.requires('suspense:write'),
      schema: {
        operationId: 'returnSuspense',
        tags,
        summary: 'Return a suspense item to its payer',
        description:
          'Instructs the bank, which confirms later (immediately in the sandbox). Refused with ' +
          'approval_needed while maker-checker is on.',
        security: BEARER,
        headers: IdempotencyHeaders,
        params: Params,
        body: Type.Object({ note: Note }, { additionalProperties: false }),
        response,
      },
    },
    async (request, reply) => {
      const { client, params } = request
      const itemId = requireItemId(sealer, params.id)
      const begin = async (tx: Transaction) => {
        await requestReturn(tx, actionOf(request), itemId)
        return itemId.toString()
      }
      return withIdempotentSteps(deps, { request, reply, pool: batchPool, begin }, async () => {
        await deps.sendReturns()
        const entry = await getSuspense(db, client, itemId)
        return accepted('Return requested successfully', presentSuspense(entry, sealer, clock()))
      })
    },
  )
}
