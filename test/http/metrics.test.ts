// GET /metrics describes the service and its database. Our alert rules and Grafana dashboard use only
// metrics that it has, in valid PromQL.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { checkIntegrityRound } from '#integrity/workers.ts'
import { camt } from '../banks/renderings.ts'
import { startLiveService } from '../support/bank-calls.ts'
import { startChild } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/embedded-bench.ts'
import { simulate, startPayment } from '../support/fixtures.ts'
import { newSessionId, signedHeaders } from '../support/rail.ts'
import { SECRETS, startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
// The replica is unreachable, so that its metrics exist.
const env = { DATABASE_REPLICA_URL: 'postgres://nobody@127.0.0.1:1/none' }
const bench = closeAfterTests(await startTestService({ env }))
const address = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })

type Sample = { name: string; labels: Record<string, string>; value: number }

// Reads all samples of /metrics.
async function readSamples(): Promise<Sample[]> {
  const response = await fetch(`${address}/metrics`)
  assert.equal(response.status, 200)
  assert.match(response.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/)
  return (await response.text()).split('\n').flatMap((line) => {
    const [, name = '', labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (value === undefined) return []
    const pairs = Array.from(labels.matchAll(/(\w+)="([^"]*)"/g), ([, key, text]) => [key, text])
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }]
  })
}

// Returns the value of the metric with these labels.
function sampleOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}) {
  const found = samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([key, text]) => sample.labels[key] === text),
  )
  return found?.value
}

test('metrics count operations and report held resources', async () => {
  const payment = await startPayment(bench)
  await simulate(bench, payment.bankAccount, '6500.00')
  await fetch(`${address}/api/v1/payments/${payment.paymentReference}`)
  await checkIntegrityRound({
    db: bench.db,
    clock: bench.clock,
    log: bench.service.app.log as never,
  })(new AbortController().signal)

  await bench.db.query(
    `insert into number_ranges (bank_code, purpose, first_serial, last_serial, key)
     select bank_code, purpose, 900000000, 999999999, key from number_ranges where purpose = 'dynamic'`,
  ) // A range that is no longer configured.
  const samples = await readSamples()

  const route = '/api/v1/payments/:reference'
  assert.equal(sampleOf(samples, 'manilla_http_request_seconds_count', { route, status: '401' }), 1)
  assert.equal(sampleOf(samples, 'manilla_batch_items_sum', { batch: 'credits' }), 1)
  assert.equal(sampleOf(samples, 'manilla_batch_commit_seconds_count', { batch: 'credits' }), 1)
  assert.equal(sampleOf(samples, 'manilla_suspense_items', { reason: 'excess' }), 1)
  assert.equal(sampleOf(samples, 'manilla_suspense_kobo'), 50_000)
  assert.equal(sampleOf(samples, 'manilla_integrity_ok'), 1)
  assert((sampleOf(samples, 'manilla_events_undispatched') ?? 0) > 0)
  const left = sampleOf(samples, 'manilla_numbers_left', { purpose: 'dynamic' }) ?? 0
  assert(left > 0 && left < 100_000_000, String(left))
  assert.equal(
    sampleOf(samples, 'manilla_pool_connections', { pool: 'batches', state: 'waiting' }),
    0,
  )
})

test('/metrics requires the token if one is set, and does not exist in live mode without one', async () => {
  const token = 'scrape-0123456789'
  await using open = await startTestService({ env: { MANILLA_METRICS_TOKEN: token } })
  await using live = await startLiveService()
  const readMetrics = (authorization?: string) =>
    open.call({ url: '/metrics', token: null, headers: authorization ? { authorization } : {} })

  const statuses = [
    await readMetrics(),
    await readMetrics('Bearer wrong-wrong-wrong-'),
    await readMetrics(`Bearer ${token}`),
  ]

  assert.deepEqual(
    statuses.map(({ statusCode }) => statusCode),
    [401, 401, 200],
  )
  assert.equal((await live.call({ url: '/metrics', token: null })).statusCode, 404)
})

test('reversals that wait for their credit are no errors, to the alert rules or to the log', async () => {
  const [one, other] = [newSessionId(), newSessionId()]
  const json = { sessionId: one, originalSessionId: other, amount: '10' }
  const entry = `<Ntry><Amt Ccy="NGN">10</Amt><CdtDbtInd>DBIT</CdtDbtInd><RvslInd>true</RvslInd>
    <Sts>BOOK</Sts><NtryDtls><TxDtls><Refs><AcctSvcrRef>${newSessionId()}</AcctSvcrRef></Refs></TxDtls>
    </NtryDtls></Ntry>`
  const post = (path: string, body: string, contentType: string) =>
    fetch(`${address}/rails/035/${path}`, {
      method: 'POST',
      body,
      headers: signedHeaders(bench, body, { contentType }),
    })

  const answers = [
    await post('reversals', JSON.stringify(json), 'application/json'),
    await post('credits', camt(entry), 'application/xml'),
  ]

  assert.deepEqual(
    answers.map(({ status }) => status),
    [503, 503],
  )
  assert.equal(sampleOf(await readSamples(), 'manilla_reversals_awaited_total'), 2)
  assert(!bench.logText().includes('"status":503'))
  const { expr } = readRules().find(({ alert }) => alert === 'ManillaErrors') as Rule
  assert.match(expr, /status=~"5..".*\n\s+- .*manilla_reversals_awaited_total/)
})

type Rule = { alert: string; expr: string }

// Returns the alerting rules that are shipped for Prometheus.
function readRules(): Rule[] {
  const { groups } = parse(readFileSync(join(DEPLOY, 'prometheus/alerts.yml'), 'utf8'))
  return groups.flatMap(({ rules }: { rules: Rule[] }) => rules)
}

test('the alert rules and the dashboard ask for what is told, in valid PromQL', async () => {
  bench.service.metrics.watchProcess()
  const text = await (await fetch(`${address}/metrics`)).text()
  const names = new Set(Array.from(text.matchAll(/^# TYPE (\w+) /gm), ([, name]) => name))
  const rules = readRules().map(({ expr }) => expr)
  const { panels } = JSON.parse(readFileSync(join(DEPLOY, 'grafana/manilla.json'), 'utf8'))
  const queries = panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
    targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')),
  )

  const faults = [...rules, ...queries].flatMap((expr: string) => faultsIn(expr, names))

  assert.deepEqual(faults, [])
  assert(rules.length > 10 && queries.length > 20)
})

// Returns the faults of a PromQL expression: syntax errors and unknown metrics. A name before a parenthesis
// is a function, not a metric.
function faultsIn(expr: string, names: ReadonlySet<string | undefined>): string[] {
  const faults: string[] = []
  parser.parse(expr).iterate({
    enter({ type, from, to }) {
      const text = expr.slice(from, to)
      if (type.isError) faults.push(`${expr}: not understood at ${from}`)
      if (type.name !== 'Identifier' || expr.at(to) === '(') return
      const base = text.replace(/_(bucket|sum|count)$/, '')
      if (text !== 'up' && !names.has(text) && !names.has(base)) faults.push(`${text} is not told`)
    },
  })
  return faults
}

test('any of several processes on a port answers for all of them', async () => {
  using folder = createTempFolder()
  await using database = await createTestDatabase()
  const env = { ...SECRETS, DATABASE_URL: database.connectionString, MANILLA_PROCESSES: '2' }
  await using child = await startChild({ folder: folder.path, env })
  // Each request has its own connection, because the processes take turns by connection.
  const fetchOnNewConnection = (path: string) =>
    fetch(`${child.url}${path}`, { headers: { connection: 'close' } })

  for (let count = 0; count < 6; count++) await fetchOnNewConnection('/health')
  // The metrics lack processes that were too slow to answer, so the test tries again.
  for (let turn = 0; turn < 2; turn++) {
    await until('all have answered', async () => {
      const text = await (await fetchOnNewConnection('/metrics')).text()
      const hasAll = /_count\{method="GET",route="\/health",status="200"\} 6$/m.test(text)
      return hasAll && /^manilla_worker_round_seconds_count\{/m.test(text) // The primary has the workers.
    })
  }
})
