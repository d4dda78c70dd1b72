// Settles a payout as its bank said. Whoever settled it otherwise in between was right or wrong, and
// the money may have left: nothing is changed, and somebody has to find out.

import type { Transaction } from '#db/transaction.ts'
import { raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import type { PayoutId } from '#ids.ts'
import { type PayoutOutcome, type SettleDeps, settlePayout } from './settle-payout.ts'

export type ToldPayout = { id: PayoutId; reference: string; outcome: PayoutOutcome; by: string }

export async function settleAsTold(
  tx: Transaction,
  deps: SettleDeps,
  { id, reference, outcome, by }: ToldPayout,
): Promise<void> {
  if ((await settlePayout(tx, deps, { id, outcome, by })) !== 'otherwise') return
  await tellContradiction(tx, deps.now, { subject: `payout/${reference}`, status: outcome.status })
}

export async function tellContradiction(
  tx: Transaction,
  now: Date,
  { subject, status }: { subject: string; status: PayoutOutcome['status'] | 'reversed' },
): Promise<void> {
  const detail = { status, problem: 'already_settled' }
  const alert = { kind: 'payout_contradicted', subject, detail } as const
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}
