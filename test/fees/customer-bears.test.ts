// With fees that the customer bears, the payer pays more and sees why, and the merchant always receives the
// requested amount.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import {
  ADVICE,
  createAccount,
  createAdvice,
  dataOf,
  initiate,
  startPayment,
} from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

// Starts a service with a fee rule that the customer bears.
async function startWithFeeRule(changes: object = {}): Promise<Bench> {
  const bench = await startTestService()
  dataOf(await createFeeRule(bench, { bearer: 'customer', ...changes }))
  return bench
}

const chargesOf = ({ amount, charge, customerCharge, merchantCharge, vatCharge }: Charges) => [
  amount,
  charge,
  vatCharge,
  customerCharge,
  merchantCharge,
]
type Charges = Record<
  'amount' | 'charge' | 'customerCharge' | 'merchantCharge' | 'vatCharge',
  number
>

const checkoutOf = async (bench: Bench, reference: string) =>
  dataOf(await bench.call({ url: `/pay/api/status?adviceReference=${reference}` }))

const readNet = async (bench: Bench) =>
  dataOf(await bench.call({ url: '/api/v1/balances' })).totals[0].net

const gross = { amount: 20_000, fee: 202.17, vat: 15.16, rounding: 0.01 }

test('the payer is asked for the fee and the VAT on top, line by line', async () => {
  await using bench = await startWithFeeRule()
  const advice = await createAdvice(bench, { amount: 20_000 })
  assert.deepEqual(chargesOf(advice), [20_000, 202.17, 15.16, 217.34, 0])
  const pending = await checkoutOf(bench, advice.adviceReference)
  assert.deepEqual([pending.amount, pending.fees], [20_217.34, gross])

  const payment = await initiate(bench, advice.adviceReference, '058')

  assert.equal(payment.amount, 20_217.34)
  const open = await checkoutOf(bench, advice.adviceReference)
  assert.deepEqual([open.amount, open.amountRemaining, open.fees], [20_217.34, 20_217.34, gross])
  const page = await bench.call({
    url: `/pay?adviceReference=${advice.adviceReference}`,
    token: null,
  })
  for (const line of ['20,217.34', '20,000.00', '202.17', '15.16', '0.01']) {
    assert(page.body.includes(line), line)
  }
})

test('the merchant is never short, also of a payment in parts', async () => {
  await using bench = await startWithFeeRule()
  const { bankAccount, adviceReference } = await startPayment(bench, { amount: 20_000 })
  await credit(bench, bankAccount, '20000')
  const part = await checkoutOf(bench, adviceReference)
  assert.deepEqual([part.status, part.amountRemaining], ['PartPayment', 217.34])

  await credit(bench, bankAccount, '217.34')

  assert.equal((await checkoutOf(bench, adviceReference)).status, 'Successful')
  const advice = dataOf(await bench.call({ url: `${ADVICE}/${adviceReference}` }), 'payment')
  assert.deepEqual(chargesOf(advice), [20_000, 202.17, 15.16, 217.34, 0])
  assert.equal(await readNet(bench), 20_000.01)
  await assertCleanBooks(bench)
})

test('more than was asked for is suspended, and less under an exact policy', async () => {
  await using bench = await startWithFeeRule()
  const exact = await startPayment(bench, { amount: 20_000, amountPolicy: 'exact' })
  const loose = await startPayment(bench, { amount: 20_000 })

  assert.equal(
    (await credit(bench, exact.bankAccount, '20000')).says,
    '00 suspended amount_mismatch',
  )
  assert.equal((await credit(bench, exact.bankAccount, '20217.34')).says, '00 booked')
  assert.equal((await credit(bench, loose.bankAccount, '20217.35')).says, '00 booked excess')
  await assertCleanBooks(bench)
})

test('a quoted fee holds, even if another rule comes after', async () => {
  await using bench = await startWithFeeRule()
  const { bankAccount, adviceReference } = await startPayment(bench, { amount: 20_000 })
  bench.advance(60_000)
  dataOf(await createFeeRule(bench, { bearer: 'customer', bps: 5_000, cap: null }))
  assert.equal((await checkoutOf(bench, adviceReference)).amount, 20_217.34)

  await credit(bench, bankAccount, '20217.34')

  assert.equal(await readNet(bench), 20_000.01)
  await assertCleanBooks(bench)
})

test('a payment that was begun before the customer bore the fee is not charged it', async () => {
  await using bench = await startTestService()
  const { bankAccount } = await startPayment(bench, { amount: 20_000 })
  dataOf(await createFeeRule(bench, { bearer: 'customer' }))

  await credit(bench, bankAccount, '20000')

  assert.equal(await readNet(bench), 20_000)
  await assertCleanBooks(bench)
})

test('on a collection account, where nothing is asked for, the fee comes out of what was sent', async () => {
  await using bench = await startWithFeeRule()
  const { accountNumber } = await createAccount(bench)

  await credit(bench, accountNumber, '20000')

  assert.equal(await readNet(bench), 19_785)
})

test('an advice tells what the merchant will bear, and nothing without a rule', async () => {
  await using bench = await startTestService()
  const before = await createAdvice(bench, { amount: 20_000, merchantRef: 'A-1' })
  assert.deepEqual(chargesOf(before), [20_000, 0, 0, 0, 0])
  assert.equal((await checkoutOf(bench, before.adviceReference)).fees, null)
  dataOf(await createFeeRule(bench))

  const after = await createAdvice(bench, { amount: 20_000 })
  const again = await createAdvice(bench, { amount: 20_000, merchantRef: 'A-1' })
  const { data } = (await bench.call({ url: '/api/v1/advices' })).json()

  for (const advice of [after, again, ...data]) {
    assert.deepEqual(chargesOf(advice), [20_000, 200, 15, 0, 215])
  }
  assert.equal((await checkoutOf(bench, after.adviceReference)).fees, null)
})
