// The only code that confirms, fails or cancels a payout, or books that the bank sent its money back.
// Settling posts the transfers, then calls the hook of the payout's purpose, then appends the client's event,
// all in one transaction.
//
// I47: a payout is settled once; the same outcome again changes nothing. If a bank confirms a failed payout,
// or fails a confirmed one, nothing changes, and the caller learns of it: a person must decide.
// Locks: the payout; then ledger accounts, the locks of the hook, and the client's event counter.

import { APPROVER_COLUMNS, type FirstApprover } from '#approvals/approvers.ts'
import type { Queryable } from '#db/pool.ts'
import { isAllowed } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { BankAccountId, PayoutId, UserId } from '#ids.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { formatKobo, kobo } from '#money.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { MAY_HAVE_BEEN_SENT } from './holds.ts'
import { appendOutcomeEvent, type Payout, type Purpose, returnedEvent } from './payout.ts'
import { type HeldPayout, paidLegs, returnedLegs, toTransfers, unpaidLegs } from './postings.ts'
import { PAYOUTS, type PayoutStatus, recordPayoutChanges, transition } from './states.ts'
import { type PayoutCost, readCost } from './tariffs.ts'

export type PayoutOutcome =
  | { status: 'confirmed'; bankReference: string }
  | { status: 'failed' | 'cancelled'; reason: string }

type SettledPayout = Pick<
  Payout,
  | 'id'
  | 'reference'
  | 'clientId'
  | 'purpose'
  | 'amountKobo'
  | 'currency'
  | 'settlementId'
  | 'creditId'
  | 'subaccountId'
>

type HookDeps = { sharedAccounts: SharedAccounts; now: Date }

// Called when a payout of one purpose is settled. Refunds, returns and settlements write their own rows and
// events by it, in the same transaction (PAYOUT_HOOKS of src/wiring.ts).
export type OutcomeHook = (
  tx: Transaction,
  deps: HookDeps,
  ...settled: [payout: SettledPayout, outcome: PayoutOutcome]
) => Promise<void>

export type OutcomeHooks = Partial<Record<Purpose, OutcomeHook>>

export type SettleDeps = HookDeps & { hooks: OutcomeHooks }

export type LockedPayout = HeldPayout & {
  status: PayoutStatus
  approval: Payout['approval']
  requestedBy: string
  requestedByUser: UserId | null
  makerPeople: readonly UserId[] | null // The people behind the maker, if the payout needs approval.
  approversNeeded: number
  firstApprover: FirstApprover | null
  decidedByUser: UserId | null
  bankAccountId: BankAccountId | null // Payouts and settlements only.
  batchId: bigint | null
  bankReference: string | null
  mayHaveBeenSent: boolean // Whether it may have been sent before a restore, which lost the record (I82).
}

// The result of settlePayout(). `settled`: this call settled the payout. `same`: the payout already had this
// outcome. `otherwise`: the payout has another outcome, or its status does not allow this one. Only a queued
// payout that cannot have been sent before a restore can be cancelled; only a payout that was sent can be
// confirmed or fail.
type SettleResult = 'settled' | 'same' | 'otherwise'

// Locks a payout and settles it with this outcome, if its status allows that. Returns `same` if the payout
// has this outcome already, and `otherwise` if it cannot get this outcome.
export async function settlePayout(
  tx: Transaction,
  deps: SettleDeps,
  { id, outcome, by }: { id: PayoutId; outcome: PayoutOutcome; by: string },
): Promise<SettleResult> {
  const payout = await lockPayout(tx, id)
  if (payout.status === outcome.status) return isSame(payout, outcome) ? 'same' : 'otherwise'
  if (!isAllowed(PAYOUTS, payout.status, outcome.status)) return 'otherwise'
  if (outcome.status === 'cancelled' && payout.mayHaveBeenSent) return 'otherwise'
  await applyOutcome(tx, deps, { payout, outcome, by })
  return 'settled'
}

// Refuses to cancel a payout. The refusal says whether it may have been sent before a restore.
export function refuseCancelling({ status, mayHaveBeenSent }: LockedPayout): never {
  const isForgotten = status === 'queued' && mayHaveBeenSent
  throw new Refusal(isForgotten ? 'payout_may_have_been_sent' : 'payout_not_queued')
}

export async function lockPayout(tx: Transaction, id: PayoutId): Promise<LockedPayout> {
  const { rows } = await tx.query<LockedPayout>({
    name: 'lock-payout',
    text: `select id, reference, client_id, purpose, bank_code, amount_kobo, currency, fee_kobo,
                  vat_kobo, settlement_id, credit_id, subaccount_id, status, approval, requested_by,
                  requested_by_user, ${APPROVER_COLUMNS},
                  decided_by_user, bank_account_id, batch_id, bank_reference,
                  ${MAY_HAVE_BEEN_SENT} as may_have_been_sent
             from payouts where id = $1 for no key update`,
    values: [id],
  })
  if (!rows[0]) throw new Error(`there is no payout ${id}`)
  return rows[0]
}

// A confirmation under another bank reference is not the same outcome: the bank may have paid twice.
function isSame({ bankReference }: LockedPayout, outcome: PayoutOutcome): boolean {
  return outcome.status !== 'confirmed' || bankReference === outcome.bankReference
}

type OutcomeToApply = { payout: LockedPayout; outcome: PayoutOutcome; by: string }

// Writes the outcome, clears the payout's alerts, posts the transfers, calls the hook and appends the event.
// The hook belongs to the purpose of the payout: refunds, returns and settlements write their own rows and
// events by it.
async function applyOutcome(
  tx: Transaction,
  deps: SettleDeps,
  settling: OutcomeToApply,
): Promise<void> {
  const { sharedAccounts, now, hooks } = deps
  const { payout, outcome } = settling
  const cost = await costOfOutcome(tx, now, settling)
  await writeOutcome(tx, now, { ...settling, cost })
  const subject = `payout/${payout.reference}`
  await clearAlert(tx, now, { kind: 'payout_unknown', subject })
  await clearAlert(tx, now, { kind: 'payout_needs_authorization', subject })
  if (payout.purpose !== 'return') {
    const legs = outcome.status === 'confirmed' ? paidLegs(payout, cost) : unpaidLegs(payout)
    await sharedAccounts.open(legs.flatMap(({ from, to }) => [from, to]))
    const findAccountId = sharedAccounts.id.bind(sharedAccounts)
    await postTransfers(tx, now, toTransfers(payout, legs, findAccountId))
  }
  await hooks[payout.purpose]?.(tx, { sharedAccounts, now }, payout, outcome)
  await appendOutcomeEvent(tx, now, payout)
}

const NO_COST: PayoutCost = { costKobo: kobo(0n), dutyKobo: kobo(0n), costVatKobo: kobo(0n) }

// Returns the bank's charge for a payout that it paid. Returns of suspended money are booked by their hook,
// at no cost.
function costOfOutcome(
  tx: Transaction,
  now: Date,
  { payout, outcome }: OutcomeToApply,
): Promise<PayoutCost> | PayoutCost {
  const isPaid = outcome.status === 'confirmed' && payout.purpose !== 'return'
  return isPaid ? readCost(tx, { ...payout, now }) : NO_COST
}

// Moves the payout to the status of its outcome, and stores who settled it and the cost.
async function writeOutcome(
  tx: Transaction,
  now: Date,
  { payout, outcome, by, cost }: OutcomeToApply & { cost: PayoutCost },
): Promise<void> {
  const isPaid = outcome.status === 'confirmed'
  const [bankReference, reason] = isPaid ? [outcome.bankReference, null] : [null, outcome.reason]
  await transition(tx, {
    name: 'settle-payout',
    rows: [payout.id],
    from: payout.status,
    to: outcome.status,
    set: `bank_reference = $2, failure_reason = $3, settled_by = $4, settled_at = $5,
          cost_kobo = $6, cost_vat_kobo = $7, next_query_at = null`,
    values: [bankReference, reason, by, now, cost.costKobo, cost.costVatKobo],
    by,
    now,
    detail: bankReference ?? reason,
  })
}

type ReportedOutcome = { id: PayoutId; reference: string; outcome: PayoutOutcome; by: string }

// Settles a payout as its bank reported. If it was settled in another way in the meantime, the money may have
// left: nothing changes, and an alert asks a person to find out.
export async function settleAsReported(
  tx: Transaction,
  deps: SettleDeps,
  { id, reference, outcome, by }: ReportedOutcome,
): Promise<void> {
  if ((await settlePayout(tx, deps, { id, outcome, by })) !== 'otherwise') return
  await alertContradiction(tx, deps.now, { subject: `payout/${reference}`, status: outcome.status })
}

// Alerts operators that a bank's report or answer contradicts the books.
export async function alertContradiction(
  tx: Transaction,
  now: Date,
  { subject, status }: { subject: string; status: PayoutOutcome['status'] | 'reversed' },
): Promise<void> {
  const detail = { status, problem: 'already_settled' }
  const alert = { kind: 'payout_contradicted', subject, detail } as const
  await appendEvents(tx, now, await raiseAlerts(tx, now, [alert]))
}

// The money of a return (purpose) belongs to no client: if it comes back, the statement books it as a credit.
export const isReturnable = ({ status, purpose }: LockedPayout) =>
  status === 'confirmed' && purpose !== 'return'

// Books a confirmed payout that its bank sent back. The money becomes available again on the account that it
// was taken from, as when a statement shows the return (src/reconciliation/book.ts). The payout stays
// confirmed, with the return in its history; its fee stays charged. The statement line that shows the money
// later is matched to this item of the books ('payout_return'), so it is not booked again.
//
// I104: a return is booked once for a payout. Returns false and changes nothing if it was booked before, from
// the bank's answers or from a statement line. The caller has locked the payout and checked isReturnable.
// Locks: the payout; alerts; ledger accounts; the client's event counter.
export async function bookReturn(
  tx: Transaction,
  { sharedAccounts, now }: { sharedAccounts: SharedAccounts; now: Date },
  { payout, by }: { payout: LockedPayout; by: string },
): Promise<boolean> {
  if (!(await insertReturn(tx, now, { payout, by }))) return false
  const { reference, amountKobo, currency } = payout
  const amount = formatKobo(amountKobo)
  await recordPayoutChanges(tx, now, {
    payoutIds: [payout.id],
    change: 'returned_by_bank',
    changedBy: by,
    detail: `${amount} ${currency}`,
  })
  const subject = `payout/${reference}`
  await clearAlert(tx, now, { kind: 'payout_contradicted', subject })
  const detail = { bankCode: payout.bankCode, amount, currency }
  const alerts = await raiseAlerts(tx, now, [{ kind: 'payout_returned', subject, detail }])
  const legs = returnedLegs(payout)
  await sharedAccounts.open(legs.flatMap(({ from, to }) => [from, to]))
  await postTransfers(tx, now, toTransfers(payout, legs, sharedAccounts.id.bind(sharedAccounts)))
  const event = await returnedEvent(tx, now, { id: payout.id, returnedKobo: amountKobo })
  await appendEvents(tx, now, [...alerts, ...event])
  return true
}

// Returns false if a return of this payout was booked before.
async function insertReturn(
  tx: Transaction,
  now: Date,
  { payout: { id, amountKobo }, by }: { payout: LockedPayout; by: string },
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'insert-payout-return',
    text: `insert into payout_returns (payout_id, amount_kobo, told_by, returned_at)
           select $1, $2, $3, $4
            where not exists (select from differences d join transfers t on t.difference_id = d.id
                               where d.payout_id = $1)
           on conflict (payout_id) do nothing`,
    values: [id, amountKobo, by, now],
  })
  return rowCount === 1
}

type ReportedRow = {
  id: PayoutId
  reference: string
  status: 'confirmed' | 'failed'
  bankReference: string | null
  reason: string | null
  by: string
}

// SQL condition: a bank has reported the outcome of a payout that is still sending or unknown.
export const HAS_REPORTED_PAYOUTS = `exists (
  select from payouts p join payout_results r on r.payout_id = p.id
   where p.status in ('sending', 'unknown'))`

// Returns payouts that are not settled although a bank has reported their final outcome.
export async function findReported(
  db: Queryable,
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<ReportedOutcome[]> {
  const { rows } = await db.query<ReportedRow>({
    name: 'find-reported-payouts',
    text: `select p.id, p.reference, r.status, r.bank_reference, r.reason, r.reported_by as by
             from payouts p join payout_results r on r.payout_id = p.id
            where p.status in ('sending', 'unknown') and p.id > $1
            order by p.id limit $2`,
    values: [afterId, limit],
  })
  return rows.map(({ id, reference, by, status, ...row }) => ({
    id,
    reference,
    by,
    outcome:
      status === 'confirmed'
        ? { status, bankReference: row.bankReference as string }
        : { status, reason: row.reason as string },
  }))
}

// Returns the bank's report on a payout, whether or not the payout is settled.
export async function findReport(tx: Transaction, id: PayoutId): Promise<Reported | undefined> {
  const { rows } = await tx.query<Reported>({
    name: 'find-report-of-payout',
    text: `select p.reference, r.status, r.bank_reference
             from payout_results r join payouts p on p.id = r.payout_id where r.payout_id = $1`,
    values: [id],
  })
  return rows[0]
}

type Reported = Pick<ReportedRow, 'reference' | 'status' | 'bankReference'>
type Outcome = { status: 'confirmed'; bankReference: string } | { status: 'failed' | 'cancelled' }

// Returns whether an outcome that a person enters contradicts the bank's report. Confirmations under two
// different bank references contradict each other, unless the bank gave none and its report has ours.
export function contradicts(report: Reported | undefined, outcome: Outcome): boolean {
  if (!report) return false
  if (outcome.status !== 'confirmed' || report.status !== 'confirmed')
    return report.status !== outcome.status
  return ![report.bankReference, report.reference].includes(outcome.bankReference)
}
