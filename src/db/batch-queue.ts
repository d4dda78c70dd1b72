// What waits to be written (batcher.ts), in the order it came, and how much of it is of each lane. Items
// of different lanes never wait for the same rows, so their batches may be written side by side.

import { AsyncResource } from 'node:async_hooks'
import type { Span } from '#trace-context.ts'

export type BatchResult<O> = { ok: true; value: O } | { ok: false; error: unknown }
export type Settle<O> = (results: BatchResult<O>[]) => void

export const LANES = 2
export const ALL_LANES = -1
export type Lane = number

// The same in every process, so that two of them keep out of each other's way too.
export function laneOf(key: string): Lane {
  let hash = 0x811c9dc5 // FNV-1a.
  for (let at = 0; at < key.length; at++) {
    hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193)
  }
  return ((hash >>> 16) ^ hash) & (LANES - 1)
}

// `span`: of a caller that is traced.
type About = { lane: Lane; sinceMs: number; span: Span | undefined }

// Answers in the async context that it was submitted in: what is answered together would otherwise
// run in that of the batch, which is another caller's.
export class Entry<I, O> extends AsyncResource {
  readonly items: readonly I[]
  readonly lane: Lane
  readonly sinceMs: number
  readonly span: Span | undefined
  readonly #settle: Settle<O>

  constructor(items: readonly I[], about: About, settle: Settle<O>) {
    super('BatchEntry')
    this.items = items
    this.lane = about.lane
    this.sinceMs = about.sinceMs
    this.span = about.span
    this.#settle = settle
  }

  settle(results: BatchResult<O>[]): void {
    this.runInAsyncScope(this.#settle, undefined, results)
  }
}

export class BatchQueue<I, O> {
  #entries: Entry<I, O>[] = []
  #items = 0
  readonly #itemsOf = new Array<number>(LANES).fill(0)

  get items(): number {
    return this.#items
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  get oldest(): Entry<I, O> | undefined {
    return this.#entries[0]
  }

  itemsOf(lane: Lane): number {
    return lane === ALL_LANES ? this.#items : (this.#itemsOf[lane] as number)
  }

  // Of the oldest entry whose lane is not one of these.
  oldestLane(taken: readonly Lane[]): Lane | undefined {
    return this.#entries.find(({ lane }) => !taken.includes(lane))?.lane
  }

  push(entry: Entry<I, O>): void {
    this.#entries.push(entry)
    this.#count(entry, 1)
  }

  shift(): Entry<I, O> | undefined {
    const entry = this.#entries.shift()
    if (entry) this.#count(entry, -1)
    return entry
  }

  // The oldest of a lane, then as many as fit.
  take(lane: Lane, itemsMax: number): Entry<I, O>[] {
    const taken: Entry<I, O>[] = []
    const left: Entry<I, O>[] = []
    let size = 0
    let isFull = false
    for (const entry of this.#entries) {
      const isOfLane = lane === ALL_LANES || entry.lane === lane
      isFull ||= isOfLane && taken.length > 0 && size + entry.items.length > itemsMax
      if (!isOfLane || isFull) left.push(entry)
      else {
        taken.push(entry)
        size += entry.items.length
        this.#count(entry, -1)
      }
    }
    this.#entries = left
    return taken
  }

  #count({ lane, items }: Entry<I, O>, sign: 1 | -1): void {
    this.#items += sign * items.length
    this.#itemsOf[lane] = (this.#itemsOf[lane] as number) + sign * items.length
  }
}
