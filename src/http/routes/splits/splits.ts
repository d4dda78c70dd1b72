// /api/v1/splits: create, list, retrieve and deactivate splits.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { type List, readCursor, toPage, writeCursor } from '#db/paging.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { createSplit, deactivateSplit, getSplit, listSplits } from '#domain/splits/splits.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, parseLimit, query } from '#http/lists.ts'
import { NoBody } from '#http/routes/webhooks/webhook-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders } from '#http/schemas.ts'
import { isCode, parseSplit, presentSplit, SplitBody, SplitRequest } from './split-presenters.ts'

const SPLITS = '/api/v1/splits'
const about = { tags: ['Splits'], security: BEARER, querystring: NoQuery }
const response = { 200: ApiEnvelope(SplitBody) }
const params = Type.Object({ splitCode: Type.String() })

export const splitRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { clock, authentication } = deps
  await app.register(reads, deps)

  app.post(
    SPLITS,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'createSplit',
        summary: 'Create a split',
        description:
          'Advices and collection accounts name it by splitCode. What is booked for them is ' +
          'shared after the fee; the main account keeps the rest. Splits cannot be changed: ' +
          'create another one for other terms.',
        headers: IdempotencyHeaders,
        body: SplitRequest,
        response,
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      refuseRestricted(client)
      const given = parseSplit(body)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { clientId: client.id, actor, now: clock() }
        const split = await createSplit(tx, by, given)
        return accepted('Split created successfully', presentSplit(split))
      })
    },
  )

  app.post(
    `${SPLITS}/:splitCode/deactivate`,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'deactivateSplit',
        summary: 'Deactivate a split',
        description:
          'It can no longer be given to advices and accounts; those that have it keep it. Idempotent.',
        headers: IdempotencyHeaders,
        params,
        body: NoBody,
        response,
      },
    },
    async (request, reply) => {
      const { client, actor, params: asked } = request
      refuseRestricted(client)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { clientId: client.id, actor, now: clock() }
        const split = await deactivateSplit(tx, by, requireSplitCode(asked))
        return accepted('Split deactivated successfully', presentSplit(split))
      })
    },
  )
}

const reads: FastifyPluginAsyncTypebox<Deps> = async (app, { db, sealer, authentication }) => {
  const onRequest = authentication.requires('payouts:read')

  app.get(
    SPLITS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listSplits',
        summary: 'List splits, newest first',
        description: 'How credits are shared among your subaccounts. Splits never change.',
        querystring: query(PageQuery),
        response: { 200: ListEnvelope(SplitBody) },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const list: List = { name: 'splits', clientId: client.id, filters: {} }
      const position = readCursor(sealer, list, asked.cursor)
      const beforeId = position ? BigInt(position[0] as string) : null
      const limit = parseLimit(asked)
      const rows = await listSplits(db, client.id, { beforeId, limit: limit + 1 })
      const page = toPage(rows, limit, ({ id }) => writeCursor(sealer, list, [id.toString()]))
      return listResponse('Splits retrieved successfully', page, presentSplit)
    },
  )

  app.get(
    `${SPLITS}/:splitCode`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getSplit',
        summary: 'Retrieve a split',
        description: 'Its parts, in the order in which flat shares are paid.',
        params,
        response,
      },
    },
    async ({ client, params: asked }) => {
      refuseRestricted(client)
      const split = await getSplit(db, client.id, requireSplitCode(asked))
      return accepted('Split retrieved successfully', presentSplit(split))
    },
  )
}

function requireSplitCode({ splitCode }: { splitCode: string }): string {
  if (!isCode(splitCode)) throw new Refusal('split_not_found')
  return splitCode
}
