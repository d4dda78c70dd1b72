// An operator says what became of a payout that the bank gave no answer for: the bank was asked by
// telephone, or its statement shows it. Only of what is unknown, or was sent in a file. Confirming takes one
// person, since it frees no money; failing takes two (fail-payouts.ts).
//
// The same again is fine; anything else of what was settled, or of what the bank has reported and is
// about to be settled, is refused.
// Locks: the file that the payout is in, the payout, then whatever settling it locks.

import type { Transaction } from '#db/transaction.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import { formatKobo } from '#money.ts'
import { lockFileOf, requireSameFile } from './payout-files.ts'
import { findPayout } from './payouts.ts'
import { contradicts, findReport } from './settle-file-results.ts'
import {
  type LockedPayout,
  lockPayout,
  type PayoutOutcome,
  type SettleDeps,
  settlePayout,
} from './settle-payout.ts'

type Outcome = Exclude<PayoutOutcome, { status: 'cancelled' }>

// `evidence`: what the bank said, of what fails.
type Resolving = { reference: string; outcome: Outcome; evidence?: string }

export async function resolvePayout(
  tx: Transaction,
  deps: SettleDeps & { client: Client; actor: string },
  { reference, outcome, evidence }: Resolving,
): Promise<void> {
  const { client, actor, now } = deps
  const found = await findPayout(tx, { reference })
  if (!found) throw new Refusal('payout_not_found')
  const fileId = await lockFileOf(tx, reference)
  const payout = await lockPayout(tx, found.id)
  const { id, batchId, amountKobo, currency } = payout
  requireSameFile(fileId, batchId)
  await refuseResolving(tx, payout, outcome)
  const result = await settlePayout(tx, deps, { id, outcome, by: actor })
  if (result === 'otherwise') throw new Refusal('payout_settled')
  if (result === 'same') return
  const { status: verdict, ...said } = outcome
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: verdict === 'confirmed' ? 'payout.confirm' : 'payout.fail',
    subject: `payout/${reference}`,
    detail: { ...said, evidence, amount: formatKobo(amountKobo), currency },
  })
}

export async function refuseResolving(
  tx: Transaction,
  { id, status, batchId }: Pick<LockedPayout, 'id' | 'status' | 'batchId'>,
  outcome: Outcome,
): Promise<void> {
  // The worker that sends it at this moment will hear the answer.
  if (status === 'sending' && batchId === null) throw new Refusal('payout_settled')
  if (contradicts(await findReport(tx, id), outcome)) throw new Refusal('payout_settled')
}
