// Services with a test's own banks, a second process on the same database, and helpers for tests of
// concurrency: a locked table, a count of deadlocks, CPU time.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { type BankSettings, SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { expirePaymentsRound } from '#credits/workers.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { createLogger } from '#log.ts'
import { createService } from '#wiring.ts'
import { patientBatchPool } from './database.ts'
import { BUSY_FACTOR } from './patience.ts'
import { readingFirst } from './reading-first.ts'
import { type Bench, type Call, requestOf, startTestService } from './running-service.ts'
import { createTempFolder } from './temp-folder.ts'

export const OWN_RAIL_SECRET = `whsec_${Buffer.alloc(32, 'r').toString('base64')}`

type Fixture = Pick<BankSettings, 'code'> & Partial<BankSettings>

// Starts a service with these banks. A bank without rail secrets signs with the sandbox's.
export async function startWithBanks(
  banks: readonly Fixture[],
  env: Record<string, string> = {},
  options: { patience?: number } = {},
): Promise<Bench> {
  using folder = createTempFolder()
  const banksFile = join(folder.path, 'banks.json')
  const completeBanks = banks.map((bank) => ({
    name: `Bank ${bank.code}`,
    railSecrets: [SANDBOX_RAIL_SECRET],
    ...bank,
  }))
  writeFileSync(banksFile, JSON.stringify(completeBanks))
  return await startTestService({ env: { MANILLA_BANKS_FILE: banksFile, ...env }, ...options })
}

const LIVE_BANK = {
  code: '035',
  name: 'Wema Bank',
  static: { from: 100_000_000, to: 100_999_999 },
  dynamic: { from: 200_000_000, to: 200_999_999 },
  railSecrets: [OWN_RAIL_SECRET],
}

// Starts a service in live mode, which has no sandbox client and accepts only https addresses.
export function startLiveService(...others: Fixture[]): Promise<Bench> {
  const env = { MANILLA_MODE: 'live', PUBLIC_URL: 'https://pay.example.com' }
  return startWithBanks([LIVE_BANK, ...others], env)
}

// Starts a second service on the bench's database and clock, as another process would be.
export async function startTwin(bench: Bench): Promise<Bench & AsyncDisposable> {
  const { config, clock, database } = bench
  const quiet = new Writable({ write: (_chunk, _encoding, done) => done() })
  const log = createLogger({ level: 'error', destination: quiet })
  const service = await createService({
    config,
    connectionString: database.connectionString,
    clock,
    log,
    patience: BUSY_FACTOR,
  })
  const send = (call: Call) => service.app.inject(requestOf(call, call.token))
  return {
    ...bench,
    service,
    call: async (call) => send(await readingFirst(send, call)),
    [Symbol.asyncDispose]: () => service.close(),
  }
}

// Runs the expiry worker until all expired payments are closed.
export async function closeExpired({ database, service, clock }: Bench): Promise<void> {
  const { connectionString } = database
  const batchPool = patientBatchPool(connectionString, 1)
  const sharedAccounts = new SharedAccounts(service.db)
  const round = expirePaymentsRound({ batchPool, sharedAccounts, clock })
  try {
    while ((await round(new AbortController().signal)).more);
  } finally {
    await batchPool.end()
  }
}

// Blocks writes to a table until the returned object is disposed. `waiting` resolves with the process ids of
// the waiting database sessions as soon as there are that many.
export async function holdTable({ db }: Pick<Bench, 'db'>, table: string) {
  const holder = await db.connect()
  await holder.query(`begin; lock table ${table} in share mode`)
  return {
    waiting: async (count: number): Promise<number[]> => {
      for (;;) {
        const { rows } = await db.query<{ pid: number }>(
          `select pid from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (rows.length >= count) return rows.map((row) => row.pid)
      }
    },
    [Symbol.asyncDispose]: async () => {
      await holder.query('rollback')
      holder.release()
    },
  }
}

// Counts the deadlocks of this database so far. Tests expect none: each costs its victim a second, even if
// the retry succeeds.
export async function countDeadlocks({ db }: Pick<Bench, 'db'>): Promise<number> {
  await db.query('select pg_stat_force_next_flush()')
  const { rows } = await db.query<{ count: number }>(
    'select deadlocks::int as count from pg_stat_database where datname = current_database()',
  )
  return rows[0]?.count ?? 0
}

export async function assertCleanBooks({ db }: Pick<Bench, 'db'>): Promise<void> {
  assert.deepEqual(await checkIntegrity(db), [])
}

// Measures the CPU time of this process during `work`, because wall time depends on other processes.
export async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

// Counts equal answers, for example { '00': 1, '01': 49 }.
export function tally(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}
