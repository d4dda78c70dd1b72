// Moves test clocks and runs the work that falls due: always the earliest work, at its due time,
// until nothing is due before the target (I78). The time is stored before anything runs at it, so
// that a move continues there after a crash. All work is safe to repeat, as for the workers.
//
// A lock that dies with its process allows one move at a time per client. The lock is checked
// before each move of the clock, so that a process that lost it moves nothing.

import { atClientTime } from '#client-time.ts'
import { type StillHeld, withHeldLock } from '#db/held-lock.ts'
import { isUnavailable } from '#db/transaction.ts'
import { findTestTime, moveClock, type TestClocks } from '#domain/records/test-clocks.ts'
import type { ClockMove, ClockMoves, MoveTo } from '#domain/sandbox/clock-moves.ts'
import type { ClientId } from '#ids.ts'
import type { Round } from './loop.ts'
import { type DueWork, dueWork, type TestClockDeps } from './test-clock-work.ts'

// Limits of one call. The caller repeats it if the move is incomplete.
const STEPS_MAX = 2_000
const MOVE_MAX_MS = 20_000
const AT_ONCE_MAX = 4

type RunnerDeps = TestClockDeps & { testClocks: TestClocks; patience?: number | undefined }

const LOCK = `hashtext('test_clock'), hashtext($1)`

export class TestClockRunner implements ClockMoves {
  readonly #deps: RunnerDeps

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  async exclusively<T>(clientId: ClientId, work: (move: MoveTo) => Promise<T>): Promise<T> {
    return (await this.#locked(clientId, { waits: true }, work)) as T
  }

  // Runs work that is due at the clients' current times, mostly events of their latest requests.
  readonly round: Round = async (signal) => {
    const waiting = [...this.#deps.testClocks.ids]
    const runNext = async () => {
      for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift()) {
        await this.#locked(id, { waits: false }, (move) => move(new Date(0)))
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE_MAX }, runNext))
    return { more: false }
  }

  // Undefined if another process holds the lock and `waits` is false.
  #locked<T>(
    clientId: ClientId,
    { waits }: { waits: boolean },
    work: (move: MoveTo) => Promise<T>,
  ): Promise<T | undefined> {
    const lock = { lock: LOCK, values: [clientId.toString()], waits }
    return withHeldLock(this.#deps.db, lock, (stillHeld) =>
      work((to) => this.#move(stillHeld, { clientId, to })),
    )
  }

  async #move(stillHeld: StillHeld, target: ClockTarget): Promise<ClockMove> {
    const { list, stop } = dueWork(this.#deps)
    try {
      return await this.#run(stillHeld, list, target)
    } finally {
      await stop()
    }
  }

  async #run(
    stillHeld: StillHeld,
    list: readonly DueWork[],
    { clientId, to }: ClockTarget,
  ): Promise<ClockMove> {
    const { clock, db, patience = 1 } = this.#deps
    const ran: ClockMove['ran'] = []
    const fruitless = new Map<string, number>() // Due times at which nothing could be done.
    const endMs = performance.now() + patience * MOVE_MAX_MS
    const startTime = await findTestTime(db, clock(), clientId)
    if (!startTime) return { now: clock(), isComplete: true, ran }
    let now: Date = startTime
    const until = to > now ? to : now
    for (let steps = 0; steps < STEPS_MAX && performance.now() < endMs; steps++) {
      const next = await findNext(list, { clientId, now, to: until, fruitless })
      const at = next && next.at > now ? next.at : now
      await stillHeld()
      await moveClock(db, { clientId, to: next ? at : until })
      if (!next) return { now: until, isComplete: true, ran }
      now = at
      const count = await atClientTime({ clientId, now }, () => this.#attempt(next.work))
      if (count === 0) fruitless.set(next.work.kind, next.at.getTime())
      else note(ran, { at: now, kind: next.work.kind, count })
    }
    return { now, isComplete: false, ran }
  }

  // Like a worker's round: failures are logged and stay due. An unavailable database ends the move,
  // which continues when it is requested again.
  async #attempt({ kind, run }: DueWork): Promise<number> {
    try {
      return await run()
    } catch (error) {
      if (isUnavailable(error)) throw error
      this.#deps.log.error({ err: error, worker: kind }, 'round of a test clock failed')
      return 0
    }
  }
}

type ClockTarget = { clientId: ClientId; to: Date }

type DueSearch = {
  clientId: ClientId
  now: Date
  to: Date
  fruitless: ReadonlyMap<string, number>
}

// The earliest work; of several, the first in the list.
async function findNext(list: readonly DueWork[], { fruitless, ...query }: DueSearch) {
  let next: { work: DueWork; at: Date } | undefined
  for (const work of list) {
    const at = await work.find(query)
    if (!at || at > query.to || fruitless.get(work.kind) === at.getTime()) continue
    const dueMs = Math.max(at.getTime(), query.now.getTime())
    if (!next || dueMs < Math.max(next.at.getTime(), query.now.getTime())) next = { work, at }
  }
  return next
}

function note(ran: ClockMove['ran'], step: ClockMove['ran'][number]): void {
  const last = ran.at(-1)
  if (last?.kind === step.kind && last.at.getTime() === step.at.getTime()) last.count += step.count
  else ran.push(step)
}
