// Work that falls due by the clock for one client: the same as the workers' work, in the client's own
// time. A new kind of work is one more entry of the list in `dueWork`. Its round takes `dueNow(clock)`
// and excludes clients with a test clock (`livesIn`, src/domain/records/test-clocks.ts).

import { clientClock, dueNow } from '#client-time.ts'
import type { Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { closeExpired } from '#domain/credits/close-payments.ts'
import { canEnquire } from '#domain/payouts/enquire-name.ts'
import { findEnquiry } from '#domain/payouts/name-enquiries.ts'
import { dispatchEvents } from '#domain/webhooks/dispatch-events.ts'
import type { ClientId } from '#ids.ts'
import { Notifier } from '#notifier.ts'
import { type CloseSettlementsDeps, closeSettlementsRound } from './close-settlements.ts'
import { Deliverer, type DelivererDeps } from './deliver-webhooks.ts'
import { enquireNames } from './enquire-names.ts'
import type { Round } from './loop.ts'
import type { PlanDeps } from './plan-requeries.ts'
import { type QueryDeps, queryPayouts } from './query-payouts.ts'
import { type ReportDeps, reportSandboxTransfersRound } from './report-sandbox-transfers.ts'
import { findQueryableBanks, type RequeryDeps, requeryTransfersRound } from './requery-transfers.ts'
import { findSendingConnections, sendPayoutsRound } from './send-payouts.ts'
import {
  findClosing,
  findDelivery,
  findEvent,
  findPayoutQuery,
  findQuestion,
  findReport,
  findSending,
  findSettlement,
  planQuestions,
} from './test-clock-due.ts'

export type TestClockDeps = CloseSettlementsDeps &
  QueryDeps &
  RequeryDeps &
  PlanDeps &
  ReportDeps &
  Omit<DelivererDeps, 'notifier'>

type DueQuery = { clientId: ClientId; now: Date; to: Date }

// `find` returns the next due time in the client's time. `run` does the due work and returns its count.
export type DueWork = {
  kind: string
  find: (asking: DueQuery) => Promise<Date | null | undefined>
  run: () => Promise<number>
}

// At equal times the list's order decides: changes, then their events, then deliveries.
export function dueWork(deps: TestClockDeps): { list: DueWork[]; stop: () => Promise<void> } {
  const { db, batchPool, webhookPool, sharedAccounts, clock, bankConnections } = deps
  const sending = findSendingConnections(bankConnections)
  const sendingCodes = sending.flatMap(({ bankCodes }) => bankCodes)
  const queryableBanks = findQueryableBanks(bankConnections)
  const queryableCodes = queryableBanks.map(({ bankCode }) => bankCode)
  const round =
    (...rounds: Round[]) =>
    () =>
      runRounds(rounds)
  const findDue =
    (find: (db: Queryable, clientId: ClientId) => Promise<Date | null | undefined>) =>
    ({ clientId }: DueQuery) =>
      find(db, clientId)
  const { deliver, stop } = lazyDeliverer(deps)
  const list: DueWork[] = [
    {
      kind: 'report_transfers',
      find: findDue(findReport),
      run: round(reportSandboxTransfersRound(deps)),
    },
    {
      kind: 'expire_payments',
      find: findDue(findClosing),
      run: () =>
        withTransaction(batchPool, (tx) => closeExpired(tx, { sharedAccounts, ...dueNow(clock) })),
    },
    {
      kind: 'enquire_names',
      find: async ({ clientId }) =>
        canEnquire(bankConnections) ? findEnquiry(db, clientId) : null,
      run: () => enquireNames(deps),
    },
    {
      kind: 'close_settlements',
      find: findDue(findSettlement),
      run: round(closeSettlementsRound(deps)),
    },
    {
      kind: 'send_payouts',
      find: (asked) => findSending(batchPool, sendingCodes, asked),
      run: round(...sending.map((banks) => sendPayoutsRound(deps, banks))),
    },
    {
      kind: 'query_payouts',
      find: findDue(findPayoutQuery),
      run: () => queryPayouts(deps),
    },
    {
      kind: 'requery_transfers',
      find: async (query) => {
        if (queryableCodes.length === 0) return null
        await planQuestions(deps, query)
        return findQuestion(db, query.clientId, queryableCodes)
      },
      run: round(...queryableBanks.map((bank) => requeryTransfersRound(deps, bank))),
    },
    {
      kind: 'dispatch_events',
      find: async ({ clientId, now }) => ((await findEvent(db, clientId)) ? now : null),
      run: async () => {
        const { now, only } = dueNow(clock)
        return (
          await withTransaction(webhookPool, (tx) => dispatchEvents(tx, now, { clientId: only }))
        ).events
      },
    },
    { kind: 'deliver_webhooks', find: findDue(findDelivery), run: deliver },
  ]
  return { list, stop }
}

function lazyDeliverer(deps: TestClockDeps) {
  let deliverer: Deliverer | undefined
  const deliver = () => {
    deliverer ??= new Deliverer({
      ...deps,
      clock: clientClock(deps.clock),
      signingClock: deps.clock,
      random: () => 0, // No jitter: attempts are made at exactly the published times.
      notifier: new Notifier(),
    })
    return deliverer.deliverNow()
  }
  return { deliver, stop: async () => deliverer?.stop() }
}

// Rounds report only whether they did any work, so this counts rounds.
async function runRounds(rounds: readonly Round[]): Promise<number> {
  const { signal } = new AbortController()
  let ran = 0
  for (const round of rounds) if ((await round(signal)).more) ran++
  return ran
}
