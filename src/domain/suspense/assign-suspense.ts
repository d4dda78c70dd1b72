// Assigns suspended money to a payment or a collection account. A client's money stays with that client.
// An operator may assign unidentified money to any client.
//
// Idempotent: repeating an assignment changes nothing, and concurrent ones result in one. With
// maker-checker on, an assignment needs approval (approval-requests.ts).
// Locks: the payment, then the item, then the collection account.

import type { Transaction } from '#db/transaction.ts'
import { type Client, mayUseMerchant } from '#domain/access/clients.ts'
import { inMerchantScope } from '#domain/access/merchant-scope.ts'
import { accountWithNumber } from '#domain/accounts/additional-numbers.ts'
import type { PaymentTarget } from '#domain/credits/judge-credit.ts'
import { acceptedKobo } from '#domain/credits/judge-credit.ts'
import { findAccountTerms, findPaymentTerms } from '#domain/credits/owner-rules.ts'
import {
  findHoldings,
  findReopenable,
  lockPayments,
  reopenPayment,
  updatePayments,
} from '#domain/credits/payment-balances.ts'
import {
  addPaid,
  deduct,
  deductionAccounts,
  postDeducted,
  settlePending,
} from '#domain/credits/settle-payment.ts'
import { recordSuspenseChanges } from '#domain/credits/suspense-history.ts'
import {
  type LockedItem,
  lockItems,
  markCredit,
  readOutcomes,
} from '#domain/credits/suspense-items.ts'
import { sumOfFees } from '#domain/fees/credit-fees.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { NewEvent } from '#domain/records/event-types.ts'
import { moved } from '#domain/records/movements.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { sumOfShares } from '#domain/splits/credit-splits.ts'
import { Refusal } from '#errors.ts'
import type { AccountId, ClientId, PaymentId, SuspenseItemId } from '#ids.ts'
import { clientOwner, type SharedAccounts } from '#ledger/accounts.ts'
import type { Transfer } from '#ledger/transfers.ts'
import { type Kobo, kobo } from '#money.ts'
import { refuseUnapproved } from './maker-checker.ts'

export type AssignTo = { paymentId: PaymentId } | { accountNumber: string }
type Deps = {
  sharedAccounts: SharedAccounts
  now: Date
  by: Client
  actor: string
  note: string | null
  isApproved?: boolean // By a second person.
}

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
  if (!deps.isApproved) await refuseUnapproved(tx, deps.by.id, item.id)

  const events = payment
    ? await giveToPayment(tx, deps, { item, payment })
    : await giveToAccount(tx, deps, { item, account: account as LockedAccount })
  await tx.query({
    name: 'assign-suspense-item',
    text: `update suspense_items
              set state = 'assigned', assigned_payment_id = $2, assigned_account_id = $3,
                  closed_at = $4, given_client_id = coalesce(given_client_id, $5)
            where id = $1`,
    values: [
      item.id,
      payment?.paymentId ?? null,
      account?.id ?? null,
      deps.now,
      item.clientId === null ? (payment ?? account)?.clientId : null,
    ],
  })
  const reference = 'paymentId' in to ? to.paymentId : to.accountNumber
  await recordSuspenseChanges(tx, deps.now, [{ item, change: 'assigned', reference }])
  await markCredit(tx, item.creditId, 'assigned')
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

// The outcome is known only after all writes.
function withOutcome(events: readonly NewEvent[], outcome: string | undefined): NewEvent[] {
  return events.map((event) =>
    event.type === 'credit.assigned' ? { ...event, facts: { ...event.facts, outcome } } : event,
  )
}

// Applies the rules of an assignment when approval is requested.
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
  const mayReach =
    (item.clientId === null || item.clientId === target?.clientId) &&
    (!account || mayUseMerchant(by, account.merchantCode))
  if (!target || !mayReach) {
    throw new Refusal('paymentId' in to ? 'payment_not_found' : 'account_not_found')
  }
  return { item, payment, account }
}

// The money must fit completely: an assignment may not leave a new excess.
function refuseUnfitting({ item, payment, account }: Assignment): void {
  if (item.state !== 'open') throw new Refusal('suspense_closed')
  const fits = payment ? fitsPayment(item, payment) : account?.isActive
  const isSame = item.currency === (payment ?? account)?.currency
  if (!fits || !isSame) throw new Refusal('suspense_not_fitting')
}

function fitsPayment(item: LockedItem, payment: PaymentTarget): boolean {
  const isTaking = ['Processing', 'PartPayment', 'Expired'].includes(payment.status)
  return isTaking && acceptedKobo(payment, item.amountKobo) === item.amountKobo
}

// Another client's item looks like one that does not exist.
export async function lockVisibleItem(
  tx: Transaction,
  by: Client,
  itemId: SuspenseItemId,
): Promise<LockedItem> {
  const [item] = await lockItems(tx, 'id', itemId)
  const isVisible = item && (item.clientId === null ? by.isOperator : item.clientId === by.id)
  if (!isVisible || !(await isOfMerchants(tx, by, item))) throw new Refusal('suspense_not_found')
  return item
}

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

// Reopens an expired payment that is still not paid in full, for its usual time.
async function giveToPayment(
  tx: Transaction,
  { sharedAccounts, now }: Deps,
  { item, payment }: { item: LockedItem; payment: PaymentTarget },
): Promise<NewEvent[]> {
  await findHoldings(tx, [payment])
  await findReopenable(tx, now, [payment])
  await findPaymentTerms(tx, now, payment)
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
  const earlier = isPaid
    ? settlePending(payment, sharedAccounts.id(pending), sharedAccounts.id(available))
    : []
  await updatePayments(tx, now, [payment])
  const isToReopen = !isPaid && now >= payment.closesAt
  if (isToReopen) {
    if (!payment.mayReopen) throw new Refusal('suspense_not_fitting')
    await reopenPayment(tx, now, payment.paymentId)
  }
  const taking = { deductions, accountId: creditAccountId }
  await postDeducted(tx, { sharedAccounts, now }, { transfers: [transfer, ...earlier], ...taking })
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

async function lockAccount(tx: Transaction, accountNumber: string) {
  const { rows } = await tx.query<LockedAccount>({
    name: 'lock-account-to-assign',
    text: `select a.id, a.client_id as "clientId", a.currency_code as currency,
                  a.merchant_code as "merchantCode",
                  a.is_active as "isActive", l.credits_kobo - l.debits_kobo as "balanceKobo"
             from collection_accounts a join ledger_accounts l on l.id = a.id
            where a.id = ${accountWithNumber('$1')}
              for no key update of l, a`,
    values: [accountNumber],
  })
  return rows[0]
}

async function giveToAccount(
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
  // A manual assignment breaks no limit. It is in the ledger, so it counts as received today.
  const transfers = [transferFrom(item, id)]
  await postDeducted(tx, { sharedAccounts, now }, { transfers, deductions, accountId: id })
  const leftKobo = amountKobo - feesKobo - sumOfShares(deductions.shares)
  const accountBalanceKobo = kobo(balanceKobo + leftKobo)
  const about = { clientId, collectionAccountId: id, creditId }
  return [
    { ...about, type: 'credit.assigned', ...assignedFacts(item) },
    {
      ...about,
      type: 'collection.received',
      facts: { accountBalanceKobo },
      ...moved(item.currency, { fees: feesKobo }),
    },
  ]
}

function transferFrom(item: LockedItem, creditAccountId: AccountId): Transfer {
  const { accountId: debitAccountId, amountKobo, creditId } = item
  return { debitAccountId, creditAccountId, amountKobo, creditId, reason: 'assign' }
}

// Unidentified money arrives at the client with the assignment. The client's own money leaves its
// suspense.
function assignedFacts({ clientId, amountKobo, currency, reason }: LockedItem) {
  const change =
    clientId === null ? { credits: 1 as const, gross: amountKobo } : { suspended: -amountKobo }
  const facts = { amountAssignedKobo: amountKobo, reason }
  return { facts, ...moved(currency, change) }
}
