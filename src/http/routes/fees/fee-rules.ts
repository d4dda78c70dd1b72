// /api/v1/operator/fee-rules: create, withdraw, list and try out fee rules. /api/v1/fee-rules: a client's
// own.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import { withTransaction } from '#db/transaction.ts'
import { getClient } from '#domain/access/manage-clients.ts'
import { createRule, type FeeRule, listOwnRules, listRules } from '#domain/fees/fee-rules.ts'
import { withdrawRule } from '#domain/fees/withdraw-rule.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import { ListEnvelope, listResponse, NoQuery, PageQuery, pageById, query } from '#http/lists.ts'
import { requireClientId } from '#http/routes/access/client-presenters.ts'
import { ApiEnvelope, BEARER, IdempotencyHeaders, text, Withdrawn } from '#http/schemas.ts'
import type { ClientId } from '#ids.ts'
import { findId } from '#public-ids.ts'
import {
  FeeQuoteBody,
  FeeQuoteRequest,
  FeeRuleBody,
  FeeRuleRequest,
  parseFeeRule,
  presentFeeRule,
  quoteTerms,
} from './fee-rule-presenters.ts'

const OPERATOR_RULES = '/api/v1/operator/fee-rules'
const about = { tags: ['Operator'], security: BEARER }

export const feeRuleRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(operatorRules, deps)
  await app.register(withdrawing, deps)
  await app.register(lists, deps)
}

const operatorRules: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const onRequest = deps.authentication.requires('operator')

  app.post(
    OPERATOR_RULES,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'createFeeRule',
        summary: 'Create a fee rule',
        description:
          'Ends the rule before it where it begins. Rules are never changed: to charge nothing ' +
          'more, create one with neither rate nor amounts. The rule in force when money is ' +
          'booked counts.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: FeeRuleRequest,
        response: { 200: ApiEnvelope(FeeRuleBody) },
      },
    },
    async (request, reply) => {
      const { actor, body } = request
      const given = parseFeeRule(body)
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const now = deps.clock()
        const { id: clientId } = await getClient(tx, now, requireClientId(body.clientId))
        const rule = await createRule(tx, { actor, now }, { clientId, ...given })
        return accepted('Fee rule created successfully', presentFeeRule(deps.sealer, rule))
      })
    },
  )

  app.post(
    `${OPERATOR_RULES}/quote`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'quoteFee',
        summary: 'Compute a fee',
        description: 'What a rule with these terms would charge. Nothing is stored.',
        querystring: NoQuery,
        body: FeeQuoteRequest,
        response: { 200: ApiEnvelope(FeeQuoteBody) },
      },
    },
    async ({ body }) => accepted('Fee computed successfully', quoteTerms(body)),
  )
}

const withdrawing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, authentication, clock } = deps
  app.delete(
    `${OPERATOR_RULES}/:id`,
    {
      onRequest: authentication.requires('operator'),
      schema: {
        ...about,
        operationId: 'withdrawFeeRule',
        summary: 'Withdraw a fee rule',
        description:
          'Until a minute before it takes effect. The rule before it goes on until the next. ' +
          'Withdrawn rules are not listed any more; the audit log keeps them.',
        params: Type.Object({ id: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(Withdrawn) },
      },
    },
    async ({ actor, params }) => {
      const id = findId(sealer, 'fee-rule', params.id)
      if (id === undefined) throw new Refusal('fee_rule_not_found')
      await withTransaction(db, (tx) => withdrawRule(tx, { actor, clock }, id))
      return accepted('Fee rule withdrawn successfully', { id: Number(params.id) })
    },
  )
}

const listed = { 200: ListEnvelope(FeeRuleBody) }

const lists: FastifyPluginAsyncTypebox<Deps> = async (
  app,
  { db, sealer, authentication, clock },
) => {
  type Read = (page: { beforeId: bigint | null; limit: number }) => Promise<FeeRule[]>
  const readPage = async (list: List, asked: { cursor?: string; limit?: string }, read: Read) => {
    const page = await pageById(sealer, { list, asked }, ({ after, limit }) =>
      read({ beforeId: after, limit }),
    )
    return listResponse('Fee rules retrieved successfully', page, (rule) =>
      presentFeeRule(sealer, rule),
    )
  }

  app.get(
    OPERATOR_RULES,
    {
      onRequest: authentication.requires('operator'),
      schema: {
        ...about,
        operationId: 'listFeeRules',
        summary: 'List fee rules of all clients, newest first',
        description:
          'What each client is charged, and from when. Filter by client to see its history.',
        querystring: query({
          clientId: Type.Optional(text(64, 'Only rules of this client.')),
          ...PageQuery,
        }),
        response: listed,
      },
    },
    async ({ client, query: asked }) => {
      const { clientId: name } = asked
      let clientId: ClientId | undefined
      if (name !== undefined) clientId = (await getClient(db, clock(), requireClientId(name))).id
      const list: List = { name: 'fee-rules', clientId: client.id, filters: { clientId: name } }
      return readPage(list, asked, (page) => listRules(db, { clientId, ...page }))
    },
  )

  app.get(
    '/api/v1/fee-rules',
    {
      onRequest: authentication.requires('credits:read'),
      schema: {
        tags: ['Fees'],
        security: BEARER,
        operationId: 'listOwnFeeRules',
        summary: 'List your fee rules, newest first',
        description: 'What you are charged on credits and payouts, and from when.',
        querystring: query(PageQuery),
        response: listed,
      },
    },
    async ({ client, query: asked }) => {
      const list: List = { name: 'own-fee-rules', clientId: client.id, filters: {} }
      return readPage(list, asked, (page) => listOwnRules(db, { clientId: client.id, ...page }))
    },
  )
}
