// Assigns suspended money to a payment or a collection account. A client's money stays with that client. An
// operator may assign unidentified money to any client.
//
// Repeating an assignment changes nothing, and of concurrent assignments only one takes effect. Under
// maker-checker, an assignment needs approval (approve.ts).
// Locks: the payment, then the item, then the collection account.

import { type Client, inMerchantScope, mayUseMerchant } from '#access/permissions.ts'
import { accountWithNumber } from '#accounts/account.ts'
import {
  findAccountTerms,
  lockPayments,
  reopenPayment,
  setMayReopen,
  setPaymentTerms,
  setPending,
} from '#credits/balances.ts'
import { acceptedKobo, type PaymentTarget } from '#credits/judge.ts'
import { addPaid, deduct, deductionAccounts, postDeducted, settlePending } from '#credits/settle.ts'
import { transitionItem } from '#credits/states.ts'
import {
  type LockedItem,
  lockItems,
  markCredit,
  readOutcomes,
  recordSuspenseChanges,
} from '#credits/suspense-items.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import { sumOfFees } from '#fees/charges.ts'
import { refuseHeldCredit } from '#holds/hold.ts'
import type { AccountId, ClientId, PaymentId, SuspenseItemId } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { updatePayments } from '#payments/states.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { appendEvents, type NewEvent } from '#records/events.ts'
import { overviewChanges } from '#records/money-totals.ts'
import { holdAssigned, refuseUnheld } from '#screening/credits.ts'
import type { Sealer } from '#seal.ts'
import { sumOfShares } from '#splits/shares.ts'

export type AssignTo = { paymentId: PaymentId } | { accountNumber: string }
type Deps = {
  sealer: Sealer
  sharedAccounts: SharedAccounts
  now: Date
  by: Client
  actor: string
  note: string | null
  isApproved?: boolean // Whether a second person has approved the assignment.
}

// Assigns an item: moves its money out of suspense, changes the item's state, and tells the client. Does
// nothing if the item is assigned to this target already. If screening stopped the credit, the money is held
// before the client can use it.
export async function assignSuspense(
  tx: Transaction,
  deps: Deps,
  { itemId, to }: { itemId: SuspenseItemId; to: AssignTo },
): Promise<void> {
  const assignment = await lockAssignment(tx, deps.by, { itemId, to })
  const { item, payment, account } = assignment
  const isDone =
    item.state === 'assigned' &&
    (payment
      ? item.assignedPaymentId === payment.paymentId
      : item.assignedAccountId === account?.id)
  if (isDone) return
  refuseUnfitting(assignment)
  await refuseUnheld(tx, item.creditId)
  if (!deps.isApproved) await refuseUnapproved(tx, deps.by.id, item.id)

  const events = payment
    ? await assignToPayment(tx, deps, { item, payment })
    : await assignToAccount(tx, deps, { item, account: account as LockedAccount })
  // Unidentified money also stores the client that it is assigned to ($5).
  await transitionItem(tx, {
    name: 'assign-suspense-item',
    id: item.id,
    from: item.state,
    to: 'assigned',
    set: `assigned_payment_id = $2, assigned_account_id = $3, closed_at = $4,
          given_client_id = coalesce(given_client_id, $5)`,
    values: [
      payment?.paymentId ?? null,
      account?.id ?? null,
      deps.now,
      item.clientId === null ? (payment ?? account)?.clientId : null,
    ],
  })
  const reference = 'paymentId' in to ? to.paymentId : to.accountNumber
  await recordSuspenseChanges(tx, deps.now, [{ item, change: 'assigned', reference }])
  await markCredit(tx, item.creditId, 'assigned')
  await holdAssigned(tx, deps, item.creditId)
  const outcome = (await readOutcomes(tx, [item.creditId])).get(item.creditId)
  await writeAuditLog(tx, deps.now, {
    clientId: deps.by.id,
    actor: deps.actor,
    action: 'suspense.assign',
    subject: `suspense/${item.id}`,
    detail: { ...to, note: deps.note },
  })
  await appendEvents(tx, deps.now, withOutcome(events, outcome))
}

// Adds the credit's outcome to the event, because it is known only after all writes.
function withOutcome(events: readonly NewEvent[], outcome: string | undefined): NewEvent[] {
  return events.map((event) =>
    event.type === 'credit.assigned' ? { ...event, facts: { ...event.facts, outcome } } : event,
  )
}

// Locks an item and checks that it can be assigned, when a user requests approval.
export async function lockAssignable(
  tx: Transaction,
  by: Client,
  { itemId, to }: { itemId: SuspenseItemId; to: AssignTo },
): Promise<void> {
  refuseUnfitting(await lockAssignment(tx, by, { itemId, to }))
}

type Assignment = {
  item: LockedItem
  payment: PaymentTarget | undefined
  account: LockedAccount | undefined
}

// Locks the item and its target, in the order that the top of this file names. Refuses a target of another
// client, or outside the caller's merchant scope.
async function lockAssignment(
  tx: Transaction,
  by: Client,
  { itemId, to }: { itemId: SuspenseItemId; to: AssignTo },
): Promise<Assignment> {
  const payment =
    'paymentId' in to ? (await lockPayments(tx, [to.paymentId])).get(to.paymentId) : undefined
  const item = await lockVisibleItem(tx, by, itemId)
  const account = 'accountNumber' in to ? await lockAccount(tx, to.accountNumber) : undefined
  const target = payment ?? account
  const isReachable =
    (item.clientId === null || item.clientId === target?.clientId) &&
    (!account || mayUseMerchant(by, account.merchantCode))
  if (!target || !isReachable) {
    throw new Refusal('paymentId' in to ? 'payment_not_found' : 'account_not_found')
  }
  return { item, payment, account }
}

// Refuses an item that does not fit the target completely, because an assignment may not create an excess.
function refuseUnfitting({ item, payment, account }: Assignment): void {
  if (item.state !== 'open') throw new Refusal('suspense_closed')
  const fits = payment ? fitsPayment(item, payment) : account?.isActive
  const isSameCurrency = item.currency === (payment ?? account)?.currency
  if (!fits || !isSameCurrency) throw new Refusal('suspense_not_fitting')
}

// Whether the payment still accepts the whole amount.
function fitsPayment(item: LockedItem, payment: PaymentTarget): boolean {
  const isPayable = ['Processing', 'PartPayment', 'Expired'].includes(payment.status)
  return isPayable && acceptedKobo(payment, item.amountKobo) === item.amountKobo
}

// Locks an item that the client may see. An item of another client is treated as not found.
export async function lockVisibleItem(
  tx: Transaction,
  by: Client,
  itemId: SuspenseItemId,
): Promise<LockedItem> {
  const [item] = await lockItems(tx, 'id', itemId)
  const isVisible = item && (item.clientId === null ? by.isOperator : item.clientId === by.id)
  if (!isVisible || !(await isOfMerchants(tx, by, item))) throw new Refusal('suspense_not_found')
  if (item.state === 'open') await refuseHeldCredit(tx, item.creditId)
  return item
}

// Whether the item's credit is in the client's merchant scope.
async function isOfMerchants(tx: Transaction, by: Client, item: LockedItem): Promise<boolean> {
  if (by.merchantCodes === null) return true
  const { rowCount } = await tx.query({
    name: 'item-of-merchants',
    text: `select from credits c
            where c.id = $1 and ${inMerchantScope('c.collection_account_id', '$2')}`,
    values: [item.creditId, by.id],
  })
  return rowCount === 1
}

// Refuses to move money without approval if the client uses maker-checker, or if a request about the item is
// open. The caller has locked the item, so no such request can be made concurrently. The share lock on the
// client makes a user who turns on maker-checker wait for moves under way; later moves need approval.
export async function refuseUnapproved(
  tx: Transaction,
  clientId: ClientId,
  itemId: SuspenseItemId,
): Promise<void> {
  const { rows } = await tx.query<{ isNeeded: boolean; isRequested: boolean }>({
    name: 'needs-approval',
    text: `select has_maker_checker as is_needed,
                  exists (select from suspense_requests
                           where item_id = $2 and state = 'open') as is_requested
             from clients where id = $1
              for share`,
    values: [clientId, itemId],
  })
  if (rows[0]?.isNeeded) throw new Refusal('approval_needed')
  if (rows[0]?.isRequested) throw new Refusal('suspense_requested')
}

// Books the money to a payment. An expired payment that is still not paid in full is reopened for its usual
// time. A payment that is now paid in full also gets its earlier part payments moved from pending to
// available. The three set…() calls first read into `payment` its earlier part payments, whether it may be
// reopened, and its fee rule and split.
async function assignToPayment(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { item, payment }: { item: LockedItem; payment: PaymentTarget },
): Promise<NewEvent[]> {
  await setPending(tx, [payment])
  await setMayReopen(tx, now, [payment])
  await setPaymentTerms(tx, now, payment)
  const { id: itemId, creditId, amountKobo, currency } = item
  const plan = { payments: new Set<PaymentTarget>(), events: [] as NewEvent[] }
  const deductions = addPaid(plan, payment, { holding: { creditId, amountKobo, itemId } })
  const owner = clientOwner(payment.clientId)
  const pending = { kind: 'pending', owner, currency } as const
  const available = { kind: 'available', owner, currency } as const
  await sharedAccounts.open([pending, available, ...deductionAccounts(payment)])
  const isPaid = payment.status === 'Successful'
  const creditAccountId = sharedAccounts.id(isPaid ? available : pending)
  const transfer = transferFrom(item, creditAccountId)
  const earlierParts = isPaid
    ? settlePending(payment, sharedAccounts.id(pending), sharedAccounts.id(available))
    : []
  await updatePayments(tx, now, [payment])
  const mustReopen = !isPaid && now >= payment.closesAt
  if (mustReopen) {
    if (!payment.mayReopen) throw new Refusal('suspense_not_fitting')
    await reopenPayment(tx, now, payment.paymentId)
  }
  const taking = { deductions, accountId: creditAccountId }
  await postDeducted(
    tx,
    { sharedAccounts, now },
    { transfers: [transfer, ...earlierParts], ...taking },
  )
  const { clientId, paymentId } = payment
  return [
    { clientId, type: 'credit.assigned', paymentId, creditId, ...assignedFacts(item) },
    ...plan.events,
  ]
}

type LockedAccount = {
  id: AccountId
  clientId: ClientId
  merchantCode: string
  isActive: boolean
  currency: string
  balanceKobo: Kobo
}

// Locks the collection account that has the number, and its ledger account.
async function lockAccount(tx: Transaction, accountNumber: string) {
  const { rows } = await tx.query<LockedAccount>({
    name: 'lock-account-to-assign',
    text: `select a.id, a.client_id, a.currency_code as currency, a.merchant_code,
                  a.is_active, l.credits_kobo - l.debits_kobo as balance_kobo
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = ${accountWithNumber('$1')}
              for no key update of l, a`,
    values: [accountNumber],
  })
  return rows[0]
}

// Books the money to a collection account, with the account's fees and splits.
async function assignToAccount(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { item, account }: { item: LockedItem; account: LockedAccount },
): Promise<NewEvent[]> {
  const { id, clientId, balanceKobo } = account
  const { id: itemId, creditId, amountKobo } = item
  const terms = await findAccountTerms(tx, now, id)
  const deductions = deduct(terms, [{ creditId, itemId, amountKobo }])
  const feesKobo = sumOfFees(deductions.fees)
  await sharedAccounts.open(deductionAccounts({ clientId, ...terms }))
  // A manual assignment ignores the account's limits. But the amount is included in the money that the
  // account received today, because that sum is read from the ledger.
  const transfers = [transferFrom(item, id)]
  await postDeducted(tx, { sharedAccounts, now }, { transfers, deductions, accountId: id })
  const leftKobo = amountKobo - feesKobo - sumOfShares(deductions.shares)
  const accountBalanceKobo = kobo(balanceKobo + leftKobo)
  const subject = { clientId, collectionAccountId: id, creditId }
  return [
    { ...subject, type: 'credit.assigned', ...assignedFacts(item) },
    {
      ...subject,
      type: 'collection.received',
      facts: { accountBalanceKobo },
      ...overviewChanges(item.currency, { fees: feesKobo }),
    },
  ]
}

// Returns the transfer that takes the item's money out of suspense.
function transferFrom(item: LockedItem, creditAccountId: AccountId): Transfer {
  const { accountId: debitAccountId, amountKobo, creditId } = item
  return { debitAccountId, creditAccountId, amountKobo, creditId, reason: 'assign' }
}

// Returns the facts of the event and the changes of the client's overview. Unidentified money is new to the
// client; money that was already the client's leaves its suspense.
function assignedFacts({ clientId, amountKobo, currency, reason }: LockedItem) {
  const change =
    clientId === null ? { credits: 1 as const, gross: amountKobo } : { suspended: -amountKobo }
  const facts = { amountAssignedKobo: amountKobo, reason }
  return { facts, ...overviewChanges(currency, change) }
}
