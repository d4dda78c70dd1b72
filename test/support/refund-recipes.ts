// Requests for another client's refunds and for the operator's adjustments, which
// test/access/route-isolation.test.ts sends; and requests about refunds that take an idempotency key, for
// test/records/keyed-operations.ts.

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
  refundCredit: (things) =>
    [things.creditId, things.sessionId].map((id) => post(refundsOf(id), BODY)),
  listCreditRefunds: (things) =>
    [things.creditId, things.sessionId].map((id) => ({ url: refundsOf(id) })),
  listRefunds: (things) => [
    { url: REFUNDS },
    { url: `${REFUNDS}?limit=1&cursor=${things.cursors[REFUNDS]}` },
  ],
  getRefund: (things) => [{ url: `${REFUNDS}/${things.refundReference}` }],
  cancelRefund: (things) => [
    post(`${REFUNDS}/${things.refundReference}/cancel`, { reason: 'Asked.' }),
  ],
  listAdjustments: () => [{ url: ADJUSTMENTS }],
  getAdjustment: () => [{ url: ADJUSTMENT }],
  requestAdjustment: (things) => [
    post(ADJUSTMENTS, { kind: 'write_off', of: 'receivable', clientId: things.clientId, ...BODY }),
  ],
  approveAdjustment: () => [post(`${ADJUSTMENT}/approve`)],
  rejectAdjustment: () => [post(`${ADJUSTMENT}/reject`, { reason: 'No.' })],
  withdrawAdjustment: () => [post(`${ADJUSTMENT}/withdraw`)],
}

// Creates two refunds of the isolation test's client, so that the list has a second page; returns the first's
// reference.
export async function refundThings(bench: Bench, token: string) {
  const { accountNumber } = await createAccount(bench, {}, { token })
  const { sessionId } = await pay(bench, accountNumber, '50')
  const answer = await askRefund(bench, sessionId, { amount: 1, token })
  await askRefund(bench, sessionId, { amount: 1, token })
  return { refundReference: answer.json().data.reference as string }
}

// Requests that take an idempotency key. `ask` makes a request that succeeds; `others` is the body of a
// different request to the same address.
export function refundOperations(bench: Bench) {
  // A credit of 100.00; returns its session id.
  const payIn = async () => {
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
      ask: async () => ({ url: refundsOf(await payIn()), body: BODY }),
      others: () => ({ ...BODY, amount: 2 }),
    },
    {
      name: 'cancelRefund',
      ask: async () => {
        const { reference } = await refund(bench, await payIn(), 1)
        return { url: `${REFUNDS}/${reference}/cancel`, body: { reason: 'Asked.' } }
      },
      others: () => ({ reason: 'Other.' }),
    },
  ]
}
