// Archives a month of a test service, like `manilla archive`.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import type { Pool } from '#db/pool.ts'
import { archiveMonth } from '#domain/archive/archive-month.ts'
import { monthAt, monthsFrom } from '#domain/archive/months.ts'
import { checkIntegrity } from '#domain/integrity/integrity-checks.ts'
import { createFeeRule } from './fee-rules.ts'
import { createAccount } from './fixtures.ts'
import { chargesOf, takeIncoming } from './incoming-credits.ts'
import { assertProven, KEY } from './proving.ts'
import { type Bench, START } from './running-service.ts'
import { createTempFolder } from './temp-folder.ts'
import { untilWaiting } from './waiting-locks.ts'

const DAY_MS = 86_400_000
export const YEAR_MS = 365 * DAY_MS

export const MONTH = monthAt(START)

// By default the month in which test services start.
export function archive(bench: Pick<Bench, 'db' | 'clock'>, folder: string, month = MONTH) {
  return archiveMonth(bench.db, {
    month,
    folder: join(folder, month.name),
    actor: 'ops',
    exportedAt: bench.clock(),
    product: 'manilla 0.0.0',
    mode: 'sandbox',
    key: KEY,
    onProgress: () => {},
  })
}

// Archives all finished credits of the month a year later.
export async function archiveLater(bench: Bench): Promise<void> {
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  await archive(bench, folder.path)
}

// Credits to two new accounts, a minute apart, with the operator's fee; every other one has bank charges.
// Returns the accounts' numbers.
export async function finishedCredits(bench: Bench, count = 6): Promise<string[]> {
  await createFeeRule(bench)
  const numbers = [await createAccount(bench), await createAccount(bench)].map(
    ({ accountNumber }) => accountNumber as string,
  )
  for (let at = 0; at < count; at++) {
    bench.advance(60_000)
    const charges = at % 2 === 0 ? { charges: chargesOf(10, 0.75, 50) } : {}
    const accountNumber = numbers[Math.floor(at / 2) % 2] as string
    await takeIncoming(bench, { accountNumber, amount: 1_000 + at, ...charges })
  }
  return numbers
}

export async function balancesOf(db: Pool) {
  const { rows } = await db.query(
    'select id, kind, owner, debits_kobo, credits_kobo from ledger_accounts order by id',
  )
  return rows
}

// I85 for everything so far: archiving month by month keeps the balances, and all checks and verifiers
// find nothing.
export async function assertArchivable(db: Pool, now: Date): Promise<void> {
  const { rows } = await db.query<{ first: Date }>('select min(received_at) as first from credits')
  const months = monthsFrom(rows[0]?.first as Date, monthAt(new Date(now.getTime() + 31 * DAY_MS)))
  const balances = await balancesOf(db)
  using folder = createTempFolder()
  let credits = 0n
  for (const month of months) {
    credits += (await archive({ db, clock: () => now }, folder.path, month)).credits
    assert.deepEqual(await checkIntegrity(db), [])
  }
  assert(credits > 0n)
  assert.deepEqual(await balancesOf(db), balances)
  await assertProven(db)
}

// Starts archiving and blocks it where it reads or deletes from the table, until released.
export async function archiveBlocked(bench: Bench, folder: string, table: string) {
  const blocker = await bench.db.connect()
  await blocker.query(`begin; lock table ${table} in access exclusive mode`)
  const archiving = archive(bench, folder)
  await untilWaiting(bench.db, 1)
  const release = async () => {
    await blocker.query('commit')
    blocker.release()
  }
  return { archiving, release }
}
