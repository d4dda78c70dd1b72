// Group commit (Batcher) and its admission control (QueueDelay). Requests that arrive while a batch is being
// written join the next batch: one transaction, one fsync, for all of them. With no batch in flight, the next
// batch starts at once, so a lone request on an idle server does not wait. While another batch is in flight,
// the next one starts when it is large (`gathers`), or has waited twice as long as a batch takes: a small
// batch costs nearly as much as a large one, and would often only wait for locks of the batch in flight.
//
//   - The queue is bounded in items and in time: beyond `queueMax`, or if the wait is too long (`delay`), a
//     request is refused at once (`busy`), never lost.
//   - One bad item never fails its neighbours: if an item makes a batch fail, the batch runs again item by
//     item, and only the caller of the bad item gets the error.
//   - After a lost connection or with a full disk, all callers get `try_again` at once. A retry is safe.

import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { isUnavailable } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { currentSpan, type Span, withinShared, withoutSpan } from '#trace-context.ts'

export type BatchResult<O> = { ok: true; value: O } | { ok: false; error: unknown }
type Settle<O> = (results: BatchResult<O>[]) => void

// When a caller submitted its items (`sinceMs`), and the span of that call if the caller is traced.
type Submission = { sinceMs: number; span: Span | undefined }

// The items that a caller submitted together. The caller's callback runs in the async context in which the
// caller submitted them. Otherwise it would run in the context of whichever caller started the batch.
class Entry<I, O> extends AsyncResource {
  readonly items: readonly I[]
  readonly sinceMs: number
  readonly span: Span | undefined
  #settle: Settle<O> | undefined

  constructor(items: readonly I[], { sinceMs, span }: Submission, settle: Settle<O>) {
    super('BatchEntry')
    this.items = items
    this.sinceMs = sinceMs
    this.span = span
    this.#settle = settle
  }

  // Answers the caller once, and then drops its callback. Otherwise entries of written batches would keep
  // their callers in memory until a full garbage collection.
  settle(results: BatchResult<O>[]): void {
    const settle = this.#settle
    this.#settle = undefined
    if (settle) this.runInAsyncScope(settle, undefined, results)
  }
}

// The entries that wait to be written, in the order of arrival.
class BatchQueue<I, O> {
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

  // Removes and returns the entries of the next batch: the oldest, then as many as fit into `itemsMax`. The
  // oldest is included even if it alone has more items.
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

type TraceEntry = { items: readonly unknown[]; span: Span | undefined }

// Starts a traced caller's span, which lasts from its request to the commit of its batch.
function startWaitSpan(name: string | undefined, items: number): Span | undefined {
  if (name === undefined) return undefined
  return currentSpan()?.start(`batch ${name}`, { attributes: { 'manilla.items': items } })
}

// Runs the work of a batch within a span, if any caller is traced. The span of the writing is a child of the
// first traced caller's span; the spans of the other callers are linked with it.
//
// Without a traced caller, a batch runs outside any span: otherwise it would run in the span of the request
// that started the batch.
function traceBatch<T>(entries: readonly TraceEntry[], work: () => Promise<T>): Promise<T> {
  for (const { span } of entries) if (span) return runTraced(entries, span, work)
  return withoutSpan(work)
}

// Runs the work of a batch within a span for the writing, and ends the spans of all callers.
async function runTraced<T>(
  entries: readonly TraceEntry[],
  firstSpan: Span,
  work: () => Promise<T>,
): Promise<T> {
  const attributes = { 'manilla.items': countItems(entries) }
  const writing = firstSpan.start('write', { attributes })
  const spanOfItem = new Map<unknown, Span>()
  for (const { span, items } of entries) {
    if (!span) continue
    if (span !== firstSpan) span.link(writing)
    if (span !== firstSpan) writing.link(span)
    for (const item of items) spanOfItem.set(item, span)
  }
  try {
    return await withinShared(writing, spanOfItem, work)
  } finally {
    writing.end()
    for (const { span } of entries) span?.end()
  }
}

function countItems(entries: readonly TraceEntry[]): number {
  return entries.reduce((sum, { items }) => sum + items.length, 0)
}

type Options<I, O> = {
  name?: string // The name in traces. Without a name, there are none.
  // Writes all items in one transaction and answers them in the same order.
  run: (items: readonly I[]) => Promise<readonly O[]>
  itemsMax: number
  inFlightMax: number
  gathers?: number // The number of items that starts a batch while another one is in flight. Default: 0.
  queueMax: number
  delay?: QueueDelay // If undefined, only the number of items is bounded.
  onBatch?: (batch: BatchTimes) => void
  onError: (error: unknown) => void
}

// The measurements of one batch: its size, how long its oldest item waited, and how long writing it took.
export type BatchTimes = { items: number; waitedMs: number; tookMs: number }

const AVERAGED_BATCHES = 8 // The usual duration is a moving average over about this many batches.
const GATHERING_MAX_MS = 250 // The longest wait for more items while another batch is in flight.

export class Batcher<I, O> {
  readonly #options: Options<I, O>
  readonly #queue = new BatchQueue<I, O>()
  #inFlight = 0
  #itemsInFlight = 0
  #usualMs = 0 // The usual duration of a batch.
  #overdue: NodeJS.Timeout | undefined // Starts a batch that has waited too long for more items.
  #isOverdue = false
  #drainCallbacks: (() => void)[] = []

  constructor(options: Options<I, O>) {
    this.#options = options
  }

  // One batch writes all items of a call, in their order.
  submitAll(items: readonly I[]): Promise<BatchResult<O>[]> {
    const { promise, resolve } = Promise.withResolvers<BatchResult<O>[]>()
    this.enqueue(items, resolve)
    return promise
  }

  // Like submitAll, but with a callback, where a promise for each request would cost too much.
  enqueue(items: readonly I[], settle: Settle<O>): void {
    if (items.length === 0) return void settle([])
    const { queueMax, delay, name } = this.#options
    const queue = this.#queue
    // An empty queue accepts a call of any size: refusing it would refuse it for ever.
    const isTooMuch = queue.items > 0 && queue.items + items.length > queueMax
    if (isTooMuch || this.isOverloaded) throw new Refusal('busy')
    const isFirst = queue.isEmpty
    const wasLargeEnough = this.#isLargeEnough
    const span = startWaitSpan(name, items.length)
    queue.push(new Entry(items, { sinceMs: delay?.now() ?? 0, span }, settle))
    // Only the first item, and the one that makes the queue large enough, schedule a start of batches. It
    // runs after this turn of the event loop, so that a batch includes all requests that were read from the
    // network in this turn.
    if (isFirst || (this.#isLargeEnough && !wasLargeEnough))
      setImmediate(() => this.#startBatches())
  }

  // Submits one item. Throws its error, or its result if that is a refusal.
  async submit(item: I): Promise<Exclude<O, Refusal>> {
    const [result] = await this.submitAll([item])
    assert(result)
    if (!result.ok) throw result.error
    if (result.value instanceof Refusal) throw result.value
    return result.value as Exclude<O, Refusal>
  }

  // Whether a request that arrives now would wait too long.
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
      await new Promise<void>((resolve) => this.#drainCallbacks.push(resolve))
    }
  }

  // Whether enough items wait to start a batch while another one is in flight.
  get #isLargeEnough(): boolean {
    return this.#queue.items >= (this.#options.gathers ?? 0)
  }

  // Starts as many batches as may be in flight. Runs after a request has arrived and after a batch has ended.
  #startBatches(): void {
    this.#dropAbandoned()
    while (this.#inFlight < this.#options.inFlightMax && this.#hasBatchReady()) {
      const entries = this.#queue.take(this.#options.itemsMax)
      this.#options.delay?.recordDequeue((entries[0] as Entry<I, O>).sinceMs)
      this.#inFlight++
      void this.#write(entries).finally(() => {
        this.#inFlight--
        this.#startBatches()
      })
    }
    if (this.#inFlight === 0 && this.#queue.isEmpty) {
      for (const resolve of this.#drainCallbacks.splice(0)) resolve()
    }
  }

  // Whether to start a batch now. If not, sets a timer that starts one later.
  #hasBatchReady(): boolean {
    if (this.#queue.isEmpty) return false
    if (this.#inFlight === 0 || this.#isLargeEnough || this.#isOverdue) return true
    // The batch in flight may be stuck, for example at a lock: the waiting items must not wait for it long.
    this.#overdue ??= setTimeout(
      () => {
        this.#isOverdue = true
        this.#startBatches()
      },
      Math.min(2 * this.#usualMs, GATHERING_MAX_MS),
    )
    return false
  }

  // Refuses items that have waited so long that their callers have probably given up: writing them would
  // delay the items behind them.
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

  // If one caller's callback throws, the others still get their results.
  #answer(entry: Entry<I, O>, results: BatchResult<O>[]): void {
    try {
      entry.settle(results)
    } catch (error) {
      this.#options.onError(error)
    }
  }

  // Writes one batch, measures it, and gives each caller the results of its items.
  async #write(entries: readonly Entry<I, O>[]): Promise<void> {
    const items = entries.length === 1 && entries[0] ? entries[0].items : flatten(entries)
    this.#itemsInFlight += items.length
    clearTimeout(this.#overdue)
    this.#overdue = undefined
    this.#isOverdue = false
    const begunMs = performance.now()
    const results = await traceBatch(entries, () => this.#runItems(items))
    this.#itemsInFlight -= items.length
    this.#options.delay?.countWritten(items.length)
    const tookMs = performance.now() - begunMs
    this.#usualMs += (tookMs - this.#usualMs) / AVERAGED_BATCHES
    const waitedMs = begunMs - (entries[0]?.sinceMs ?? begunMs)
    this.#options.onBatch?.({ items: items.length, waitedMs, tookMs })
    let offset = 0
    for (const entry of entries) {
      this.#answer(entry, results.slice(offset, offset + entry.items.length))
      offset += entry.items.length
    }
  }

  // Runs the items in one transaction. If it fails, runs them one by one, to find the item that failed. If
  // the database is unavailable, refuses all of them, because more attempts would fail too.
  async #runItems(items: readonly I[]): Promise<BatchResult<O>[]> {
    try {
      const values = await this.#options.run(items)
      assert.equal(values.length, items.length, 'a batch answers each of its items')
      return values.map((value) => ({ ok: true, value }))
    } catch (error) {
      if (error instanceof Refusal && items.length === 1) return [{ ok: false, error }]
      this.#options.onError(error)
      if (isUnavailable(error)) {
        return items.map(() => ({ ok: false, error: new Refusal('try_again') }))
      }
      if (items.length === 1) return [{ ok: false, error }]
      return this.#runOneByOne(items)
    }
  }

  // Runs each item in a transaction of its own, after the whole batch has failed.
  async #runOneByOne(items: readonly I[]): Promise<BatchResult<O>[]> {
    const results: BatchResult<O>[] = []
    for (const item of items) results.push(...(await this.#runItems([item])))
    return results
  }
}

function flatten<I, O>(entries: readonly Entry<I, O>[]): I[] {
  const items: I[] = []
  for (const entry of entries) items.push(...entry.items)
  return items
}

const TARGET_MS = 100
const INTERVAL_MS = 100
const BACKLOG_MS = 500
const BACKLOG_MIN = 250
const BACKLOG_FIRST = 4_000 // The limit until the service has measured how many items it writes.
const STALLED_MS = 3_000
// After this time, an item is refused instead of written. Less than RESPONSE_MAX_MS (src/http/requests.ts),
// which does not apply to routes that queue their work.
const ABANDONED_MS = 10_000

// Admission control by queueing delay (CoDel, RFC 8289): the queue accepts a burst and works it off, but a
// standing queue may not grow. Accepted requests are served soon; others are refused at once, before any work
// is done.
//
//   normal ──(the oldest item waited longer than TARGET_MS, for INTERVAL_MS)──▶ shedding
//   shedding ──(an item waited less)──▶ normal
//
// While shedding, the queue admits as many items as were written in the last BACKLOG_MS, so that it writes
// them in about that time, on a fast machine and on a slow one. It never admits so few that batches become
// small. A queue that does not move at all, because the database does not respond, refuses requests after
// STALLED_MS.
export class QueueDelay {
  readonly #nowMs: () => number
  #aboveSinceMs: number | undefined
  #isShedding = false
  #backlogMax = BACKLOG_FIRST
  #countedFromMs = 0
  #counted = 0

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  now(): number {
    return this.#nowMs()
  }

  // Called when the queue's oldest item, which arrived at `sinceMs`, is taken out for writing.
  recordDequeue(sinceMs: number): void {
    const nowMs = this.#nowMs()
    if (nowMs - sinceMs < TARGET_MS) {
      this.#aboveSinceMs = undefined
      this.#isShedding = false
      return
    }
    this.#aboveSinceMs ??= nowMs
    if (this.#isShedding || nowMs - this.#aboveSinceMs < INTERVAL_MS) return
    this.#isShedding = true
    this.#backlogMax = BACKLOG_FIRST
    this.#countedFromMs = nowMs
    this.#counted = 0
  }

  // Counts written items. Every BACKLOG_MS, sets the largest backlog to the number written in that time.
  countWritten(items: number): void {
    const passedMs = this.#nowMs() - this.#countedFromMs
    this.#counted += items
    if (passedMs < BACKLOG_MS) return
    this.#backlogMax = Math.max((this.#counted * BACKLOG_MS) / passedMs, BACKLOG_MIN)
    this.#countedFromMs += passedMs
    this.#counted = 0
  }

  // Whether to refuse a new request. `items` is the number of items that were admitted and are not written
  // yet. The oldest item in the queue arrived at `sinceMs`. `isBlocked` means that no item can leave the
  // queue before a batch in flight has ended.
  refuses(queue: { sinceMs: number; items: number; isBlocked: boolean }): boolean {
    const waitedMs = this.#nowMs() - queue.sinceMs
    if (queue.isBlocked && waitedMs >= STALLED_MS) return true
    return this.#isShedding && queue.items >= this.#backlogMax
  }

  // Whether an item that arrived at `sinceMs` has waited so long that its caller has probably given up.
  isAbandoned(sinceMs: number): boolean {
    return this.#nowMs() - sinceMs >= ABANDONED_MS
  }
}
