// If all money of a client is held, a settlement that releases a reserve passes it on to the hold (I130).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { endHold, placeHold, startHolds } from '../support/holding.ts'
import { recordMovements } from '../support/movements.ts'
import { pay } from '../support/refunding.ts'
import {
  CONFIRMED,
  closeSettlement,
  decideOn,
  linesOf,
  listOf,
  removeBankAccount,
  runSchedule,
  setBankAccount,
  setSettings,
  settleOf,
  upcomingOf,
} from '../support/settlements.ts'

const MONTH_MS = 31 * 86_400_000

// Starts a service whose client has a paid settlement with a reserve of 100.00.
async function startWithReserve(settings = {}) {
  const bench = await startHolds()
  const { accountNumber } = await createAccount(bench)
  await setBankAccount(bench)
  const terms = { schedule: 'manual', reservePercent: 10, reserveDays: 30, ...settings }
  dataOf(await setSettings(bench, terms))
  await pay(bench, accountNumber, '1000')
  const first = await closeSettlement(bench)
  assert.deepEqual([first.net, first.reserved, first.status], [900, 100, 'approved'])
  await settleOf(bench, first.payouts[0].reference, CONFIRMED)
  return Object.assign(bench, { accountNumber })
}

// Returns the client's totals in naira that a hold or a reserve can change.
const balanceOf = async (bench: Awaited<ReturnType<typeof startHolds>>) => {
  const { available, held, reserved, inTransit } = (
    await bench.call({ url: '/api/v1/balances' })
  ).json().data.totals[0]
  return { available, held, reserved, inTransit }
}

test('a reserve that falls due is held with the client, not paid by the schedule', async () => {
  await using bench = await startWithReserve({ schedule: 'daily@17:00' })
  await placeHold(bench, { target: 'client' })
  bench.advance(MONTH_MS)
  assert.deepEqual((await upcomingOf(bench)).net, 0)
  await runSchedule(bench)

  assert.deepEqual(await balanceOf(bench), { available: 0, held: 100, reserved: 0, inTransit: 0 })
  const nets = (await listOf(bench)).map(({ net }: { net: number }) => net)
  assert.deepEqual(nets, [0, 900])
  await assertCleanBooks(bench)
})

test('a hold of an amount takes no more of a due reserve than it lacks', async () => {
  await using bench = await startWithReserve()
  const { reference } = await placeHold(bench, { target: 'client', amount: '30' })
  bench.advance(MONTH_MS)
  const { moves } = await recordMovements(bench)
  const preview = await upcomingOf(bench)
  const { reference: settlement, released, carried, net } = await closeSettlement(bench)

  assert.deepEqual([released, carried, net], [100, -30, 70])
  assert.deepEqual([preview.released, preview.carried, preview.net], [100, -30, 70])
  const lines = await linesOf(bench, settlement)
  assert.deepEqual(
    lines.map((line: { kind: string; net: number }) => [line.kind, line.net]),
    [
      ['release', 100],
      ['carried', -30],
    ],
  )
  assert.deepEqual(await moves(), [
    'hold: reserve → held 30.00',
    'reserve: reserve → settling 70.00',
    'payout: settling → paying 70.00',
  ])
  await endHold(bench, reference, 'release')
  assert.deepEqual(await balanceOf(bench), { available: 30, held: 0, reserved: 0, inTransit: 70 })
  await assertCleanBooks(bench)
})

test('a released hold makes the reserve available, and the next settlement pays it', async () => {
  await using bench = await startWithReserve()
  const { reference } = await placeHold(bench, { target: 'client' })
  bench.advance(MONTH_MS)
  await closeSettlement(bench)
  await endHold(bench, reference, 'release')
  assert.deepEqual(await balanceOf(bench), { available: 100, held: 0, reserved: 0, inTransit: 0 })

  bench.advance(1_000)
  const { carried, reserved, net } = await closeSettlement(bench)
  assert.deepEqual([carried, reserved, net], [100, 10, 90])
  await assertCleanBooks(bench)
})

test('a due reserve of a settlement that can still be cancelled stays while the client is held', async () => {
  await using bench = await startHolds()
  const { accountNumber } = await createAccount(bench)
  await setSettings(bench, { schedule: 'manual', reservePercent: 10, reserveDays: 30 })
  await pay(bench, accountNumber, '1000')
  await removeBankAccount(bench)
  const unpaid = await closeSettlement(bench)
  assert.equal(unpaid.status, 'closed')
  await placeHold(bench, { target: 'client' })
  bench.advance(MONTH_MS)
  await pay(bench, accountNumber, '50')

  const second = await closeSettlement(bench)
  assert.deepEqual([second.released, second.net], [0, 0])
  assert.deepEqual(await balanceOf(bench), {
    available: 0,
    held: 50,
    reserved: 100,
    inTransit: 900,
  })
  assert.equal((await decideOn(bench, unpaid.reference, 'cancel')).statusCode, 409)
  await assertCleanBooks(bench)
})
