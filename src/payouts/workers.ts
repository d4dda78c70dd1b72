// The workers of payouts, except the queries (query-workers.ts): send payouts and book the banks' answers,
// move payouts to other banks, settle reported payouts, repeat name enquiries, and alert operators. Each
// connection has its own sending worker, so that a slow bank delays no other.
//
//   claim: sending, committed ─▶ call the bank, no transaction open ─▶ settle; or make it unknown;
//                               or queue it again, if nothing can have reached the bank (I105)
//
// I47: a payout is not sent again after its claim, whatever crashes. A claimed payout without an outcome
// becomes unknown after a time limit that starts at the claim, and workers query the bank about it
// (query-workers.ts). So a process with a wrong clock claims nothing. A process that was frozen after its
// claim sends nothing, neither before it calls the bank nor between the requests of a call (login, query).

import { setTimeout } from 'node:timers/promises'
import { CALL_MS_MAX } from '#banks/bank-http.ts'
import type { BankCalls, BankConnections, CallLimits, PayoutAnswer } from '#banks/connector.ts'
import {
  businessDayBefore,
  type Clock,
  type Monotonic,
  systemClock,
  timestamp,
  watDay,
} from '#clock.ts'
import { isDue } from '#db/due.ts'
import type { ClockCheck } from '#db/health.ts'
import type { Pool } from '#db/pool.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Metrics } from '#observability/metrics.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { lockAndClaimCalls } from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import { readHolidays } from '#settlement/holidays.ts'
import type { Round } from '#workers/loop.ts'
import { recordNameAnswer } from './bank-accounts.ts'
import { listOpenFiles, type PayoutFile } from './files.ts'
import { BLOCKED, LAST_RELEASED_AT } from './holds.ts'
import { canEnquire, claimEnquiry, enquireName } from './name-enquiries.ts'
import {
  type ClaimedPayout,
  claimPayouts,
  findSendingBanks,
  IS_TO_BE_SENT,
  movePayouts,
  queueAgain,
  UNREACHABLE_ALERT_MS,
} from './send.ts'
import { findReported, type OutcomeHooks, settleAsReported } from './settle.ts'
import { alertWaiting, markUnknown, outcomeOf, SEND_WITHIN_MS } from './unknown.ts'

export type PayoutDeps = {
  batchPool: Pool
  sealer: Sealer
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  clock: Clock
  realClock?: Clock // Defaults to `clock`.
  monotonic: Monotonic
  isClockRight?: ClockCheck // Defaults to true.
  random?: () => number
}

// A connection and its banks. All of the sandbox's own banks share one connection.
export type SendingBanks = {
  bankCodes: readonly string[]
  sendMoney: NonNullable<BankCalls['sendMoney']>
  prepareOrders?: BankCalls['prepareOrders']
  limits: CallLimits
  fingerprint: string
}

// Groups the banks that a connector can send payouts to by their connection. The banks of one connection
// share its `sendMoney` function.
export function findSendingConnections(connections: BankConnections): SendingBanks[] {
  const sendable = [...connections].flatMap(([bankCode, { calls, limits, fingerprint }]) =>
    calls.sendMoney
      ? [{ ...calls, bankCode, sendMoney: calls.sendMoney, limits, fingerprint }]
      : [],
  )
  return [...Map.groupBy(sendable, ({ sendMoney }) => sendMoney)].map(([sendMoney, banks]) => {
    const { prepareOrders, limits, fingerprint } = banks[0] as (typeof banks)[number]
    const bankCodes = banks.map(({ bankCode }) => bankCode)
    return { bankCodes, sendMoney, prepareOrders, limits, fingerprint }
  })
}

// Sends the payouts of one connection's banks. Sends nothing while the clock of this process is wrong, or
// while the bank does not answer the call that prepares orders.
export function sendPayoutsRound(deps: PayoutDeps, banks: SendingBanks): Round {
  return async () => {
    const dueBanks = await findSendingBanks(deps.batchPool, banks.bankCodes, deps.clock())
    if (dueBanks.length === 0 || (await deps.isClockRight?.()) === false) return { more: false }
    if ((await banks.prepareOrders?.())?.status === 'no_answer') return { more: false }
    let count = 0
    for (const bankCode of dueBanks) count += await sendPayoutsOfBank(deps, { ...banks, bankCode })
    return { more: count > 0 } // A count of 0 means that the banks' rate limits leave no room now.
  }
}

// Claims as many payouts of a bank as may be sent at once, sends them, and records the answers. Returns how
// many it claimed.
async function sendPayoutsOfBank(
  deps: PayoutDeps,
  { bankCode, sendMoney, limits, fingerprint: sentOver }: SendingBanks & { bankCode: string },
): Promise<number> {
  const { batchPool, sealer, clock, realClock = clock, monotonic } = deps
  const by = `bank:${bankCode}`
  const now = clock()
  const claimingAt = realClock()
  const hasPassed = startTimer(monotonic)
  const claimed = await withTransaction(batchPool, (tx) =>
    lockAndClaimCalls(tx, realClock, {
      bankCode,
      kind: 'payouts',
      limits,
      claim: (limit) => claimPayouts(tx, { sealer, now }, { bankCode, limit, sentOver, by }),
    }),
  )
  // If the claim took too long, or the clock was set meanwhile, nothing is sent: the process may have been
  // frozen.
  const claimedMs = realClock().getTime() - claimingAt.getTime()
  const isLate = Math.abs(claimedMs) > SEND_WITHIN_MS || hasPassed(SEND_WITHIN_MS)
  const isTooLate = () => hasPassed(SEND_WITHIN_MS + CALL_MS_MAX)
  const takeTurn = () => awaitCallRate(deps, { bankCode, limits })
  // Sends all claimed payouts at once, and records each answer as it comes.
  const calls = claimed.map(async ({ id, ...instruction }: ClaimedPayout) => {
    const options = { isTooLate, takeTurn }
    const answer = isLate ? NOT_BEGUN : await sendMoney(instruction, options).catch(toNoAnswer)
    const { reference } = instruction
    await recordAnswer(deps, { id, reference, bankCode, by, answer, claimedAt: now })
  })
  const results = await Promise.allSettled(calls)
  const failure = results.find((result) => result.status === 'rejected')
  if (failure) throw failure.reason // Workers will query the bank about these payouts.
  return claimed.length
}

const TURN_MS = 100
const TURNS_MAX = 100

// Waits for room under the bank's rate limit. A call may take several requests, and each of them counts
// (I40). Returns false after a long wait without room; then the order is not sent.
async function awaitCallRate(
  { batchPool, clock, realClock = clock }: PayoutDeps,
  bank: { bankCode: string; limits: CallLimits },
): Promise<boolean> {
  for (let tried = 0; tried < TURNS_MAX; tried++) {
    // Reserves one call for the next request: each element that `claim` returns counts as one call against
    // the rate limit. Without room, `claim` is not run and the result is empty.
    const reservedCalls = await withTransaction(batchPool, (tx) =>
      lockAndClaimCalls(tx, realClock, { ...bank, kind: 'payouts', claim: async () => [true] }),
    )
    if (reservedCalls.length > 0) return true
    await setTimeout(TURN_MS)
  }
  return false
}

// Returns a function that says whether more than `ms` have passed since now. Measures by both clocks: the
// wall clock may be set back, and the monotonic clock stops while the machine sleeps.
function startTimer(monotonic: Monotonic): (ms: number) => boolean {
  const [wallMs, elapsedMs] = [systemClock().getTime(), monotonic()]
  return (ms) => systemClock().getTime() - wallMs > ms || monotonic() - elapsedMs > ms
}

// Other workers may already treat the payout as unknown and query it. If it were sent now, the bank's answers
// to their queries would become false.
const NOT_BEGUN: PayoutAnswer = {
  status: 'unknown',
  reason: 'It was claimed too long ago to send.',
}

// Treats a call that throws as a call without an answer.
function toNoAnswer(error: unknown): PayoutAnswer {
  return { status: 'unknown', reason: error instanceof Error ? error.name : 'Error' }
}

type AnsweredPayout = Pick<ClaimedPayout, 'id' | 'reference'> & {
  bankCode: string
  by: string
  answer: PayoutAnswer
  claimedAt: Date
}

// Records a bank's answer to an order: settles the payout, queues it again if certainly nothing was sent, or
// makes it unknown.
async function recordAnswer(deps: PayoutDeps, answered: AnsweredPayout): Promise<void> {
  const { batchPool, sharedAccounts, payoutHooks: hooks, clock, random = Math.random } = deps
  const { id, reference, bankCode, by, answer, claimedAt } = answered
  const outcome = outcomeOf(answer)
  const isAccepted = answer.status === 'unknown' && answer.isAccepted === true
  const reason = 'reason' in answer ? answer.reason : 'The bank gave no answer.'
  await withTransaction(batchPool, async (tx) => {
    const now = clock()
    const payout = { id, reference, by }
    if (answer.status === 'unsent') {
      await queueAgain(tx, now, { id, claimedAt, reason, by, chance: random() })
    } else if (outcome)
      await settleAsReported(tx, { sharedAccounts, now, hooks }, { ...payout, outcome })
    else {
      await markUnknown(tx, now, { id, reason, by, isAccepted })
      await alertWaiting(tx, now, { reference, bankCode, answer })
    }
  })
}

export type MovePayoutsDeps = {
  batchPool: Pool
  clock: Clock
  bankConnections: BankConnections
  metrics?: Metrics
}

// Moves queued payouts away from banks where orders fail.
export function movePayoutsRound(deps: MovePayoutsDeps): Round {
  const { batchPool, clock, bankConnections, metrics } = deps
  return async () => {
    const moved = await movePayouts(batchPool, { now: clock(), bankConnections, metrics })
    return { more: moved > 0 }
  }
}

const SETTLE_MAX = 100

export type SettleReportedDeps = {
  db: Pool
  batchPool: Pool
  sharedAccounts: SharedAccounts
  payoutHooks: OutcomeHooks
  clock: Clock
}

// Settles payouts of files by their banks' reports. Each payout has its own transaction, so that one that
// cannot be settled delays no other.
export function settleReportedPayoutsRound(deps: SettleReportedDeps): Round {
  const { db, batchPool, sharedAccounts, payoutHooks: hooks, clock } = deps
  return async (signal) => {
    const failures: unknown[] = []
    let afterId = 0n
    while (!signal.aborted) {
      const reported = await findReported(db, { afterId, limit: SETTLE_MAX })
      for (const report of reported) {
        if (signal.aborted) break
        afterId = report.id
        try {
          await withTransaction(batchPool, (tx) =>
            settleAsReported(tx, { sharedAccounts, hooks, now: clock() }, report),
          )
        } catch (error) {
          failures.push(error)
        }
      }
      if (reported.length < SETTLE_MAX) break
    }
    if (failures.length > 0) throw failures[0]
    return { more: false }
  }
}

// Alerts operators of payouts and files that wait too long for people.
export function watchOverduePayoutsRound({
  batchPool,
  clock,
}: Pick<PayoutDeps, 'batchPool' | 'clock'>): Round {
  return async () => {
    const now = clock()
    await withTransaction(batchPool, async (tx) => {
      const lastBusinessDay = businessDayBefore(watDay(now), await readHolidays(tx))
      await alertOverdue(tx, { now, lastBusinessDay })
    })
    return { more: false }
  }
}

const ENQUIRIES_MAX = 10

export type EnquireDeps = {
  db: Pool
  clock: Clock
  sealer: Sealer
  bankConnections: BankConnections
}

// Asks banks again for the names of accounts that no bank has confirmed yet.
export function enquireNamesRound(deps: EnquireDeps): Round {
  return async (signal) => {
    await enquireNames(deps, signal)
    return { more: false }
  }
}

// Repeats name enquiries for accounts that settlements would be paid to. No transaction is open during a
// call. An answer is used only if the account has not changed since the enquiry.
//
// No user waits for these enquiries: the worker makes a few per round, one at a time, and stops when a bank
// does not answer.
export async function enquireNames(deps: EnquireDeps, signal?: AbortSignal): Promise<number> {
  const { db, clock, sealer, bankConnections } = deps
  if (!canEnquire(bankConnections)) return 0
  for (let count = 0; count < ENQUIRIES_MAX; count++) {
    if (signal?.aborted) return count
    const account = await withTransaction(db, (tx) => claimEnquiry(tx, clock()))
    if (!account) return count
    const answer = await enquireName(db, bankConnections, {
      bankCode: account.bankCode,
      accountNumber: sealer.open(account.accountNumberSealed),
      expectedName: account.accountName,
    })
    const now = clock()
    await withTransaction(db, (tx) => recordNameAnswer(tx, now, { account, answer }))
    if (answer.status === 'no_answer' && !answer.isUp) return count + 1
  }
  return ENQUIRIES_MAX
}

export const QUEUED_MS_MAX = 86_400_000 // A bank that takes files may get one file a day.
export const DOWNLOADED_WITHIN_MS = 3_600_000

type Today = { now: Date; lastBusinessDay: string } // `lastBusinessDay` has ended: it is before today.

// Alerts operators of payouts that wait too long for people: payouts queued for a day although nothing blocks
// them; payouts unsent for half an hour because their bank cannot be reached; files that were not downloaded;
// and files that the bank has not reported on. Runs in real time only, not by a test clock.
export async function alertOverdue(tx: Transaction, today: Today): Promise<void> {
  const { now } = today
  const alerts = [...(await findWaiting(tx, now)), ...(await findOverdueFiles(tx, today))]
  await clearOutdatedAlerts(tx, now, alerts)
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
}

// Returns one alert for each bank whose payouts wait too long. The wait of a payout begins with its request,
// its approval or the last release of holds, whichever is latest. If the bank cannot be reached, the wait
// begins with the first failed attempt, and the alert comes sooner.
async function findWaiting(tx: Transaction, now: Date): Promise<NewAlert[]> {
  const { rows } = await tx.query<Waiting>({
    name: 'find-waiting-payouts',
    text: `select bank_code, count(*)::int as payouts, min(since) as since,
                  bool_or(is_unsent) as is_unsent
             from (select bank_code, unsent_since as since, true as is_unsent
                     from payouts p
                    where ${isDue(`unsent_since + interval '${UNREACHABLE_ALERT_MS} ms'`, {
                      now: '$2',
                      longest: UNREACHABLE_ALERT_MS,
                    })}
                      and (status = 'sending' or ${IS_TO_BE_SENT} and ${BLOCKED} is null)
                    union all
                   select bank_code, greatest(requested_at, decided_at,
                            ${LAST_RELEASED_AT}), false
                     from payouts p
                    where ${IS_TO_BE_SENT} and ${BLOCKED} is null and unsent_since is null) as queued
            where is_unsent or since <= $1
            group by bank_code order by bank_code`,
    values: [new Date(now.getTime() - QUEUED_MS_MAX), now],
  })
  return rows.map(({ bankCode, payouts, since, isUnsent }) => ({
    kind: 'payouts_waiting',
    subject: bankCode,
    detail: {
      reason: isUnsent ? 'bank_unreachable' : 'not_sent',
      payouts,
      since: timestamp(since),
    },
  }))
}

type Waiting = { bankCode: string; payouts: number; since: Date; isUnsent: boolean }

// Returns one alert for each file that was not downloaded or not reported in time.
async function findOverdueFiles(tx: Transaction, today: Today): Promise<NewAlert[]> {
  return (await listOpenFiles(tx)).flatMap((file) => {
    const reason = findDelay(file, today)
    if (!reason) return []
    const { reference, bankCode, executionDate, payouts, confirmed, failed } = file
    const detail = { reason, bankCode, executionDate, open: payouts - confirmed - failed }
    return [{ kind: 'payout_file_overdue', subject: `payout_file/${reference}`, detail }]
  })
}

// Returns why operators should look at a file, or undefined. A bank should report on a file by the end of the
// business day after its execution date. An operator should download a file within an hour.
function findDelay(
  { blockedBy, createdAt, downloadedAt, executionDate }: PayoutFile,
  { now, lastBusinessDay }: Today,
): 'not_downloaded' | 'not_reported' | undefined {
  if (blockedBy === 'payout_file_not_delivered') return undefined
  const isLate = now.getTime() - createdAt.getTime() >= DOWNLOADED_WITHIN_MS
  if (downloadedAt === null && blockedBy === null && isLate) return 'not_downloaded'
  return executionDate < lastBusinessDay ? 'not_reported' : undefined
}

// Clears open alerts of overdue payouts and files whose condition is not among the current ones. A condition
// is the same if kind, subject and reason are the same.
async function clearOutdatedAlerts(
  tx: Transaction,
  now: Date,
  current: readonly NewAlert[],
): Promise<void> {
  await tx.query({
    name: 'clear-overdue-payouts',
    text: `update alerts a set cleared_at = $1
            where kind in ('payouts_waiting', 'payout_file_overdue') and cleared_at is null
              and not exists (select from unnest($2::text[], $3::text[], $4::jsonb[])
                                       as f (kind, subject, detail)
                               where f.kind = a.kind and f.subject = a.subject
                                 and f.detail -> 'reason' = a.detail -> 'reason')`,
    values: [
      now,
      current.map(({ kind }) => kind),
      current.map(({ subject }) => subject),
      current.map(({ detail }) => JSON.stringify(detail)),
    ],
  })
}
