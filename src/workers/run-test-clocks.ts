// Moves test clocks, and runs what falls due as they move: always the work that is due first, at the
// time that it is due, until nothing is due by then (I78). The time is stored before anything runs at
// it, so whoever continues after a crash continues there; each kind of work is safe to repeat, as it is
// for the workers.
//
// One at a time for a client, by a lock that dies with its process. Before each move of the clock it is
// asked for: whoever has lost the lock moves nothing.

import { atClientTime } from '#client-time.ts'
import { type StillHeld, withHeldLock } from '#db/held-lock.ts'
import { isUnavailable } from '#db/transaction.ts'
import { findTestTime, moveClock, type TestClocks } from '#domain/records/test-clocks.ts'
import type { ClockMove, ClockMoves, MoveTo } from '#domain/sandbox/clock-moves.ts'
import type { ClientId } from '#ids.ts'
import type { Round } from './loop.ts'
import { type DueWork, dueWork, type TestClockDeps } from './test-clock-work.ts'

// Of one call. Whoever has more to run calls again.
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

  // What is due for these clients at the time they have: events of what they just did, above all.
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

  // Undefined: somebody else has it, and we do not wait.
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

  async #move(stillHeld: StillHeld, moving: Moving): Promise<ClockMove> {
    const { list, stop } = dueWork(this.#deps)
    try {
      return await this.#run(stillHeld, list, moving)
    } finally {
      await stop()
    }
  }

  async #run(
    stillHeld: StillHeld,
    list: readonly DueWork[],
    { clientId, to }: Moving,
  ): Promise<ClockMove> {
    const { clock, db, patience = 1 } = this.#deps
    const ran: ClockMove['ran'] = []
    const fruitless = new Map<string, number>() // When it was due and nothing could be done.
    const endMs = performance.now() + patience * MOVE_MAX_MS
    const begun = await findTestTime(db, clock(), clientId)
    if (!begun) return { now: clock(), isComplete: true, ran }
    let now: Date = begun
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

  // As in a worker's round: what fails is logged, and due again. What cannot be written now ends the
  // move, which goes on where it was when it is asked for again.
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

type Moving = { clientId: ClientId; to: Date }

type Looking = {
  clientId: ClientId
  now: Date
  to: Date
  fruitless: ReadonlyMap<string, number>
}

// The earliest; of several, the first of the list.
async function findNext(list: readonly DueWork[], { fruitless, ...asking }: Looking) {
  let next: { work: DueWork; at: Date } | undefined
  for (const work of list) {
    const at = await work.find(asking)
    if (!at || at > asking.to || fruitless.get(work.kind) === at.getTime()) continue
    const dueMs = Math.max(at.getTime(), asking.now.getTime())
    if (!next || dueMs < Math.max(next.at.getTime(), asking.now.getTime())) next = { work, at }
  }
  return next
}

function note(ran: ClockMove['ran'], step: ClockMove['ran'][number]): void {
  const last = ran.at(-1)
  if (last?.kind === step.kind && last.at.getTime() === step.at.getTime()) last.count += step.count
  else ran.push(step)
}
