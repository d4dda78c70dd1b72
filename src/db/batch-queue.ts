// What waits to be written (batcher.ts), in the order it came.

import { AsyncResource } from 'node:async_hooks'
import type { Span } from '#trace-context.ts'

export type BatchResult<O> = { ok: true; value: O } | { ok: false; error: unknown }
export type Settle<O> = (results: BatchResult<O>[]) => void

// `span`: of a caller that is traced.
type About = { sinceMs: number; span: Span | undefined }

// Answers in the async context that it was submitted in: what is answered together would otherwise
// run in that of the batch, which is another caller's.
export class Entry<I, O> extends AsyncResource {
  readonly items: readonly I[]
  readonly sinceMs: number
  readonly span: Span | undefined
  #settle: Settle<O> | undefined

  constructor(items: readonly I[], about: About, settle: Settle<O>) {
    super('BatchEntry')
    this.items = items
    this.sinceMs = about.sinceMs
    this.span = about.span
    this.#settle = settle
  }

  // Once. It then lets go of the caller: what remains of a batch would keep it until a full collection.
  settle(results: BatchResult<O>[]): void {
    const settle = this.#settle
    this.#settle = undefined
    if (settle) this.runInAsyncScope(settle, undefined, results)
  }
}

export class BatchQueue<I, O> {
  readonly #entries: Entry<I, O>[] = []
  #items = 0

  get items(): number {
    return this.#items
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0
  }

  get oldest(): Entry<I, O> | undefined {
    return this.#entries[0]
  }

  push(entry: Entry<I, O>): void {
    this.#entries.push(entry)
    this.#items += entry.items.length
  }

  shift(): void {
    this.#items -= this.#entries.shift()?.items.length ?? 0
  }

  // The oldest, then as many as fit.
  take(itemsMax: number): Entry<I, O>[] {
    let count = 0
    let size = 0
    for (const entry of this.#entries) {
      if (count > 0 && size + entry.items.length > itemsMax) break
      count++
      size += entry.items.length
    }
    this.#items -= size
    return this.#entries.splice(0, count)
  }
}
