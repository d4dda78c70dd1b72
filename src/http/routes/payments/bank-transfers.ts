// /Payment/process/banktransfer: paying an advice by bank transfer.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { issuesNumbers } from '#config/number-settings.ts'
import type { Initiated, Initiation } from '#domain/payments/initiate-payment.ts'
import type { Payment, PaymentNumber } from '#domain/payments/payments.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { presentPayment } from '#http/presenters.ts'
import {
  BEARER,
  IdempotencyHeaders,
  named,
  PAYMENT_STATES,
  PaymentEnvelope,
  text,
} from '#http/schemas.ts'
import { type AdviceId, parseReference } from '#ids.ts'

export const PaymentBody = named('InitiatedPayment', {
  bankName: Type.String({ description: 'Bank of the account number.' }),
  bankCode: Type.String({ description: 'Its code.' }),
  bankAccount: Type.String({ description: 'Virtual account number to pay into.' }),
  paymentReference: Type.String({ description: 'Reference of the payment.' }),
  status: Type.String({ description: PAYMENT_STATES }),
  message: Type.String({ description: 'The status.' }),
  amount: Type.Number({ description: 'Amount to pay.' }),
  amountPaid: Type.Number({ description: 'Amount paid so far.' }),
  callBackUrl: Type.String({
    description: 'Where the payer returns to, with adviceReference and paymentReference.',
  }),
  customerName: Type.String({ description: 'Name of the customer.' }),
  expiresAt: Type.Optional(Type.String({ description: 'Until when it can be paid.' })),
  accountName: Type.String({ description: 'Name that the payer’s bank shows.' }),
})

type PaymentView = { payment: Payment; number: PaymentNumber; now?: Date | undefined }

// As the envelope shows it, with the number that the caller pays into.
export function showPayment(
  { nameBank, clock, policy }: Deps,
  { payment, number, now = clock() }: PaymentView,
) {
  return presentPayment(payment, number, {
    now,
    bankName: nameBank(number.bankCode),
    nameStyle: policy.accountName,
  })
}

// The chosen bank may have leased its last number just now: then another is chosen.
async function initiate({ writers, banks }: Deps, initiation: Initiation): Promise<Initiated> {
  let more = initiation.bankCode === undefined ? banks.length : 0
  for (;;) {
    try {
      return await writers.initiations.submit(initiation)
    } catch (error) {
      const isEmpty = error instanceof Refusal && error.code === 'numbers_exhausted'
      if (!isEmpty || more-- === 0) throw error
    }
  }
}

export const bankTransferRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, banks } = deps
  const tags = ['Payments']

  app.get(
    '/Payment/banktransfer/supportedbank',
    {
      schema: {
        operationId: 'listSupportedBanks',
        tags,
        summary: 'List supported banks',
        description: 'Banks at which a dynamic account number can be issued now.',
        response: {
          200: PaymentEnvelope(
            Type.Array(named('SupportedBank', { code: Type.String(), bankName: Type.String() })),
          ),
        },
      },
    },
    async () =>
      paymentAccepted(
        banks
          .filter((bank) => issuesNumbers(bank, 'dynamic'))
          .map(({ code, name }) => ({ code, bankName: name })),
      ),
  )

  app.post(
    '/Payment/process/banktransfer/:adviceReference',
    {
      config: {
        isPublished: true,
        rate: 'initiate',
        queue: 'initiations',
        allowsCrossOrigin: true,
      },
      onRequest: authentication.requiresIfAny('payments:write'),
      schema: {
        operationId: 'initiateBankTransfer',
        tags,
        summary: 'Issue an account number for an advice',
        description:
          'No token needed; a token, if sent, must be the owner’s. Without `bankCode` the bank is ' +
          'chosen by health, remaining numbers and cost, and the timeline says why; a payment that has ' +
          'a number keeps it, as long as its bank is in use or no other is better.',
        security: [...BEARER, {}],
        headers: IdempotencyHeaders,
        params: Type.Object({ adviceReference: Type.String() }),
        body: Type.Object({
          bankCode: Type.Optional(text(10, 'Code of a supported bank. Default: chosen for you.')),
        }),
        response: { 200: PaymentEnvelope(PaymentBody) },
      },
    },
    async (request, reply) => {
      const adviceId = parseReference<AdviceId>(request.params.adviceReference)
      if (!adviceId) throw new Refusal('advice_not_found')
      const { payment, at, isReplayed, ...number } = await initiate(deps, {
        adviceId,
        bankCode: request.body.bankCode,
        clientId: request.client?.id,
        idempotencyKey: request.headers['idempotency-key'],
      })
      if (isReplayed) reply.header('idempotent-replayed', 'true')
      return paymentAccepted(showPayment(deps, { payment, number, now: at }))
    },
  )
}
