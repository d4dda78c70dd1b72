// What falls due by the clock for one client: the same work as the workers', in the client's own time.
// A new kind of due work is one more line of the list in `dueWork`; its round takes `dueNow(clock)` and
// leaves out clients with a test clock (`livesIn`, src/domain/records/test-clocks.ts).

import { clientClock, dueNow } from '#client-time.ts'
import type { Queryable } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { closeExpired } from '#domain/credits/close-payments.ts'
import { findSendingBanks } from '#domain/payouts/claim-payouts.ts'
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
import { findAskedBanks, type RequeryDeps, requeryTransfersRound } from './requery-transfers.ts'
import { findSendingConnections, sendPayoutsRound } from './send-payouts.ts'
import {
  findClosing,
  findDelivery,
  findEvent,
  findPayoutQuery,
  findQuestion,
  findReport,
  findSettlement,
  planQuestions,
} from './test-clock-due.ts'

export type TestClockDeps = CloseSettlementsDeps &
  QueryDeps &
  RequeryDeps &
  PlanDeps &
  ReportDeps &
  Omit<DelivererDeps, 'notifier'>

type Asking = { clientId: ClientId; now: Date; to: Date }

// `find`: when the next is due, at the client's time. `run`: what is due now, and how many that was.
export type DueWork = {
  kind: string
  find: (asking: Asking) => Promise<Date | null | undefined>
  run: () => Promise<number>
}

// At the same moment, what is first in the list runs first: what happens, then the events of it, then
// their deliveries.
export function dueWork(deps: TestClockDeps): { list: DueWork[]; stop: () => Promise<void> } {
  const { db, batchPool, webhookPool, sharedAccounts, clock, bankConnections } = deps
  const sending = findSendingConnections(bankConnections)
  const sendingCodes = sending.flatMap(({ bankCodes }) => bankCodes)
  const asking = findAskedBanks(bankConnections)
  const askedCodes = asking.map(({ bankCode }) => bankCode)
  const round =
    (...rounds: Round[]) =>
    () =>
      runRounds(rounds)
  const found =
    (find: (db: Queryable, clientId: ClientId) => Promise<Date | null | undefined>) =>
    ({ clientId }: Asking) =>
      find(db, clientId)
  const { deliver, stop } = deliveringOf(deps)
  const list: DueWork[] = [
    {
      kind: 'report_transfers',
      find: found(findReport),
      run: round(reportSandboxTransfersRound(deps)),
    },
    {
      kind: 'expire_payments',
      find: found(findClosing),
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
      find: found(findSettlement),
      run: round(closeSettlementsRound(deps)),
    },
    {
      kind: 'send_payouts',
      find: async ({ clientId: only, now }) =>
        (await findSendingBanks(batchPool, sendingCodes, { now, only })).length > 0 ? now : null,
      run: round(...sending.map((banks) => sendPayoutsRound(deps, banks))),
    },
    {
      kind: 'query_payouts',
      find: found(findPayoutQuery),
      run: () => queryPayouts(deps),
    },
    {
      kind: 'requery_transfers',
      find: async (asked) => {
        if (askedCodes.length === 0) return null
        await planQuestions(deps, asked)
        return findQuestion(db, asked.clientId, askedCodes)
      },
      run: round(...asking.map((bank) => requeryTransfersRound(deps, bank))),
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
    { kind: 'deliver_webhooks', find: found(findDelivery), run: deliver },
  ]
  return { list, stop }
}

// Made when there is something to deliver.
function deliveringOf(deps: TestClockDeps) {
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

// A round that is not asked how many it did says whether there was any.
async function runRounds(rounds: readonly Round[]): Promise<number> {
  const { signal } = new AbortController()
  let ran = 0
  for (const round of rounds) if ((await round(signal)).more) ran++
  return ran
}
