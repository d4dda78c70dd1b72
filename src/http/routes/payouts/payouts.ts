// /api/v1/payouts: create and read a client's payouts. Workers send them.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { NameAnswer } from '#banks/connector.ts'
import type { List } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { refuseRestricted } from '#domain/access/clients.ts'
import { type BankAccount, getBankAccount, noteAnswer } from '#domain/payouts/bank-accounts.ts'
import { findApprovalObstacle } from '#domain/payouts/decide-payout.ts'
import { enquireName } from '#domain/payouts/enquire-name.ts'
import { listPayouts, summarizePayouts } from '#domain/payouts/payout-list.ts'
import { awaitsApproval, findPayout } from '#domain/payouts/payouts.ts'
import { requestPayout } from '#domain/payouts/request-payout.ts'
import { Refusal } from '#errors.ts'
import { type Identity, lackOf } from '#http/authentication.ts'
import type { Deps } from '#http/deps.ts'
import { accepted } from '#http/envelopes.ts'
import { withPreparation } from '#http/idempotency.ts'
import {
  ListEnvelope,
  listResponse,
  NoQuery,
  OrderQuery,
  PageQuery,
  pageById,
  query,
} from '#http/lists.ts'
import { presentObstacle, toViewer } from '#http/routes/suspense/approval-presenters.ts'
import {
  Amount,
  ApiEnvelope,
  BEARER,
  digits,
  IdempotencyHeaders,
  named,
  text,
} from '#http/schemas.ts'
import { presentSummary, presentTotal, SUMMARISED, SummaryBody } from '#http/summaries.ts'
import type { ClientId } from '#ids.ts'
import { CURRENCY, type Kobo, koboOf } from '#money.ts'
import {
  PayoutBody,
  PayoutDetailBody,
  PayoutFilters,
  parsePayoutFilters,
  presentPayout,
  readDetail,
} from './payout-presenters.ts'

export const PAYOUTS = '/api/v1/payouts'
const NARRATION_MAX = 100 // As much as NIP carries.
const REFERENCE_MAX = 40

const about = { tags: ['Payouts'], security: BEARER }

const PayoutRequest = named(
  'PayoutRequest',
  {
    bankAccount: Type.Optional(
      text(REFERENCE_MAX, 'Reference of one of your bank accounts. Default: your default one.'),
    ),
    amount: Amount,
    currency: Type.Optional(
      digits('^[A-Z]{3}$', `ISO 4217 code. Default ${CURRENCY}.`, 'Must be a currency code.'),
    ),
    narration: text(NARRATION_MAX, 'Shown on the recipient’s statement.'),
  },
  { additionalProperties: false },
)

export const payoutRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(creating, deps)
  await app.register(reading, deps)
}

const creating: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  // Not on `db`: shared accounts are opened on a connection of it.
  const { batchPool, authentication, clock } = deps

  app.post(
    PAYOUTS,
    {
      onRequest: authentication.requires('payouts:write'),
      schema: {
        ...about,
        operationId: 'createPayout',
        summary: 'Create a payout',
        description:
          'Amount, fee and VAT leave the available balance at once, or it is refused ' +
          '(insufficient_balance); what you owe stays there. Sent within seconds, unless it needs ' +
          'approval. At most once: a payout that failed is retried by creating another.',
        headers: IdempotencyHeaders,
        querystring: NoQuery,
        body: PayoutRequest,
        response: { 200: ApiEnvelope(PayoutDetailBody) },
      },
    },
    async (request, reply) => {
      const { client, actor, body } = request
      refuseRestricted(client)
      const { narration, currency = CURRENCY } = body
      const amountKobo = koboOf(body.amount) as Kobo // Checked by the schema.
      const prepare = () => confirmAccount(deps, client.id, body.bankAccount)
      const call = { request, reply, pool: batchPool, prepare }
      return withPreparation(deps, call, async (tx, { account, answer }) => {
        const now = clock()
        if (answer?.status === 'not_found') throw new Refusal('bank_account_unknown')
        const asked = { client, actor, bankAccountId: account.id, amountKobo, currency, narration }
        const reference = await requestPayout(tx, { ...deps, now }, asked)
        const shown = await showPayout(tx, deps, { by: request, reference })
        return accepted('Payout created successfully', shown)
      })
    },
  )
}

// The bank is asked about one that is not confirmed yet, or that it did not know: it may err. What it said
// stays known, also if the payout is refused for it.
async function confirmAccount(
  { db, batchPool, sealer, clock, bankConnections }: Deps,
  clientId: ClientId,
  reference: string | undefined,
): Promise<{ account: BankAccount; answer?: NameAnswer }> {
  const account = await getBankAccount(db, clientId, reference)
  if (account.status !== 'unconfirmed' && account.nameAtBank !== '') return { account }
  const answer = await enquireName(db, bankConnections, {
    bankCode: account.bankCode,
    accountNumber: sealer.open(account.accountNumberSealed),
    expectedName: account.accountName,
  })
  if (answer.status !== 'no_answer') {
    await withTransaction(batchPool, (tx) => noteAnswer(tx, clock(), { account, answer }))
  }
  return { account, answer }
}

const summing: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication } = deps
  const onRequest = authentication.requires('payouts:read')

  app.get(
    `${PAYOUTS}/summary`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'summarizePayouts',
        summary: 'Count and add up payouts',
        description: SUMMARISED,
        querystring: query(PayoutFilters),
        response: { 200: ApiEnvelope(SummaryBody) },
      },
    },
    async ({ client, query: asked }) => {
      refuseRestricted(client)
      const filters = { ...parsePayoutFilters(asked), clientId: client.id }
      const summary = await summarizePayouts(db, filters)
      return accepted('Payouts added up successfully', presentSummary(summary, presentTotal))
    },
  )
}

const reading: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  await app.register(summing, deps)
  const { db, sealer, authentication } = deps
  const onRequest = authentication.requires('payouts:read')

  app.get(
    PAYOUTS,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'listPayouts',
        summary: 'List payouts, newest first',
        description: 'Those of settlements and refunds included.',
        querystring: query({ ...PayoutFilters, ...OrderQuery, ...PageQuery }),
        response: { 200: ListEnvelope(PayoutBody) },
      },
    },
    async (request) => {
      const { client, query: asked } = request
      refuseRestricted(client)
      const { limit: _, cursor: __, order, ...filters } = asked
      const list = { name: 'payouts', clientId: client.id, order, filters } as List
      const page = await pageById(sealer, { list, asked }, (from) =>
        listPayouts(db, { ...parsePayoutFilters(filters), clientId: client.id, order, ...from }),
      )
      return listResponse('Payouts retrieved successfully', page, (payout) =>
        presentPayout(payout, { sealer, by: request }),
      )
    },
  )

  app.get(
    `${PAYOUTS}/:reference`,
    {
      onRequest,
      schema: {
        ...about,
        operationId: 'getPayout',
        summary: 'Retrieve a payout',
        description:
          'Its state and, once settled, the bank’s reference or the reason why it failed.',
        params: Type.Object({ reference: Type.String() }),
        querystring: NoQuery,
        response: { 200: ApiEnvelope(PayoutDetailBody) },
      },
    },
    async (request) => {
      refuseRestricted(request.client)
      const { reference } = request.params
      const shown = await showPayout(db, deps, { by: request, reference })
      return accepted('Payout retrieved successfully', shown)
    },
  )
}

type Shown = { by: Identity; reference: string }

export async function showPayout(db: Queryable, deps: Deps, { by, reference }: Shown) {
  const payout = await findPayout(db, { reference, clientId: by.client.id })
  if (!payout) throw new Refusal('payout_not_found')
  const obstacle = awaitsApproval(payout)
    ? (lackOf(by, 'payouts:write') ??
      (await findApprovalObstacle(db, toViewer(deps, by), payout.id)))
    : null
  return {
    ...presentPayout(payout, { sealer: deps.sealer, by }),
    ...(await readDetail(db, deps.nameBank, payout)),
    cannotApprove: presentObstacle(obstacle),
  }
}
