// Renders events as the body of deliveries, of the events list and of live pages.
//
//   {id, type, sequence, createdAt, env, data}
//
// `data` is the full resource as the API shows it, overlaid with the facts of the event: an event
// redelivered a day later still shows the balance and status of its time.

import type { Queryable } from '#db/pool.ts'
import { type Payment, remainingKobo } from '#domain/payments/payments.ts'
import {
  type NameBank,
  type PublicAccount,
  viewAccount,
  viewPayment,
} from '#domain/payments/resource-presenters.ts'
import type { EventType } from '#domain/records/event-types.ts'
import type { AccountId, EventId, PaymentId } from '#ids.ts'
import { toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import { type Facts, readFacts, showFacts } from './event-facts.ts'
import type { StoredEvent } from './event-list.ts'
import { type EventCredit, type Resources, readResources } from './event-resources.ts'

export type EventBody = {
  id: EventId
  type: EventType
  sequence: number
  createdAt: string
  env: 'Test' | 'Live'
  data: Record<string, unknown>
}

export type Rendering = {
  mode: 'sandbox' | 'live'
  nameBank: NameBank
  nameStyle: string // For account names: see account-names.ts.
}

// Keeps the order. Runs one query per kind of resource, whatever the number of events.
export async function renderEvents(
  db: Queryable,
  { sealer, events, how }: { sealer: Sealer; events: readonly StoredEvent[]; how: Rendering },
): Promise<EventBody[]> {
  const resources = await readResources(db, sealer, events)
  return events.map((event) => ({
    id: event.id,
    type: event.type,
    sequence: Number(event.sequence),
    createdAt: timestamp(event.createdAt),
    env: how.mode === 'live' ? 'Live' : 'Test',
    data: renderData(event.type, { ...how, sealer, ...findAbout(event, resources) }),
  }))
}

type About = Rendering & {
  sealer: Sealer
  event: StoredEvent
  account: PublicAccount | undefined
  payment: Payment | undefined
  credit: EventCredit | undefined
}

type Data = Record<string, unknown>

const RENDERERS: { [Type in EventType]: (facts: Facts<Type>, about: About) => Data } = {
  'account.created': accountData,
  'account.updated': accountData,
  'account.deactivated': accountData,
  'account.activated': accountData,
  'account.erased': accountData,
  'collection.received': accountData,
  'collection.reversed': accountData,
  'collection.refunded': accountData,
  'collection.refund_failed': accountData,
  'payment.processing': paymentData,
  'payment.part_paid': paymentData,
  'payment.extended': paymentData,
  'payment.successful': paymentData,
  'payment.expired': paymentData,
  'payment.cancelled': paymentData,
  'payment.reversed': paymentData,
  'payment.refunded': paymentData,
  'payment.refund_failed': paymentData,
  'credit.suspended': creditData,
  'credit.assigned': creditData,
  'credit.returned': creditData,
  'credit.return_failed': creditData,
  'credit.reversed': creditData,
  'payout.confirmed': showFacts,
  'payout.failed': showFacts,
  'payout.returned': showFacts,
  'settlement.closed': showFacts,
  'settlement.paid': showFacts,
  'settlement.failed': showFacts,
  'alert.raised': showFacts,
  'endpoint.disabled': showFacts,
  'endpoint.test': showFacts,
}

function renderData<Type extends EventType>(type: Type, about: About): Data {
  return RENDERERS[type](readFacts<Type>(about.event.facts), about)
}

// The event of a credit without a payment or account is about the owner of the credit.
function findAbout(event: StoredEvent, { accounts, payments, credits }: Resources) {
  const credit = event.creditId === null ? undefined : credits.get(event.creditId)
  const owned = event.type.startsWith('credit.') ? credit : undefined
  return {
    event,
    credit,
    account: accounts.get((event.collectionAccountId ?? owned?.collectionAccountId) as AccountId),
    payment: payments.get((event.paymentId ?? owned?.paymentId) as PaymentId),
  }
}

function accountData(facts: object, about: About): Data {
  const { event, account, credit } = about
  if (!account) return showFacts(facts)
  const updatedAt = new Date(Math.min(account.updatedAt.getTime(), event.createdAt.getTime()))
  return {
    ...viewAccount({ ...account, updatedAt }, about),
    ...showFacts(facts),
    ...(credit ? { credit: viewCredit(credit) } : {}),
  }
}

function paymentData(facts: Facts<'payment.processing'>, about: About): Data {
  const { payment, credit, nameBank, nameStyle } = about
  if (!payment) return showFacts(facts)
  const { status = payment.status, amountPaidKobo = payment.amountPaidKobo } = facts
  const number = findNumber(payment, credit)
  const bankName = nameBank(number.bankCode)
  return {
    ...viewPayment(payment, number, { status, bankName, nameStyle }),
    adviceReference: payment.adviceId,
    merchantRef: payment.merchantRef,
    currency: payment.currency,
    ...showFacts(facts),
    amountRemaining: toNaira(remainingKobo(status, payment.amountKobo, amountPaidKobo)),
    ...(credit ? { credit: viewCredit(credit) } : {}),
  }
}

// The number that received the credit, or else the first number.
function findNumber({ numbers }: Payment, credit: EventCredit | undefined) {
  const paid = numbers.find(({ accountNumber }) => accountNumber === credit?.accountNumber)
  return paid ?? numbers[0] ?? { bankCode: '', accountNumber: '' }
}

function creditData(facts: object, about: About): Data {
  const { event, account, payment, credit, nameBank, sealer } = about
  if (!credit) return showFacts(facts)
  return {
    id: publicId(sealer, 'credit', credit.id),
    ...viewCredit(credit),
    bankName: nameBank(credit.bankCode),
    transactionTime:
      credit.transactionDate ?? (credit.transactionTime && timestamp(credit.transactionTime)),
    paymentReference: payment?.id ?? null,
    adviceReference: payment?.adviceId ?? null,
    merchantRef: payment?.merchantRef ?? null,
    collectionAccountNumber: account?.accountNumber ?? null,
    outcome: event.type.slice('credit.'.length),
    reason: null,
    ...showFacts(facts),
  }
}

function viewCredit(credit: EventCredit) {
  return {
    sessionId: credit.sessionId,
    bankCode: credit.bankCode,
    accountNumber: credit.accountNumber,
    amount: toNaira(credit.amountKobo),
    currency: credit.currency,
    sourceAccountName: credit.sourceAccountName,
    sourceAccountNumberMasked: credit.sourceAccountNumberMasked,
    sourceBankCode: credit.sourceBankCode,
    narration: credit.narration,
    receivedAt: timestamp(credit.receivedAt),
  }
}
