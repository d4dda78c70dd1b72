// /api/v1/operator/payouts: the payouts of all clients, and what became of those that no bank tells.

import {
  type FastifyPluginAsyncTypebox,
  type Static,
  type TObject,
  Type,
} from '@fastify/type-provider-typebox'
import type { List } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { getClient } from '#domain/access/manage-clients.ts'
import { requestPayoutFailure } from '#domain/payouts/fail-payouts.ts'
import { findOpenFailure } from '#domain/payouts/payout-failures.ts'
import { getFileId } from '#domain/payouts/payout-files.ts'
import { listPayouts, summarizePayouts } from '#domain/payouts/payout-list.ts'
import { findPayout } from '#domain/payouts/payouts.ts'
import { resolvePayout } from '#domain/payouts/resolve-payout.ts'
import { Refusal } from '#errors.ts'
import type { Identity } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withIdempotency } from '#http/idempotency.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  OrderQuery,
  PageQuery,
  pageById,
  query,
} from '#http/lists.ts'
import { requireClientId } from '#http/routes/access/client-presenters.ts'
import { toViewer } from '#http/routes/suspense/approval-presenters.ts'
import { ApiEnvelope, BEARER, digits, IdempotencyHeaders, text } from '#http/schemas.ts'
import { presentSummary, presentTotal, SUMMARISED, SummaryBody } from '#http/summaries.ts'
import { Evidence, presentFailure, REASON_MAX } from './payout-failure-presenters.ts'
import {
  OperatorPayoutBody,
  OperatorPayoutDetailBody,
  PayoutFilters,
  parsePayoutFilters,
  presentOperatorPayout,
  readDetail,
} from './payout-presenters.ts'

const PAYOUTS = '/api/v1/operator/payouts'
const BANK_REFERENCE_MAX = 100

const OperatorFilters = {
  clientId: Type.Optional(text(64, 'Filter by client.')),
  bankCode: Type.Optional(
    digits('^[0-9]{3,6}$', 'Filter by sending bank.', 'Must be a bank code.'),
  ),
  payoutFile: Type.Optional(
    digits('^PYF[0-9]{15}$', 'Filter by payout file.', 'Must be the id of a payout file.'),
  ),
  ...PayoutFilters,
}

const Params = Type.Object({ reference: Type.String() })
const response = { 200: ApiEnvelope(OperatorPayoutDetailBody) }
const about = { tags: ['Operator'], security: BEARER }

export const operatorPayoutRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(reading, deps)
  await app.register(resolving, deps)
}

type FilterQuery = Static<TObject<typeof OperatorFilters>>

// Of the client and in the file that were named, if any were.
async function parseOperatorFilters({ db, clock }: Deps, asked: FilterQuery) {
  const { clientId: name, payoutFile, ...others } = parsePayoutFilters(asked)
  const client =
    name === undefined ? undefined : await getClient(db, clock(), requireClientId(name))
  const fileId = payoutFile === undefined ? undefined : await getFileId(db, payoutFile)
  return { ...others, clientId: client?.id, fileId }
}

const summing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication } = deps
  const onRequest = authentication.requires('accounting:read')

  app.get(
    `${PAYOUTS}/summary`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'summarizeAllPayouts',
        summary: 'Count and add up payouts of all clients',
        description: SUMMARISED,
        querystring: query(OperatorFilters),
        response: { 200: ApiEnvelope(SummaryBody) },
      },
    },
    async ({ query: asked }) => {
      const summary = await summarizePayouts(db, await parseOperatorFilters(deps, asked))
      return accepted('Payouts added up successfully', presentSummary(summary, presentTotal))
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(summing, deps)
  const { db, sealer, authentication, bankConnections } = deps
  const onRequest = authentication.requires('accounting:read')

  app.get(
    PAYOUTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listAllPayouts',
        summary: 'List payouts of all clients, newest first',
        description:
          'Filter by bank, state and payout file, for example what a bank has not answered for.',
        querystring: query({ ...OperatorFilters, ...OrderQuery, ...PageQuery }),
        response: { 200: ListEnvelope(OperatorPayoutBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      const { limit: _, cursor: __, order, ...filters } = asked
      const list = { name: 'operator-payouts', clientId: client.id, order, filters } as List
      const page = await pageById(sealer, { list, asked }, async (from) =>
        listPayouts(db, { ...(await parseOperatorFilters(deps, filters)), order, ...from }),
      )
      return listResponse('Payouts retrieved successfully', page, (payout) =>
        presentOperatorPayout(payout, { sealer, by: request, bankConnections }),
      )
    },
  )

  app.get(
    `${PAYOUTS}/:reference`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getAnyPayout',
        summary: 'Retrieve a payout of any client',
        description: 'Its state, what it is for, and every change with who made it.',
        params: Params,
        querystring: NoQuery,
        response,
      },
    },
    async (request) =>
      accepted(
        'Payout retrieved successfully',
        await show(db, deps, { by: request, reference: request.params.reference }),
      ),
  )
}

const resolving: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  // Not on `db`: shared accounts are opened on a connection of it.
  const { batchPool, sharedAccounts, payoutHooks: hooks, authentication, clock } = deps
  const onRequest = authentication.requires('accounting:write')
  const change = { ...about, headers: IdempotencyHeaders, params: Params, querystring: NoQuery }

  const resolve = (
    call: Parameters<typeof withIdempotency>[1],
    resolved: Parameters<typeof resolvePayout>[2],
    message: string,
  ) =>
    withIdempotency(deps, { ...call, pool: batchPool }, async (tx) => {
      const { client, actor } = call.request
      const { reference } = resolved
      await resolvePayout(tx, { sharedAccounts, hooks, now: clock(), client, actor }, resolved)
      return accepted(message, await show(tx, deps, { by: call.request, reference }))
    })

  app.post(
    `${PAYOUTS}/:reference/confirm`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'confirmPayout',
        summary: 'Confirm an unknown payout',
        description: 'The bank has paid it, as its statement shows. Idempotent.',
        body: Type.Object(
          { bankReference: text(BANK_REFERENCE_MAX, 'The bank’s own reference.') },
          { additionalProperties: false },
        ),
        response,
      },
    },
    async (request, reply) => {
      const { bankReference } = request.body
      const { reference } = request.params
      const outcome = { status: 'confirmed', bankReference } as const
      return resolve({ request, reply }, { reference, outcome }, 'Payout confirmed successfully')
    },
  )

  app.post(
    `${PAYOUTS}/:reference/fail`,
    {
      onRequest,
      schema: {
        ...change,
        operationId: 'failPayout',
        summary: 'Request that an unknown payout fails',
        description:
          'The bank has not paid it and never will. Once another user approves (failureRequest), the ' +
          'money is available again.',
        body: Type.Object(
          { reason: text(REASON_MAX, 'Failure reason, shown to the client.'), evidence: Evidence },
          { additionalProperties: false },
        ),
        response,
      },
    },
    async (request, reply) => {
      const { reason, evidence } = request.body
      const { reference } = request.params
      return withIdempotency(deps, { request, reply }, async (tx) => {
        const by = { ...toViewer(deps, request), now: clock() }
        await requestPayoutFailure(tx, by, { reference, reason, evidence })
        const shown = await show(tx, deps, { by: request, reference })
        return accepted('Failure requested successfully', shown)
      })
    },
  )
}

type Shown = { by: Identity; reference: string }

async function show(db: Queryable, deps: Deps, { by, reference }: Shown) {
  const { sealer, bankConnections } = deps
  const payout = await findPayout(db, { reference })
  if (!payout) throw new Refusal('payout_not_found')
  const shown = presentOperatorPayout(payout, { sealer, by, bankConnections })
  const failure = await findOpenFailure(db, toViewer(deps, by), { payoutId: payout.id })
  const failureRequest = failure && presentFailure(failure)
  return { ...shown, ...(await readDetail(db, deps.nameBank, payout)), failureRequest }
}
