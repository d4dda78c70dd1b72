// Booking splits: the shares are posted when the money is booked, after the fee; for a payment, when it is
// fully paid. A reversal takes the shares back. Each test compares the complete list of ledger transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrity } from '#integrity/checks.ts'
import { patchAccount, setLimits } from '../support/account-calls.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { parseCsv } from '../support/csv.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { balanceOf, createAccount, dataOf, readAdvice, startPayment } from '../support/fixtures.ts'
import { credit, recordMovements, resolve, reverse } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { balanceOfSubaccount, createSplit, splitBody } from '../support/splits.ts'

const splitCode = 'AB'

// Starts a service with a split and, by default, a fee rule.
async function withSplit(split?: object, rule: object | null = {}): Promise<Bench> {
  const bench = await startTestService()
  if (rule) dataOf(await createFeeRule(bench, rule))
  await createSplit(bench, split)
  return bench
}

const balances = async (bench: Bench) => [
  await balanceOfSubaccount(bench, 'A'),
  await balanceOfSubaccount(bench, 'B'),
]

const splitsOf = async (bench: Bench, sessionId: string) =>
  dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` })).splits.map(
    ({ subaccountCode, amount }: { subaccountCode: string; amount: number }) =>
      `${subaccountCode} ${amount}`,
  )

test('a collection credit is shared after its fee, in the transaction that books it', async () => {
  await using bench = await withSplit()
  const { accountNumber } = await createAccount(bench, { splitCode })
  const { moves } = await recordMovements(bench)

  const { sessionId, says } = await credit(bench, accountNumber, '20000')

  assert.equal(says, '00 booked')
  assert.deepEqual(await moves(), [
    'credit: bank 035 → collection 20000.00',
    'fee: collection → fee_income 200.00',
    'fee_vat: collection → vat_payable 15.00',
    'split: collection → subaccount 15828.00',
    'split: collection → subaccount 3957.00',
  ])
  assert.deepEqual(await balances(bench), [15_828, 3_957])
  assert.deepEqual(await splitsOf(bench, sessionId), ['A 15828', 'B 3957'])
  assert.equal(await balanceOf(bench, accountNumber), 0)
  const { data } = (await bench.call({ url: '/api/v1/events?limit=1' })).json()
  assert.equal(data[0].data.accountBalance ?? data[0].data.account?.accountBalance, 0)
  const { totals } = dataOf(await bench.call({ url: '/api/v1/balances' }))
  const { gross, fees, net, collected, reversed } = totals[0]
  assert.deepEqual([gross, fees, net, collected, reversed], [20_000, 215, 19_785, 19_785, 0])
  const file = parseCsv((await bench.call({ url: '/api/v1/credits.csv' })).body)
  assert.deepEqual(
    file.map((row) => [row.movement, row.net, row.fees, row.vat, row.split, row.subaccountCode]),
    [
      ['credit', '20000.00', '0.00', '0.00', '0.00', ''],
      ['fee', '-200.00', '200.00', '0.00', '0.00', ''],
      ['fee_vat', '-15.00', '15.00', '15.00', '0.00', ''],
      ['split', '0.00', '0.00', '0.00', '15828.00', 'A'],
      ['split', '0.00', '0.00', '0.00', '3957.00', 'B'],
    ],
  )
  await assertCleanBooks(bench)
})

test('without a split nothing is shared, and what a split leaves stays with the account', async () => {
  await using bench = await withSplit(splitBody('AB', 'percentage', ['A', '12.5'], ['B', 1]), null)
  const plain = await createAccount(bench)
  const shared = await createAccount(bench, { splitCode })
  const { moves } = await recordMovements(bench)

  await credit(bench, plain.accountNumber, '100')
  await credit(bench, shared.accountNumber, '100')

  assert.deepEqual(await moves(), [
    'credit: bank 035 → collection 100.00',
    'credit: bank 035 → collection 100.00',
    'split: collection → subaccount 12.50',
    'split: collection → subaccount 1.00',
  ])
  assert.equal(await balanceOf(bench, shared.accountNumber), 86.5)
  assert.equal(
    (await patchAccount(bench, shared.accountNumber, { splitCode: null })).statusCode,
    200,
  )
  await credit(bench, shared.accountNumber, '100')
  assert.equal(await balanceOf(bench, shared.accountNumber), 186.5)
  await assertCleanBooks(bench)
})

test('a payment in parts is shared as a whole when it is settled, and shows what each got', async () => {
  await using bench = await withSplit()
  const { bankAccount, adviceReference, paymentReference } = await startPayment(bench, {
    amount: 20_000,
    splitCode,
  })
  const { moves } = await recordMovements(bench)

  const part = await credit(bench, bankAccount, '5000')
  assert.deepEqual(await moves(), ['credit: bank 035 → pending 5000.00'])
  assert.deepEqual((await readAdvice(bench, adviceReference)).splits, [])
  const rest = await credit(bench, bankAccount, '15000')

  assert.deepEqual((await moves()).slice(1), [
    'credit: bank 035 → available 15000.00',
    'settle: pending → available 5000.00',
    'fee: available → fee_income 50.00',
    'fee_vat: available → vat_payable 3.75',
    'fee: available → fee_income 150.00',
    'fee_vat: available → vat_payable 11.25',
    'split: available → subaccount 3957.00',
    'split: available → subaccount 11871.00',
    'split: available → subaccount 989.25',
    'split: available → subaccount 2967.75',
  ])
  const all = [
    { subaccountCode: 'A', amount: 15_828 },
    { subaccountCode: 'B', amount: 3_957 },
  ]
  const advice = await readAdvice(bench, adviceReference)
  assert.deepEqual([advice.splitCode, advice.splits], [splitCode, all])
  const url = `/api/v1/payments/${paymentReference}`
  assert.deepEqual(dataOf(await bench.call({ url })).splits, all)
  assert.deepEqual(await splitsOf(bench, part.sessionId), ['A 3957', 'B 989.25'])
  assert.deepEqual(await splitsOf(bench, rest.sessionId), ['A 11871', 'B 2967.75'])
  await assertCleanBooks(bench)

  assert.equal(await reverse(bench, part.sessionId, '5000'), '00 reversed')
  assert.deepEqual(await balances(bench), [11_871, 2_967.75])
  assert.deepEqual((await readAdvice(bench, adviceReference)).splits[0].amount, 11_871)
  await assertCleanBooks(bench)
})

test('flat shares that no longer fit get what there is, in their order', async () => {
  await using bench = await withSplit(splitBody('AB', 'flat', ['A', 60], ['B', 40]), { bps: 1000 })
  const { bankAccount } = await startPayment(bench, { amount: 100, splitCode, amountPolicy: 'any' })
  const { accountNumber } = await createAccount(bench, { splitCode })

  await credit(bench, bankAccount, '100') // 10.00 and 0.75 are the fee's.
  assert.deepEqual(await balances(bench), [60, 29.25])
  await credit(bench, accountNumber, '0.01')
  await credit(bench, accountNumber, '200')

  assert.deepEqual(await balances(bench), [120.01, 69.25])
  assert.equal(await balanceOf(bench, accountNumber), 78.5)
  await assertCleanBooks(bench)
})

test('where subaccounts bear the fee, it comes out of the parts that bear it', async () => {
  const split = splitBody('AB', 'percentage', ['A', 50], ['B', 10, true])
  await using bench = await withSplit(split, { bps: 1000, cap: null, bearer: 'subaccount' })
  const { accountNumber } = await createAccount(bench, { splitCode })
  const { moves } = await recordMovements(bench)

  await credit(bench, accountNumber, '1000')

  assert.deepEqual(await moves(), [
    'credit: bank 035 → collection 1000.00',
    'fee: collection → fee_income 100.00',
    'fee_vat: collection → vat_payable 7.50',
    'split: collection → subaccount 500.00',
  ])
  assert.deepEqual(await balances(bench), [500, 0])
  assert.equal(await balanceOf(bench, accountNumber), 392.5)
  await assertCleanBooks(bench)
})

test('assigned money is shared by the split of where it goes', async () => {
  await using bench = await withSplit()
  const { accountNumber } = await createAccount(bench, { splitCode })
  const { bankAccount } = await startPayment(bench, { amount: 100, amountPolicy: 'exact' })
  const { paymentReference } = await startPayment(bench, { amount: 300, splitCode })
  const toAccount = await credit(bench, bankAccount, '200')
  const toPayment = await credit(bench, bankAccount, '300')
  const { moves } = await recordMovements(bench)

  const { sessionId } = toAccount
  assert.equal(await resolve(bench, sessionId, 'assign', { accountNumber }), 'assigned')
  const to = { paymentReference }
  assert.equal(await resolve(bench, toPayment.sessionId, 'assign', to), 'assigned')

  assert.deepEqual(await moves(), [
    'assign: suspense → collection 200.00',
    'fee: collection → fee_income 2.00',
    'fee_vat: collection → vat_payable 0.15',
    'split: collection → subaccount 158.28',
    'split: collection → subaccount 39.57',
    'assign: suspense → available 300.00',
    'fee: available → fee_income 3.00',
    'fee_vat: available → vat_payable 0.23',
    'split: available → subaccount 237.42',
    'split: available → subaccount 59.35',
  ])
  assert.deepEqual(await splitsOf(bench, toPayment.sessionId), ['A 237.42', 'B 59.35'])
  await assertCleanBooks(bench)
  for (const each of [toAccount, toPayment]) await reverse(bench, each.sessionId, '200')
  await assertCleanBooks(bench)
  await reverse(bench, toPayment.sessionId, '100')
  assert.deepEqual(await balances(bench), [0, 0])
  await assertCleanBooks(bench)
})

test('a reversal has shares given back in proportion before the bank takes the money', async () => {
  await using bench = await withSplit()
  const { accountNumber } = await createAccount(bench, { splitCode })
  const { sessionId } = await credit(bench, accountNumber, '20000')
  const { moves } = await recordMovements(bench)

  assert.equal(await reverse(bench, sessionId, '5000'), '00 reversed')

  assert.deepEqual(await moves(), [
    'split: subaccount → collection 3957.00',
    'split: subaccount → collection 989.25',
    'reversal: collection → bank 035 5000.00',
    'fee: fee_income → collection 50.00',
    'fee_vat: vat_payable → collection 3.75',
  ])
  assert.deepEqual(await splitsOf(bench, sessionId), ['A 11871', 'B 2967.75'])
  await assertCleanBooks(bench)
  assert.equal(await reverse(bench, sessionId, '15000'), '00 reversed')
  assert.deepEqual(await balances(bench), [0, 0])
  assert.equal(await balanceOf(bench, accountNumber), 0)
  const { totals } = dataOf(await bench.call({ url: '/api/v1/balances' }))
  const { gross, reversed, net } = totals[0]
  assert.deepEqual([gross, reversed, net], [20_000, 20_000, 0])
  await assertCleanBooks(bench)
})

test('a share that has left the subaccount is the client’s loss, and is not asked for twice', async () => {
  await using bench = await withSplit(undefined, null)
  const { accountNumber } = await createAccount(bench, { splitCode })
  const { sessionId } = await credit(bench, accountNumber, '1000')
  await drain(bench, 70_000)
  // The account has enough money to pay for the subaccounts.
  await patchAccount(bench, accountNumber, { splitCode: null })
  await credit(bench, accountNumber, '900')
  await patchAccount(bench, accountNumber, { splitCode })
  const { moves } = await recordMovements(bench)

  assert.equal(await reverse(bench, sessionId, '500'), '00 reversed')
  assert.deepEqual(await moves(), [
    'split: subaccount → collection 100.00',
    'split: subaccount → collection 100.00',
    'reversal: collection → bank 035 500.00',
  ])
  await credit(bench, accountNumber, '1000')
  assert.equal(await reverse(bench, sessionId, '500'), '00 reversed')

  // Subaccount A has enough again, and gives back only its part of this half.
  assert.deepEqual((await moves()).slice(6), [
    'split: subaccount → collection 400.00',
    'split: subaccount → collection 100.00',
    'reversal: collection → bank 035 500.00',
  ])
  assert.deepEqual(await balances(bench), [400, 200])
  // drain() made up a settlement, so the checks of settlements find faults; no other check may.
  const findings = await checkIntegrity(bench.db)
  assert.deepEqual(
    findings.filter(({ check }) => !/^settl/.test(check)),
    [],
  )
})

// Takes money out of the first subaccount, as a settlement does. The settlement with the id 1 does not exist.
async function drain({ db }: Bench, amountKobo: number) {
  await db.query(
    `insert into ledger_accounts (id, kind, owner, currency)
     select nextval('shared_account_ids'), 'settling', owner, currency
       from ledger_accounts where kind = 'subaccount' order by id limit 1`,
  )
  await db.query(
    `insert into transfers (debit_account_id, credit_account_id, amount_kobo, settlement_id,
                            reason, posted_at)
     select s.id, t.id, $1, 1, 'settlement', now()
       from ledger_accounts s join ledger_accounts t on t.kind = 'settling' and t.owner = s.owner
      where s.kind = 'subaccount'`,
    [amountKobo],
  )
}

test('a share that comes back does not count as received against the limit per day', async () => {
  await using bench = await withSplit(undefined, null)
  const { accountNumber } = await createAccount(bench, { splitCode })
  await setLimits(bench, accountNumber, { perDay: 30_000 })
  const { sessionId } = await credit(bench, accountNumber, '20000')
  await reverse(bench, sessionId, '20000')

  const over = await credit(bench, accountNumber, '10000.01')
  assert.equal(over.says, '00 suspended over_daily_limit')
  assert.equal((await credit(bench, accountNumber, '10000')).says, '00 booked')

  const { accountNumber: unlimited } = await createAccount(bench, { splitCode })
  const before = await credit(bench, unlimited, '20000')
  await reverse(bench, before.sessionId, '20000')
  await setLimits(bench, unlimited, { perDay: 30_000 })
  assert.equal((await credit(bench, unlimited, '10000')).says, '00 booked')
})
