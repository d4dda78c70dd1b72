// Group commit. Requests that come while a batch is being written are joined into the next one:
// one transaction, one fsync, for all of them. A batch is closed when a place in flight is free,
// never by a timer, so a lone request on an idle server waits for nobody.
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
import type { QueueDelay } from './queue-delay.ts'
import { isUnavailable } from './transaction.ts'

export type BatchResult<O> = { ok: true; value: O } | { ok: false; error: unknown }

type Options<I, O, K> = {
  // Writes all items in one transaction and answers them in the same order.
  run: (items: readonly I[], key: K | undefined) => Promise<readonly O[]>
  // The key of each item, in order; undefined: all may be written together, as nearly always.
  split?: (items: readonly I[]) => Promise<readonly (K | undefined)[]> | undefined
  itemsMax: number
  inFlightMax: number
  queueMax: number
  delay?: QueueDelay // Without it, only the number of items is bounded.
  onBatch?: (batch: BatchTimes) => void
  onError: (error: unknown) => void
}

// `waitedMs`: the oldest of its items.
export type BatchTimes = { items: number; waitedMs: number; tookMs: number }

type Entry<I, O> = {
  items: readonly I[]
  sinceMs: number
  settle: (results: BatchResult<O>[]) => void
}

export class Batcher<I, O, K = never> {
  readonly #options: Options<I, O, K>
  #queue: Entry<I, O>[] = []
  #queued = 0
  #inFlight = 0
  #itemsInFlight = 0
  #idle: (() => void)[] = []

  constructor(options: Options<I, O, K>) {
    this.#options = options
  }

  // The items of one call are written by the same batch, in their order.
  submitAll(items: readonly I[]): Promise<BatchResult<O>[]> {
    if (items.length === 0) return Promise.resolve([])
    const { queueMax } = this.#options
    const isTooMuch = this.#queued > 0 && this.#queued + items.length > queueMax
    if (isTooMuch || this.isOverloaded) throw new Refusal('busy')
    const sinceMs = this.#options.delay?.now() ?? 0
    return new Promise((settle) => {
      this.#queue.push({ items, sinceMs, settle })
      this.#queued += items.length
      // After this turn of the event loop, so that requests read from the network together
      // share a batch.
      if (this.#queue.length === 1) setImmediate(() => this.#fill())
    })
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
    const [oldest] = this.#queue
    if (!oldest || !delay) return false
    const isBlocked = this.#inFlight >= inFlightMax
    const items = this.#queued + this.#itemsInFlight
    return delay.refuses({ sinceMs: oldest.sinceMs, items, isBlocked })
  }

  get queued(): number {
    return this.#queued
  }

  // Resolves once everything submitted so far has been answered.
  async drain(): Promise<void> {
    while (this.#queue.length > 0 || this.#inFlight > 0) {
      await new Promise<void>((resolve) => this.#idle.push(resolve))
    }
  }

  #fill(): void {
    while (this.#inFlight < this.#options.inFlightMax) {
      const entries = this.#take()
      if (entries.length === 0) break
      this.#inFlight++
      void this.#write(entries).finally(() => {
        this.#inFlight--
        this.#fill()
      })
    }
    if (this.#inFlight === 0 && this.#queue.length === 0) {
      for (const resolve of this.#idle.splice(0)) resolve()
    }
  }

  // At least one entry, then as many as fit.
  #take(): Entry<I, O>[] {
    this.#dropAbandoned()
    if (this.#queue[0]) this.#options.delay?.taken(this.#queue[0].sinceMs)
    let count = 0
    let size = 0
    for (const entry of this.#queue) {
      if (count > 0 && size + entry.items.length > this.#options.itemsMax) break
      count++
      size += entry.items.length
    }
    this.#queued -= size
    return this.#queue.splice(0, count)
  }

  // Nobody waits for these any more: to write them would keep those behind waiting.
  #dropAbandoned(): void {
    const { delay } = this.#options
    for (let [oldest] = this.#queue; oldest; [oldest] = this.#queue) {
      if (!delay?.isAbandoned(oldest.sinceMs)) return
      this.#queue.shift()
      this.#queued -= oldest.items.length
      oldest.settle(oldest.items.map(() => ({ ok: false, error: new Refusal('busy') })))
    }
  }

  async #write(entries: readonly Entry<I, O>[]): Promise<void> {
    const items = entries.length === 1 && entries[0] ? entries[0].items : flatten(entries)
    this.#itemsInFlight += items.length
    const begunMs = performance.now()
    const results = await this.#settleSplit(items)
    this.#itemsInFlight -= items.length
    this.#options.delay?.served(items.length)
    this.#options.onBatch?.({
      items: items.length,
      waitedMs: begunMs - (entries[0]?.sinceMs ?? begunMs),
      tookMs: performance.now() - begunMs,
    })
    let offset = 0
    for (const entry of entries) {
      entry.settle(results.slice(offset, offset + entry.items.length))
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
