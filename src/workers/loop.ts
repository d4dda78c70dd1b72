// The loop of background workers: runs rounds without a pause while there is more work, otherwise after a
// pause that a notifier can cut short. Shutdown never interrupts a round; long rounds watch the signal and
// end themselves. Also finds the workers that have work (DueWork), and maintains partitions.

import type { Clock } from '#clock.ts'
import { maintainPartitions } from '#db/migrate.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { namedByText } from '#db/sql.ts'
import { withTransaction } from '#db/transaction.ts'
import type { Logger } from '#log.ts'
import { Notifier } from '#notifier.ts'
import { type Tracer, within } from '#trace-context.ts'

export type Deps = { db: Pool; clock: Clock; log: Logger }

// One round of a worker. `more` asks for another round at once.
export type Round = (signal: AbortSignal) => Promise<{ more: boolean }>

// `stop` finishes work that a round started without waiting for it.
export type Worker = {
  name: string
  pauseMs: number
  // The worker runs only while this SQL condition holds (DueWork). The condition may use clock.now and
  // clock.real_now.
  due?: string
  round: Round
  isDone?: boolean // The start did the first round's work, so the loop begins with a pause.
  notifier?: Notifier
  stop?: () => Promise<void>
}

type LoopOptions = {
  signal: AbortSignal
  onError: (error: unknown, worker: string) => void
  onRound?: ((worker: string, tookMs: number) => void) | undefined
  tracer?: Tracer | undefined
}

// Most rounds find no work, several times a second. So only rounds that report more work, fail, write events,
// or take at least this long are traced.
const LONG_ROUND_MS = 100

const TABLE_WAIT_MAX = '500ms' // The longest that maintaining partitions delays writers.
const LOCK_NOT_AVAILABLE = '55P03'

// Runs a worker's rounds until the signal is aborted: the next round begins at once if there is more work,
// else after a pause, which the notifier can end early. A failed round is reported and followed by a pause.
// Resolves once all work that was started has finished.
export async function runWorker(
  { name, pauseMs, round, isDone = false, notifier = new Notifier(), stop }: Worker,
  { signal, onError, onRound, tracer }: LoopOptions,
): Promise<void> {
  if (isDone) await notifier.wait(pauseMs, signal)
  while (!signal.aborted) {
    const begunMs = performance.now()
    const span = tracer?.start(`worker ${name}`, { isHeld: true })
    let failure: unknown
    const more = await within(span, () => round(signal)).then(
      (result) => result.more,
      (error) => {
        failure = error
        within(span, () => onError(error, name))
        return false
      },
    )
    const tookMs = performance.now() - begunMs
    if (more || failure || tookMs >= LONG_ROUND_MS) span?.keep()
    span?.end(failure)
    onRound?.(name, tookMs)
    if (!more) await notifier.wait(pauseMs, signal)
  }
  await stop?.().catch((error) => onError(error, name))
}

// Returns a function that runs one round at once, outside the workers' loop. A failure is only logged: the
// workers retry.
export function runNow(round: Round, log: Logger, maxMs?: number): () => Promise<void> {
  return async () => {
    const signal = maxMs ? AbortSignal.timeout(maxMs) : new AbortController().signal
    await round(signal).catch((error) => log.error({ err: error }, 'worker round failed'))
  }
}

// Creates partitions ahead of time and drops old ones.
//
// DDL needs an exclusive lock, and writers queue behind it. So maintenance gives up quickly behind a slow
// reader, such as the integrity check, and retries later: partitions are created weeks ahead.
export function maintainPartitionsRound({ db, clock, log }: Deps) {
  return async () => {
    try {
      const changes = await withTransaction(db, async (tx) => {
        // Waits without a limit for another process that maintains partitions, because this wait blocks no
        // writer.
        await tx.query(`select pg_advisory_xact_lock(hashtext('maintain_partitions'))`)
        await tx.query(`set local lock_timeout = '${TABLE_WAIT_MAX}'`)
        return maintainPartitions(tx, clock())
      })
      if (changes.length > 0) log.info({ did: changes }, 'partitions maintained')
    } catch (error) {
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error
      log.info('partition maintenance postponed: table locked')
    }
    return { more: false }
  }
}

// DueWork runs its statement at most once per BUSY_MS while workers find work, and once per IDLE_MS while
// the service is idle.
const BUSY_MS = 250
const IDLE_MS = 1_000
const ANYWAY_MS = 60_000 // Every worker runs at least this often.
const SET_BACK_MIN_MS = 1_000

type WatchDeps = { db: Queryable; clock: Clock; realClock: Clock }
type WatchedWorker = Worker & { due: string; notifier: Notifier; calledMs: number }

// Finds the workers that have work to do, with one statement for all of them. That statement runs once a
// second while the service is idle, and four times a second while workers find work.
//
//   `due` of every worker ─▶ one statement ─▶ run the workers that are due
//   a write of this process ─▶ call() ─▶ the same statement, at once
//
// A `due` condition can be true although there is no work, and can stay true: HAS_LACKING_HOLDS is true while
// a hold lacks money, which may never arrive. So a condition that stays true does not make the statement run
// sooner, but one that has just become true does, and so does a worker that found work.
//
// Nothing depends on `due` alone: every worker also runs once a minute, and after the clock was set back,
// even if its condition misses the work (invariant I160 in docs/invariants.md).
export class DueWork {
  readonly #deps: WatchDeps
  readonly #notifier = new Notifier()
  #workers: WatchedWorker[] = []
  #timer: NodeJS.Timeout | undefined
  #lookedMs = Number.NEGATIVE_INFINITY
  #lastDue = new Set<string>()
  #lastNow = 0

  constructor(deps: WatchDeps) {
    this.#deps = deps
  }

  // Runs the statement at once, but at most four times a second.
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

  // Prepares workers for the loop: those with `due` then run when they are due, at most once per pause. Adds
  // the worker that runs the statement. Called once, at the start of a process.
  prepareWorkers(workers: readonly Worker[]): Worker[] {
    // Workers with `due` get a notifier, with which the statement wakes them.
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
    return [...forLoop, { ...find, round: () => this.#wakeDueWorkers() }]
  }

  // Runs the statement, and wakes the workers whose condition holds and whose pause is over, give or take
  // half of BUSY_MS.
  async #wakeDueWorkers() {
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
