// /Payment/process/banktransfer/simulate/payment: simulates a transfer. From the batcher on, it
// takes the regular path.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ACCOUNT_NUMBER } from '#banks/nuban.ts'
import { sandboxCredit } from '#banks/sandbox-credits.ts'
import type { Client } from '#domain/access/clients.ts'
import { getAccount } from '#domain/accounts/account-lookups.ts'
import { findNumber, type NumberOwner } from '#domain/accounts/number-owners.ts'
import type { CreditDecision } from '#domain/credits/decide-credits.ts'
import type { IncomingCredit } from '#domain/credits/judge-credit.ts'
import { getPayment } from '#domain/payments/payments.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { withIdempotentSteps } from '#http/idempotency.ts'
import { findBankName, PaymentBody, showPayment } from '#http/routes/payments/bank-transfers.ts'
import {
  Amount,
  BEARER,
  IdempotencyHeaders,
  named,
  nullable,
  PaymentEnvelope,
  PaymentFailure,
} from '#http/schemas.ts'
import { type Kobo, koboOf, toNaira } from '#money.ts'

const SimulatedBody = named('SimulatedPayment', {
  ...PaymentBody.properties,
  sessionId: Type.String({ description: 'Session ID of the simulated transfer.' }),
  outcome: Type.String({ description: 'booked or suspended.' }),
  reason: nullable('string', { description: 'Suspense reason.' }),
})

export const simulateRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, writers, authentication, clock, mode } = deps
  const sandboxOnly = async () => {
    if (mode === 'live') throw new Refusal('sandbox_only')
  }

  app.post(
    '/Payment/process/banktransfer/simulate/payment',
    {
      config: { isPublished: true, rate: 'simulate', queue: 'credits' },
      onRequest: [authentication.requires('payments:write'), sandboxOnly],
      schema: {
        operationId: 'simulatePayment',
        tags: ['Sandbox'],
        summary: 'Simulate a transfer to a virtual account (sandbox only)',
        description:
          'Sends money to a virtual account as a bank would. It takes the same path as a real ' +
          'transfer: booked, notified and shown everywhere.',
        security: BEARER,
        headers: IdempotencyHeaders,
        body: Type.Object({
          virtualAccountNumber: Type.String({
            pattern: ACCOUNT_NUMBER,
            description: 'Virtual account number to credit.',
            'x-says': 'Must be 10 digits.',
          }),
          amount: Amount,
        }),
        response: { 200: PaymentEnvelope(SimulatedBody), '4xx': PaymentFailure },
      },
    },
    async (request, reply) => {
      const { client, body } = request
      const accountNumber = body.virtualAccountNumber
      const owner = await findNumber(db, client.id, accountNumber)
      if (!owner) throw new Refusal('number_not_found')
      const amountKobo = koboOf(body.amount) as Kobo // Checked by the schema.
      const { bankCode } = owner
      const to = { bankCode, accountNumber, amountKobo, source: 'sandbox' } as const
      const made = sandboxCredit(to, clock(), { narration: 'Simulated payment' })
      // The session ID identifies the transfer across retries.
      return withIdempotentSteps(
        deps,
        { request, reply, begin: made.sessionId },
        async (sessionId) => {
          const credit = { ...made, sessionId }
          const answer = await writers.credits.submit(credit)
          if (answer.status === 'session_reused') throw new Refusal('try_again')
          return paymentAccepted({
            ...(await showTarget(deps, { client, owner, credit, taken: answer })),
            sessionId,
            outcome: answer.outcome,
            reason: answer.reason,
          })
        },
      )
    },
  )
}

type SimulatedCredit = {
  client: Client
  owner: NumberOwner
  credit: IncomingCredit
  taken: CreditDecision
}

// A collection account has no payment: the envelope then shows the transfer itself.
async function showTarget(
  deps: Deps,
  {
    client,
    owner,
    credit: { accountNumber, bankCode, amountKobo, sessionId },
    taken: { outcome },
  }: SimulatedCredit,
) {
  const { db, accountLookups, banks } = deps
  if (owner.paymentId !== null) {
    const payment = await getPayment(db, client.id, { by: 'payment', reference: owner.paymentId })
    return showPayment(deps, { payment, number: { bankCode, accountNumber } })
  }
  const { accountName } = await getAccount(accountLookups, client, accountNumber)
  const status = outcome === 'booked' ? 'Successful' : 'Suspended'
  return {
    bankName: findBankName(banks, bankCode),
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
