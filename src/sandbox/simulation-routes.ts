// Routes that simulate a transfer, for clients and for payers. The batcher books the transfer like one that a
// real bank reports.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Client } from '#access/permissions.ts'
import { findNumber, getAccount, type NumberOwner } from '#accounts/queries.ts'
import { ACCOUNT_NUMBER } from '#banks/nuban.ts'
import type { IncomingCredit } from '#credits/judge.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { type Deps, scoped } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import {
  Amount,
  BEARER,
  describedAs,
  IdempotencyHeaders,
  named,
  nullable,
  PAYMENT_STATES,
  PaymentEnvelope,
} from '#http/schemas.ts'
import { type Kobo, koboOf, toNaira } from '#money.ts'
import { requireReference } from '#payments/checkout-routes.ts'
import { CHECKOUT } from '#payments/checkout-views.ts'
import {
  findPaymentOfAdvice,
  getPayment,
  isOpen,
  remainingKobo,
  statusAt,
} from '#payments/payment.ts'
import { PaymentBody, showPayment } from '#payments/routes.ts'
import { sandboxOnly } from './routes.ts'
import { type PlannedTransfer, planTransfer, sendPlanned } from './transfer-routes.ts'
import {
  type Scenario,
  sandboxCredit,
  sandboxSessionId,
  scenarioOf,
  transferTerms,
} from './transfers.ts'

// The response: the payment in the legacy form, with the outcome of the simulated transfer.
const SimulatedBody = named('SimulatedPayment', {
  ...PaymentBody.properties,
  status: Type.String({
    description: `${PAYMENT_STATES} Of a collection account also Suspended.`,
  }),
  sessionId: Type.String({ description: 'Session ID of the simulated transfer.' }),
  outcome: Type.String({
    description: 'booked or suspended; with scenarios also delayed or lost.',
  }),
  reason: nullable('string', { description: 'Suspense reason.' }),
})

// POST /Payment/process/banktransfer/simulate/payment. With `scenarios`, magic amounts select other scenarios
// (docs/sandbox.md).
export const simulateRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication } = deps

  app.post(
    '/Payment/process/banktransfer/simulate/payment',
    {
      config: {
        isPublished: true,
        rate: 'simulate',
        queue: 'credits',
        errors: ['number_not_found', 'sandbox_only'],
      },
      onRequest: [authentication.requires('payments:write'), sandboxOnly(deps)],
      schema: {
        operationId: 'simulatePayment',
        tags: ['Sandbox'],
        summary: 'Simulate a transfer to a virtual account (sandbox only)',
        description:
          'Sends money to a virtual account as a bank would. It takes the same path as a real ' +
          'transfer: booked, notified and shown everywhere. With scenarios: true, the amounts 7777.01 ' +
          'to 7777.07 choose a scenario: duplicate, out of order, reversal first, reversed after ' +
          '10 seconds, wrong currency, delayed by 30 seconds, lost. Without it, every amount is an ' +
          'ordinary transfer.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: Type.Object({
          virtualAccountNumber: Type.String({
            pattern: ACCOUNT_NUMBER,
            description: 'Virtual account number to credit.',
            'x-says': 'Must be 10 digits.',
          }),
          amount: describedAs(Amount, { type: 'string', examples: ['6000.00'] }),
          scenarios: Type.Optional(
            Type.Boolean({
              default: false,
              description: 'Whether the amounts 7777.01 to 7777.07 choose a scenario.',
              'x-says': 'Must be true or false.',
            }),
          ),
        }),
        response: { 200: PaymentEnvelope(SimulatedBody) },
      },
    },
    async (request, reply) => {
      const { client, body } = request
      const accountNumber = body.virtualAccountNumber
      const owner = await findNumber(db, client.id, accountNumber)
      if (!owner) throw new Refusal('number_not_found')
      const amountKobo = koboOf(body.amount) as Kobo // The schema ensures a valid amount.
      const scenario = body.scenarios ? scenarioOf(amountKobo) : undefined
      const simulated = { request, reply, owner, accountNumber, amountKobo }
      return scenario ? simulateScenario(deps, simulated, scenario) : simulate(deps, simulated)
    },
  )
}

// A request to simulate a transfer to one of the client's account numbers.
type Simulated = {
  request: FastifyRequest
  reply: FastifyReply
  owner: NumberOwner
  accountNumber: string
  amountKobo: Kobo
}

// Books an ordinary simulated transfer. The session id is stored with the idempotency key, so that a retry
// finds the same transfer.
async function simulate(
  deps: Deps,
  { request, reply, owner, accountNumber, amountKobo }: Simulated,
) {
  const { writers, clock } = deps
  const { bankCode } = owner
  const transferTo = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
  const newCredit = sandboxCredit(transferTo, clock(), { narration: 'Simulated payment' })
  const call = { request, reply, begin: newCredit.sessionId }
  return withIdempotentSteps(deps, call, async (sessionId) => {
    const credit = { ...newCredit, sessionId }
    const answer = await writers.credits.submit(credit)
    // The session id, which is random, happened to be that of another transfer.
    if (answer.status === 'session_reused') throw new Refusal('try_again')
    const { outcome, reason } = answer
    const { client } = request
    const target = await presentTarget(deps, { client, owner, credit, outcome })
    return paymentAccepted({ ...target, sessionId, outcome, reason })
  })
}

// Sends a transfer in the scenario that a magic amount selects. The plan is stored with the idempotency key,
// so that a retry sends the same transfer.
async function simulateScenario(
  deps: Deps,
  { request, reply, owner, accountNumber, amountKobo }: Simulated,
  { kind, ...options }: Scenario,
) {
  const { client } = request
  const transfer = { kind, accountNumber, bankCode: owner.bankCode, amountKobo }
  // The first step, in its own transaction. The idempotency key stores the plan.
  const begin = async (tx: Transaction) => {
    const terms = transferTerms({ kind, ...options })
    const by = { clientId: client.id, now: deps.clock() }
    return JSON.stringify(await planTransfer(tx, by, { ...transfer, terms }))
  }
  return withIdempotentSteps(deps, { request, reply, begin }, async (storedPlan) => {
    const planned: PlannedTransfer = JSON.parse(storedPlan)
    const { sessionId } = planned
    const { decision, steps } = await sendPlanned(deps, client.id, planned)
    // A transfer that the bank reports later has no decision yet: the response names its kind instead.
    const { outcome, reason } = decision ?? { outcome: kind, reason: null }
    const credit = { ...transfer, sessionId }
    const isTakenBack = steps.some((step) => step.outcome === 'reversed')
    const finalOutcome = isTakenBack ? 'reversed' : outcome
    const target = await presentTarget(deps, { client, owner, credit, outcome: finalOutcome })
    return paymentAccepted({ ...target, sessionId, outcome, reason })
  })
}

type SimulatedCredit = {
  client: Client
  owner: NumberOwner
  credit: Pick<IncomingCredit, 'accountNumber' | 'bankCode' | 'amountKobo' | 'sessionId'>
  outcome: string
}

// The payment status that stands for each outcome of a transfer to a collection account.
const ACCOUNT_STATUSES: Readonly<Record<string, string>> = {
  booked: 'Successful',
  reversed: 'Reversed',
  delayed: 'Processing',
  lost: 'Processing',
}

// Returns the payment that the transfer paid, as the response shows it. A collection account has no payment,
// so the response shows the transfer itself in the form of a payment.
async function presentTarget(
  deps: Deps,
  {
    client,
    owner,
    credit: { accountNumber, bankCode, amountKobo, sessionId },
    outcome,
  }: SimulatedCredit,
) {
  const { db, accountLookups, nameBank } = deps
  if (owner.paymentId !== null) {
    const payment = await getPayment(db, client.id, { by: 'payment', reference: owner.paymentId })
    return showPayment(deps, { payment, number: { bankCode, accountNumber } })
  }
  const { accountName } = await getAccount(accountLookups, client, accountNumber)
  const status = ACCOUNT_STATUSES[outcome] ?? 'Suspended'
  return {
    bankName: nameBank(bankCode),
    bankCode,
    bankAccount: accountNumber,
    paymentReference: sessionId,
    status,
    message: status,
    amount: toNaira(amountKobo),
    amountPaid: outcome === 'booked' ? toNaira(amountKobo) : 0,
    callBackUrl: '',
    customerName: accountName,
    accountName,
  }
}

// POST /pay/{reference}/simulate: a payer of the sandbox simulates the transfer, with a plain form of the
// payment page. The advice reference is the only credential, as for the whole page. A form sent twice makes
// one transfer, because its session id is computed from the payment and the amount paid before.
export const payerSimulationRoutes: FastifyPluginAsyncTypebox<Deps> = scoped(async (app, deps) => {
  const { db, writers, clock } = deps
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, _body, done) => done(null, null))

  app.post(
    `${CHECKOUT}/:reference/simulate`,
    {
      config: { rate: 'simulate', queue: 'credits', errors: ['sandbox_only'] },
      onRequest: sandboxOnly(deps),
      schema: { hide: true, params: Type.Object({ reference: Type.String() }) },
    },
    async ({ params, query }, reply) => {
      const adviceId = requireReference(params.reference)
      const payment = await findPaymentOfAdvice(db, adviceId)
      if (!payment) throw new Refusal('advice_not_found')
      const { bank } = query as { bank?: unknown }
      // The payer's page names the bank whose number it shows. Without a name, the latest number is paid.
      const number = payment.numbers.find(({ bankCode }) => bankCode === bank)
      const to = number ?? payment.numbers.at(-1)
      if (to && isOpen(statusAt(payment, clock()))) {
        const { bankCode, accountNumber } = to
        const { amountKobo: wholeKobo, amountPaidKobo } = payment
        const amountKobo = remainingKobo(payment.status, wholeKobo, amountPaidKobo)
        const credit = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
        const sessionId = sandboxSessionId(payment.updatedAt, `${payment.id} ${amountPaidKobo}`)
        const options = { narration: 'Simulated payment', sessionId }
        await writers.credits.submit(sandboxCredit(credit, clock(), options))
      }
      const pageQuery = new URLSearchParams({ adviceReference: adviceId })
      if (typeof bank === 'string') pageQuery.set('bank', bank)
      return reply.redirect(`${CHECKOUT}?${pageQuery}`, 303)
    },
  )
})
