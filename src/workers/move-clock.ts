// Moves the test clock of a sandbox and runs the work that falls due. Always runs the earliest work, at its
// due time, until no work is due before the target (I78). The time is stored before any work runs at that
// time, so that a move continues there after a crash. Like the work of the workers, all of it is safe to
// repeat.
//
// A database lock allows one move at a time, and ends if its process dies. A process checks the lock before
// each move of the clock, so a process that has lost it moves nothing.

import { setTimeout } from 'node:timers/promises'
import type { BankConnections } from '#banks/connector.ts'
import { closeExpired } from '#credits/close.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { isUnavailable, type StillHeld, withHeldLock, withTransaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { Notifier } from '#notifier.ts'
import { canEnquire, findNextEnquiryTime } from '#payouts/name-enquiries.ts'
import { type QueryDeps, queryPayouts } from '#payouts/query-workers.ts'
import { findSendingBanks } from '#payouts/send.ts'
import { STALE_MS } from '#payouts/unknown.ts'
import { enquireNames, findSendingConnections, sendPayoutsRound } from '#payouts/workers.ts'
import { countProcesses } from '#privacy/data-keys.ts'
import { planDeadlines } from '#requery/plan.ts'
import { canListTransfers } from '#requery/requery.ts'
import {
  findQueryableBanks,
  type PlanDeps,
  type RequeryDeps,
  requeryTransfersRound,
} from '#requery/workers.ts'
import {
  type ClockMove,
  type ClockMoves,
  FOLLOW_MS,
  type MoveTo,
  type TestClock,
} from '#sandbox/clock.ts'
import { type ReportDeps, reportSandboxTransfersRound } from '#sandbox/workers.ts'
import { readHolidays } from '#settlement/holidays.ts'
import { nextSlot } from '#settlement/schedule.ts'
import { listScheduled } from '#settlement/settings.ts'
import { type CloseSettlementsDeps, closeSettlementsRound } from '#settlement/workers.ts'
import { dispatchEvents, HAS_NEW_EVENTS } from '#webhooks/dispatch.ts'
import { Deliverer, type DelivererDeps } from '#webhooks/workers.ts'
import type { Round } from './loop.ts'

// The first due time after `after`; null or undefined if there is none.
type DueAt = Promise<Date | null | undefined>

type Query = { name: string; text: string; values: unknown[] }

// Runs a query that returns one due time.
async function readDueTime(db: Queryable, query: Query): DueAt {
  const { rows } = await db.query<{ at: Date | null }>(query)
  return rows[0]?.at
}

// Finds the next time at which an open payment closes.
function findNextClosing(db: Queryable, after: Date): DueAt {
  return readDueTime(db, {
    name: 'next-closing',
    text: `select min(closes_at) as at from payments
            where status in ('Processing', 'PartPayment') and closes_at > $1`,
    values: [after],
  })
}

// Finds the next time at which the sandbox bank reports a scheduled transfer.
function findNextReport(db: Queryable, after: Date): DueAt {
  return readDueTime(db, {
    name: 'next-report',
    text: `select min(due_at) as at from sandbox_reports
            where reported_at is null and due_at > $1`,
    values: [after],
  })
}

// Finds the time of the next slot in any client's settlement schedule.
async function findNextSettlement(db: Queryable, after: Date): DueAt {
  const holidays = await readHolidays(db)
  // The next slot of each client, without slots that are not later than `after`.
  const slots = (await listScheduled(db)).flatMap(({ schedule, handledTo }) => {
    const at = nextSlot(schedule, handledTo, holidays)?.at
    return at && at > after ? [at.getTime()] : []
  })
  return slots.length > 0 ? new Date(Math.min(...slots)) : null
}

// Finds the next time to query a payout: one that is unknown, or a settled one that the bank has reported
// about. A payout whose sender died becomes unknown first.
function findNextPayoutQuery(db: Queryable, after: Date): DueAt {
  return readDueTime(db, {
    name: 'next-payout-query',
    text: `select min(q.at) as at
             from payouts p left join payout_reviews r on r.payout_id = p.id
            cross join lateral (
              select case status when 'unknown' then p.next_query_at
                     when 'sending' then sending_at + interval '${STALE_MS + 1} ms'
                     else r.next_query_at end as at) as q
            where (status = 'unknown' or status = 'sending' and batch_id is null
                   or r.next_query_at is not null)
              and q.at > $1`,
    values: [after],
  })
}

// Finds the next time to send a payout: the current time if a payout can be sent now, unless this was tried
// without effect (`after` is now); otherwise the time of the next attempt.
async function findNextSending(
  db: Pool,
  bankCodes: readonly string[],
  { now, after }: { now: Date; after: Date },
): DueAt {
  if (after < now && (await findSendingBanks(db, bankCodes, now)).length > 0) return now
  return readDueTime(db, {
    name: 'next-payout-to-send-again',
    text: `select min(send_after) as at from payouts
            where status = 'queued' and send_after > $1`,
    values: [now],
  })
}

// Stores the requeries for open payments that expire, or whose grace period ends, by `to`. The caller then
// gets the earliest due time from findNextRequery(). Such a requery asks a bank for the transfers to an
// account number, so only banks that can list transfers get one.
async function planRequeries(
  { db, bankConnections, graceSeconds }: PlanDeps,
  { now, to }: { now: Date; to: Date },
): Promise<void> {
  const banks = [...bankConnections].flatMap(([code, connection]) =>
    canListTransfers(connection) ? [code] : [],
  )
  if (banks.length === 0) return
  await planDeadlines(db, now, { banks, graceSeconds, by: to })
}

// Finds the next time to ask one of the banks for transfers.
function findNextRequery(db: Queryable, bankCodes: readonly string[], after: Date): DueAt {
  return readDueTime(db, {
    name: 'next-requery',
    text: `select min(greatest(due_at, leased_until)) as at from requeries
            where state = 'open' and bank_code = any($1::text[])
              and greatest(due_at, leased_until) > $2`,
    values: [bankCodes, after],
  })
}

// Whether any event waits to be dispatched. Events are due at once.
async function hasNewEvents(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ waits: boolean }>({
    name: 'has-new-events',
    text: `select ${HAS_NEW_EVENTS} as waits`,
  })
  return rows[0]?.waits ?? false
}

// Finds the next time at which a webhook delivery is due. A paused destination is due after its pause.
function findNextDelivery(db: Queryable, after: Date): DueAt {
  return readDueTime(db, {
    name: 'next-delivery',
    text: `select min(greatest(due_at, paused_until)) as at from destinations
            where due_at is not null and disabled_at is null
              and greatest(due_at, paused_until) > $1`,
    values: [after],
  })
}

type TestClockDeps = CloseSettlementsDeps &
  QueryDeps &
  RequeryDeps &
  PlanDeps &
  ReportDeps &
  Omit<DelivererDeps, 'notifier'>

// `after` is the last due time at which there was nothing to do.
type DueQuery = { now: Date; to: Date; after: Date }

// `find` returns the next due time. `run` does the due work and returns the number of rounds or items.
type DueWork = {
  kind: string
  find: (query: DueQuery) => Promise<Date | null | undefined>
  run: () => Promise<number>
}

// Lists the kinds of work that fall due by the clock. They are those of the workers that pause while the test
// clock is set (run-workers.ts). At equal times the order of the list decides: changes, then their events,
// then deliveries.
function dueWork(clockDeps: TestClockDeps): { list: DueWork[]; stop: () => Promise<void> } {
  const deps = { ...clockDeps, bankConnections: withoutRates(clockDeps.bankConnections) }
  const { db, batchPool, webhookPool, sharedAccounts, clock, bankConnections } = deps
  const sending = findSendingConnections(bankConnections)
  const sendingCodes = sending.flatMap(({ bankCodes }) => bankCodes)
  const queryableBanks = findQueryableBanks(bankConnections)
  const queryableCodes = queryableBanks.map(({ bankCode }) => bankCode)
  // Makes the `run` of work that workers do in rounds.
  const round =
    (...rounds: Round[]) =>
    () =>
      runRounds(rounds)
  // Makes the `find` of work whose next due time depends only on the time of the last search.
  const findDue =
    (find: (db: Queryable, after: Date) => Promise<Date | null | undefined>) =>
    ({ after }: DueQuery) =>
      find(db, after)
  const { deliver, stop } = lazyDeliverer(deps)
  const list: DueWork[] = [
    {
      kind: 'report_transfers',
      find: findDue(findNextReport),
      run: round(reportSandboxTransfersRound(deps)),
    },
    {
      kind: 'expire_payments',
      find: findDue(findNextClosing),
      run: () =>
        withTransaction(batchPool, (tx) => closeExpired(tx, { sharedAccounts, now: clock() })),
    },
    {
      kind: 'enquire_names',
      find: async ({ after }) =>
        canEnquire(bankConnections) ? findNextEnquiryTime(db, after) : null,
      run: () => enquireNames(deps),
    },
    {
      kind: 'close_settlements',
      find: findDue(findNextSettlement),
      run: round(closeSettlementsRound(deps)),
    },
    {
      kind: 'send_payouts',
      find: (query) => findNextSending(batchPool, sendingCodes, query),
      run: round(...sending.map((banks) => sendPayoutsRound(deps, banks))),
    },
    {
      kind: 'query_payouts',
      find: findDue(findNextPayoutQuery),
      run: () => queryPayouts(deps),
    },
    {
      kind: 'requery_transfers',
      find: async (query) => {
        if (queryableCodes.length === 0) return null
        await planRequeries(deps, query)
        return findNextRequery(db, queryableCodes, query.after)
      },
      run: round(...queryableBanks.map((bank) => requeryTransfersRound(deps, bank))),
    },
    {
      kind: 'dispatch_events',
      find: async ({ now }) => ((await hasNewEvents(db)) ? now : null),
      run: async () =>
        (await withTransaction(webhookPool, (tx) => dispatchEvents(tx, clock()))).events,
    },
    { kind: 'deliver_webhooks', find: findDue(findNextDelivery), run: deliver },
  ]
  return { list, stop }
}

// Returns the connections to banks without their rate limits, for a move of the test clock. Many minutes of
// the test clock pass within a real second, so a rate limit would delay due work.
export function withoutRates(connections: BankConnections): BankConnections {
  return new Map(
    [...connections].map(([code, connection]) => {
      const limits = { ...connection.limits, ratePerSecond: Infinity }
      return [code, { ...connection, limits }]
    }),
  )
}

// The timeout of a delivery. It is short, because a receiver that hangs delays the clock of all users of the
// sandbox.
const ATTEMPT_MAX_MS = 3_000

// Returns a deliverer that is created at the first delivery, because most moves of the clock deliver
// nothing.
function lazyDeliverer(deps: TestClockDeps) {
  let deliverer: Deliverer | undefined
  const deliver = () => {
    deliverer ??= new Deliverer({
      ...deps,
      random: () => 0, // No jitter: attempts are made at exactly the published times.
      timeoutMs: ATTEMPT_MAX_MS,
      notifier: new Notifier(),
    })
    return deliverer.deliverNow()
  }
  return { deliver, stop: async () => deliverer?.stop() }
}

// Returns the number of rounds that did work, because a round reports only whether it did any.
async function runRounds(rounds: readonly Round[]): Promise<number> {
  const { signal } = new AbortController()
  let productiveRounds = 0
  for (const round of rounds) if ((await round(signal)).more) productiveRounds++
  return productiveRounds
}

// The limits of one call. If the move is incomplete, the caller calls again.
const STEPS_MAX = 2_000
const MOVE_MAX_MS = 20_000
// A caller tries for this long to get its turn, every TURN_MS. It holds no connection while it waits.
const TURN_MAX_MS = 10_000
const TURN_MS = 50
// Once FOLLOW_MS has passed, another process needs at most this long to read the new time.
const READING_MS = 100

// `patience` multiplies the time limits. Tests set it, because they share the processor.
type RunnerDeps = TestClockDeps & { testClock: TestClock; patience?: number | undefined }

const LOCK = `hashtext('test_clock'), 0`

// Moves the test clock for requests and, while the clock is set, runs the work that its requests cause.
export class TestClockRunner implements ClockMoves {
  readonly #deps: RunnerDeps

  constructor(deps: RunnerDeps) {
    this.#deps = deps
  }

  // Runs `work` with the only right to move the clock, and waits until other processes have read the new
  // time. Refuses if another move takes too long.
  async exclusively<T>(work: (move: MoveTo) => Promise<T>): Promise<T> {
    const { patience = 1 } = this.#deps
    const endMs = performance.now() + patience * TURN_MAX_MS
    while (performance.now() < endMs) {
      const turn = await this.#locked(async (move) => ({ result: await work(move) }))
      if (turn) {
        if (await this.#hasOthers()) await setTimeout(FOLLOW_MS + READING_MS)
        return turn.result
      }
      await setTimeout(TURN_MS)
    }
    throw new Refusal('clock_busy')
  }

  // Runs the work that is due at the current time of the test clock, mostly events of the latest requests.
  // While the clock is set, only this round runs that work (I77).
  readonly round: Round = async () => {
    if (this.#deps.testClock.frozenTime()) {
      // A target in the past leaves the clock where it is, and runs the work that is due now.
      await this.#locked((move) => move(new Date(0)))
    }
    return { more: false }
  }

  // Whether another process may still have the old time. A starting process registers before it reads the
  // clock, so a process that is not found here will read the new time.
  async #hasOthers(): Promise<boolean> {
    const { db, clock, realClock = clock } = this.#deps
    return (await countProcesses(db, realClock())) > 1
  }

  // Runs `work` under the lock of the test clock, after reading the clock. Returns undefined if another
  // caller, in any process, holds the lock.
  #locked<T>(work: (move: MoveTo) => Promise<T>): Promise<T | undefined> {
    const { db, testClock } = this.#deps
    return withHeldLock(db, { lock: LOCK }, async (stillHeld) => {
      await testClock.refresh(db)
      return work((to) => this.#move(stillHeld, to))
    })
  }

  // Moves the clock to `to`: prepares the kinds of due work, runs them, and stops their deliverer.
  async #move(stillHeld: StillHeld, to: Date): Promise<ClockMove> {
    const { list, stop } = dueWork(this.#deps)
    try {
      return await this.#run(stillHeld, list, to)
    } finally {
      await stop()
    }
  }

  // Repeats until nothing is due before `to`, or the limits of one call are reached: moves the clock to the
  // next due time, and runs the work. Work that did nothing is remembered, so that it is not found again at
  // the same time.
  async #run(stillHeld: StillHeld, list: readonly DueWork[], to: Date): Promise<ClockMove> {
    const { clock, db, testClock, patience = 1 } = this.#deps
    const stepsRun: ClockMove['ran'] = []
    const fruitless: Fruitless = new Map()
    const endMs = performance.now() + patience * MOVE_MAX_MS
    let now = clock()
    if (!testClock.frozenTime()) return { now, isComplete: true, ran: stepsRun }
    const until = to > now ? to : now
    for (let steps = 0; steps < STEPS_MAX && performance.now() < endMs; steps++) {
      const next = await findNext(list, { now, to: until, fruitless })
      const at = next && next.at > now ? next.at : now
      await stillHeld()
      await testClock.move(db, next ? at : until)
      if (!next) return { now: until, isComplete: true, ran: stepsRun }
      now = at
      const count = await this.#attempt(next.work)
      if (count === 0) fruitless.set(next.work.kind, next.at)
      else noteStep(stepsRun, { at: now, kind: next.work.kind, count })
    }
    return { now, isComplete: false, ran: stepsRun }
  }

  // Runs due work, and returns how much was done. If it fails, the failure is logged and the work stays due,
  // as in a worker's round. If the database is unavailable, the move ends; the next request continues it.
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

// For each kind of work, the last due time at which there was nothing to do. The search skips work up to that
// time.
type Fruitless = Map<string, Date>

type DueSearch = { now: Date; to: Date; fruitless: Fruitless }

// Returns the work that is due first, not later than `to`. If several kinds are due at the same time, the
// first in the list wins. Skips work up to the time at which it last turned out to have nothing to do
// (`fruitless`).
async function findNext(list: readonly DueWork[], { now, to, fruitless }: DueSearch) {
  let next: { work: DueWork; at: Date } | undefined
  for (const work of list) {
    const after = fruitless.get(work.kind) ?? new Date(0)
    const at = await work.find({ now, to, after })
    if (!at || at > to || at <= after) continue
    const dueMs = Math.max(at.getTime(), now.getTime())
    if (!next || dueMs < Math.max(next.at.getTime(), now.getTime())) next = { work, at }
  }
  return next
}

// Adds a step to the steps that ran, or its count to the last step if kind and time are the same.
function noteStep(stepsRun: ClockMove['ran'], step: ClockMove['ran'][number]): void {
  const last = stepsRun.at(-1)
  if (last?.kind === step.kind && last.at.getTime() === step.at.getTime()) last.count += step.count
  else stepsRun.push(step)
}
