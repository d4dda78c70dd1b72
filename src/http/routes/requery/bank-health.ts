// GET /api/v1/operator/banks: how each bank is doing.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import {
  type BankHealth,
  CIRCUITS,
  type Circuit,
  type RoutingView,
  readBankHealth,
} from '#domain/requery/bank-health.ts'
import { ROUTE_STATES } from '#domain/routing/route-states.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { NoQuery } from '#http/lists.ts'
import { ApiEnvelope, BEARER, named, nullable } from '#http/schemas.ts'
import { timestamp } from '#wat-time.ts'

const ROUTING_STATES = [...ROUTE_STATES, 'unknown'] as const

const RoutingBody = named('BankRouting', {
  state: Type.Unsafe<RoutingView['state']>({
    type: 'string',
    enum: [...ROUTING_STATES],
    description:
      'in_use; left: passed over while another can be used; returning: takes a growing share; ' +
      'unknown: in use, and nothing observed yet.',
  }),
  since: nullable('string', { description: 'Since when.' }),
  reason: nullable('string', {
    description: 'Why it is left: failing (calls to it fail) or silent (it reports nothing).',
  }),
  retryAt: nullable('string', { description: 'When one order may try it again.' }),
})

const BankHealthBody = named('BankHealth', {
  code: Type.String(),
  name: Type.String(),
  connector: Type.String(),
  lastHeardAt: nullable('string', { description: 'Latest notification.' }),
  silentSince: nullable('string', { description: 'Silent for longer than usual since then.' }),
  lagP50: nullable('number', {
    description: 'Seconds from a transfer to its notification, median over 24 hours.',
  }),
  lagP99: nullable('number', { description: 'The same, 99th percentile.' }),
  queries: Type.Integer({ description: 'Calls to the bank in 24 hours.' }),
  errorRate: nullable('number', { description: 'Share of them without an answer, 0 to 1.' }),
  foundByRequery: Type.Integer({
    description: 'Credits of the last 24 hours that were found by asking.',
  }),
  isLosing: Type.Boolean({
    description: 'At least 3 credits, and 1% of all, were found by asking: notifications get lost.',
  }),
  openQuestions: Type.Integer({ description: 'Waiting to be asked, or asked again.' }),
  circuit: Type.Unsafe<Circuit>({
    type: 'string',
    enum: [...CIRCUITS],
    description: 'open: calls pause after repeated failures; half_open: the next call is a probe.',
  }),
  circuitUntil: nullable('string', { description: 'End of the pause.' }),
  abandonedReservations: Type.Array(
    Type.Object({
      reference: Type.String({ description: 'By which the bank knows the reservation.' }),
      accountNumber: nullable('string', {
        description: 'Null: the bank never answered, and may have reserved a number.',
      }),
      askedAt: Type.String(),
    }),
    {
      description:
        'Numbers reserved for a customer more than an hour ago whose account was never created, the ' +
        'oldest 20. Repeat the request with its Idempotency-Key, or close the number at the bank.',
    },
  ),
  canFind: Type.Boolean({ description: 'Answers for one transfer by its identifier.' }),
  canList: Type.Boolean({ description: 'Lists transfers: without it there are no sweeps.' }),
  routing: named('BankRoutings', {
    payments: Type.Union([RoutingBody, Type.Null()], {
      description:
        'Whether payments without a bankCode use it. Null: it issues no numbers for them.',
    }),
    payouts: Type.Union([RoutingBody, Type.Null()], {
      description: 'Whether payouts use it. Null: it takes no orders.',
    }),
  }),
})

export const bankHealthRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, clock, banks, bankConnections, authentication } = deps

  app.get(
    '/api/v1/operator/banks',
    {
      onRequest: authentication.requires('accounting:read'),
      schema: {
        operationId: 'listBankHealth',
        tags: ['Operator'],
        summary: 'Retrieve the health of every bank',
        description: 'In the order of the settings.',
        security: BEARER,
        querystring: NoQuery,
        response: { 200: ApiEnvelope(Type.Array(BankHealthBody)) },
      },
    },
    async () => {
      const health = await readBankHealth(db, clock(), { banks, connections: bankConnections })
      return accepted('Bank health retrieved successfully', health.map(present))
    },
  )
}

function presentRouting({ since, retryAt, ...rest }: RoutingView) {
  return { ...rest, since: since && timestamp(since), retryAt: retryAt && timestamp(retryAt) }
}

function present(health: BankHealth) {
  const { lastHeardAt, silentSince, circuitUntil, abandonedReservations, routing, ...rest } = health
  return {
    ...rest,
    lastHeardAt: lastHeardAt && timestamp(lastHeardAt),
    silentSince: silentSince && timestamp(silentSince),
    circuitUntil: circuitUntil && timestamp(circuitUntil),
    abandonedReservations: abandonedReservations.map(({ askedAt, ...reservation }) => ({
      ...reservation,
      askedAt: timestamp(askedAt),
    })),
    routing: {
      payments: routing.payments && presentRouting(routing.payments),
      payouts: routing.payouts && presentRouting(routing.payouts),
    },
  }
}
