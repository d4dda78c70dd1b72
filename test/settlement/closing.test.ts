// Closing a settlement: each test compares the ledger transfers of one case.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { assertRefused, createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { credit, recordMovements, resolve, reverse } from '../support/movements.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  CONFIRMED,
  closeSettlement,
  decideOn,
  FAILED,
  linesOf,
  owe,
  removeBankAccount,
  requestClosing,
  setBankAccount,
  setSettings,
  settlementOf,
  settleOf,
  upcomingOf,
} from '../support/settlements.ts'

const DAY_MS = 86_400_000

// Starts a service whose client has a confirmed bank account.
async function start(): Promise<Bench> {
  const bench = await startTestService()
  await setBankAccount(bench)
  return bench
}

test('a settlement takes what is available, and pays it to the default bank account', async () => {
  await using bench = await start()
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench, { amount: 5_000 })
  await credit(bench, accountNumber, '20000')
  await credit(bench, bankAccount, '5000')
  const { moves, events } = await recordMovements(bench)

  const settlement = await closeSettlement(bench)

  assert.deepEqual(await moves(), [
    'settlement: collection → settling 19785.00',
    'settlement: available → settling 4946.25',
    'payout: settling → paying 24731.25',
  ])
  const { status, gross, fees, vat, net, lines, payouts, carried } = settlement
  assert.deepEqual([status, gross, fees, vat, net], ['approved', 25_000, 250, 18.75, 24_731.25])
  assert.deepEqual([lines, carried], [2, 0])
  assert.equal(payouts[0].amount, 24_731.25)
  await settleOf(bench, payouts[0].reference, CONFIRMED)
  const paid = await settlementOf(bench, settlement.reference)
  assert.deepEqual([paid.status, paid.payouts[0].status], ['paid', 'confirmed'])
  const types = (await events()).filter((type) => type.startsWith('settlement'))
  assert.deepEqual(types, ['settlement.closed', 'settlement.paid'])
  await assertCleanBooks(bench)
})

test('money that is pending or in suspense is in no settlement until it is available', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  const { bankAccount } = await startPayment(bench, { amount: 100 })
  await credit(bench, bankAccount, '40')
  const odd = await credit(bench, accountNumber, '7', { currency: 'USD' })
  assert.equal(odd.says, '00 suspended wrong_currency')
  assertRefused(await requestClosing(bench), { status: 409, code: 'settlement_empty' })

  await credit(bench, bankAccount, '70') // 10 too much.
  const first = await closeSettlement(bench)
  const { data } = (await bench.call({ url: '/api/v1/suspense?limit=10' })).json()
  const excess = data.find(({ reason }: { reason: string }) => reason === 'excess')
  assert.equal(await resolve(bench, excess.sessionId, 'assign', { accountNumber }), 'assigned')
  bench.advance(1)
  const second = await closeSettlement(bench)

  assert.deepEqual([first.gross, first.lines, second.gross, second.lines], [100, 2, 10, 1])
  const [line] = await linesOf(bench, second.reference)
  const { kind, gross, sessionId, collectionAccountNumber } = line
  assert.deepEqual(
    { kind, gross, sessionId, collectionAccountNumber },
    {
      kind: 'credit',
      gross: 10,
      sessionId: excess.sessionId,
      collectionAccountNumber: accountNumber,
    },
  )
  await assertCleanBooks(bench)
})

test('a credit posted at the cut-off is in the next settlement, the one before it in this', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1')
  bench.advance(1_000)
  const cutOff = bench.clock().toISOString()
  await credit(bench, accountNumber, '2')
  bench.advance(1_000)
  await credit(bench, accountNumber, '4')

  const first = await closeSettlement(bench, { cutOff })
  const second = await closeSettlement(bench)

  assert.deepEqual([first.net, second.net], [1, 6])
  assert.equal(second.period.from, first.cutOff)
  await assertCleanBooks(bench)
})

test('a cut-off that is not after the last, in the future, or no time is refused', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  const before = bench.clock().toISOString()
  bench.advance(1_000)
  await credit(bench, accountNumber, '1')
  bench.advance(1_000)
  await closeSettlement(bench)
  await credit(bench, accountNumber, '1')
  bench.advance(1_000)
  const later = new Date(bench.clock().getTime() + 1).toISOString()

  const passed = { status: 409, code: 'cut_off_passed' }
  assertRefused(await requestClosing(bench, { body: { cutOff: before } }), passed)
  for (const cutOff of [later, 'yesterday', '', 5, null, '2026-02-30']) {
    assertRefused(await requestClosing(bench, { body: { cutOff } }), { code: 'invalid_request' })
  }
  assertRefused(await requestClosing(bench, { body: { cutoff: before } }), {
    code: 'invalid_request',
  })
  assert.equal((await closeSettlement(bench)).net, 1)
})

test('a reversal before closing is in the same settlement as its credit', async () => {
  await using bench = await start()
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '20000')
  await reverse(bench, sessionId, '5000')

  const { gross, reversed, fees, vat, net, reference, lines } = await closeSettlement(bench)

  assert.deepEqual(
    [gross, reversed, fees, vat, net, lines],
    [20_000, 5_000, 150, 11.25, 14_838.75, 1],
  )
  const [line] = await linesOf(bench, reference)
  assert.deepEqual([line.gross, line.reversed, line.net], [20_000, 5_000, 14_838.75])
  await assertCleanBooks(bench)
})

test('a draw after the cut-off is carried, and evens out in the next settlement', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  bench.advance(1_000)
  const cutOff = bench.clock().toISOString()
  await credit(bench, accountNumber, '50')
  await reverse(bench, sessionId, '100')

  const first = await closeSettlement(bench, { cutOff })
  bench.advance(1_000)
  await credit(bench, accountNumber, '30')
  const second = await closeSettlement(bench)

  assert.deepEqual([first.gross, first.carried, first.net], [100, -50, 50])
  assert.deepEqual([second.gross, second.reversed, second.carried, second.net], [80, 100, 50, 30])
  await assertCleanBooks(bench)
})

test('a client’s debt is recovered out of it, and the rest is paid', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await owe(bench, '30')
  await credit(bench, accountNumber, '20')
  const { moves, events } = await recordMovements(bench)

  const first = await closeSettlement(bench)
  bench.advance(1)
  await credit(bench, accountNumber, '25')
  const second = await closeSettlement(bench)

  assert.deepEqual([first.recovered, first.net, first.status], [20, 0, 'paid'])
  assert.deepEqual([second.recovered, second.net], [10, 15])
  assert.deepEqual(
    (await moves()).filter((move) => !move.startsWith('credit')),
    [
      'settlement: collection → settling 20.00',
      'recovery: settling → receivable 20.00',
      'settlement: collection → settling 25.00',
      'recovery: settling → receivable 10.00',
      'payout: settling → paying 15.00',
    ],
  )
  assert((await events()).includes('settlement.paid'))
})

test('a reserve is held back for its days, then released by the next settlement', async () => {
  await using bench = await start()
  dataOf(await setSettings(bench, { schedule: 'manual', reservePercent: 12.5, reserveDays: 7 }))
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1000.07')
  const { moves } = await recordMovements(bench)
  const first = await closeSettlement(bench)
  bench.advance(6 * DAY_MS)
  await credit(bench, accountNumber, '8')
  const second = await closeSettlement(bench)
  bench.advance(DAY_MS + 1)
  const upcoming = await upcomingOf(bench)
  const third = await closeSettlement(bench)

  assert.deepEqual([first.reserved, first.net], [125, 875.07])
  assert.deepEqual([second.reserved, second.released, second.net], [1, 0, 7])
  assert.deepEqual([third.released, third.net, third.lines], [125, 125, 1])
  assert.deepEqual([upcoming.released, upcoming.net], [125, 125])
  assert.deepEqual((await moves()).slice(0, 3), [
    'settlement: collection → settling 1000.07',
    'reserve: settling → reserve 125.00',
    'payout: settling → paying 875.07',
  ])
  assert((await moves()).includes('reserve: reserve → settling 125.00'))
  await assertCleanBooks(bench)
})

test('a settlement without a confirmed bank account stays closed, and can be approved later', async () => {
  await using bench = await startTestService()
  await removeBankAccount(bench)
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '100')

  const { reference, status, heldReason, payouts } = await closeSettlement(bench)
  assert.deepEqual([status, heldReason, payouts], ['closed', 'no_default_bank_account', []])
  const needed = { status: 409, code: 'no_default_bank_account' }
  assertRefused(await decideOn(bench, reference, 'approve'), needed)
  await setBankAccount(bench, { status: 'unconfirmed' })
  const unconfirmed = { status: 403, code: 'people_only' } // Only a second person overcomes it.
  assertRefused(await decideOn(bench, reference, 'approve'), unconfirmed)
  await setBankAccount(bench, { status: 'mismatch' })
  const mismatch = { status: 409, code: 'bank_account_mismatch' }
  assertRefused(await decideOn(bench, reference, 'approve'), mismatch)
  await assertCleanBooks(bench)
  await setBankAccount(bench)
  const approved = dataOf(await decideOn(bench, reference, 'approve'))

  assert.deepEqual([approved.status, approved.heldReason], ['approved', null])
  assert.equal(approved.payouts[0].amount, 100)
  await assertCleanBooks(bench)
})

test('money that a bank did not pay is available again, and in the next settlement', async () => {
  await using bench = await start()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '100')
  const first = await closeSettlement(bench)
  const { moves, events } = await recordMovements(bench)

  await settleOf(bench, first.payouts[0].reference, FAILED)
  bench.advance(1)
  const second = await closeSettlement(bench)

  assert.equal((await settlementOf(bench, first.reference)).status, 'failed')
  assert.deepEqual([second.gross, second.paidOut, second.net], [0, -100, 100])
  const [line] = await linesOf(bench, second.reference)
  assert.deepEqual(
    [line.kind, line.other, line.payoutReference],
    ['payout', 100, first.payouts[0].reference],
  )
  assert.deepEqual((await moves()).slice(0, 2), [
    'payout_failed: paying → available 100.00',
    'settlement: available → settling 100.00',
  ])
  assert((await events()).includes('settlement.failed'))
  await assertCleanBooks(bench)
})

test('upcoming shows what would be in it now', async () => {
  await using bench = await start()
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '20000')
  await setSettings(bench, { schedule: 'T+1@09:00' })

  const upcoming = await upcomingOf(bench)
  const settlement = await closeSettlement(bench)

  for (const name of ['gross', 'fees', 'vat', 'carried', 'net', 'lines'] as const) {
    assert.equal(upcoming[name], settlement[name], name)
  }
  assert.equal(upcoming.status, 'open')
  assert.match(upcoming.closesAt, /T09:00:00.000000\+01:00$/)
  assert.match(upcoming.cutOff, /T00:00:00.000000\+01:00$/)
  assert.equal((await upcomingOf(bench)).net, 0)
})
