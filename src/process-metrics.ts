// The metrics of several HTTP processes (src/processes.ts) as one. The process that is scraped asks
// the primary, which asks all processes and adds up their metrics and its own.
//
//   HTTP process ──{metrics: 'wanted', id}──▶ primary ──{metrics: 'ask', id}──▶ every HTTP process
//   HTTP process ◀─{metrics: 'text', id}──── primary ◀─{metrics: 'answer', id}──

import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type MetricObjectWithValues, type Registry } from 'prom-client'

const ANSWER_MAX_MS = 2_000 // A process that hangs is left out.

type MetricValues = MetricObjectWithValues<never>[]
type Message =
  | { metrics: 'wanted' | 'ask'; id: number }
  | { metrics: 'answer'; id: number; values: MetricValues }
  | { metrics: 'text'; id: number; text: string }

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message
}

export function answerForAll({ registry }: { registry: Registry }): void {
  let lastId = 0
  const open = new Map<number, (values: MetricValues) => void>()

  async function textOfAll(): Promise<string> {
    const id = ++lastId
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const all = [(await registry.getMetricsAsJSON()) as MetricValues]
    const { promise, resolve } = Promise.withResolvers<void>()
    open.set(id, (values) => {
      all.push(values)
      if (all.length > workers.length) resolve()
    })
    const timer = setTimeout(resolve, ANSWER_MAX_MS)
    for (const worker of workers) worker.send({ metrics: 'ask', id })
    await promise
    clearTimeout(timer)
    open.delete(id)
    return AggregatorRegistry.aggregate(all as never).metrics()
  }

  cluster.on('message', (worker: Worker, message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'answer') open.get(message.id)?.(message.values)
    if (message.metrics !== 'wanted') return
    const { id } = message
    void textOfAll().then(
      (text) => worker.isConnected() && worker.send({ metrics: 'text', id, text }),
    )
  })
}

// For an HTTP process. `registry` is available once the service is created.
export function askPrimary(registry: () => Registry): () => Promise<string> {
  let lastId = 0
  const open = new Map<number, (text: string) => void>()
  const send = (message: Message) => process.send?.(message)
  process.on('message', async (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'text') open.get(message.id)?.(message.text)
    if (message.metrics !== 'ask') return
    const values = (await registry().getMetricsAsJSON()) as MetricValues
    send({ metrics: 'answer', id: message.id, values })
  })
  return async () => {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<string>()
    open.set(id, resolve)
    send({ metrics: 'wanted', id })
    try {
      return await promise
    } finally {
      open.delete(id)
    }
  }
}
