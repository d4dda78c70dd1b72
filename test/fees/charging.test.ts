// Charging fees: they are posted together with the money, on the whole payment once it is complete, and
// given back when the money is taken back. Each test checks exactly the transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setLimits } from '../support/account-calls.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { credit, recordMovements, resolve, reverse } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const DAY_MS = 86_400_000

// Starts a service with one fee rule.
async function startWithFeeRule(changes: object = {}): Promise<Bench> {
  const bench = await startTestService()
  dataOf(await createFeeRule(bench, changes))
  return bench
}

const balanceOf = async (bench: Bench) =>
  dataOf(await bench.call({ url: '/api/v1/balances' })).totals[0]

// Returns the fee, its VAT and the net amount of a credit.
const feesOfCredit = async (bench: Bench, sessionId: string) => {
  const view = dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }))
  const { merchantFee, merchantFeeVat, netToMerchant } = view
  return [merchantFee, merchantFeeVat, netToMerchant]
}

test('a collection credit pays its fee and VAT from the account that received it', async () => {
  await using bench = await startWithFeeRule()
  const { accountNumber } = await createAccount(bench)
  const { moves } = await recordMovements(bench)

  const { sessionId, says } = await credit(bench, accountNumber, '20000')

  assert.equal(says, '00 booked')
  assert.deepEqual(await moves(), [
    'credit: bank 035 → collection 20000.00',
    'fee: collection → fee_income 200.00',
    'fee_vat: collection → vat_payable 15.00',
  ])
  assert.deepEqual(await feesOfCredit(bench, sessionId), [200, 15, 19_785])
  const { gross, fees, net, collected } = await balanceOf(bench)
  assert.deepEqual([gross, fees, net, collected], [20_000, 215, 19_785, 19_785])
  const { data } = (await bench.call({ url: '/api/v1/events?limit=1' })).json()
  assert.equal(data[0].data.accountBalance ?? data[0].data.account?.accountBalance, 19_785)
  await assertCleanBooks(bench)
})

test('without a rule, or with one that is not in force, nothing is charged', async () => {
  const start = new Date('2026-11-16T08:00:00.000Z')
  await using bench = await startWithFeeRule({ effectiveFrom: start.toISOString() })
  await createFeeRule(bench, { basis: 'payout' })
  const { accountNumber } = await createAccount(bench)

  const before = await credit(bench, accountNumber, '20000')
  bench.advance(DAY_MS)
  const after = await credit(bench, accountNumber, '20000')

  assert.deepEqual(await feesOfCredit(bench, before.sessionId), [0, 0, 20_000])
  assert.deepEqual(await feesOfCredit(bench, after.sessionId), [200, 15, 19_785])
  await assertCleanBooks(bench)
})

test('a rule of a merchantCode comes before the general one', async () => {
  await using bench = await startWithFeeRule()
  await createFeeRule(bench, { merchantCode: 'BR-1', bps: 0, flat: 50 })
  const branch = await createAccount(bench, { merchantCode: 'BR-1' })
  const other = await createAccount(bench)

  const [there, here] = [
    await credit(bench, branch.accountNumber, '20000'),
    await credit(bench, other.accountNumber, '20000'),
  ]

  assert.deepEqual(await feesOfCredit(bench, there.sessionId), [50, 3.75, 19_946.25])
  assert.deepEqual(await feesOfCredit(bench, here.sessionId), [200, 15, 19_785])
})

test('a payment in parts pays one fee on all of it when it is settled, shared by its credits', async () => {
  await using bench = await startWithFeeRule()
  const { bankAccount } = await startPayment(bench, { amount: 100_000 })
  const { moves } = await recordMovements(bench)

  const part = await credit(bench, bankAccount, '40000')
  assert.deepEqual(await moves(), ['credit: bank 035 → pending 40000.00'])
  const rest = await credit(bench, bankAccount, '60000')

  assert.deepEqual((await moves()).slice(1), [
    'credit: bank 035 → available 60000.00',
    'settle: pending → available 40000.00',
    'fee: available → fee_income 120.00',
    'fee_vat: available → vat_payable 9.00',
    'fee: available → fee_income 180.00',
    'fee_vat: available → vat_payable 13.50',
  ])
  assert.deepEqual(await feesOfCredit(bench, part.sessionId), [120, 9, 39_871])
  assert.deepEqual(await feesOfCredit(bench, rest.sessionId), [180, 13.5, 59_806.5])
  await assertCleanBooks(bench)
})

test('a reversal gives the fee back, all of it with all of the credit', async () => {
  await using bench = await startWithFeeRule()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '20000')
  const { moves } = await recordMovements(bench)

  assert.equal(await reverse(bench, sessionId, '5000'), '00 reversed')
  assert.deepEqual(await moves(), [
    'reversal: collection → bank 035 5000.00',
    'fee: fee_income → collection 50.00',
    'fee_vat: vat_payable → collection 3.75',
  ])
  assert.deepEqual(await feesOfCredit(bench, sessionId), [150, 11.25, 14_838.75])
  await assertCleanBooks(bench)
  assert.equal(await reverse(bench, sessionId, '15000'), '00 reversed')

  const { gross, reversed, fees, net } = await balanceOf(bench)
  assert.deepEqual([gross, reversed, fees, net], [20_000, 20_000, 0, 0])
  assert.deepEqual(await feesOfCredit(bench, sessionId), [0, 0, 0])
  await assertCleanBooks(bench)
})

test('a reversed payment gives back what the reversed credit bore, and keeps the rest', async () => {
  await using bench = await startWithFeeRule()
  const { bankAccount, adviceReference } = await startPayment(bench, { amount: 20_000 })
  const part = await credit(bench, bankAccount, '5000')
  await credit(bench, bankAccount, '15000')
  const advice = async () =>
    dataOf(await bench.call({ url: `/Payment/advice/${adviceReference}` }), 'payment')
  assert.deepEqual([(await advice()).charge, (await advice()).vatCharge], [200, 15])

  assert.equal(await reverse(bench, part.sessionId, '5000'), '00 reversed')

  const { charge, vatCharge, merchantCharge, customerCharge, status } = await advice()
  assert.deepEqual([status, charge, vatCharge], ['Reversed', 150, 11.25])
  assert.deepEqual([merchantCharge, customerCharge], [161.25, 0])
  const { net } = await balanceOf(bench)
  assert.equal(net, 15_000 - 161.25)
  await assertCleanBooks(bench)
})

test('suspended money pays no fee until it is assigned, and none when it is returned', async () => {
  await using bench = await startWithFeeRule()
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench, { amount: 1_000 })
  const { moves } = await recordMovements(bench)
  const paid = await credit(bench, bankAccount, '1500')
  const again = await credit(bench, bankAccount, '700')
  assert.deepEqual(await moves(), [
    'credit: bank 035 → available 1000.00',
    'fee: available → fee_income 10.00',
    'fee_vat: available → vat_payable 0.75',
    'credit: bank 035 → suspense 500.00',
    'credit: bank 035 → suspense 700.00',
  ])

  assert.equal(await resolve(bench, paid.sessionId, 'assign', { accountNumber }), 'assigned')
  assert.equal(await resolve(bench, again.sessionId, 'return'), 'returned')

  assert.deepEqual((await moves()).slice(5, 8), [
    'assign: suspense → collection 500.00',
    'fee: collection → fee_income 5.00',
    'fee_vat: collection → vat_payable 0.38',
  ])
  assert.deepEqual(await feesOfCredit(bench, paid.sessionId), [15, 1.13, 1_483.87])
  assert.deepEqual(await feesOfCredit(bench, again.sessionId), [0, 0, 0])
  await assertCleanBooks(bench)
  assert.equal(await reverse(bench, paid.sessionId, '1500'), '00 reversed')
  assert.deepEqual(await feesOfCredit(bench, paid.sessionId), [0, 0, 0])
  await assertCleanBooks(bench)
})

test('money assigned to a payment settles it with its fee', async () => {
  await using bench = await startWithFeeRule()
  const { bankAccount } = await startPayment(bench, { amount: 100, amountPolicy: 'exact' })
  const { bankAccount: other, paymentReference } = await startPayment(bench, { amount: 300 })
  const { sessionId } = await credit(bench, bankAccount, '200')
  const part = await credit(bench, other, '100')
  const { moves } = await recordMovements(bench)

  assert.equal(await resolve(bench, sessionId, 'assign', { paymentReference }), 'assigned')

  assert.deepEqual(await moves(), [
    'assign: suspense → available 200.00',
    'settle: pending → available 100.00',
    'fee: available → fee_income 1.00',
    'fee_vat: available → vat_payable 0.07',
    'fee: available → fee_income 2.00',
    'fee_vat: available → vat_payable 0.16',
  ])
  assert.deepEqual(await feesOfCredit(bench, part.sessionId), [1, 0.07, 98.93])
  await assertCleanBooks(bench)
  assert.equal(await reverse(bench, sessionId, '200'), '00 reversed')
  await assertCleanBooks(bench)
})

test('a fee that is given back does not count as received against the limit per day', async () => {
  await using bench = await startWithFeeRule()
  const { accountNumber } = await createAccount(bench)
  await setLimits(bench, accountNumber, { perDay: 30_000 })
  const { sessionId } = await credit(bench, accountNumber, '20000')
  await reverse(bench, sessionId, '20000')

  assert.equal(
    (await credit(bench, accountNumber, '10000.01')).says,
    '00 suspended over_daily_limit',
  )
  assert.equal((await credit(bench, accountNumber, '10000')).says, '00 booked')

  const { accountNumber: unlimited } = await createAccount(bench)
  const before = await credit(bench, unlimited, '20000')
  await reverse(bench, before.sessionId, '20000')
  await setLimits(bench, unlimited, { perDay: 30_000 })
  assert.equal((await credit(bench, unlimited, '10000')).says, '00 booked')
})

test('the fee of a part payment is in the CSV of the day that it was charged', async () => {
  await using bench = await startWithFeeRule()
  const { bankAccount } = await startPayment(bench, { amount: 200, expiresInSeconds: 172_800 })
  const part = await credit(bench, bankAccount, '100')
  bench.advance(DAY_MS)
  await credit(bench, bankAccount, '100')

  const url = '/api/v1/credits.csv?from=2026-11-16'
  const { body } = await bench.call({ url })

  const lines = body.split('\n').filter((line) => line.includes(part.sessionId))
  assert.deepEqual(
    lines.map((line) => line.split(',')[2]),
    ['fee', 'fee_vat'],
  )
})
