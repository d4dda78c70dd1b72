// All background workers. Any number of processes may run them; each round ensures that its work is
// done once.

import type { ClockCheck } from '#db/clock-check.ts'
import type { Pool } from '#db/pool.ts'
import type { Metrics } from '#metrics.ts'
import type { Notifier } from '#notifier.ts'
import type { Tracer } from '#trace-context.ts'
import { checkIntegrityRound } from './check-integrity.ts'
import { type CloseSettlementsDeps, closeSettlementsRound } from './close-settlements.ts'
import { completeErasuresRound } from './complete-erasures.ts'
import { countTotalsRound } from './count-totals.ts'
import { Deliverer, type DelivererDeps } from './deliver-webhooks.ts'
import { dispatchEventsRound } from './dispatch-events.ts'
import { type EnquireDeps, enquireNamesRound } from './enquire-names.ts'
import { expirePaymentsRound } from './expire-payments.ts'
import { type FinishBookingsDeps, finishBookingsRound } from './finish-bookings.ts'
import { type ImportStatementsDeps, importStatementsRound } from './import-statements.ts'
import { logAlertsRound } from './log-alerts.ts'
import { type Deps, type Round, runWorker, type Worker } from './loop.ts'
import { maintainPartitionsRound } from './maintain-partitions.ts'
import { type MovePayoutsDeps, movePayoutsRound } from './move-payouts.ts'
import { type PlanDeps, planRequeriesRound, purgeRequeriesRound } from './plan-requeries.ts'
import { purgeSessionsRound } from './purge-sessions.ts'
import {
  findQueriedConnections,
  type QueryDeps,
  queryPayoutsRound,
  watchPayoutsRound,
} from './query-payouts.ts'
import { type ReconcileDeps, reconcileBanksRound } from './reconcile-banks.ts'
import { type RefillDeps, refillNumberPoolsRound } from './refill-number-pools.ts'
import { type ReportDeps, reportSandboxTransfersRound } from './report-sandbox-transfers.ts'
import { findQueryableBanks, type RequeryDeps, requeryTransfersRound } from './requery-transfers.ts'
import { type BankChangesDeps, sendBankChangesRound } from './send-bank-changes.ts'
import { findSendingConnections, sendPayoutsRound } from './send-payouts.ts'
import { type SettleReportedDeps, settleReportedPayoutsRound } from './settle-reported-payouts.ts'
import { watchArchiveRound } from './watch-archive.ts'
import { watchOverduePayoutsRound } from './watch-overdue-payouts.ts'
import { watchReversalsRound } from './watch-reversals.ts'
import { writeCreditBlocksRound } from './write-credit-blocks.ts'

const LOOK_MS = 250
const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

export type WorkerDeps = Deps &
  CloseSettlementsDeps &
  SettleReportedDeps &
  EnquireDeps &
  RefillDeps &
  BankChangesDeps &
  RequeryDeps &
  FinishBookingsDeps &
  MovePayoutsDeps &
  PlanDeps &
  QueryDeps &
  ReconcileDeps &
  ImportStatementsDeps &
  Omit<ReportDeps, 'dispatcher'> &
  Omit<DelivererDeps, 'notifier'> & {
    batchPool: Pool
    notifiers: Notifiers
    areAgesKnown?: ClockCheck // Defaults to true.
    runTestClocks?: Round // Only in a sandbox, …
    seedSandbox?: Round // … like this one.
  }

// For writes of this process; polling finds the writes of others.
type Notifiers = { dispatcher: Notifier; deliverer: Notifier }

export function listWorkers(deps: WorkerDeps): Worker[] {
  const { dispatcher, deliverer } = deps.notifiers
  return [
    {
      name: 'dispatch-events',
      pauseMs: LOOK_MS,
      notifier: dispatcher,
      round: dispatchEventsRound({ ...deps, deliverer }),
    },
    deliverWebhooks(deps),
    byClock(deps, {
      name: 'expire-payments',
      pauseMs: SECOND_MS,
      round: expirePaymentsRound(deps),
    }),
    ...sendPayouts(deps),
    { name: 'move-payouts', pauseMs: SECOND_MS, round: movePayoutsRound(deps) },
    { name: 'watch-payouts', pauseMs: SECOND_MS, round: watchPayoutsRound(deps) },
    {
      name: 'watch-overdue-payouts',
      pauseMs: MINUTE_MS,
      round: watchOverduePayoutsRound(deps),
    },
    ...queryPayouts(deps),
    {
      name: 'settle-reported-payouts',
      pauseMs: SECOND_MS,
      round: settleReportedPayoutsRound(deps),
    },
    { name: 'enquire-names', pauseMs: 10 * SECOND_MS, round: enquireNamesRound(deps) },
    { name: 'refill-number-pools', pauseMs: SECOND_MS, round: refillNumberPoolsRound(deps) },
    { name: 'send-bank-changes', pauseMs: SECOND_MS, round: sendBankChangesRound(deps) },
    { name: 'plan-requeries', pauseMs: 5 * SECOND_MS, round: planRequeriesRound(deps) },
    ...requeryTransfers(deps),
    ...reportSandboxTransfers(deps),
    byClock(deps, {
      name: 'close-settlements',
      pauseMs: 5 * SECOND_MS,
      round: closeSettlementsRound(deps),
    }),
    { name: 'finish-bookings', pauseMs: 5 * SECOND_MS, round: finishBookingsRound(deps) },
    { name: 'reconcile-banks', pauseMs: MINUTE_MS, round: reconcileBanksRound(deps) },
    { name: 'import-statements', pauseMs: 2 * SECOND_MS, round: importStatementsRound(deps) },
    { name: 'log-alerts', pauseMs: SECOND_MS, round: logAlertsRound(deps) },
    { name: 'watch-reversals', pauseMs: 10 * SECOND_MS, round: watchReversalsRound(deps) },
    { name: 'watch-archive', pauseMs: 10 * SECOND_MS, round: watchArchiveRound(deps) },
    { name: 'count-events', pauseMs: 2 * SECOND_MS, round: countTotalsRound(deps) },
    byClock(deps, {
      name: 'write-credit-blocks',
      pauseMs: 10 * SECOND_MS,
      round: writeCreditBlocksRound(deps),
    }),
    { name: 'erase-traces', pauseMs: 10 * SECOND_MS, round: completeErasuresRound(deps) },
    byClock(deps, { name: 'audit-books', pauseMs: MINUTE_MS, round: checkIntegrityRound(deps) }),
    ...ofSandbox(deps),
    byClock(deps, {
      name: 'purge-sessions',
      pauseMs: 10 * MINUTE_MS,
      round: purgeSessionsRound(deps),
    }),
    byClock(deps, {
      name: 'purge-requeries',
      pauseMs: HOUR_MS,
      round: purgeRequeriesRound(deps),
    }),
    byClock(deps, {
      name: 'maintain-partitions',
      pauseMs: HOUR_MS,
      round: maintainPartitionsRound(deps),
    }),
  ]
}

// Work that depends on time and cannot be undone. It pauses while our clock is wrong or was stepped
// recently.
function byClock({ areAgesKnown }: WorkerDeps, worker: Worker): Worker {
  const round: Round = async (signal) =>
    (await areAgesKnown?.()) === false ? { more: false } : worker.round(signal)
  return { ...worker, round }
}

function deliverWebhooks(deps: WorkerDeps): Worker {
  const notifier = deps.notifiers.deliverer
  const { round, stop } = new Deliverer({ ...deps, notifier })
  return { name: 'deliver-webhooks', pauseMs: LOOK_MS, notifier, round, stop }
}

function ofSandbox({ runTestClocks, seedSandbox }: WorkerDeps): Worker[] {
  if (!runTestClocks || !seedSandbox) return []
  return [
    { name: 'run-test-clocks', pauseMs: LOOK_MS, round: runTestClocks },
    { name: 'seed-sandbox', pauseMs: SECOND_MS, round: seedSandbox },
  ]
}

function sendPayouts(deps: WorkerDeps): Worker[] {
  return findSendingConnections(deps.bankConnections).map((banks) => ({
    name: `send-payouts ${banks.bankCodes[0]}`,
    pauseMs: LOOK_MS,
    round: sendPayoutsRound(deps, banks),
  }))
}

function queryPayouts(deps: WorkerDeps): Worker[] {
  return findQueriedConnections(deps.bankConnections).map((bankCodes) => ({
    name: `query-payouts ${bankCodes[0]}`,
    pauseMs: SECOND_MS,
    round: queryPayoutsRound(deps, bankCodes),
  }))
}

// One per bank, so that no bank waits for another.
function requeryTransfers(deps: WorkerDeps): Worker[] {
  return findQueryableBanks(deps.bankConnections).map((bank) => ({
    name: `requery-transfers ${bank.bankCode}`,
    pauseMs: 2 * LOOK_MS,
    round: requeryTransfersRound(deps, bank),
  }))
}

// Live banks report by themselves.
function reportSandboxTransfers(deps: WorkerDeps): Worker[] {
  if (deps.rendering.mode === 'live') return []
  const { dispatcher } = deps.notifiers
  const round = reportSandboxTransfersRound({ ...deps, dispatcher })
  return [{ name: 'report-sandbox-transfers', pauseMs: LOOK_MS, round }]
}

export type RunningWorkers = { stop(): Promise<void> }

type RunDeps = Pick<Deps, 'log'> & { metrics?: Metrics; tracer?: Tracer | undefined }

export function runWorkers(deps: RunDeps, workers: readonly Worker[]): RunningWorkers {
  const stopping = new AbortController()
  const { signal } = stopping
  const onError = (error: unknown, worker: string) => {
    deps.metrics?.roundFailures.inc({ worker })
    deps.log.error({ err: error, worker }, 'worker round failed')
  }
  const onRound = (worker: string, tookMs: number) =>
    deps.metrics?.rounds.observe({ worker }, tookMs / 1000)
  const options = { signal, onError, onRound, tracer: deps.tracer }
  const running = Promise.all(workers.map((worker) => runWorker(worker, options)))

  async function stop(): Promise<void> {
    stopping.abort()
    await running
  }
  return { stop }
}
