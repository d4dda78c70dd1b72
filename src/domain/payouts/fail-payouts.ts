// Fails a payout that a bank may have, or a file that it does not have (I94): one person, or a system of
// the operator's, requests it with what the bank said; another person, independent of the first, approves.
// Then the money is available again.
//
// Locks: who decides, the file, the payout, the request, then whatever settling locks.

import type { Transaction } from '#db/transaction.ts'
import { type Approver, lockApprover } from '#domain/access/approvers.ts'
import type { Client } from '#domain/access/clients.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'
import { formatKobo } from '#money.ts'
import { failedResults, failPayoutFile } from './fail-payout-file.ts'
import {
  type FailureState,
  getFailure,
  lockFailure,
  newFailureReference,
  type PayoutFailure,
} from './payout-failures.ts'
import { lockFileOf, lockPayoutFile, requireSameFile } from './payout-files.ts'
import { findPayout } from './payouts.ts'
import { refuseResolving, resolvePayout } from './resolve-payout.ts'
import { type LockedPayout, lockPayout, type SettleDeps } from './settle-payout.ts'

type Requesting = {
  client: Client
  actor: string
  userId: UserId | null
  newSince: Date
  now: Date
}
type Deciding = Approver & SettleDeps

// Answers its reference.
export async function requestPayoutFailure(
  tx: Transaction,
  by: Requesting,
  { reference, reason, evidence }: { reference: string; reason: string; evidence: string },
): Promise<string> {
  const payout = await lockPayoutOf(tx, reference)
  if (payout.status !== 'sending' && payout.status !== 'unknown') {
    throw new Refusal('payout_settled')
  }
  await refuseResolving(tx, payout, { status: 'failed', reason })
  return insertRequest(tx, by, { payoutId: payout.id, fileId: null, reason, evidence })
}

async function lockPayoutOf(tx: Transaction, reference: string): Promise<LockedPayout> {
  const found = await findPayout(tx, { reference })
  if (!found) throw new Refusal('payout_not_found')
  const fileId = await lockFileOf(tx, reference)
  const payout = await lockPayout(tx, found.id)
  requireSameFile(fileId, payout.batchId)
  return payout
}

export async function requestFileFailure(
  tx: Transaction,
  by: Requesting,
  { reference, evidence }: { reference: string; evidence: string },
): Promise<string> {
  const file = await lockPayoutFile(tx, reference)
  if (file.isNotDelivered) throw new Refusal('payout_file_not_delivered')
  await failedResults(tx, { ...file, reference, bankConfirmation: evidence })
  return insertRequest(tx, by, { payoutId: null, fileId: file.id, reason: null, evidence })
}

type NewRequest = {
  payoutId: bigint | null
  fileId: bigint | null
  reason: string | null
  evidence: string
}

async function insertRequest(
  tx: Transaction,
  by: Requesting,
  { payoutId, fileId, reason, evidence }: NewRequest,
): Promise<string> {
  const { client, actor, userId, now } = by
  const reference = newFailureReference()
  const { rowCount } = await tx.query({
    name: 'request-payout-failure',
    text: `insert into payout_failures (reference, requested_by_client, payout_id, file_id, reason, evidence,
                                        requested_by, requested_by_user, requested_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
           on conflict do nothing`,
    values: [reference, client.id, payoutId, fileId, reason, evidence, actor, userId, now],
  })
  if (rowCount === 0) throw new Refusal('failure_requested')
  await record(tx, by, { failure: await getFailure(tx, by, reference), verb: 'request_failure' })
  return reference
}

// Idempotent for the same user. Payouts of a file are settled by the caller, as after a report.
export async function approveFailure(
  tx: Transaction,
  by: Deciding,
  reference: string,
): Promise<void> {
  const { payout, payoutFile } = await getFailure(tx, by, reference)
  await lockApprover(tx, by)
  if (payoutFile !== null) await lockPayoutFile(tx, payoutFile)
  if (payout !== null) await lockPayoutOf(tx, payout)
  const failure = await lockFailure(tx, by, reference)
  if (isDecidedBy(failure, 'approved', by.actor)) return
  refuseDecided(failure)
  if (failure.obstacle) throw new Refusal(failure.obstacle)
  const { evidence, reason } = failure
  if (payout !== null) {
    const outcome = { status: 'failed', reason: reason as string } as const
    await resolvePayout(tx, by, { reference: payout, outcome, evidence })
  } else {
    const { now, actor, client } = by
    const failing = { reference: payoutFile as string, bankConfirmation: evidence }
    await failPayoutFile(tx, { now, by: { clientId: client.id, actor } }, failing)
  }
  await decide(tx, by, { failure, state: 'approved', note: null })
}

// Moves no money, so users too new or not independent may still reject.
export async function rejectFailure(
  tx: Transaction,
  by: Deciding,
  { reference, reason }: { reference: string; reason: string },
): Promise<void> {
  const failure = await lockFailure(tx, by, reference)
  if (isDecidedBy(failure, 'rejected', by.actor)) return
  refuseDecided(failure)
  if (failure.obstacle === 'other_person_needed') throw new Refusal('other_person_needed')
  await decide(tx, by, { failure, state: 'rejected', note: reason })
}

export async function withdrawFailure(
  tx: Transaction,
  by: Deciding,
  reference: string,
): Promise<void> {
  const failure = await lockFailure(tx, by, reference)
  if (isDecidedBy(failure, 'withdrawn', by.actor)) return
  refuseDecided(failure)
  if (failure.requestedBy !== by.actor) throw new Refusal('own_request_only')
  await decide(tx, by, { failure, state: 'withdrawn', note: null })
}

function isDecidedBy({ state, decidedBy }: PayoutFailure, as: FailureState, actor: string) {
  return state === as && decidedBy === actor
}

function refuseDecided({ state }: PayoutFailure): void {
  if (state !== 'open') throw new Refusal('request_decided')
}

const VERBS = {
  approved: 'approve_failure',
  rejected: 'reject_failure',
  withdrawn: 'withdraw_failure',
} as const

type Decision = { failure: PayoutFailure; state: keyof typeof VERBS; note: string | null }

async function decide(
  tx: Transaction,
  by: Deciding,
  { failure, state, note }: Decision,
): Promise<void> {
  await tx.query({
    name: 'decide-payout-failure',
    text: `update payout_failures
              set state = $2, decided_by = $3, decided_by_user = $4, decided_at = $5,
                  decision_reason = $6
            where id = $1`,
    values: [failure.id, state, by.actor, by.userId, by.now, note],
  })
  await record(tx, by, { failure, verb: VERBS[state], note })
}

type Recorded = { failure: PayoutFailure; verb: string; note?: string | null }

async function record(
  tx: Transaction,
  { client, actor, now }: Pick<Requesting, 'client' | 'actor' | 'now'>,
  { failure, verb, note = null }: Recorded,
): Promise<void> {
  const { reference, payout, payoutFile, amountKobo, evidence, requestedBy } = failure
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: payout === null ? `payout_file.${verb}` : `payout.${verb}`,
    subject: payout === null ? `payout_file/${payoutFile}` : `payout/${payout}`,
    detail: { request: reference, amount: formatKobo(amountKobo), evidence, requestedBy, note },
  })
}
