// Traces: one trace shows the way of a credit from the bank's request to the merchant's receiver, across
// processes, without any names or account numbers. Without a collector no tracing code is loaded, and a
// silent collector delays nothing.

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Environment, loadConfig } from '#config/config.ts'
import { Batcher } from '#hot-path/batcher.ts'
import { createLogger } from '#log.ts'
import { Metrics } from '#observability/metrics.ts'
import { currentSpan, type Tracer, within } from '#trace-context.ts'
import { startTracing } from '#wiring.ts'
import { runWorker } from '#workers/loop.ts'
import { createAccount } from '../support/fixtures.ts'
import { startCollector } from '../support/otlp-collector.ts'
import { patience } from '../support/patience.ts'
import { bankAccountNumber } from '../support/payouts.ts'
import { newCredit, signedHeaders } from '../support/rail.ts'
import { type Bench, SECRETS, startTestService } from '../support/running-service.ts'
import { listener } from '../support/webhook-bench.ts'

const SRC = join(import.meta.dirname, '../../src')
const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const CALLER = '00f067aa0ba902b7'
const PAYER = {
  sourceAccountNumber: '0123456789',
  sourceAccountName: 'Emeka Nwosu',
  narration: 'For Chioma',
}

// Reports credits over HTTP, with the headers of a trace.
function report(bench: Bench, address: string, credits: unknown, headers: Record<string, string>) {
  const body = JSON.stringify(credits)
  return fetch(`${address}/rails/035/credits`, {
    method: 'POST',
    headers: { ...signedHeaders(bench, body), ...headers },
    body,
  })
}

// Runs a service with a trace collector and a webhook receiver, reports credits, and returns everything
// that the tests examine.
async function runTraced() {
  const collector = await startCollector()
  const delivered = Promise.withResolvers<void>()
  // Accepts every webhook, and resolves `delivered` when the webhook about a credit arrives.
  const receiver = await listener((response, { json }) => {
    response.end()
    if (json.type === 'collection.received') delivered.resolve()
  })
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20collector-secret',
    OTEL_SERVICE_NAME: 'manilla-test',
    MANILLA_LOG_REQUESTS: '1',
    OTEL_TRACES_SAMPLER: 'parentbased_always_off',
  }
  const bench = await startTestService({ env })
  const address = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })
  const notificationUrl = `${receiver.url}/hook/path-secret`
  const account = await createAccount(bench, { notificationUrl, accountName: 'Ngozi Adeyemi' })
  const credit = newCredit(account.accountNumber, PAYER)
  bench.service.startWorkers()

  const traceparent = `00-${TRACE_ID}-${CALLER}-01`
  const answer = await report(bench, address, credit, { traceparent })
  await delivered.promise
  // Without a traceparent, this request is not sampled.
  await report(bench, address, newCredit(account.accountNumber), {})
  await report(bench, address, 'unreadable', { traceparent })
  const headers = { authorization: `Bearer ${await bench.login()}`, traceparent }
  const enquiry = {
    bankCode: '058',
    accountNumber: bankAccountNumber(),
    accountName: 'Chidi Okafor',
  }
  await fetch(`${address}/api/v1/bank-accounts`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(enquiry),
  })
  await bench[Symbol.asyncDispose]()
  await Promise.all([collector, receiver].map((each) => each[Symbol.asyncDispose]()))
  return { answer, collector, receiver, account, credit, enquiry, log: bench.logText() }
}

test('a credit, its batch and its delivery are one trace, which names nobody', async () => {
  const traced = await runTraced()
  const { answer, collector, receiver, account, credit, enquiry, log } = traced

  assert.equal(answer.status, 200)
  const spans = collector.spans()
  assert(spans.every(({ traceId }) => traceId === TRACE_ID))
  const spansNamed = (name: string) => spans.filter((span) => span.name === name)
  const [request, malformed] = spansNamed('POST /rails/:bankCode/credits')
  const [batch] = spansNamed('batch credits')
  const [writing] = spansNamed('write')
  const transaction = spansNamed('transaction').find(
    (span) => span.parentSpanId === writing?.spanId,
  )
  const [delivery] = spansNamed('webhook delivery')
  assert.equal(request?.parentSpanId, CALLER)
  assert.equal(batch?.parentSpanId, request?.spanId)
  assert.equal(writing?.parentSpanId, batch?.spanId)
  assert(transaction)
  assert.equal(delivery?.parentSpanId, batch?.spanId)
  assert.equal(request?.attributes['http.route'], '/rails/:bankCode/credits')
  assert.equal(request?.attributes['http.response.status_code'], 200n)
  assert.equal(request?.attributes['manilla.request_id'], answer.headers.get('x-request-id'))
  assert.equal(malformed?.attributes['http.response.status_code'], 400n)
  assert.equal(delivery?.attributes['server.address'], '127.0.0.1')
  const [asking] = spansNamed('POST /api/v1/bank-accounts')
  assert.equal(asking?.attributes['manilla.client_id'], 'MAN0000001')
  assert.equal(spansNamed('bank enquireName')[0]?.parentSpanId, asking?.spanId)

  const lines = log.split('\n').filter((line) => line.includes('"msg":"request"'))
  assert(lines[0]?.includes(`"trace_id":"${TRACE_ID}"`))
  assert(!lines[1]?.includes('trace_id'))

  const [created, received] = receiver.received
  assert.equal(received?.headers.traceparent, `00-${TRACE_ID}-${delivery?.spanId}-01`)
  assert.equal(created?.headers.traceparent, undefined)
  assert.deepEqual([...new Set(collector.services())], ['manilla-test'])
  assert.equal(collector.headers[0]?.authorization, 'Bearer collector-secret')
  assert.equal(collector.headers[0]?.path, '/hook/v1/traces')
  const secrets = [
    ...Object.values(PAYER),
    account.accountNumber,
    ...Object.values(enquiry).slice(1),
  ]
  for (const text of [
    ...secrets,
    'Ngozi',
    credit.sessionId,
    'path-secret',
    'whsec_',
    '22212345654',
    '100.00',
  ]) {
    assert(!collector.raw().includes(text), `${text} is in a trace`)
  }
})

// Starts tracing to a collector at this address.
async function tracerTo(url: string, env: Environment = {}) {
  const { tracing } = loadConfig({ ...SECRETS, OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env }, 'serve')
  const metrics = new Metrics()
  const log = createLogger({ level: 'silent' })
  const tracer = (await startTracing(tracing, { metrics, log })) as Tracer
  return { tracer, metrics }
}

test('traces of one batch link to each other, and untraced requests are in no trace', async () => {
  await using collector = await startCollector()
  const { tracer } = await tracerTo(collector.url)
  const seen: (string | undefined)[] = []
  const batcher = new Batcher<number, number>({
    ...{ name: 'credits', itemsMax: 3, inFlightMax: 1, queueMax: 9 },
    onError: () => {},
    run: async (items) => {
      seen.push(currentSpan()?.traceId)
      return items
    },
  })
  const [one, other] = [tracer.start('one'), tracer.start('other')]

  const answers = [
    within(one, () => batcher.submit(1)),
    within(other, () => batcher.submit(2)),
    batcher.submit(3),
    batcher.submit(4), // This item is in the next batch, which the first batch triggers.
  ]
  await Promise.all(answers)
  for (const span of [one, other]) span?.end()
  await tracer.stop()

  const spans = collector.spans()
  const writing = spans.find(({ name }) => name === 'write')
  const [first, second] = [one, other].map((caller) =>
    spans.find(({ name, traceId }) => name === 'batch credits' && traceId === caller?.traceId),
  )
  assert.deepEqual(seen, [one?.traceId, undefined])
  assert.equal(writing?.parentSpanId, first?.spanId)
  assert.deepEqual(writing?.links, [second?.spanId])
  assert.deepEqual(second?.links, [writing?.spanId])
  assert.equal(writing?.attributes['manilla.items'], 3n)
})

test('rounds of a worker that had work or failed are traced', async () => {
  await using collector = await startCollector()
  const { tracer } = await tracerTo(collector.url)
  const stopping = new AbortController()
  const rounds = ['idle', 'busy', 'failing']
  // A worker's round that is busy, idle or failing, in the order of `rounds`.
  const round = async () => {
    const kind = rounds.shift()
    currentSpan()?.start(`in ${kind}`).end()
    if (rounds.length === 0) stopping.abort()
    if (kind === 'failing') throw Object.assign(new Error('with a name in it'), { code: '57P01' })
    return { more: kind === 'busy' }
  }

  const { signal } = stopping
  await runWorker({ name: 'w', pauseMs: 0, round }, { signal, onError: () => {}, tracer })
  await tracer.stop()

  const spans = collector.spans()
  const names = spans.map(({ name, isError }) => `${name}${isError ? ', failed' : ''}`)
  assert.deepEqual(names.sort(), ['in busy', 'in failing', 'worker w', 'worker w, failed'])
  assert(!collector.raw().includes('with a name in it'))
})

test('a sampler takes its share, and a collector that is gone delays nothing', async () => {
  const nowhere = 'http://127.0.0.1:1'
  const half = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' }
  const { tracer, metrics } = await tracerTo(nowhere, half)

  const spans = Array.from({ length: 1_000 }, () => tracer.start('request'))
  for (const span of spans) span?.end()
  const sampled = spans.filter((span) => span !== undefined).length
  const begunMs = performance.now()
  await tracer.stop()

  assert(sampled > 400 && sampled < 600, String(sampled))
  assert(performance.now() - begunMs < patience(1_000))
  assert.match(await metrics.registry.metrics(), /manilla_trace_spans_total/)
})

test('without a collector nothing of OpenTelemetry is loaded', async () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  )
  const filesMatching = (what: RegExp) =>
    files.filter((path) => what.test(readFileSync(join(SRC, path), 'utf8')))
  const off = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' }

  assert.deepEqual(filesMatching(/from '@opentelemetry\//), ['observability/open-telemetry.ts'])
  assert.deepEqual(filesMatching(/^import .*open-telemetry\.ts'/m), [])
  assert.deepEqual(filesMatching(/await import\('#observability\/open-telemetry\.ts'\)/), [
    'wiring.ts',
  ])
  for (const env of [off, {}]) {
    assert.equal(loadConfig({ ...SECRETS, ...env }, 'serve').tracing, undefined)
  }
})
