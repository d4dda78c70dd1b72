// Applying a client's reserves to its debt, and providing for doubtful debts: by two people and within limits
// (I119).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { payOut } from '../support/money-out.ts'
import { credit, recordMovements, reverse } from '../support/movements.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import {
  closeSettlement,
  SETTLEMENTS,
  setBankAccount,
  setSettings,
} from '../support/settlements.ts'

const ADJUSTMENTS = '/api/v1/operator/adjustments'
const ADJUSTMENT = { of: 'receivable', clientId: 'MAN0000001', reason: 'Agreed' }
const TOO_LARGE = { status: 409, code: 'adjustment_too_large' }

// Starts a service where the client has a reserve of 200.00 from two settlements and owes 70.00.
async function setup() {
  const bench = await startTestService()
  await setBankAccount(bench)
  await setSettings(bench, { schedule: 'manual', reservePercent: 10, reserveDays: 30 })
  const { accountNumber } = await createAccount(bench)
  for (const _ of [1, 2]) {
    await credit(bench, accountNumber, '1000')
    await closeSettlement(bench)
  }
  const { sessionId } = await credit(bench, accountNumber, '70')
  await payOut(bench, 70)
  await reverse(bench, sessionId, '70')
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  const requestAdjustment = (body: object, by: Browser = maker) =>
    by.call({ url: ADJUSTMENTS, body: { ...ADJUSTMENT, ...body } })
  const approve = (reference: string, by: Browser = checker) =>
    by.call({ url: `${ADJUSTMENTS}/${reference}/approve`, body: {} })
  // Requests an adjustment and approves it as another user.
  const agree = async (body: object) => approve(dataOf(await requestAdjustment(body)).reference)
  return Object.assign(bench, { accountNumber, maker, requestAdjustment, approve, agree })
}

test('a reserve pays the debt of its client, those due first before others', async () => {
  await using bench = await setup()
  const { moves } = await recordMovements(bench)
  assertRefused(await bench.requestAdjustment({ kind: 'reserve_use', amount: '70.01' }), TOO_LARGE)

  const { reference } = dataOf(await bench.requestAdjustment({ kind: 'reserve_use', amount: '70' }))
  const own = await bench.approve(reference, bench.maker)
  assertRefused(own, { status: 409, code: 'other_person_needed' })
  assert.deepEqual(await moves(), [])
  assert.equal(dataOf(await bench.approve(reference)).state, 'approved')
  dataOf(await bench.approve(reference))

  assert.deepEqual(await moves(), ['recovery: reserve → receivable 70.00'])
  const { rows } = await bench.db.query(
    'select amount_kobo as kobo from settlement_reserves order by settlement_id',
  )
  assert.deepEqual(rows, [{ kobo: 3000n }, { kobo: 10_000n }])
  await assertCleanBooks(bench)
  bench.advance(31 * 86_400_000)
  assert.equal((await closeSettlement(bench)).released, 130)
  await assertCleanBooks(bench)
})

test('the reserve of a settlement that may still be cancelled is not applied', async () => {
  await using bench = await setup()
  const { rows } = await bench.db.query<{ status: string }>(
    'select distinct status from settlements',
  )
  assert.equal(
    rows.some(({ status }) => status === 'closed'),
    false,
  )
  await bench.call({
    method: 'PATCH',
    url: '/api/v1/operator/clients/MAN0000001/payout-settings',
    body: { payoutApproval: 'all' },
  })
  await credit(bench, bench.accountNumber, '1000')
  const { reference, status } = (await bench.call({ url: SETTLEMENTS, body: {} })).json().data
  assert.equal(status, 'closed')
  const before = await bench.db.query(
    'select settlement_id, amount_kobo from settlement_reserves order by 1',
  )

  const cancelled = await bench.call({ url: `${SETTLEMENTS}/${reference}/cancel`, body: {} })

  assert.equal(dataOf(cancelled).status, 'cancelled')
  assert.equal(before.rows.length, 3)
  await assertCleanBooks(bench)
})

test('a doubtful debt is provided for up to the debt, and the provision is reversible', async () => {
  await using bench = await setup()
  const { moves } = await recordMovements(bench)
  assertRefused(await bench.requestAdjustment({ kind: 'provision', amount: '70.01' }), TOO_LARGE)
  assertRefused(
    await bench.requestAdjustment({ kind: 'provision_release', amount: '0.01' }),
    TOO_LARGE,
  )
  const twice = [
    dataOf(await bench.requestAdjustment({ kind: 'provision', amount: '50' })).reference,
    dataOf(await bench.requestAdjustment({ kind: 'provision', amount: '50' })).reference,
  ]

  dataOf(await bench.approve(twice[0]))
  assertRefused(await bench.approve(twice[1]), TOO_LARGE)
  assertRefused(
    await bench.requestAdjustment({ kind: 'provision_release', amount: '50.01' }),
    TOO_LARGE,
  )
  dataOf(await bench.agree({ kind: 'provision_release', amount: '20' }))

  assert.deepEqual(await moves(), [
    'provision: doubtful_debt → provision 50.00',
    'provision_release: provision → doubtful_debt 20.00',
  ])
  const lines = dataOf(await bench.call({ url: '/api/v1/operator/trial-balance' })).lines
  const lineOf = (code: string) =>
    lines.find(({ accountCode }: { accountCode: string }) => accountCode === code)
  assert.deepEqual(
    [lineOf('1110').credit, lineOf('5110').debit, lineOf('1100').debit],
    [30, 30, 70],
  )
  await assertCleanBooks(bench)
})

for (const { kind, repaid } of [
  { kind: 'recovery', repaid: 'recovery: collection → receivable 30.00' },
  { kind: 'reserve_use', repaid: 'recovery: reserve → receivable 30.00' },
  { kind: 'write_off', repaid: 'write_off: write_off → receivable 30.00' },
]) {
  test(`a ${kind} releases the part of a provision that exceeds the remaining debt`, async () => {
    await using bench = await setup()
    dataOf(await bench.agree({ kind: 'provision', amount: '50' }))
    await credit(bench, bench.accountNumber, '100')
    const { moves } = await recordMovements(bench)

    dataOf(await bench.agree({ kind, amount: '20' }))
    dataOf(await bench.agree({ kind, amount: '30' }))

    const first = repaid.replace('30.00', '20.00')
    const release = 'provision_release: provision → doubtful_debt 30.00'
    assert.deepEqual(await moves(), [first, repaid, release])
    assert.equal(await balanceOf(bench, 'provision'), 2000n)
    await assertCleanBooks(bench)
  })
}

test('a recovering settlement releases the provision, and its cancellation provides again', async () => {
  await using bench = await setup()
  await bench.call({
    method: 'PATCH',
    url: '/api/v1/operator/clients/MAN0000001/payout-settings',
    body: { payoutApproval: 'all' },
  })
  dataOf(await bench.agree({ kind: 'provision', amount: '50' }))
  await credit(bench, bench.accountNumber, '100')

  const { reference, status } = (await bench.call({ url: SETTLEMENTS, body: {} })).json().data

  assert.equal(status, 'closed')
  assert.equal(await balanceOf(bench, 'receivable'), 0n)
  assert.equal(await balanceOf(bench, 'provision'), 0n)
  assert.equal(await balanceOf(bench, 'doubtful_debt'), 0n)
  await assertCleanBooks(bench)

  dataOf(await bench.call({ url: `${SETTLEMENTS}/${reference}/cancel`, body: {} }))
  assert.equal(await balanceOf(bench, 'receivable'), -7000n)
  assert.equal(await balanceOf(bench, 'provision'), 5000n)
  await assertCleanBooks(bench)
})

// Returns the balance in kobo, credits less debits, of the only ledger account of this kind.
async function balanceOf({ db }: Awaited<ReturnType<typeof setup>>, kind: string) {
  const { rows } = await db.query<{ kobo: bigint }>(
    `select credits_kobo - debits_kobo as kobo from ledger_accounts where kind = '${kind}'`,
  )
  assert.equal(rows.length, 1)
  return rows[0]?.kobo
}

test('banks have neither reserves nor provisions, and a document is for withheld tax alone', async () => {
  await using bench = await setup()
  for (const body of [
    { kind: 'provision', of: 'shortfall', clientId: undefined, bankCode: '035', amount: '1' },
    { kind: 'reserve_use', of: 'shortfall', clientId: undefined, bankCode: '035', amount: '1' },
    { kind: 'provision', of: 'withholding', amount: '1', document: 'X' },
    { kind: 'provision', amount: '1', document: 'X' },
    { kind: 'provisions', amount: '1' },
  ]) {
    assertRefused(await bench.requestAdjustment(body), { code: 'invalid_request' })
  }
})
