// Admission control by queueing delay (CoDel, RFC 8289): a burst is accepted and worked off; a
// standing queue may not grow. Accepted requests are served soon; others are refused at once,
// before any work is done.
//
//   normal ──(the oldest waited longer than TARGET_MS, for INTERVAL_MS)──▶ shedding
//   shedding ──(one waited less)──▶ normal
//
// While shedding, as much is admitted as was served in the last BACKLOG_MS, so it is served in
// about that time, on a fast machine and on a slow one; and never so little that batches become
// small. A queue that does not move at all, because the database does not respond, refuses after
// some seconds.

const TARGET_MS = 100
const INTERVAL_MS = 100
const BACKLOG_MS = 500
const BACKLOG_MIN = 250
const BACKLOG_FIRST = 4_000 // Until it is known what can be served.
const STALLED_MS = 3_000
// By then its request was answered (src/http/response-deadline.ts): nobody waits for it.
const ABANDONED_MS = 10_000

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

  // The oldest of the queue, which came then, is taken out to be worked on.
  taken(sinceMs: number): void {
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

  // So many are done.
  served(items: number): void {
    const passedMs = this.#nowMs() - this.#countedFromMs
    this.#counted += items
    if (passedMs < BACKLOG_MS) return
    this.#backlogMax = Math.max((this.#counted * BACKLOG_MS) / passedMs, BACKLOG_MIN)
    this.#countedFromMs += passedMs
    this.#counted = 0
  }

  // A newcomer, while so many are let in and not done, of which the oldest in the queue has been there
  // since then; blocked when nothing can be taken out before something that is worked on is done.
  refuses(queue: { sinceMs: number; items: number; isBlocked: boolean }): boolean {
    const waitedMs = this.#nowMs() - queue.sinceMs
    if (queue.isBlocked && waitedMs >= STALLED_MS) return true
    return this.#isShedding && queue.items >= this.#backlogMax
  }

  isAbandoned(sinceMs: number): boolean {
    return this.#nowMs() - sinceMs >= ABANDONED_MS
  }
}
