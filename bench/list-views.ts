// `npm run bench:lists`: measures how long each list of the dashboard takes to open in a real browser,
// with many payments of one client: until the rows appear, until everything around them does (counts,
// sums, totals), and the slowest call to the API. The last line has the 95th percentiles over all lists.
// Exits with 1 when the rows of a list take longer than a second.
//
//   npm run bench:lists -- [--payments 100000] [--rounds 3] [<pattern of views>]

import { loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import pg from 'pg'
import type { Page, Request } from 'playwright-core'
import { countHours } from '#accounts/ledger-hours.ts'
import { countByMerchant } from '#accounts/merchant-totals.ts'
import { withTransaction } from '#db/transaction.ts'
import { buildWeb } from '../scripts/build-web.ts'
import { openBrowser } from '../test/support/browser.ts'
import { type DashboardBench, startDashboardBench } from '../test/support/dashboard-bench.ts'
import { createAccount, startPayment } from '../test/support/fixtures.ts'
import { writeLongHistory } from '../test/support/long-history.ts'
import { startTestServer } from '../test/support/server.ts'
import { quantile } from './slice.ts'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    payments: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '3' },
  },
})
const PAYMENTS = Number(options.payments)
const ROUNDS = Number(options.rounds)
const GOAL_MS = 1_000
const PATIENCE_MS = 60_000

const TABLES_OF_CLIENTS = [
  ...['collection_accounts', 'advices', 'payments', 'numbers', 'credits', 'audit_log'],
  ...['suspense_items', 'destinations'],
]
const OTHER_CLIENT_ID = 1_000_001

// Selects the rows of a list, a table or a feed, or the notice that there are none.
const ROWS = '#content :is(.row-link, .empty, .feed li, td, .banks-by-day, .bank-cards > li)'

const VIEWS = [
  '',
  'payments',
  'payments?order=oldest',
  'payments?status=Processing',
  'payments?search=ada',
  'payments?minAmount=5',
  'payments?tab=requests',
  'accounts',
  'accounts?name=customer',
  'credits',
  'credits?outcome=suspended',
  'credits?minAmount=5&order=oldest',
  'suspense',
  'suspense?order=oldest',
  'settlements',
  'payouts',
  'payouts?tab=all',
  'refunds',
  'returns',
  'holds',
  'cases',
  'screening',
  'reconciliation',
  'reconciliation?tab=differences',
  'reconciliation?tab=statements',
  'accounting',
  'adjustments',
  'alerts',
  'banks',
  'clients',
  'ledger',
  'rail-items',
  'webhooks',
  'webhooks?tab=deliveries',
  'webhooks?tab=deliveries&delivered=false',
  'messages',
  'settings?tab=users',
  'settings?tab=auditLog',
]

await buildWeb()
const server = await startTestServer()
process.env.TEST_DATABASE_URL = server.templateUrl
try {
  await using bench = await startDashboardBench()
  await fill(bench)
  await using browser = await openBrowser()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  opened.page.context().setDefaultTimeout(PATIENCE_MS)
  await measure(bench.url, opened.page)
} finally {
  await server.stop()
}

// Fills the database with a long history. The client owns half of it.
async function fill(bench: DashboardBench): Promise<void> {
  console.error(`  filling ${PAYMENTS.toLocaleString('en')} payments`)
  // The history copies sealed values from this account and this payment request.
  await createAccount(bench)
  await startPayment(bench)
  const { connectionString } = bench.database
  const clientId = await bench.clientId()
  await writeLongHistory(connectionString, { rows: 2 * PAYMENTS, now: bench.clock(), clientId })
  await mergeOtherClients(connectionString)
  // Workers have counted a history like this one long before anybody looks.
  while (await withTransaction(bench.db, countByMerchant));
  while (await withTransaction(bench.db, countHours));
  await bench.db.query('vacuum analyze')
}

// Assigns the other half of the history, which belongs to as many clients as it has rows, to one client.
async function mergeOtherClients(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query('set session_replication_role = replica') // Skips triggers and foreign keys.
  for (const table of TABLES_OF_CLIENTS) {
    await client.query(
      `update ${table} set client_id = ${OTHER_CLIENT_ID} where client_id > ${OTHER_CLIENT_ID}`,
    )
  }
  for (const table of ['event_counters', 'dispatch_cursors', 'totals_cursors']) {
    await client.query(`delete from ${table} where client_id > ${OTHER_CLIENT_ID}`)
  }
  await client.query(`delete from clients where id > ${OTHER_CLIENT_ID}`)
  await client.end()
}

// Opens each list ROUNDS times, and prints the medians of a list as a row of the table.
async function measure(url: string, page: Page): Promise<void> {
  await open(page, `${url}/dashboard`) // Fills the browser's cache.
  console.log(`- ${machine()}\n`)
  console.log('| view | rows, ms | all, ms | slowest call, ms |\n| --- | ---: | ---: | --- |')
  const pattern = new RegExp(positionals[0] ?? '')
  const allRounds: Opened[] = []
  for (const view of VIEWS.filter((each) => pattern.test(each))) {
    const rounds: Opened[] = []
    for (let round = 0; round < ROUNDS; round++) {
      rounds.push(await open(page, `${url}/dashboard/${view}`))
    }
    allRounds.push(...rounds)
    const rows = median(rounds.map((round) => round.rows))
    const whole = median(rounds.map((round) => round.all))
    if (rows > GOAL_MS) process.exitCode = 1
    const mark = rows > GOAL_MS ? ' ✗' : ''
    console.log(`| ${view || 'today'} | ${rows}${mark} | ${whole} | ${slowestOf(rounds)} |`)
  }
  const p95 = (of: (opened: Opened) => number[]) => quantile(allRounds.flatMap(of), 0.95).toFixed(0)
  const calls = p95((each) => each.calls.map(({ ms }) => ms))
  console.log(`\n- p95: rows ${p95(({ rows }) => [rows])} ms, a call to the API ${calls} ms`)
}

type Call = { path: string; ms: number }
type Opened = { rows: number; all: number; calls: readonly Call[] }

// Opens a page, and measures the milliseconds until its rows appear, until everything does, and for each
// call to the API.
async function open(page: Page, url: string): Promise<Opened> {
  const calls: Call[] = []
  // Notes the time of a call to the API. The names of its parameters tell calls of one path apart.
  const note = (request: Request) => {
    const { pathname, searchParams } = new URL(request.url())
    const [path, ms] = [pathname, Math.round(request.timing().responseEnd)]
    if (path.startsWith('/api/') && !path.endsWith('/stream')) {
      calls.push({ path: `${path}?${[...searchParams.keys()].join('&')}`, ms })
    }
  }
  page.on('requestfinished', note)
  const from = performance.now()
  const sinceThen = () => Math.round(performance.now() - from)
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('h1').waitFor()
  await page.locator(ROWS).first().waitFor()
  const rows = sinceThen()
  await page.locator('#content .skeleton').first().waitFor({ state: 'detached' })
  const summary = page.locator('.summary')
  if ((await summary.count()) > 0) await summary.locator('span').first().waitFor()
  const all = sinceThen()
  page.off('requestfinished', note)
  return { rows, all, calls }
}

// Returns the slowest call of the last round.
function slowestOf(rounds: readonly Opened[]): string {
  const calls = rounds.at(-1)?.calls ?? []
  const [slowest] = calls.toSorted((one, other) => other.ms - one.ms)
  return slowest ? `${slowest.ms} ${slowest.path}` : ''
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] as number
}

// Describes the conditions of the measurement, for the head of the table.
function machine(): string {
  const [load = 0] = loadavg()
  return `medians of ${ROUNDS}; load of the machine ${load.toFixed(1)}`
}
