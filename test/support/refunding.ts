// The client's calls on refunds.

import { dataOf } from './fixtures.ts'
import { credit } from './movements.ts'
import type { Bench, Call } from './running-service.ts'

export const PAYER = {
  sourceAccountNumber: '0123456789',
  sourceAccountName: 'ADA OBI',
  sourceBankCode: '058',
}

// Reports a credit whose payer's account the bank names, so that the money can be refunded there.
export const pay = (bench: Bench, accountNumber: string, amount: string) =>
  credit(bench, accountNumber, amount, PAYER)

type Payment = { paymentReference: string }

// The route of a payment's refunds, or of the refunds of a credit with this session id.
export const refundsOf = (target: Payment | string) =>
  typeof target === 'string'
    ? `/api/v1/credits/${target}/refunds`
    : `/api/v1/payments/${target.paymentReference}/refunds`

// Requests a refund; returns the response, which may be a refusal.
export function askRefund(
  bench: Bench,
  target: Payment | string,
  { amount, ...more }: { amount: unknown } & Partial<Call>,
) {
  return bench.call({ url: refundsOf(target), body: { amount, reason: 'Wrong size' }, ...more })
}

// Requests a refund, which must succeed; returns it.
export async function refund(bench: Bench, target: Payment | string, amount: unknown) {
  return dataOf(await askRefund(bench, target, { amount }))
}

// Requests a refund; returns its status, or the code of the refusal.
export async function tryRefund(bench: Bench, target: Payment | string, amount: unknown) {
  const { data, code } = (await askRefund(bench, target, { amount })).json()
  return (data?.status ?? code) as string
}

export async function paymentOf(bench: Bench, { paymentReference }: Payment) {
  return dataOf(await bench.call({ url: `/api/v1/payments/${paymentReference}` }))
}

export async function creditOf(bench: Bench, sessionId: string) {
  return dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }))
}
