// Confirms or fails payouts by hand. Failing a payout that a bank may have (unknown, or in a file), or all
// open payouts of a file that the bank does not have, takes a request (I94). A person makes the
// request and quotes the bank. Another, independent person approves it. Then the money
// becomes available again.
//
// Locks: the file, then the payout.

import type { Client } from '#access/permissions.ts'
import {
  type Checker,
  REQUEST_STATES,
  type Request,
  type Requester,
  type Verb,
  type Viewer,
  Workflow,
} from '#approvals/workflow.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { newReference } from '#ids.ts'
import { formatKobo, type Kobo, kobo } from '#money.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { type FileResult, insertResults, type KnownPayout } from './file-results.ts'
import { type FileActor, lockFileOf, lockPayoutFile, requireSameFile } from './files.ts'
import { findPayout } from './payout.ts'
import {
  contradicts,
  findReport,
  type LockedPayout,
  lockPayout,
  type PayoutOutcome,
  type SettleDeps,
  settlePayout,
} from './settle.ts'
import type { PayoutStatus } from './states.ts'

export const FAILURE_STATES = REQUEST_STATES

export type PayoutFailure = Request & {
  reference: string
  payout: string | null // The payout's reference; null if the request is about a file.
  payoutFile: string | null
  amountKobo: Kobo // The amount that becomes available: the payout's, or the sum of the file's open payouts.
  reason: string | null // The reason of the payout's failure, which the client sees.
  evidence: string
}

export const payoutFailures = new Workflow<PayoutFailure, SettleDeps>({
  table: 'payout_failures',
  key: 'reference',
  columns: `r.reference, p.reference as payout, f.reference as payout_file, r.reason, r.evidence,
    coalesce(p.amount_kobo, (select coalesce(sum(o.amount_kobo), 0)::bigint from payouts o
                              where o.batch_id = r.file_id
                                and o.status in ('sending', 'unknown', 'failed'))) as amount_kobo`,
  joins: `left join payouts p on p.id = r.payout_id left join payout_files f on f.id = r.file_id`,
  obstacle: `case when p.status not in ('sending', 'unknown') then 'payout_settled' end`,
  notFound: 'request_not_found',
  lock: async (tx, { payout, payoutFile }) => {
    if (payoutFile !== null) await lockPayoutFile(tx, payoutFile)
    if (payout !== null) await lockPayoutAndFile(tx, payout)
  },
  perform: performFailure,
  audit: toAuditEntry,
})

// Runs when another person approves the request. Fails the payout. If the request is about a file, only
// stores the failed results: the caller settles the payouts afterwards, as after a bank's report.
async function performFailure(
  tx: Transaction,
  by: Checker & SettleDeps,
  { payout, payoutFile, evidence, reason }: PayoutFailure,
): Promise<void> {
  // `payout` and `payoutFile` are references; a request has one of them.
  if (payout !== null) {
    const outcome = { status: 'failed', reason: reason as string } as const
    await resolvePayout(tx, by, { reference: payout, outcome, evidence })
    return
  }
  const { now, actor, client } = by
  const failing = { reference: payoutFile as string, bankConfirmation: evidence }
  await failPayoutFile(tx, { now, by: { clientId: client.id, actor } }, failing)
}

// Returns the entry of the audit log for a request, an approval, a rejection or a withdrawal.
function toAuditEntry(failure: PayoutFailure, verb: Verb) {
  const { reference, payout, payoutFile, evidence, requestedBy, decisionReason: note } = failure
  const kind = payout === null ? 'payout_file' : 'payout'
  const amount = formatKobo(failure.amountKobo)
  return {
    action: `${kind}.${verb}_failure` as const,
    subject: `${kind}/${payout ?? payoutFile}`,
    detail: { request: reference, amount, evidence, requestedBy, note },
  }
}

// Finds the open request about a payout or a file.
export async function findOpenFailure(
  db: Queryable,
  viewer: Viewer,
  key: { payoutId: bigint } | { fileId: bigint },
): Promise<PayoutFailure | null> {
  const subject =
    'payoutId' in key ? ['r.payout_id = $', key.payoutId] : ['r.file_id = $', key.fileId]
  const where = [['r.state = $', 'open'], subject as [string, bigint]] as const
  const [open] = await payoutFailures.list(db, viewer, { where, beforeId: null, limit: 1 })
  return open ?? null
}

// Opens a request to fail a payout that is unknown, or was sent in a file. refuseResolving() refuses a payout
// that a worker is sending now, and one that the bank has reported as paid.
export async function requestPayoutFailure(
  tx: Transaction,
  by: Requester,
  { reference, reason, evidence }: { reference: string; reason: string; evidence: string },
): Promise<void> {
  const payout = await lockPayoutAndFile(tx, reference)
  if (payout.status !== 'sending' && payout.status !== 'unknown') {
    throw new Refusal('payout_settled')
  }
  await refuseResolving(tx, payout, { status: 'failed', reason })
  await insertRequest(tx, by, { payout_id: payout.id, reason, evidence })
}

// Opens a request to fail the open payouts of a file that the bank does not have.
export async function requestFileFailure(
  tx: Transaction,
  by: Requester,
  { reference, evidence }: { reference: string; evidence: string },
): Promise<void> {
  const file = await lockPayoutFile(tx, reference)
  if (file.isNotDelivered) throw new Refusal('payout_file_not_delivered')
  await listFailedResults(tx, { ...file, reference, bankConfirmation: evidence })
  await insertRequest(tx, by, { file_id: file.id, evidence })
}

// Stores a request, for another user to approve. Refuses a second open one about the same payout or file.
// `fields` are columns: the payout or the file, the reason and the evidence.
function insertRequest(tx: Transaction, by: Requester, fields: object) {
  const values = { reference: newReference('PFR'), requested_by_client: by.client.id, ...fields }
  return payoutFailures.request(tx, by, { values, conflict: 'failure_requested' })
}

// Locks the file of the payout, if it is in one, and then the payout.
async function lockPayoutAndFile(tx: Transaction, reference: string): Promise<LockedPayout> {
  const unlocked = await findPayout(tx, { reference })
  if (!unlocked) throw new Refusal('payout_not_found')
  const fileId = await lockFileOf(tx, reference)
  const payout = await lockPayout(tx, unlocked.id)
  requireSameFile(fileId, payout.batchId)
  return payout
}

type Outcome = Exclude<PayoutOutcome, { status: 'cancelled' }>

// `evidence` is what the bank said about a payout that fails.
type Resolving = { reference: string; outcome: Outcome; evidence?: string }

// Settles a payout for which the bank gave no answer, as an operator reports: the operator telephoned the
// bank, or the bank's statement shows the payout. The payout is unknown, or was sent in a file. One person
// may confirm it, because that frees no money. Failing it takes two people.
//
// Reporting the same outcome again changes nothing. A different outcome is refused if the payout is settled,
// or if the bank has reported an outcome that is about to be settled.
// Locks: the file of the payout, the payout, then the locks of settling it.
export async function resolvePayout(
  tx: Transaction,
  deps: SettleDeps & { client: Client; actor: string },
  { reference, outcome, evidence }: Resolving,
): Promise<void> {
  const { client, actor, now } = deps
  const payout = await lockPayoutAndFile(tx, reference)
  const { id, amountKobo, currency } = payout
  await refuseResolving(tx, payout, outcome)
  const result = await settlePayout(tx, deps, { id, outcome, by: actor })
  // `otherwise`: nothing was changed, because the payout already has a different outcome.
  if (result === 'otherwise') throw new Refusal('payout_settled')
  if (result === 'same') return // The same outcome was reported before.
  const { status: verdict, ...facts } = outcome
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor,
    action: verdict === 'confirmed' ? 'payout.confirm' : 'payout.fail',
    subject: `payout/${reference}`,
    detail: { ...facts, evidence, amount: formatKobo(amountKobo), currency },
  })
}

// Refuses to settle a payout by hand if a worker is sending it now, or the bank's report contradicts the
// outcome.
async function refuseResolving(
  tx: Transaction,
  { id, status, batchId }: Pick<LockedPayout, 'id' | 'status' | 'batchId'>,
  outcome: Outcome,
): Promise<void> {
  // The worker that is sending the payout will receive the bank's answer.
  if (status === 'sending' && batchId === null) throw new Refusal('payout_settled')
  if (contradicts(await findReport(tx, id), outcome)) throw new Refusal('payout_settled')
}

// Fails the payouts of a file that never reached the bank, or that the bank dropped as a whole. These payouts
// are never queued again (I47). Failing a file needs the bank's confirmation, and is refused if the bank has
// paid any payout in the file. A payout that was confirmed by hand is treated as paid if the bank may have
// the file. Failing the file again changes nothing: the first confirmation stays.
//
// Locks: the file, then its payouts, in id order.
export async function failPayoutFile(
  tx: Transaction,
  { now, by }: { now: Date; by: FileActor },
  { reference, bankConfirmation }: { reference: string; bankConfirmation: string },
): Promise<void> {
  const file = await lockPayoutFile(tx, reference)
  if (file.isNotDelivered) return
  const results = await listFailedResults(tx, { ...file, reference, bankConfirmation })
  await insertResults(tx, { now, by }, results)
  await tx.query({
    name: 'payout-file-not-delivered',
    text: `update payout_files
              set not_delivered_by = $2, not_delivered_at = $3, bank_confirmation = $4
            where id = $1`,
    values: [file.id, by.actor, now, bankConfirmation],
  })
  const sum = results.reduce((kobos, { payout }) => kobos + payout.amountKobo, 0n)
  await writeAuditLog(tx, now, {
    ...by,
    action: 'payout_file.not_delivered',
    subject: `payout_file/${reference}`,
    detail: { bankConfirmation, failed: results.length, amount: formatKobo(kobo(sum)) },
  })
}

const isSettled = (status: PayoutStatus) => status === 'confirmed' || status === 'failed'

type FileToFail = { id: bigint; mayBeAtBank: boolean; reference: string; bankConfirmation: string }

// Locks the payouts of a file, and returns a failed result for each that is neither settled nor reported.
// Refuses if the bank has paid any of them.
async function listFailedResults(
  tx: Transaction,
  { id, mayBeAtBank, reference, bankConfirmation }: FileToFail,
): Promise<FileResult[]> {
  const { rows } = await tx.query<KnownPayout>({
    name: 'lock-payouts-of-file',
    text: `select p.id, p.reference, p.status, r.status as reported,
                  p.amount_kobo, p.currency, $2::text as file_reference,
                  coalesce(r.bank_reference, p.bank_reference) as bank_reference
             from payouts p left join payout_results r on r.payout_id = p.id
            where p.batch_id = $1
            order by p.id for no key update of p`,
    values: [id, reference],
  })
  const isPaid = ({ status, reported }: KnownPayout) =>
    (status === 'confirmed' && mayBeAtBank) || reported === 'confirmed'
  if (rows.some(isPaid)) throw new Refusal('payout_file_paid')
  const reason = `Not delivered to the bank: ${bankConfirmation}`
  return rows
    .filter(({ status, reported }) => !isSettled(status) && reported === null)
    .map((payout) => ({ payout, status: 'failed', bankReference: null, reason }))
}
