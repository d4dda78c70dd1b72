// The sums by hour always equal the ledger (I186), whenever transfers are counted: the upcoming settlement
// and the journal by the hours are those that the transfers give.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readJournal } from '#accounting/journal.ts'
import { countHours } from '#accounts/ledger-hours.ts'
import { HOUR_MS, watDay } from '#clock.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { readUpcoming, type UpcomingSettlement } from '#settlement/queries.ts'
import { clientOf, movementsOf } from '../support/account-movements.ts'
import { createAccount, MINUTE_MS, simulate } from '../support/fixtures.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn, setBankAccount } from '../support/settlements.ts'

test('after each movement, the upcoming settlement and the journal are those of the transfers', async () => {
  await using bench = await startTestService()
  const steps = await movementsOf(bench)
  for (const [at, step] of steps.entries()) {
    await step()
    await assertHoursAreTransfers(bench, `step ${at}, before it is counted`)
    await count(bench, 1 + (at % 3)) // Leaves some transfers uncounted.
    bench.advance(17 * MINUTE_MS) // Some steps share an hour.
    await assertHoursAreTransfers(bench, `step ${at}, counted in part`)
  }

  assert.deepEqual(await checkIntegrity(bench.db), [])
  while (await count(bench, 5));
  await assertHoursAreTransfers(bench, 'all counted')
  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('the upcoming settlement has what the last one left over, wherever its cut-off is', async () => {
  await using bench = await startTestService()
  await setBankAccount(bench, { status: 'unconfirmed' })
  const { accountNumber } = await createAccount(bench)
  const references: string[] = []
  for (const [minutes, pastHour] of [
    [7, 0],
    [60, 20],
    [113, 0],
  ] as const) {
    await simulate(bench, accountNumber, '10.00')
    bench.advance(HOUR_MS - (bench.clock().getTime() % HOUR_MS) + pastHour * MINUTE_MS)
    const cutOff = bench.clock().toISOString()
    await simulate(bench, accountNumber, '200.00') // At the cut-off.
    bench.advance(minutes * MINUTE_MS)
    await simulate(bench, accountNumber, '3000.00')
    await count(bench, 2)
    references.push((await closeSettlement(bench, { cutOff })).reference)
    const sinceCutOff = minutes * MINUTE_MS + MINUTE_MS
    bench.advance(-sinceCutOff) // A process whose clock is late posts a transfer.
    await simulate(bench, accountNumber, '40000.00')
    bench.advance(sinceCutOff)
    const upcoming = await assertHoursAreTransfers(bench, `closed after ${minutes} minutes`)
    assert.equal(upcoming.lines, 3n)
    assert.equal(upcoming.grossKobo, 4_320_000n)
    bench.advance(MINUTE_MS)
  }
  while (await count(bench, 4));
  await assertHoursAreTransfers(bench, 'all counted')

  const cancelled = await decideOn(bench, references.at(-1) as string, 'cancel')
  assert.equal(cancelled.statusCode, 200, cancelled.body)

  const upcoming = await assertHoursAreTransfers(bench, 'after a settlement was cancelled')
  assert.equal(upcoming.lines, 7n)
})

test('while a test clock may have dated transfers ahead, they are read one by one', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await simulate(bench, accountNumber, '10.00')
  while (await count(bench));
  await bench.db.query('insert into sandbox_clock (frozen_at, version) values ($1, 1)', [
    bench.clock(),
  ])
  const earlier = new Date(bench.clock().getTime() - 30 * MINUTE_MS)

  const upcoming = await withTransaction(bench.db, async (tx) =>
    readUpcoming(tx, { clientId: await clientOf(bench), now: earlier }),
  )

  assert.equal(upcoming.lines, 0n)
})

// Counts transfers in one transaction, as a worker does. Returns whether some are left.
function count(bench: Bench, limit?: number): Promise<boolean> {
  return withTransaction(bench.db, (tx) => countHours(tx, limit))
}

// Asserts that the upcoming settlement and the day's journal are the same without the hours, which are not
// read when very many transfers are uncounted. Returns the upcoming settlement.
async function assertHoursAreTransfers(bench: Bench, when: string): Promise<UpcomingSettlement> {
  const byHours = await withTransaction(bench.db, (tx) => readBoth(tx, bench))
  const reader = await bench.db.connect()
  try {
    await reader.query('begin')
    await reader.query('update ledger_hours_cursor set to_id = to_id - 1000000')
    await reader.query('update merchant_totals_cursor set to_id = to_id - 1000000')
    assert.deepEqual(byHours, await readBoth(reader as never, bench), when)
  } finally {
    await reader.query('rollback')
    reader.release()
  }
  return byHours.upcoming
}

// Reads what the hours give: the upcoming settlement and the journal of the day.
async function readBoth(tx: Transaction, bench: Bench) {
  const now = bench.clock()
  const upcoming = await readUpcoming(tx, { clientId: await clientOf(bench), now })
  const { rows } = await tx.query('select count(*) as count from transfers')
  const journal = await readJournal(tx, { day: watDay(now), closed: undefined, chart: {} })
  assert.equal(journal.transfers, rows[0].count, 'all transfers are of one day')
  return { upcoming, journal }
}
