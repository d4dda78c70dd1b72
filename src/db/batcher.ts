// Group commit. Requests that come while a batch is being written are joined into the next one:
// one transaction, one fsync, for all of them. With nothing in flight a batch is closed at once, so a
// lone request on an idle server waits for nobody. Beside another one it is closed when it is large
// (`gathers`), or has waited twice as long as one takes: a small batch costs nearly as much as a large
// one, and would often only wait for the other's locks.
//
//   - Bounded, in items and in time: beyond `queueMax`, or where the wait is too long (`delay`), a
//     request is refused at once (`busy`), never lost.
//   - One bad item never fails its neighbours: a batch that fails for a reason of its own is run
//     again item by item, and only the culprit hears of it.
//   - Items that must not share a transaction are kept apart (`split`).
//   - A lost connection or a full disk is nobody's fault: everyone is told to try again, at once,
//     which is always safe.

import assert from 'node:assert/strict'
import { Refusal } from '#errors.ts'
import { BatchQueue, type BatchResult, Entry, type Settle } from './batch-queue.ts'
import { startWaiting, traceBatch } from './batch-traces.ts'
import type { QueueDelay } from './queue-delay.ts'
import { isUnavailable } from './transaction.ts'

export type { BatchResult } from './batch-queue.ts'

type Options<I, O, K> = {
  name?: string // In traces; without it, there are none.
  // Writes all items in one transaction and answers them in the same order.
  run: (items: readonly I[], key: K | undefined) => Promise<readonly O[]>
  // The key of each item, in order; undefined: all may be written together, as nearly always.
  split?: (items: readonly I[]) => Promise<readonly (K | undefined)[]> | undefined
  itemsMax: number
  inFlightMax: number
  gathers?: number // Items. Without it a batch is closed whenever a place in flight is free.
  queueMax: number
  delay?: QueueDelay // Without it, only the number of items is bounded.
  onBatch?: (batch: BatchTimes) => void
  onError: (error: unknown) => void
}

// `waitedMs`: the oldest of its items.
export type BatchTimes = { items: number; waitedMs: number; tookMs: number }

const USUAL_OF = 8 // So many batches, about.
const GATHERING_MAX_MS = 250

export class Batcher<I, O, K = never> {
  readonly #options: Options<I, O, K>
  readonly #queue = new BatchQueue<I, O>()
  #inFlight = 0
  #itemsInFlight = 0
  #usualMs = 0 // That a batch takes.
  #overdue: NodeJS.Timeout | undefined
  #isOverdue = false
  #idle: (() => void)[] = []

  constructor(options: Options<I, O, K>) {
    this.#options = options
  }

  // The items of one call are written by the same batch, in their order.
  submitAll(items: readonly I[]): Promise<BatchResult<O>[]> {
    const { promise, resolve } = Promise.withResolvers<BatchResult<O>[]>()
    this.enqueue(items, resolve)
    return promise
  }

  // The same, answered by a call: where a promise for each request would be felt.
  enqueue(items: readonly I[], settle: Settle<O>): void {
    if (items.length === 0) return void settle([])
    const { queueMax, delay, name } = this.#options
    const queue = this.#queue
    const isTooMuch = queue.items > 0 && queue.items + items.length > queueMax
    if (isTooMuch || this.isOverloaded) throw new Refusal('busy')
    const isFirst = queue.isEmpty
    const wasEnough = this.#isEnough
    const span = startWaiting(name, items.length)
    queue.push(new Entry(items, { sinceMs: delay?.now() ?? 0, span }, settle))
    // After this turn of the event loop, so that requests read from the network together
    // share a batch.
    if (isFirst || (this.#isEnough && !wasEnough)) setImmediate(() => this.#fill())
  }

  // A refusal among the answers is thrown to whom it concerns.
  async submit(item: I): Promise<Exclude<O, Refusal>> {
    const [result] = await this.submitAll([item])
    assert(result)
    if (!result.ok) throw result.error
    if (result.value instanceof Refusal) throw result.value
    return result.value as Exclude<O, Refusal>
  }

  // A request arriving now would wait too long.
  get isOverloaded(): boolean {
    const { delay, inFlightMax } = this.#options
    const { oldest } = this.#queue
    if (!oldest || !delay) return false
    const isBlocked = this.#inFlight >= inFlightMax
    const items = this.#queue.items + this.#itemsInFlight
    return delay.refuses({ sinceMs: oldest.sinceMs, items, isBlocked })
  }

  get isWriting(): boolean {
    return this.#inFlight > 0
  }

  get queued(): number {
    return this.#queue.items
  }

  // Resolves once everything submitted so far has been answered.
  async drain(): Promise<void> {
    while (!this.#queue.isEmpty || this.#inFlight > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve))
    }
  }

  // To be written beside another one.
  get #isEnough(): boolean {
    return this.#queue.items >= (this.#options.gathers ?? 0)
  }

  #fill(): void {
    this.#dropAbandoned()
    while (this.#inFlight < this.#options.inFlightMax && this.#isToBeClosed()) {
      const entries = this.#queue.take(this.#options.itemsMax)
      this.#options.delay?.taken((entries[0] as Entry<I, O>).sinceMs)
      this.#inFlight++
      void this.#write(entries).finally(() => {
        this.#inFlight--
        this.#fill()
      })
    }
    if (this.#inFlight === 0 && this.#queue.isEmpty) {
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  #isToBeClosed(): boolean {
    if (this.#queue.isEmpty) return false
    if (this.#inFlight === 0 || this.#isEnough || this.#isOverdue) return true
    // One that is stuck, at a lock for example, keeps nobody waiting.
    this.#overdue ??= setTimeout(
      () => {
        this.#isOverdue = true
        this.#fill()
      },
      Math.min(2 * this.#usualMs, GATHERING_MAX_MS),
    )
    return false
  }

  // Nobody waits for these any more: to write them would keep those behind waiting.
  #dropAbandoned(): void {
    const { delay } = this.#options
    for (let { oldest } = this.#queue; oldest; { oldest } = this.#queue) {
      if (!delay?.isAbandoned(oldest.sinceMs)) return
      this.#queue.shift()
      oldest.span?.end(new Refusal('busy'))
      this.#answer(
        oldest,
        oldest.items.map(() => ({ ok: false, error: new Refusal('busy') })),
      )
    }
  }

  // What one caller does with its results is not to keep the others from theirs.
  #answer(entry: Entry<I, O>, results: BatchResult<O>[]): void {
    try {
      entry.settle(results)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  async #write(entries: readonly Entry<I, O>[]): Promise<void> {
    const items = entries.length === 1 && entries[0] ? entries[0].items : flatten(entries)
    this.#itemsInFlight += items.length
    clearTimeout(this.#overdue)
    this.#overdue = undefined
    this.#isOverdue = false
    const begunMs = performance.now()
    const results = await traceBatch(entries, () => this.#settleSplit(items))
    this.#itemsInFlight -= items.length
    this.#options.delay?.served(items.length)
    const tookMs = performance.now() - begunMs
    this.#usualMs += (tookMs - this.#usualMs) / USUAL_OF
    const waitedMs = begunMs - (entries[0]?.sinceMs ?? begunMs)
    this.#options.onBatch?.({ items: items.length, waitedMs, tookMs })
    let offset = 0
    for (const entry of entries) {
      this.#answer(entry, results.slice(offset, offset + entry.items.length))
      offset += entry.items.length
    }
  }

  async #settleSplit(items: readonly I[]): Promise<BatchResult<O>[]> {
    const splitting = this.#options.split?.(items)
    if (!splitting) return this.#settle(items, undefined)
    const results: BatchResult<O>[] = []
    try {
      const keys = await splitting
      const places = Map.groupBy(keys.keys(), (place) => keys[place])
      for (const [key, group] of places) {
        const settled = await this.#settle(
          group.map((place) => items[place] as I),
          key,
        )
        for (const [at, place] of group.entries()) results[place] = settled[at] as BatchResult<O>
      }
      return results
    } catch (error) {
      this.#options.onError(error)
      const told = isUnavailable(error) ? new Refusal('try_again') : error
      return items.map(() => ({ ok: false, error: told }))
    }
  }

  async #settle(items: readonly I[], key: K | undefined): Promise<BatchResult<O>[]> {
    try {
      const values = await this.#options.run(items, key)
      assert.equal(values.length, items.length, 'a batch answers each of its items')
      return values.map((value) => ({ ok: true, value }))
    } catch (error) {
      if (error instanceof Refusal && items.length === 1) return [{ ok: false, error }]
      this.#options.onError(error)
      if (isUnavailable(error)) {
        return items.map(() => ({ ok: false, error: new Refusal('try_again') }))
      }
      if (items.length === 1) return [{ ok: false, error }]
      return this.#settleOneByOne(items, key)
    }
  }

  async #settleOneByOne(items: readonly I[], key: K | undefined): Promise<BatchResult<O>[]> {
    const results: BatchResult<O>[] = []
    for (const item of items) results.push(...(await this.#settle([item], key)))
    return results
  }
}

function flatten<I, O>(entries: readonly Entry<I, O>[]): I[] {
  const items: I[] = []
  for (const entry of entries) items.push(...entry.items)
  return items
}
