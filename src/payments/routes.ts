// Routes of payments: /api/v1/payments lists and retrieves them, /api/Transaction verifies one for a
// merchant, and /Payment/process/banktransfer initiates one.

import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import type { NameBank } from '#banks/directory.ts'
import { timestamp } from '#clock.ts'
import { issuesNumbers } from '#config/number-settings.ts'
import { type CreditTrace, listCredits } from '#credits/queries.ts'
import { CreditBody, presentCredit } from '#credits/views.ts'
import { LIMIT_MAX } from '#db/paging.ts'
import { withSnapshot } from '#db/replica.ts'
import { Refusal } from '#errors.ts'
import type { Deps } from '#http/deps.ts'
import { paymentAccepted } from '#http/envelopes.ts'
import { PaymentSummaryBody, presentSummary, presentTotal, SUMMARISED } from '#http/lists.ts'
import { resource } from '#http/resource.ts'
import {
  BEARER,
  IdempotencyHeaders,
  named,
  nullable,
  PaymentEnvelope,
  text,
} from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { type AdviceId, parseReference } from '#ids.ts'
import { type Kobo, toNaira } from '#money.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import type { Initiated, Initiation } from './initiate.ts'
import {
  buildCallBackUrl,
  findPaidWhere,
  getPayment,
  type PaidWhere,
  type Payment,
  type PaymentNumber,
  statusAt,
} from './payment.ts'
import { findPayment, listPayments, summarizePayments } from './queries.ts'
import { PAYMENT_STATUSES } from './states.ts'
import {
  BY_ANY_REFERENCE,
  filterFields,
  InitiatedPaymentView,
  LISTED,
  PaymentView,
  parsePaymentFilters,
} from './views.ts'

type PaymentDetail = Payment & {
  inSuspenseKobo: Kobo
  credits: readonly CreditTrace[] // One more than the response shows, which tells whether there are more.
}

const PaymentDetailView = view(
  'PaymentDetail',
  (f: Fields<PaymentDetail, { now: Date; sealer: Sealer; nameBank: NameBank }>) => ({
    ...PaymentView.fields,
    amountInSuspense: f.naira('inSuspenseKobo', 'Amount of its credits currently in suspense.'),
    credits: f.as(
      Type.Array(CreditBody, { description: 'Latest credits, newest first.' }),
      ({ credits }, context) =>
        credits.slice(0, LIMIT_MAX).map((credit) => presentCredit(credit, context)),
    ),
    hasMoreCredits: f.flag(
      ({ credits }) => credits.length > LIMIT_MAX,
      'If true, list the rest by paymentReference.',
    ),
  }),
)

export const payments = resource('/api/v1/payments', {
  tag: 'Payments',
  noun: 'payment',
  view: PaymentView,
  scopes: { read: 'payments:read', write: 'payments:write' },
  params: { reference: String },
})
  .get('summarizePayments', {
    path: '/summary',
    summary: 'Count and add up payments',
    description: SUMMARISED,
    query: filterFields(PAYMENT_STATUSES),
    view: PaymentSummaryBody,
    message: 'Payments added up successfully',
    run: async (db, { clientId, query, now }) => {
      const filters = parsePaymentFilters(query)
      const summary = await withSnapshot(db, (tx) =>
        summarizePayments(tx, clientId, { filters, now }),
      )
      return presentSummary(summary, (total) => ({
        ...presentTotal(total),
        amountPaid: toNaira(total.amountPaidKobo),
      }))
    },
  })
  .list('listPayments', {
    summary: 'List payments, newest first',
    description: LISTED,
    filters: filterFields(PAYMENT_STATUSES),
    isOrdered: true,
    hasTextIds: true,
    rows: (db, { clientId, query, now, order, after, limit }) => {
      const page = { order, after: after ?? undefined, limit, now }
      const filters = parsePaymentFilters(query)
      return withSnapshot(db, (tx) => listPayments(tx, clientId, { filters, ...page }))
    },
  })
  .get('getPayment', {
    summary: 'Retrieve a payment by any reference',
    description: BY_ANY_REFERENCE,
    view: PaymentDetailView,
    errors: ['payment_not_found'],
    run: (db, { client, sealer, params }) =>
      withSnapshot(db, async (tx) => {
        const { payment, inSuspenseKobo } = await findPayment(tx, client.id, params.reference)
        const filters = { paymentReference: payment.id }
        const limit = LIMIT_MAX + 1
        const credits = await listCredits(tx, { sealer, viewer: client, filters, limit })
        return { ...payment, inSuspenseKobo, credits }
      }),
  })

const TransactionBody = named('Transaction', {
  merchantCode: Type.String(),
  paymentReference: Type.String(),
  adviceReference: Type.String(),
  merchantReference: nullable('string'),
  amountCollected: Type.Number(),
  amount: Type.Number(),
  callBackUrl: Type.String(),
  processorCode: nullable('string'),
  transactionStatus: Type.String(),
  currencyCode: Type.String(),
  accountNumber: nullable('string'),
  accountNumberMasked: nullable('string'),
  narration: nullable('string'),
  env: Type.String(),
  message: Type.String(),
  customerName: Type.String(),
  paymentDate: nullable('string', { description: 'When the last of amountCollected was booked.' }),
})

// /api/Transaction: verify a payment by its payment reference or its advice reference.
export const verifyPaymentRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { db, authentication, clock, mode } = deps

  for (const by of ['payment', 'advice'] as const) {
    app.get(
      `/api/Transaction/by${by}reference/:reference`,
      {
        config: { isPublished: true, errors: ['payment_not_found'] },
        onRequest: authentication.requires('payments:read'),
        schema: {
          operationId: by === 'payment' ? 'verifyByPayment' : 'verifyByAdvice',
          tags: ['Payments'],
          summary: `Verify a payment by its ${by} reference`,
          description:
            'The state of the payment, decided by what is booked. Verify before you deliver: a ' +
            'webhook may come late.',
          security: BEARER,
          params: Type.Object({ reference: Type.String() }),
          response: { 200: PaymentEnvelope(TransactionBody) },
        },
      },
      async (request) => {
        const reference = parseReference(request.params.reference)
        if (!reference) throw new Refusal('payment_not_found')
        const payment = await getPayment(db, request.client.id, { by, reference })
        const paid = await findPaidWhere(db, payment)
        return paymentAccepted(presentTransaction(payment, { ...paid, now: clock(), mode }))
      },
    )
  }
}

// The published response of /api/Transaction.
function presentTransaction(
  payment: Payment,
  { number, paidAt, now, mode }: PaidWhere & { now: Date; mode: Deps['mode'] },
) {
  const status = statusAt(payment, now)
  return {
    merchantCode: payment.clientName,
    paymentReference: payment.id,
    adviceReference: payment.adviceId,
    merchantReference: payment.merchantRef,
    amountCollected: toNaira(payment.amountPaidKobo),
    amount: toNaira(payment.amountKobo),
    callBackUrl: buildCallBackUrl(payment),
    processorCode: number?.bankCode ?? null,
    transactionStatus: status,
    currencyCode: payment.currency,
    accountNumber: number?.accountNumber ?? null,
    accountNumberMasked: number ? maskAccountNumber(number.accountNumber) : null,
    narration: payment.narration,
    env: mode === 'live' ? 'Live' : 'Test',
    message: status === 'PartPayment' ? 'Incomplete Amount Received' : status,
    customerName: payment.customerName,
    paymentDate: payment.amountPaidKobo > 0n && paidAt ? timestamp(paidAt) : null,
  }
}

// The schema of an initiated payment, and of a simulated transfer: one to a collection account has no
// expiresAt.
export const PaymentBody = named('InitiatedPayment', {
  ...InitiatedPaymentView.schema.properties,
  expiresAt: Type.Optional(InitiatedPaymentView.fields.expiresAt.schema),
})

// Shows the payment with the number that the caller pays into.
export function showPayment(
  { nameBank, clock, policy }: Deps,
  {
    payment,
    number,
    now = clock(),
  }: { payment: Payment; number: PaymentNumber; now?: Date | undefined },
) {
  const status = statusAt(payment, now)
  const naming = { nameBank, nameStyle: policy.accountName }
  return InitiatedPaymentView.present({ payment, number, status }, naming)
}

// Initiates a payment. If routing chooses the bank, tries again when that bank has just leased its last
// number: the next attempt chooses another bank.
async function initiate({ writers, banks }: Deps, initiation: Initiation): Promise<Initiated> {
  let retriesLeft = initiation.bankCode === undefined ? banks.length : 0
  for (;;) {
    try {
      return await writers.initiations.submit(initiation)
    } catch (error) {
      const isEmpty = error instanceof Refusal && error.code === 'numbers_exhausted'
      if (!isEmpty || retriesLeft-- === 0) throw error
    }
  }
}

const INITIATE_ERRORS = [
  'advice_cancelled',
  'advice_expired',
  'advice_not_found',
  'advice_paid',
  'advice_reversed',
  'bank_not_supported',
  'no_bank_usable',
  'number_ceiling_reached',
  'numbers_exhausted',
] as const

const SupportedBanks = PaymentEnvelope(
  Type.Array(named('SupportedBank', { code: Type.String(), bankName: Type.String() })),
)
const ALSO_AT_BANKS = ' Some clients of products of this family ask here.'

// /Payment/process/banktransfer: pay an advice by bank transfer.
export const bankTransferRoutes: FastifyPluginAsyncTypebox<Deps> = async (app, deps) => {
  const { authentication, banks } = deps
  const tags = ['Payments']

  const bankLists = [
    ['/Payment/banktransfer/supportedbank', 'listSupportedBanks', 'List supported banks', ''],
    ['/api/Banks', 'listFamilyBanks', 'List supported banks, under another address', ALSO_AT_BANKS],
  ] as const
  for (const [url, operationId, summary, also] of bankLists) {
    const description = `Banks at which a dynamic account number can be issued now.${also}`
    app.get(
      url,
      { schema: { operationId, tags, summary, description, response: { 200: SupportedBanks } } },
      async () =>
        paymentAccepted(
          banks
            .filter((bank) => issuesNumbers(bank, 'dynamic'))
            .map(({ code, name }) => ({ code, bankName: name })),
        ),
    )
  }

  app.post(
    '/Payment/process/banktransfer/:adviceReference',
    {
      config: {
        isPublished: true,
        rate: 'initiate',
        queue: 'initiations',
        allowsCrossOrigin: true,
        errors: INITIATE_ERRORS,
      },
      onRequest: authentication.requiresIfTokenSent('payments:write'),
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
