// Metrics of several HTTP processes (src/processes.ts) as of one. Whichever is asked asks the primary,
// which asks all of them and adds up what they say, and what it counted itself.
//
//   HTTP process ──{metrics: 'wanted', id}──▶ primary ──{metrics: 'ask', id}──▶ every HTTP process
//   HTTP process ◀─{metrics: 'text', id}──── primary ◀─{metrics: 'answer', id}──

import cluster, { type Worker } from 'node:cluster'
import { AggregatorRegistry, type MetricObjectWithValues, type Registry } from 'prom-client'

const ANSWER_MAX_MS = 2_000 // One that hangs is left out.

type Counted = MetricObjectWithValues<never>[]
type Message =
  | { metrics: 'wanted' | 'ask'; id: number }
  | { metrics: 'answer'; id: number; counted: Counted }
  | { metrics: 'text'; id: number; text: string }

function isMessage(message: unknown): message is Message {
  return typeof message === 'object' && message !== null && 'metrics' in message
}

export function answerForAll({ registry }: { registry: Registry }): void {
  let asked = 0
  const open = new Map<number, (counted: Counted) => void>()

  async function textOfAll(): Promise<string> {
    const id = ++asked
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    const all = [(await registry.getMetricsAsJSON()) as Counted]
    const { promise, resolve } = Promise.withResolvers<void>()
    open.set(id, (counted) => {
      all.push(counted)
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
    if (message.metrics === 'answer') open.get(message.id)?.(message.counted)
    if (message.metrics !== 'wanted') return
    const { id } = message
    void textOfAll().then(
      (text) => worker.isConnected() && worker.send({ metrics: 'text', id, text }),
    )
  })
}

// In an HTTP process: what to answer with. `registry` is known once the service is made.
export function askPrimary(registry: () => Registry): () => Promise<string> {
  let asked = 0
  const open = new Map<number, (text: string) => void>()
  const send = (message: Message) => process.send?.(message)
  process.on('message', async (message: unknown) => {
    if (!isMessage(message)) return
    if (message.metrics === 'text') open.get(message.id)?.(message.text)
    if (message.metrics !== 'ask') return
    const counted = (await registry().getMetricsAsJSON()) as Counted
    send({ metrics: 'answer', id: message.id, counted })
  })
  return async () => {
    const id = ++asked
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
