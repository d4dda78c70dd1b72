// Requests for another client's refunds and adjustments; and each POST about refunds, with something to
// do.

import { createAccount, startPayment } from './fixtures.ts'
import type { Recipe } from './isolation-recipes.ts'
import { askRefund, pay, refund, refundsOf } from './refunding.ts'
import type { Bench, Call } from './running-service.ts'

const REFUNDS = '/api/v1/refunds'
const ADJUSTMENTS = '/api/v1/operator/adjustments'
const ADJUSTMENT = `${ADJUSTMENTS}/ADJ000000000000001`
const BODY = { amount: 1, reason: 'Asked.' }

const post = (url: string, body: object = {}): Call => ({ method: 'POST', url, body })

export const REFUND_RECIPES: Record<string, Recipe> = {
  refundPayment: ({ paymentReference }) => [post(refundsOf({ paymentReference }), BODY)],
  listPaymentRefunds: ({ paymentReference }) => [{ url: refundsOf({ paymentReference }) }],
  refundCredit: (of) => [of.creditId, of.sessionId].map((id) => post(refundsOf(id), BODY)),
  listCreditRefunds: (of) => [of.creditId, of.sessionId].map((id) => ({ url: refundsOf(id) })),
  listRefunds: (of) => [
    { url: REFUNDS },
    { url: `${REFUNDS}?limit=1&cursor=${of.cursors[REFUNDS]}` },
  ],
  getRefund: (of) => [{ url: `${REFUNDS}/${of.refundReference}` }],
  cancelRefund: (of) => [post(`${REFUNDS}/${of.refundReference}/cancel`, { reason: 'Asked.' })],
  listAdjustments: () => [{ url: ADJUSTMENTS }],
  getAdjustment: () => [{ url: ADJUSTMENT }],
  requestAdjustment: (of) => [
    post(ADJUSTMENTS, { kind: 'write_off', of: 'receivable', clientId: of.clientId, ...BODY }),
  ],
  approveAdjustment: () => [post(`${ADJUSTMENT}/approve`)],
  rejectAdjustment: () => [post(`${ADJUSTMENT}/reject`, { reason: 'No.' })],
  withdrawAdjustment: () => [post(`${ADJUSTMENT}/withdraw`)],
}

// The client's own refunds: two, so that the list has a second page.
export async function refundThings(bench: Bench, token: string) {
  const { accountNumber } = await createAccount(bench, {}, { token })
  const { sessionId } = await pay(bench, accountNumber, '50')
  const made = await askRefund(bench, sessionId, { amount: 1, token })
  await askRefund(bench, sessionId, { amount: 1, token })
  return { refundReference: made.json().data.reference as string }
}

export function refundOperations(bench: Bench) {
  const paid = async () => {
    const { accountNumber } = await createAccount(bench)
    return (await pay(bench, accountNumber, '100')).sessionId
  }
  return [
    {
      name: 'refundPayment',
      ask: async () => {
        const { bankAccount, paymentReference } = await startPayment(bench)
        await pay(bench, bankAccount as string, '6000')
        return { url: refundsOf({ paymentReference }), body: BODY }
      },
      others: () => ({ ...BODY, amount: 2 }),
    },
    {
      name: 'refundCredit',
      ask: async () => ({ url: refundsOf(await paid()), body: BODY }),
      others: () => ({ ...BODY, amount: 2 }),
    },
    {
      name: 'cancelRefund',
      ask: async () => {
        const { reference } = await refund(bench, await paid(), 1)
        return { url: `${REFUNDS}/${reference}/cancel`, body: { reason: 'Asked.' } }
      },
      others: () => ({ reason: 'Other.' }),
    },
  ]
}
