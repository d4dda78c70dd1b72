// /Payment/process/banktransfer: paying an advice by bank transfer, and rehearsing it.

import { randomInt } from 'node:crypto'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { makeSessionId } from '#banks/session-id.ts'
import { getAccount } from '#domain/collection-accounts.ts'
import { findNumber } from '#domain/number-owners.ts'
import { getPayment, type Payment, type PaymentNumber } from '#domain/payments.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { presentPayment } from '#http/present.ts'
import { Amount, BEARER, nullable, PaymentEnvelope, PaymentFailure, text } from '#http/schemas.ts'
import { parseReference } from '#ids.ts'
import { koboOf, toNaira } from '#money.ts'

const PaymentBody = Type.Object({
  bankName: Type.String(),
  bankCode: Type.String(),
  bankAccount: Type.String(),
  paymentReference: Type.String(),
  status: Type.String(),
  message: Type.String(),
  amount: Type.Number(),
  amountPaid: Type.Number(),
  callBackUrl: Type.String(),
  customerName: Type.String(),
  expiresAt: Type.Optional(Type.String()),
  accountName: Type.String(),
})

const SimulatedBody = Type.Object({
  ...PaymentBody.properties,
  sessionId: Type.String({ description: 'Of the transfer that was made up.' }),
  outcome: Type.String({ description: 'booked or suspended.' }),
  reason: nullable('string', { description: 'Why money is in suspense.' }),
})

// The sandbox bank's institution code on the session ids of simulated transfers.
const SANDBOX_INSTITUTION = '999999'

export const bankTransferRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, sealer, writers, authentication, clock, mode, banks, policy } = deps
  const tags = ['Payments']
  const sandboxOnly = async () => {
    if (mode === 'live') throw new Refusal('sandbox_only')
  }
  const bankName = (code: string) => banks.find((bank) => bank.code === code)?.name ?? code

  const show = (payment: Payment, number: PaymentNumber) =>
    presentPayment(payment, number, {
      now: clock(),
      bankName: bankName(number.bankCode),
      nameStyle: policy.accountName,
    })

  app.get(
    '/Payment/banktransfer/supportedbank',
    {
      schema: {
        operationId: 'listSupportedBanks',
        tags,
        summary: 'Banks at which a number can be issued',
        response: {
          200: PaymentEnvelope(
            Type.Array(Type.Object({ code: Type.String(), bankName: Type.String() })),
          ),
        },
      },
    },
    async () =>
      paymentAccepted(
        banks.flatMap(({ code, name, dynamic }) => (dynamic ? [{ code, bankName: name }] : [])),
      ),
  )

  app.post(
    '/Payment/process/banktransfer/:adviceReference',
    {
      config: { isPublished: true },
      schema: {
        operationId: 'initiateBankTransfer',
        tags,
        summary: 'Issue a number to pay an advice into',
        description: 'The reference suffices; a token, when sent, must be the owner’s.',
        security: [...BEARER, {}],
        params: Type.Object({ adviceReference: Type.String() }),
        body: Type.Object({ bankCode: text(10, 'A code of the supported banks.') }),
        response: { 200: PaymentEnvelope(PaymentBody), '4xx': PaymentFailure },
      },
    },
    async (request) => {
      const client = await authentication.optionalClient(request)
      const adviceId = parseReference(request.params.adviceReference)
      if (!adviceId) throw new Refusal('advice_not_found')
      const { payment, ...number } = await writers.initiations.submit({
        adviceId,
        bankCode: request.body.bankCode,
        clientId: client?.id,
      })
      return paymentAccepted(show(payment, number))
    },
  )

  app.post(
    '/Payment/process/banktransfer/simulate/payment',
    {
      config: { isPublished: true },
      onRequest: [authentication.require, sandboxOnly],
      schema: {
        operationId: 'simulatePayment',
        tags: ['Sandbox'],
        summary: 'Push a test transfer into a virtual account (sandbox only)',
        security: BEARER,
        body: Type.Object({
          virtualAccountNumber: Type.String({
            pattern: '^[0-9]{10}$',
            description: 'The virtual account number to credit.',
            'x-says': 'Must be 10 digits.',
          }),
          amount: Amount,
        }),
        response: { 200: PaymentEnvelope(SimulatedBody), '4xx': PaymentFailure },
      },
    },
    async ({ client, body }) => {
      const accountNumber = body.virtualAccountNumber
      const owner = await findNumber(db, client.id, accountNumber)
      if (!owner) throw new Refusal('number_not_found')
      const amountKobo = koboOf(body.amount) as bigint // Checked by the schema.
      const now = clock()
      const sessionId = makeSessionId({
        institution: SANDBOX_INSTITUTION,
        now,
        unique: String(randomInt(1e12 - 1)).padStart(12, '0'),
      })
      const answer = await writers.credits.submit({
        bankCode: owner.bankCode,
        sessionId,
        accountNumber,
        amountKobo,
        currency: 'NGN',
        sourceAccountNumber: null,
        sourceAccountName: 'Sandbox Payer',
        sourceBankCode: null,
        narration: 'Simulated payment',
        transactionTime: now,
      })
      if (answer.status === 'session_reused') throw new Refusal('try_again')
      const trace = { sessionId, outcome: answer.outcome, reason: answer.reason }
      const number = { bankCode: owner.bankCode, accountNumber }
      const bank = bankName(owner.bankCode)
      if (owner.paymentId !== null) {
        const payment = await getPayment(db, client.id, 'payment', owner.paymentId)
        return paymentAccepted({ ...show(payment, number), ...trace })
      }
      const account = await getAccount(db, sealer, client.id, accountNumber)
      const status = answer.outcome === 'booked' ? 'Successful' : 'Suspended'
      return paymentAccepted({
        bankName: bank,
        bankCode: number.bankCode,
        bankAccount: accountNumber,
        paymentReference: sessionId,
        status,
        message: status,
        amount: toNaira(amountKobo),
        amountPaid: answer.outcome === 'booked' ? toNaira(amountKobo) : 0,
        callBackUrl: '',
        customerName: account.accountName,
        accountName: account.accountName,
        ...trace,
      })
    },
  )
}
