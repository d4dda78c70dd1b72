// Whether a queue takes more work, by how long its work has to wait (CoDel, RFC 8289): a burst is
// taken and worked off; a queue that stands is not allowed to grow. So whoever is let in is
// answered soon, and whoever is not hears it at once, before any work was done for it.
//
//   normal ──(the oldest waited longer than TARGET_MS, for INTERVAL_MS)──▶ shedding
//   shedding ──(one waited less)──▶ normal
//
// While shedding, newcomers are refused as long as the oldest of the queue has waited too long; so
// there is always work at hand. A queue that one batch empties is no queue that stands. One that does
// not move at all, because the database does not answer, refuses after some seconds.

const TARGET_MS = 100
const INTERVAL_MS = 100
const ONE_BATCH = 1_000
const STALLED_MS = 3_000
// By then its request was answered (src/http/response-deadline.ts): nobody waits for it.
const ABANDONED_MS = 10_000

export class QueueDelay {
  readonly #nowMs: () => number
  #aboveSinceMs: number | undefined
  #isShedding = false

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
    this.#isShedding = nowMs - this.#aboveSinceMs >= INTERVAL_MS
  }

  // A newcomer, while the oldest of so many has been there since then; blocked when nothing can be
  // taken out before something that is being worked on is done.
  refuses(queue: { sinceMs: number; items: number; isBlocked: boolean }): boolean {
    const waitedMs = this.#nowMs() - queue.sinceMs
    if (queue.isBlocked && waitedMs >= STALLED_MS) return true
    return this.#isShedding && queue.items >= ONE_BATCH && waitedMs >= TARGET_MS
  }

  isAbandoned(sinceMs: number): boolean {
    return this.#nowMs() - sinceMs >= ABANDONED_MS
  }
}
