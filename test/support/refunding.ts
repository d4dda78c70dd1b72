// Refunds over HTTP.

import { dataOf } from './fixtures.ts'
import { credit } from './movements.ts'
import type { Bench, Call } from './running-service.ts'

export const PAYER = {
  sourceAccountNumber: '0123456789',
  sourceAccountName: 'ADA OBI',
  sourceBankCode: '058',
}

// From a payer that the bank names.
export const pay = (bench: Bench, accountNumber: string, amount: string) =>
  credit(bench, accountNumber, amount, PAYER)

type Payment = { paymentReference: string }

export const refundsOf = (of: Payment | string) =>
  typeof of === 'string'
    ? `/api/v1/credits/${of}/refunds`
    : `/api/v1/payments/${of.paymentReference}/refunds`

// For a payment, or for a credit by its session id.
export function askRefund(
  bench: Bench,
  of: Payment | string,
  { amount, ...more }: { amount: unknown } & Partial<Call>,
) {
  return bench.call({ url: refundsOf(of), body: { amount, reason: 'Wrong size' }, ...more })
}

export async function refund(bench: Bench, of: Payment | string, amount: unknown) {
  return dataOf(await askRefund(bench, of, { amount }), 'account')
}

// The refund's status, or the refusal.
export async function tryRefund(bench: Bench, of: Payment | string, amount: unknown) {
  const { data, code } = (await askRefund(bench, of, { amount })).json()
  return (data?.status ?? code) as string
}

export async function paymentOf(bench: Bench, { paymentReference }: Payment) {
  return dataOf(await bench.call({ url: `/api/v1/payments/${paymentReference}` }), 'account')
}

export async function creditOf(bench: Bench, sessionId: string) {
  return dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }), 'account')
}
