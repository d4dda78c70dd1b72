// `npm run bench:replica`: measures the primary's CPU time for a view of the dashboard, with a
// replica and without. It runs a primary and a standby on this machine with a long history, and
// repeats the calls of each view for a signed-in user. Exits with 1 when the primary does more than
// a tenth of the work with a replica.

import { chmodSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createPool } from '#db/pool.ts'
import { until } from '../test/support/embedded-bench.ts'
import { createAccount, startPayment } from '../test/support/fixtures.ts'
import { writeLongHistory } from '../test/support/long-history.ts'
import { type Browser, newBrowser } from '../test/support/people.ts'
import { type Bench, startTestService } from '../test/support/running-service.ts'
import { chooseParent } from '../test/support/server.ts'
import { Server } from '../test/support/standby.ts'
import { cpuBetween, parentOf, readCpu } from './process-stats.ts'

const ROWS = 100_000 // The client owns half of them.
const ROUNDS = 20
const GOAL_PERCENT = 10
const UNLIMITED = { MANILLA_RATE_LIMITS: 'client=0,address=0' }

const VIEWS: Record<string, readonly string[]> = {
  today: ['overview', 'overview/breakdown'],
  payments: ['payments', 'payments/summary'],
  accounts: ['accounts/static', 'accounts/static/summary'],
  credits: ['credits', 'credits/summary'],
  suspense: ['suspense', 'suspense/summary'],
  events: ['events'],
  ledger: ['ledger/accounts'],
  search: ['search?q=history-42'],
}

const folder = await mkdtemp(join(await chooseParent(), 'manilla-bench-'))
chmodSync(folder, 0o755)
const [primary, standby] = [new Server(join(folder, 'a')), new Server(join(folder, 'b'))]
try {
  await primary.create()
  const plain = await startService({})
  await fill(plain)
  await standby.copy(primary)
  await standby.start(primary)
  const replicated = await startService({ DATABASE_REPLICA_URL: standby.urlOf('manilla') })
  await until('the replica is used', async () =>
    /^manilla_replica_usable 1$/m.test(await replicated.service.metrics.registry.metrics()),
  )
  await compare(plain, replicated)
  for (const bench of [plain, replicated]) await bench[Symbol.asyncDispose]()
} finally {
  await standby.kill()
  await primary.kill()
  await rm(folder, { recursive: true, force: true })
}

// Starts a service on the primary. With `env` it may also use the replica.
async function startService(env: Record<string, string>): Promise<Bench> {
  const connectionString = primary.urlOf('manilla')
  const pool = createPool({ connectionString, max: 4, onIdleError: () => {} })
  const database = { pool, connectionString, [Symbol.asyncDispose]: () => pool.end() }
  return startTestService({ database, env: { ...UNLIMITED, ...env } })
}

// Writes the long history. The bench's client owns half of it.
async function fill(bench: Bench): Promise<void> {
  console.error(`  filling ${ROWS.toLocaleString('en')} payments`)
  // The history copies sealed values from this account and this payment request.
  await createAccount(bench)
  await startPayment(bench)
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  const { connectionString } = bench.database
  const history = { rows: ROWS, now: bench.clock(), clientId: rows[0].id }
  await writeLongHistory(connectionString, history)
  await bench.db.query('vacuum analyze')
}

// Prints the primary's CPU time for each view, of the service without a replica and of the one with it.
async function compare(plain: Bench, replicated: Bench): Promise<void> {
  const client = createPool({
    connectionString: primary.urlOf('postgres'),
    max: 1,
    onIdleError: () => {},
  })
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const postmaster = parentOf(rows[0].pid) // readCpu() adds up its time and its backends'.
  const browsers = [await newBrowser(plain, 'operator'), await newBrowser(replicated, 'operator')]
  const [plainBrowser, replicatedBrowser] = browsers as [Browser, Browser]
  console.log(
    '| view | primary alone, ms CPU | with a replica | share |\n| --- | ---: | ---: | ---: |',
  )
  const sums = [0, 0]
  for (const [view, paths] of Object.entries(VIEWS)) {
    const ms = [
      await costOf(plainBrowser, paths, postmaster),
      await costOf(replicatedBrowser, paths, postmaster),
    ]
    ms.forEach((viewMs, at) => {
      sums[at] = (sums[at] ?? 0) + viewMs
    })
    printRow(view, ms)
  }
  printRow('all', sums)
  await client.end()
  if (percentOf(sums) > GOAL_PERCENT) process.exitCode = 1
}

function percentOf([plain = 0, replicated = 0]: readonly number[]): number {
  return (100 * replicated) / plain
}

// Prints a view's CPU time without a replica and with one, and the second as a share of the first.
function printRow(view: string, ms: readonly number[]): void {
  const [plain, replicated] = ms.map((viewMs) => viewMs.toFixed(2))
  console.log(`| ${view} | ${plain} | ${replicated} | ${percentOf(ms).toFixed(0)}% |`)
}

// Returns the primary's CPU time for one view, in milliseconds.
async function costOf(
  browser: Browser,
  paths: readonly string[],
  postgres: number,
): Promise<number> {
  // Makes the calls to the API that the view makes when it opens.
  const openView = async () => {
    for (const path of paths) {
      const { statusCode, body } = await browser.call({ url: `/api/v1/${path}` })
      if (statusCode !== 200) throw new Error(`${path}: ${body}`)
    }
  }
  await openView() // A warm-up, which is not measured.
  const read = () => readCpu({ service: [], postgres, load: process.pid })
  const before = read()
  for (let round = 0; round < ROUNDS; round++) await openView()
  return ((cpuBetween(before, read())?.postgres ?? Number.NaN) * 1000) / ROUNDS
}
