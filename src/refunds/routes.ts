// /api/v1/payments/{reference}/refunds and /api/v1/credits/{id}/refunds: refund a payment, or a credit
// to a collection account. /api/v1/refunds: list, retrieve and cancel refunds.

import type { Static } from '@fastify/type-provider-typebox'
import type { Client } from '#access/permissions.ts'
import { getCredit } from '#credits/queries.ts'
import { parseCreditKey } from '#credits/views.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { AmountQuery, choice, parseAmounts, parseWindow, WindowQuery } from '#http/lists.ts'
import { type Call, resource } from '#http/resource.ts'
import { Amount, namedBody, strictObject, text } from '#http/schemas.ts'
import { type Fields, view } from '#http/view.ts'
import { publicId } from '#ids.ts'
import { type Kobo, koboOf } from '#money.ts'
import { findPayment } from '#payments/queries.ts'
import { maskAccountNumber, type Sealer } from '#seal.ts'
import { getRefund, listRefunds, type Refund, type RefundPart, sumConfirmed } from './refund.ts'
import { type RefundTarget, requestRefund } from './request.ts'
import { cancelRefund } from './settle.ts'
import { REFUND_FILTER_STATUSES, REFUND_STATUSES, refundStatus } from './states.ts'

const REASON_MAX = 200

const RefundRequest = namedBody('RefundRequest', {
  amount: Amount,
  reason: text(REASON_MAX, 'Why it is refunded.'),
})

type Context = { sealer: Sealer }

export const RefundPayoutView = view('RefundPayout', (f: Fields<RefundPart, Context>) => ({
  reference: f.text('reference', 'Payout reference, as in /api/v1/payouts.'),
  status: f.text('status'),
  approval: f.text('approval', 'not_needed, needed, approved or rejected.'),
  amount: f.naira('amountKobo'),
  creditId: f.integer(
    ({ creditId }, { sealer }) => publicId(sealer, 'credit', creditId),
    'Credit that it gives back.',
  ),
  bankCode: f.text('bankCode', 'Bank that sends it: the one the credit came in at.'),
  toBankCode: f.text('toBankCode'),
  toAccountName: f.text('toAccountName'),
  toAccountNumberMasked: f.text(({ toAccountSealed }, { sealer }) =>
    maskAccountNumber(sealer.open(toAccountSealed)),
  ),
  bankReference: f.textOrNull('bankReference', 'Set if confirmed.'),
  failureReason: f.textOrNull('failureReason', 'Set if failed or cancelled.'),
  settledAt: f.timeOrNull('settledAt'),
}))

export const RefundView = view('Refund', (f: Fields<Refund, Context>) => ({
  reference: f.text('reference', 'Permanent refund reference: RFD and digits.'),
  status: f.oneOf(
    ({ parts }) => refundStatus(parts),
    REFUND_STATUSES,
    'Of its payouts. part_failed: some were confirmed, and some failed.',
  ),
  amount: f.naira('amountKobo'),
  refundedAmount: f.naira(
    ({ parts }) => sumConfirmed(parts),
    'Of amount, what the banks have confirmed.',
  ),
  currency: f.text('currency'),
  toAccountName: f.text(
    ({ parts }) => parts[0]?.toAccountName ?? '',
    'Who gets it; with several payers, that of the newest credit.',
  ),
  reason: f.text('reason'),
  paymentReference: f.textOrNull('paymentId', 'Of a refund of a payment.'),
  creditId: f.integerOrNull(
    ({ creditId }, { sealer }) => creditId && publicId(sealer, 'credit', creditId),
    'Of a refund of a credit.',
  ),
  payouts: f.list(RefundPayoutView, 'parts', 'One per credit, the newest credit first.'),
  requestedBy: f.text('requestedBy'),
  requestedAt: f.time('requestedAt'),
}))

const HOW =
  'Sent to the account that the money came from, from what is available to you beyond what you ' +
  'owe: insufficient_balance if that is less. At most what was received less what was reversed, ' +
  'refunded or is being refunded (refund_too_large). Fees are not given back. '

type RefundBody = Static<typeof RefundRequest>

// The settings that refundPayment and refundCredit share.
const refunding = {
  body: RefundRequest,
  pool: 'batchPool',
  message: 'Refund requested successfully',
} as const

// Requests a refund, and returns it as it was created.
async function createRefund(
  tx: Transaction,
  call: Call<Record<never, never>, object, RefundBody>,
  target: RefundTarget,
): Promise<Refund> {
  const { client, actor, userId, body } = call
  const amountKobo = koboOf(body.amount) as Kobo // The schema has checked it.
  const input = { client, actor, userId, target, amountKobo, reason: body.reason }
  return getRefund(tx, client.id, await requestRefund(tx, call, input))
}

type CreditCall = Context & { client: Client; params: { id: string } }

// Finds the credit that the path names, by its id or session id.
function findCredit(db: Queryable, { sealer, client: viewer, params }: CreditCall) {
  return getCredit(db, { sealer, viewer, by: parseCreditKey(sealer, params.id) })
}

export const refunds = resource('/api/v1', {
  tag: 'Refunds',
  noun: 'refund',
  view: RefundView,
  scopes: { read: 'payments:read', write: 'refunds:write' },
  params: { reference: String, id: String },
  isForWholeClient: true,
})
  .act('refundPayment', {
    ...refunding,
    path: '/payments/:reference/refunds',
    summary: 'Refund a payment, in whole or in part',
    description: `${HOW}A payment that several credits paid is refunded newest credit first.`,
    errors: [
      'client_suspended',
      'credit_held',
      'daily_payout_limit',
      'insufficient_balance',
      'payment_not_found',
      'payment_not_refundable',
      'payout_limit',
      'refund_payer_unknown',
      'refund_too_large',
    ],
    run: async (tx, call) => {
      const { payment } = await findPayment(tx, call.clientId, call.params.reference)
      return createRefund(tx, call, { paymentId: payment.id })
    },
  })
  .act('refundCredit', {
    ...refunding,
    path: '/credits/:id/refunds',
    summary: 'Refund a credit to a collection account, in whole or in part',
    description: `${HOW}What paid a payment is refunded with the payment.`,
    errors: [
      'client_suspended',
      'credit_held',
      'credit_not_found',
      'credit_not_refundable',
      'credit_of_payment',
      'insufficient_balance',
      'refund_payer_unknown',
      'refund_too_large',
    ],
    run: async (tx, call) => {
      const { id: creditId } = await findCredit(tx, call)
      return createRefund(tx, call, { creditId })
    },
  })
  .act('cancelRefund', {
    path: '/refunds/:reference/cancel',
    summary: 'Cancel a refund',
    description: 'While all of it is queued. The money is available again. Idempotent.',
    body: strictObject({ reason: text(REASON_MAX, 'Why it is cancelled.') }),
    pool: 'batchPool',
    errors: ['payout_may_have_been_sent', 'refund_not_found', 'refund_not_queued'],
    message: 'Refund cancelled successfully',
    run: async (tx, call) => {
      const { clientId, payoutHooks: hooks, body } = call
      const { reference } = call.params
      await cancelRefund(tx, { ...call, hooks }, { reference, reason: body.reason })
      return getRefund(tx, clientId, reference)
    },
  })
  .list('listPaymentRefunds', {
    path: '/payments/:reference/refunds',
    name: 'refunds',
    summary: 'List the refunds of a payment, newest first',
    description: 'Each with the payouts that give the money back, and their states.',
    errors: ['payment_not_found'],
    rows: async (db, { clientId, params, after, limit }) => {
      const { payment } = await findPayment(db, clientId, params.reference)
      return listRefunds(db, clientId, { paymentId: payment.id, after, limit })
    },
  })
  .list('listCreditRefunds', {
    path: '/credits/:id/refunds',
    name: 'refunds',
    scope: 'credits:read',
    summary: 'List the refunds of a credit, newest first',
    description: 'Each with the payout that gives the money back, and its state.',
    errors: ['credit_not_found'],
    rows: async (db, call) => {
      const { id: creditId } = await findCredit(db, call)
      return listRefunds(db, call.clientId, { creditId, after: call.after, limit: call.limit })
    },
  })
  .list('listRefunds', {
    exportAs: 'exportRefunds',
    path: '/refunds',
    name: 'refunds',
    summary: 'List refunds, newest first',
    description:
      'All refunds of your payments and credits, with the state of their payouts. from and to apply ' +
      'to requestedAt.',
    filters: {
      status: choice(
        REFUND_FILTER_STATUSES,
        'awaiting_approval: queued, and somebody has yet to approve it.',
      ),
      ...AmountQuery,
      ...WindowQuery,
    },
    isOrdered: true,
    rows: (db, { clientId, query, order, after, limit }) => {
      const filters = { ...parseAmounts(query), ...parseWindow(query), status: query.status }
      return listRefunds(db, clientId, { ...filters, order, after, limit })
    },
  })
  .get('getRefund', {
    path: '/refunds/:reference',
    summary: 'Retrieve a refund',
    description: 'Its state is that of its payouts: one per credit that is given back.',
    errors: ['refund_not_found'],
    run: (db, { clientId, params }) => getRefund(db, clientId, params.reference),
  })
