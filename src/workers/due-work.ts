// Finds the workers that have work to do, with one statement for all of them. An idle service asks that
// statement once a second; while workers find work, four times a second.
//
//   `due` of every worker ─▶ one statement ─▶ run the workers that are due
//   a write of this process ─▶ call() ─▶ the same statement, at once
//
// A `due` may be true without need, and may stay true: the money that a hold lacks may never arrive. So a
// condition that still holds is no reason to look sooner; only a new one is, or a worker that found work.
// Nothing depends on `due` alone: every worker also runs each minute, and when the clock was set back (I160).

import type { Clock } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import { Notifier } from '#notifier.ts'
import type { Worker } from './loop.ts'

const BUSY_MS = 250
const IDLE_MS = 1_000
const ANYWAY_MS = 60_000
const SET_BACK_MIN_MS = 1_000

type Deps = { db: Queryable; clock: Clock; realClock: Clock }
type WatchedWorker = Worker & { due: string; notifier: Notifier; calledMs: number }

export class DueWork {
  readonly #deps: Deps
  readonly #notifier = new Notifier()
  #workers: WatchedWorker[] = []
  #timer: NodeJS.Timeout | undefined
  #lookedMs = Number.NEGATIVE_INFINITY
  #lastDue = new Set<string>()
  #lastNow = 0

  constructor(deps: Deps) {
    this.#deps = deps
  }

  // Looks at once, but at most four times a second.
  call(): void {
    const waitMs = this.#lookedMs + BUSY_MS - performance.now()
    if (waitMs <= 0) this.#notifier.call()
    else {
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined
        this.#notifier.call()
      }, waitMs).unref()
    }
  }

  // Returns the workers for the loop: those with `due` run when they are due, at most once per pause.
  watch(workers: readonly Worker[]): Worker[] {
    const watched = workers.map((worker) => {
      const { due, notifier = new Notifier() } = worker
      return due === undefined ? worker : { ...worker, due, notifier, calledMs: performance.now() }
    })
    this.#workers = watched.filter((worker): worker is WatchedWorker => 'calledMs' in worker)
    const forLoop = watched.map((worker) => ({
      ...worker,
      pauseMs: 'calledMs' in worker ? ANYWAY_MS : worker.pauseMs,
      round: async (signal: AbortSignal) => {
        const result = await worker.round(signal)
        if (result.more) this.call() // The work of one worker often makes work for another.
        return result
      },
    }))
    const find = { name: 'find-due-work', pauseMs: IDLE_MS, notifier: this.#notifier }
    return [...forLoop, { ...find, round: () => this.#look() }]
  }

  async #look() {
    this.#lookedMs = performance.now()
    const due = await this.findDue()
    const calledMs = performance.now()
    for (const worker of this.#workers) {
      if (!due.has(worker.due) || calledMs - worker.calledMs < worker.pauseMs - BUSY_MS / 2)
        continue
      worker.calledMs = calledMs
      worker.notifier.call()
    }
    const isNew = due.difference(this.#lastDue).size > 0
    this.#lastDue = due
    if (isNew) this.call()
    return { more: false }
  }

  // Returns the `due` conditions that hold now, as their SQL. Returns all of them if the clock was set back.
  async findDue(): Promise<Set<string>> {
    const conditions = [...new Set(this.#workers.map(({ due }) => due))]
    const [now, realNow] = [this.#deps.clock(), this.#deps.realClock()]
    const isSetBack = now.getTime() < this.#lastNow - SET_BACK_MIN_MS
    this.#lastNow = now.getTime()
    if (isSetBack || conditions.length === 0) return new Set(conditions)
    const list = conditions.map((condition, index) => `(${index}, ${condition})`)
    const text = `
      select work.index
        from (values ($1::timestamptz, $2::timestamptz)) as clock (now, real_now)
       cross join lateral (values ${list.join(', ')}) as work (index, is_due)
       where work.is_due`
    const { rows } = await this.#deps.db.query<{ index: number }>(namedByText(text, [now, realNow]))
    return new Set(rows.map(({ index }) => conditions[index] as string))
  }
}
