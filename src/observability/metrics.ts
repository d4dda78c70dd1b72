// The counters and timings of a process, for Prometheus (docs/observability.md). Each service has its own
// registry, so that the numbers of two services in one process, as in tests, do not mix.

import type { Worker } from 'node:cluster'
import cluster from 'node:cluster'
import {
  AggregatorRegistry,
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type MetricObjectWithValues,
  Registry,
} from 'prom-client'

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const BATCH_ITEMS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000]
const ROUND_SECONDS = [0.001, 0.01, 0.1, 1, 10, 60, 600]

type BatchTimes = { items: number; waitedMs: number; tookMs: number }
type PoolState = { totalCount: number; idleCount: number; waitingCount: number }

export class Metrics {
  readonly registry = new Registry()
  readonly #registers = [this.registry]

  // Labelled with the route's pattern, not with the path, because the number of paths is unbounded.
  readonly requests = new Histogram({
    name: 'manilla_http_request_seconds',
    help: 'Time from a request to the end of its response, by route.',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: REQUEST_SECONDS,
    registers: this.#registers,
  })
  readonly shed = new Counter({
    name: 'manilla_http_requests_shed_total',
    help: 'Requests refused at the door, because their queue was too slow.',
    registers: this.#registers,
  })
  readonly awaited = new Counter({
    name: 'manilla_reversals_awaited_total',
    help: 'Requests answered 503 because a reversal waits for its credit: no failure.',
    registers: this.#registers,
  })
  readonly resting = new Gauge({
    name: 'manilla_http_connections_resting',
    help: 'Connections that were refused under overload and are not read for now.',
    registers: this.#registers,
  })
  readonly #batchItems = new Histogram({
    name: 'manilla_batch_items',
    help: 'Items written by one transaction, by kind of work.',
    labelNames: ['batch'] as const,
    buckets: BATCH_ITEMS,
    registers: this.#registers,
  })
  readonly #batchSeconds = new Histogram({
    name: 'manilla_batch_commit_seconds',
    help: 'Time to write a batch, from its begin to its commit.',
    labelNames: ['batch'] as const,
    buckets: REQUEST_SECONDS,
    registers: this.#registers,
  })
  readonly #queueSeconds = new Histogram({
    name: 'manilla_batch_queue_seconds',
    help: 'Time that the oldest item of a batch waited for it.',
    labelNames: ['batch'] as const,
    buckets: REQUEST_SECONDS,
    registers: this.#registers,
  })
  readonly rounds = new Histogram({
    name: 'manilla_worker_round_seconds',
    help: 'Time of a worker’s round.',
    labelNames: ['worker'] as const,
    buckets: ROUND_SECONDS,
    registers: this.#registers,
  })
  readonly roundFailures = new Counter({
    name: 'manilla_worker_failures_total',
    help: 'Rounds of a worker that failed.',
    labelNames: ['worker'] as const,
    registers: this.#registers,
  })

  readonly spans = new Counter({
    name: 'manilla_trace_spans_total',
    help: 'Spans sent to the collector of traces, and those that it did not take.',
    labelNames: ['result'] as const,
    registers: this.#registers,
  })

  readonly replicaReads = new Counter({
    name: 'manilla_replica_reads_total',
    help: 'Reads that the replica may answer, by who did.',
    labelNames: ['by'] as const,
    registers: this.#registers,
  })

  readonly routed = new Counter({
    name: 'manilla_routing_choices_total',
    help: 'Banks chosen for payments and payouts that name none, by why.',
    labelNames: ['kind', 'bank', 'reason'] as const,
    registers: this.#registers,
  })

  readonly observeBatch = (batch: string, { items, waitedMs, tookMs }: BatchTimes): void => {
    this.#batchItems.observe({ batch }, items)
    this.#queueSeconds.observe({ batch }, waitedMs / 1000)
    this.#batchSeconds.observe({ batch }, tookMs / 1000)
  }

  // Adds the numbers of connections of each database pool.
  watchPools(pools: Readonly<Record<string, PoolState>>): void {
    new Gauge({
      name: 'manilla_pool_connections',
      help: 'Connections to the database, by pool: in use, idle, or waited for.',
      labelNames: ['pool', 'state'] as const,
      registers: this.#registers,
      collect() {
        for (const [pool, { totalCount, idleCount, waitingCount }] of Object.entries(pools)) {
          this.set({ pool, state: 'used' }, totalCount - idleCount)
          this.set({ pool, state: 'idle' }, idleCount)
          this.set({ pool, state: 'waiting' }, waitingCount)
        }
      },
    })
  }

  // Adds how far the replica is behind, and whether it is used.
  watchReplica(replica: { lagSeconds: number; isUsable: boolean }): void {
    new Gauge({
      name: 'manilla_replica_lag_seconds',
      help: 'How long the replica has been behind the primary.',
      aggregator: 'max',
      registers: this.#registers,
      collect() {
        this.set(replica.lagSeconds)
      },
    })
    new Gauge({
      name: 'manilla_replica_usable',
      help: 'Whether the replica answers reads.',
      aggregator: 'min',
      registers: this.#registers,
      collect() {
        this.set(replica.isUsable ? 1 : 0)
      },
    })
  }

  // Adds memory, processor time, open files and event loop delay. Must be called once per process. The event
  // loop delay is measured every 50 ms: at the default of 10 ms, this took a third of an idle service's
  // processor time.
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: 50 })
  }
}

const COLLECT_TIMEOUT_MS = 2_000 // Processes that do not answer in time are left out.

type MetricValues = MetricObjectWithValues<never>[]
type Message =
  | { metrics: 'wanted' | 'ask'; id: number }
  | { metrics: 'answer'; id: number; values: MetricValues }
  | { metrics: 'text'; id: number; text: string }

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message
}

// Lets any of several HTTP processes (src/http/processes.ts) return the metrics of all. The process that
// Prometheus calls asks the primary. The primary asks all processes, and adds up their metrics and its own.
//
//   HTTP process ──{metrics: 'wanted', id}──▶ primary ──{metrics: 'ask', id}──▶ every HTTP process
//   HTTP process ◀─{metrics: 'text', id}──── primary ◀─{metrics: 'answer', id}──
//
// This part runs in the primary. A process that does not answer in time is left out.
export function answerForAll({ registry }: { registry: Registry }): void {
  let lastId = 0
  const pending = new Map<number, (values: MetricValues) => void>()

  // Collects the metrics of all HTTP processes, and adds the primary's own.
  async function textOfAll(): Promise<string> {
    const id = ++lastId
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const collected = [(await registry.getMetricsAsJSON()) as MetricValues]
    const { promise, resolve } = Promise.withResolvers<void>()
    pending.set(id, (values) => {
      collected.push(values)
      if (collected.length > workers.length) resolve() // One of each process, and the primary's own.
    })
    const timer = setTimeout(resolve, COLLECT_TIMEOUT_MS)
    for (const worker of workers) worker.send({ metrics: 'ask', id })
    await promise
    clearTimeout(timer)
    pending.delete(id)
    return AggregatorRegistry.aggregate(collected as never).metrics()
  }

  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'answer') pending.get(message.id)?.(message.values)
    if (message.metrics !== 'wanted') return
    const { id } = message
    void textOfAll().then(
      (text) => worker.isConnected() && worker.send({ metrics: 'text', id, text }),
    )
  })
}

// The part of answerForAll() that runs in an HTTP process: answers the primary with the metrics of this
// process, and returns a function that asks the primary for the metrics of all. `registry` is called when the
// service has been created.
export function askPrimary(registry: () => Registry): () => Promise<string> {
  let lastId = 0
  const pending = new Map<number, (text: string) => void>()
  const send = (message: Message) => process.send?.(message)
  process.on('message', async (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'text') pending.get(message.id)?.(message.text)
    if (message.metrics !== 'ask') return
    const values = (await registry().getMetricsAsJSON()) as MetricValues
    send({ metrics: 'answer', id: message.id, values })
  })
  return async () => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<string>()
    pending.set(id, resolve)
    send({ metrics: 'wanted', id })
    try {
      return await promise
    } finally {
      pending.delete(id)
    }
  }
}
