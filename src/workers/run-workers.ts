// Lists all background workers, and wires the test clock and seeding of a sandbox. Any number of processes
// may run the workers: each round ensures that a piece of work is done once.

import { HAS_RESET_REQUESTS } from '#access/password-resets.ts'
import { answerResetRequestsRound, purgeSessionsRound } from '#access/workers.ts'
import { hasBankChanges } from '#accounts/bank-changes.ts'
import { HOURS_CURSOR } from '#accounts/ledger-hours.ts'
import { MERCHANT_CURSOR } from '#accounts/merchant-totals.ts'
import {
  type BankChangesDeps,
  countByMerchantRound,
  countHoursRound,
  type RefillDeps,
  recountSharesRound,
  refillNumberPoolsRound,
  sendBankChangesRound,
} from '#accounts/workers.ts'
import { eraseCasesRound, escalateCasesRound } from '#cases/workers.ts'
import { HAS_CHAT } from '#chat/posts.ts'
import { type ChatDeps, postToChatRound } from '#chat/workers.ts'
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '#clock.ts'
import type { Config } from '#config/config.ts'
import { HAS_EXPIRED_PAYMENTS } from '#credits/close.ts'
import {
  expirePaymentsRound,
  watchReversalsRound,
  writeCreditBlocksRound,
} from '#credits/workers.ts'
import type { ClockCheck } from '#db/health.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { HAS_LACKING_HOLDS } from '#holds/hold.ts'
import { HAS_HELD_PEOPLE } from '#holds/person-accounts.ts'
import { alertHoldDeadlinesRound, fillHoldsRound, holdPeopleRound } from '#holds/workers.ts'
import { HAS_DUE_CHECKS, type VerifyDeps, verifyIdentitiesRound } from '#identity/workers.ts'
import type { ClientId } from '#ids.ts'
import { checkIntegrityRound } from '#integrity/workers.ts'
import { hasUncounted } from '#ledger/transfer-counts.ts'
import type { Logger } from '#log.ts'
import { type MessagesDeps, messageWorkers } from '#messages/workers.ts'
import { type NoticesDeps, noticeWorkers } from '#notices/workers.ts'
import type { Notifier } from '#notifier.ts'
import type { Metrics } from '#observability/metrics.ts'
import { HAS_DUE_ENQUIRIES } from '#payouts/name-enquiries.ts'
import {
  findQueriedConnections,
  type QueryDeps,
  queryPayoutsRound,
  watchPayoutsRound,
} from '#payouts/query-workers.ts'
import { HAS_PAYOUTS_TO_MOVE, hasPayoutsToSend } from '#payouts/send.ts'
import { HAS_REPORTED_PAYOUTS } from '#payouts/settle.ts'
import { hasPayoutsToQuery } from '#payouts/unknown.ts'
import {
  type EnquireDeps,
  enquireNamesRound,
  findSendingConnections,
  type MovePayoutsDeps,
  movePayoutsRound,
  type SettleReportedDeps,
  sendPayoutsRound,
  settleReportedPayoutsRound,
  watchOverduePayoutsRound,
} from '#payouts/workers.ts'
import { HAS_DUE_ERASURES } from '#privacy/erasure.ts'
import { alertPausedErasuresRound, completeErasuresRound } from '#privacy/workers.ts'
import { HAS_UNFINISHED_BOOKINGS } from '#reconciliation/book.ts'
import {
  type FinishBookingsDeps,
  finishBookingsRound,
  type ImportStatementsDeps,
  importStatementsRound,
  type ReconcileDeps,
  reconcileBanksRound,
} from '#reconciliation/workers.ts'
import { HAS_UNLOGGED_ALERTS } from '#records/alerts.ts'
import { logAlertsRound } from '#records/workers.ts'
import { HAS_UNCOUNTED_EVENTS } from '#reports/hourly-totals.ts'
import { countTotalsRound, watchArchiveRound } from '#reports/workers.ts'
import { hasDueRequeries } from '#requery/ask.ts'
import { hasRequeriesToPlan } from '#requery/plan.ts'
import {
  findQueryableBanks,
  type PlanDeps,
  planRequeriesRound,
  purgeRequeriesRound,
  type RequeryDeps,
  requeryTransfersRound,
} from '#requery/workers.ts'
import { FOLLOW_MS, TestClock } from '#sandbox/clock.ts'
import { HAS_UNFINISHED_SEEDS } from '#sandbox/seeds.ts'
import { HAS_DUE_REPORTS } from '#sandbox/transfers.ts'
import {
  type ReportDeps,
  reportSandboxTransfersRound,
  type SeedSandboxDeps,
  seedSandboxRound,
} from '#sandbox/workers.ts'
import { HAS_DUE_SCHEDULES, runSchedulesRound, type SchedulesDeps } from '#schedules/workers.ts'
import { type ScreenDeps, screeningWorkers, type WatchScreeningDeps } from '#screening/workers.ts'
import { HAS_SETTLEMENT_SCHEDULES } from '#settlement/settings.ts'
import {
  type CloseSettlementsDeps,
  closeSettlementsRound,
  watchHolidaysRound,
} from '#settlement/workers.ts'
import { escalateSuspenseRound } from '#suspense/workers.ts'
import type { Tracer } from '#trace-context.ts'
import { HAS_DUE_DELIVERIES } from '#webhooks/claims.ts'
import { HAS_NEW_EVENTS } from '#webhooks/dispatch.ts'
import { HAS_REPLAYS } from '#webhooks/replays.ts'
import {
  Deliverer,
  type DelivererDeps,
  dispatchEventsRound,
  stepReplaysRound,
} from '#webhooks/workers.ts'
import {
  type Deps,
  maintainPartitionsRound,
  type Round,
  runNow,
  runWorker,
  type Worker,
} from './loop.ts'
import { TestClockRunner } from './move-clock.ts'

const LOOK_MS = 250 // The shortest pause of a worker between two rounds.
// Each count of transfers rewrites a row per merchant or client. Readers add what was not counted yet.
const COUNT_MS = 5 * SECOND_MS

export type WorkerDeps = Deps &
  CloseSettlementsDeps &
  ChatDeps &
  SettleReportedDeps &
  EnquireDeps &
  VerifyDeps &
  RefillDeps &
  BankChangesDeps &
  RequeryDeps &
  FinishBookingsDeps &
  MovePayoutsDeps &
  PlanDeps &
  QueryDeps &
  ReconcileDeps &
  MessagesDeps &
  NoticesDeps &
  SchedulesDeps &
  ImportStatementsDeps &
  ScreenDeps &
  WatchScreeningDeps &
  Omit<ReportDeps, 'dispatcher'> &
  Omit<DelivererDeps, 'notifier'> & {
    batchPool: Pool
    notifiers: Notifiers
    areAgesKnown?: ClockCheck // Defaults to true.
    realClock?: Clock // Defaults to `clock`.
    frozenTime?: () => Date | undefined // The time of a sandbox's test clock, if set.
    runTestClock?: Round // Set in a sandbox only.
    seedSandbox?: Round // Set in a sandbox only.
  }

// Notifiers wake workers after a write of this process. Workers find writes of other processes by `due`.
type Notifiers = { dispatcher: Notifier; deliverer: Notifier }

export function listWorkers(deps: WorkerDeps): Worker[] {
  return [
    ...whileClockRuns(deps, listDueWorkers(deps)),
    ...listMoneyOutWorkers(deps),
    ...listBankWorkers(deps),
    ...listControlWorkers(deps),
    ...listRecordWorkers(deps),
    ...noticeWorkers(deps),
    {
      name: 'answer-password-resets',
      pauseMs: SECOND_MS,
      due: HAS_RESET_REQUESTS,
      round: answerResetRequestsRound(inRealTime(deps)),
    },
    ...messageWorkers(inRealTime(deps)),
    ...listSandboxWorkers(deps),
  ]
}

// Gives workers the real time instead of the test clock: passwords, sessions, banks and archives do not
// follow a sandbox's clock.
const inRealTime = (deps: WorkerDeps) => ({ ...deps, clock: deps.realClock ?? deps.clock })

// Lists the workers for payouts, except those whose work falls due by the clock (listDueWorkers).
function listMoneyOutWorkers(deps: WorkerDeps): Worker[] {
  return [
    {
      name: 'move-payouts',
      pauseMs: SECOND_MS,
      due: HAS_PAYOUTS_TO_MOVE,
      round: movePayoutsRound(deps),
    },
    {
      name: 'watch-overdue-payouts',
      pauseMs: MINUTE_MS,
      round: watchOverduePayoutsRound(deps),
    },
    {
      name: 'settle-reported-payouts',
      pauseMs: SECOND_MS,
      due: HAS_REPORTED_PAYOUTS,
      round: settleReportedPayoutsRound(deps),
    },
  ]
}

// Lists workers for account numbers at banks and for bank statements.
function listBankWorkers(deps: WorkerDeps): Worker[] {
  return [
    {
      name: 'refill-number-pools',
      pauseMs: SECOND_MS,
      round: refillNumberPoolsRound(inRealTime(deps)),
    },
    {
      name: 'recount-number-shares',
      pauseMs: MINUTE_MS,
      round: recountSharesRound(deps),
    },
    {
      name: 'send-bank-changes',
      pauseMs: SECOND_MS,
      due: hasBankChanges(deps.banks.map(({ code }) => code)),
      round: sendBankChangesRound(inRealTime(deps)),
    },
    {
      name: 'finish-bookings',
      pauseMs: 5 * SECOND_MS,
      due: HAS_UNFINISHED_BOOKINGS,
      round: finishBookingsRound(deps),
    },
    { name: 'reconcile-banks', pauseMs: MINUTE_MS, round: reconcileBanksRound(deps) },
    { name: 'import-statements', pauseMs: 2 * SECOND_MS, round: importStatementsRound(deps) },
  ]
}

// Lists workers for holds, screening and identity checks, and for requests that wait for people.
function listControlWorkers(deps: WorkerDeps): Worker[] {
  return [
    { name: 'fill-holds', pauseMs: SECOND_MS, due: HAS_LACKING_HOLDS, round: fillHoldsRound(deps) },
    { name: 'hold-people', pauseMs: SECOND_MS, due: HAS_HELD_PEOPLE, round: holdPeopleRound(deps) },
    { name: 'alert-hold-deadlines', pauseMs: MINUTE_MS, round: alertHoldDeadlinesRound(deps) },
    ...screeningWorkers(deps),
    { name: 'escalate-cases', pauseMs: MINUTE_MS, round: escalateCasesRound(deps) },
    { name: 'erase-cases', pauseMs: MINUTE_MS, round: eraseCasesRound(deps) },
    {
      name: 'verify-identities',
      pauseMs: SECOND_MS,
      due: HAS_DUE_CHECKS,
      round: verifyIdentitiesRound(deps),
    },
    { name: 'escalate-suspense', pauseMs: MINUTE_MS, round: escalateSuspenseRound(deps) },
    {
      name: 'log-alerts',
      pauseMs: SECOND_MS,
      due: HAS_UNLOGGED_ALERTS,
      round: logAlertsRound(deps),
    },
    {
      name: 'post-to-chat',
      pauseMs: 2 * SECOND_MS,
      due: HAS_CHAT,
      round: postToChatRound(deps),
    },
    {
      name: 'step-replays',
      pauseMs: LOOK_MS,
      due: HAS_REPLAYS,
      round: stepReplaysRound(deps),
    },
    { name: 'watch-holidays', pauseMs: 10 * MINUTE_MS, round: watchHolidaysRound(deps) },
    { name: 'watch-reversals', pauseMs: 10 * SECOND_MS, round: watchReversalsRound(deps) },
    {
      name: 'watch-archive',
      pauseMs: 10 * SECOND_MS,
      round: watchArchiveRound(inRealTime(deps)),
    },
  ]
}

// Lists workers for totals, integrity checks and erasures, and for rows that expire.
function listRecordWorkers(deps: WorkerDeps): Worker[] {
  return [
    {
      name: 'count-events',
      pauseMs: 2 * SECOND_MS,
      due: HAS_UNCOUNTED_EVENTS,
      round: countTotalsRound(deps),
    },
    {
      name: 'count-by-merchant',
      pauseMs: COUNT_MS,
      due: hasUncounted(MERCHANT_CURSOR),
      round: countByMerchantRound(deps),
    },
    {
      name: 'count-ledger-hours',
      pauseMs: COUNT_MS,
      due: hasUncounted(HOURS_CURSOR),
      round: countHoursRound(deps),
    },
    whenClockIsRight(deps, {
      name: 'write-credit-blocks',
      pauseMs: 10 * SECOND_MS,
      round: writeCreditBlocksRound(deps),
    }),
    whenClockIsRight(deps, {
      name: 'run-schedules',
      pauseMs: 10 * SECOND_MS,
      due: HAS_DUE_SCHEDULES,
      round: runSchedulesRound(deps),
    }),
    {
      name: 'erase-traces',
      pauseMs: 10 * SECOND_MS,
      due: HAS_DUE_ERASURES,
      round: completeErasuresRound(deps),
    },
    {
      name: 'alert-paused-erasures',
      pauseMs: MINUTE_MS,
      round: alertPausedErasuresRound(deps),
    },
    whenClockIsRight(deps, {
      name: 'audit-books',
      pauseMs: MINUTE_MS,
      round: checkIntegrityRound(inRealTime(deps)),
    }),
    whenClockIsRight(deps, {
      name: 'purge-sessions',
      pauseMs: 10 * MINUTE_MS,
      round: purgeSessionsRound(inRealTime(deps)),
    }),
    whenClockIsRight(deps, {
      name: 'purge-requeries',
      pauseMs: HOUR_MS,
      round: purgeRequeriesRound(inRealTime(deps)),
    }),
    whenClockIsRight(deps, {
      name: 'maintain-partitions',
      pauseMs: HOUR_MS,
      round: maintainPartitionsRound(inRealTime(deps)),
    }),
  ]
}

// Lists workers for work that falls due by the clock. While a test clock is set, the process that moves it
// does this work instead, ordered by due time (I77, move-clock.ts).
function listDueWorkers(deps: WorkerDeps): Worker[] {
  return [
    ...listWebhookWorkers(deps),
    whenClockIsRight(deps, {
      name: 'expire-payments',
      pauseMs: SECOND_MS,
      due: HAS_EXPIRED_PAYMENTS,
      round: expirePaymentsRound(deps),
    }),
    ...listSendingWorkers(deps),
    { name: 'watch-payouts', pauseMs: 5 * SECOND_MS, round: watchPayoutsRound(deps) },
    ...listPayoutQueryWorkers(deps),
    {
      name: 'enquire-names',
      pauseMs: 10 * SECOND_MS,
      due: HAS_DUE_ENQUIRIES,
      round: enquireNamesRound(deps),
    },
    {
      name: 'plan-requeries',
      pauseMs: 5 * SECOND_MS,
      due: hasRequeriesToPlan(deps.graceSeconds),
      round: planRequeriesRound(deps),
    },
    ...listRequeryWorkers(deps),
    ...listReportWorkers(deps),
    whenClockIsRight(deps, {
      name: 'close-settlements',
      pauseMs: 5 * SECOND_MS,
      due: HAS_SETTLEMENT_SCHEDULES,
      round: closeSettlementsRound(deps),
    }),
  ]
}

// Makes workers pause while the test clock is set.
export function whileClockRuns(
  { frozenTime }: Pick<WorkerDeps, 'frozenTime'>,
  workers: readonly Worker[],
): Worker[] {
  if (!frozenTime) return [...workers]
  return workers.map((worker) => ({
    ...worker,
    round: async (signal) => (frozenTime() ? { more: false } : worker.round(signal)),
  }))
}

// Makes a worker pause while our clock is wrong or was stepped recently. For work that depends on time and
// cannot be undone.
function whenClockIsRight({ areAgesKnown }: WorkerDeps, worker: Worker): Worker {
  const round: Round = async (signal) =>
    (await areAgesKnown?.()) === false ? { more: false } : worker.round(signal)
  return { ...worker, round }
}

// Lists the workers that queue and deliver webhooks. The deliverer finishes deliveries in flight when its
// worker stops.
function listWebhookWorkers(deps: WorkerDeps): Worker[] {
  const { dispatcher, deliverer: notifier } = deps.notifiers
  const deliverer = new Deliverer({ ...deps, notifier })
  const { round, stop } = deliverer
  return [
    {
      name: 'dispatch-events',
      pauseMs: LOOK_MS,
      due: HAS_NEW_EVENTS,
      notifier: dispatcher,
      round: dispatchEventsRound({ ...deps, notifier, deliverer }),
    },
    {
      name: 'deliver-webhooks',
      pauseMs: LOOK_MS,
      due: HAS_DUE_DELIVERIES,
      notifier,
      round,
      stop,
    },
  ]
}

// Lists the workers that only a sandbox has.
function listSandboxWorkers({ runTestClock, seedSandbox }: WorkerDeps): Worker[] {
  if (!runTestClock || !seedSandbox) return []
  return [
    { name: 'run-test-clock', pauseMs: LOOK_MS, round: runTestClock },
    { name: 'seed-sandbox', pauseMs: SECOND_MS, due: HAS_UNFINISHED_SEEDS, round: seedSandbox },
  ]
}

// Lists a worker for each connection that sends payouts, so that no bank waits for another.
function listSendingWorkers(deps: WorkerDeps): Worker[] {
  return findSendingConnections(deps.bankConnections).map((banks) => ({
    name: `send-payouts ${banks.bankCodes[0]}`,
    pauseMs: LOOK_MS,
    due: hasPayoutsToSend(banks.bankCodes),
    round: sendPayoutsRound(deps, banks),
  }))
}

// Lists a worker for each connection that is asked about payouts.
function listPayoutQueryWorkers(deps: WorkerDeps): Worker[] {
  return findQueriedConnections(deps.bankConnections).map((bankCodes) => ({
    name: `query-payouts ${bankCodes[0]}`,
    pauseMs: SECOND_MS,
    due: hasPayoutsToQuery(bankCodes),
    round: queryPayoutsRound(deps, bankCodes),
  }))
}

// Lists a worker for each bank that is asked for transfers, so that no bank waits for another.
function listRequeryWorkers(deps: WorkerDeps): Worker[] {
  const banks = findQueryableBanks(deps.bankConnections)
  const due = hasDueRequeries(banks.map(({ bankCode }) => bankCode))
  return banks.map((bank) => ({
    name: `requery-transfers ${bank.bankCode}`,
    pauseMs: 2 * LOOK_MS,
    due,
    round: requeryTransfersRound(deps, bank),
  }))
}

// Lists the worker that reports transfers as the sandbox bank. In live mode real banks report, so there is
// no such worker.
function listReportWorkers(deps: WorkerDeps): Worker[] {
  if (deps.rendering.mode === 'live') return []
  const { dispatcher } = deps.notifiers
  const round = reportSandboxTransfersRound({ ...deps, dispatcher })
  const name = 'report-sandbox-transfers'
  return [{ name, pauseMs: LOOK_MS, due: HAS_DUE_REPORTS, round }]
}

export type RunningWorkers = { stop(): Promise<void> }

type RunDeps = Pick<Deps, 'log'> & { metrics?: Metrics; tracer?: Tracer | undefined }

// Starts all workers. stop() resolves once every round has finished.
export function runWorkers(deps: RunDeps, workers: readonly Worker[]): RunningWorkers {
  const stopping = new AbortController()
  const { signal } = stopping
  // Counts and logs a failed round. The worker goes on with its next round.
  const onError = (error: unknown, worker: string) => {
    deps.metrics?.roundFailures.inc({ worker })
    deps.log.error({ err: error, worker }, 'worker round failed')
  }
  const onRound = (worker: string, tookMs: number) =>
    deps.metrics?.rounds.observe({ worker }, tookMs / 1000)
  const options = { signal, onError, onRound, tracer: deps.tracer }
  const running = Promise.all(workers.map((worker) => runWorker(worker, options)))

  // Ends all workers, and waits until their current rounds have finished.
  async function stop(): Promise<void> {
    stopping.abort()
    await running
  }
  return { stop }
}

// A request to seed waits this long, so that a small seed is complete when the response is sent.
const SEED_NOW_MS = 2_000

type Following = { db: Queryable; log: Logger; realClock: Clock }

// Follows the test clock, in every process of a sandbox. In live mode nothing reads the test clock.
export async function followTestClock(mode: Config['mode'], { db, log, realClock }: Following) {
  const testClock = new TestClock(realClock)
  if (mode === 'live') return { testClock, stopFollowing: async () => {} }
  await testClock.refresh(db)
  // One round: reads the time that another process may have set.
  const round = async () => {
    await testClock.refresh(db)
    return { more: false }
  }
  // `isDone`: the clock was read above, so the worker begins with a pause.
  const worker = { name: 'follow-test-clock', pauseMs: FOLLOW_MS, isDone: true, round }
  const following = runWorkers({ log }, [worker])
  return { testClock, stopFollowing: () => following.stop() }
}

type Parts = ConstructorParameters<typeof TestClockRunner>[0] &
  Omit<SeedSandboxDeps, 'limits' | 'quarantineDays'>

// Creates the parts of a sandbox that the routes and workers share: the runner of the test clock and the
// writer of seeds. In live mode they have no workers.
export function wireSandbox({ mode, policy }: Config, parts: Parts) {
  const { limits, quarantineDays } = policy
  const { patience = 1 } = parts
  const seeding = { ...parts, limits, quarantineDays }
  const clockMoves = new TestClockRunner(parts)
  const seedNow = (clientId: ClientId) =>
    runNow(seedSandboxRound(seeding, clientId), parts.log, patience * SEED_NOW_MS)()
  const rounds =
    mode === 'sandbox'
      ? { runTestClock: clockMoves.round, seedSandbox: seedSandboxRound(seeding) }
      : {}
  return { clockMoves, seedNow, rounds }
}
