// What an event says: the body of every delivery, of the events list and of live pages.
//
//   {id, type, sequence, createdAt, env, data}
//
// `data` is the full resource as the API shows it, with the facts of that moment laid over it: an
// event sent again a day later still tells the balance and the status of when it happened.

import type { Queryable } from '#db/pool.ts'
import { type Payment, type PaymentStatus, remainingKobo } from '#domain/payments/payments.ts'
import { type NameBank, viewAccount, viewPayment } from '#domain/payments/resource-presenters.ts'
import type { EventType } from '#domain/records/outbox.ts'
import { koboOf, toNaira } from '#money.ts'
import { publicId } from '#public-ids.ts'
import type { Sealer } from '#seal.ts'
import { timestamp } from '#wat-time.ts'
import type { StoredEvent } from './event-list.ts'
import { type EventCredit, type Resources, readResources } from './event-resources.ts'

export type EventBody = {
  id: string
  type: EventType
  sequence: number
  createdAt: string
  env: 'Test' | 'Live'
  data: Record<string, unknown>
}

export type Rendering = {
  mode: 'sandbox' | 'live'
  nameBank: NameBank
  nameStyle: string // Of account names: see account-names.ts.
}

// In the order given. Reads once for each kind of thing, however many events there are.
export async function renderEvents(
  db: Queryable,
  sealer: Sealer,
  events: readonly StoredEvent[],
  how: Rendering,
): Promise<EventBody[]> {
  const resources = await readResources(db, sealer, events)
  return events.map((event) => ({
    id: event.id,
    type: event.type,
    sequence: Number(event.sequence),
    createdAt: timestamp(event.createdAt),
    env: how.mode === 'live' ? 'Live' : 'Test',
    data: dataOf(event, resources, { ...how, sealer }),
  }))
}

type Viewing = Rendering & { sealer: Sealer }

function dataOf(event: StoredEvent, resources: Resources, how: Viewing) {
  const credit = event.creditId === null ? undefined : resources.credits.get(event.creditId)
  switch (event.type.split('.')[0]) {
    case 'account':
    case 'collection':
      return accountData(event, resources, credit, how)
    case 'payment':
      return paymentData(event, resources, credit, how)
    case 'credit':
      return creditData(event, resources, credit, how)
    default:
      return event.facts
  }
}

function accountData(
  event: StoredEvent,
  { accounts }: Resources,
  credit: EventCredit | undefined,
  { sealer }: Viewing,
) {
  const account = accounts.get(event.collectionAccountId as bigint)
  if (!account) return event.facts
  const updatedAt = new Date(Math.min(account.updatedAt.getTime(), event.createdAt.getTime()))
  return {
    ...viewAccount({ ...account, updatedAt }, sealer),
    ...event.facts,
    ...(credit ? { credit: viewCredit(credit) } : {}),
  }
}

function paymentData(
  event: StoredEvent,
  { payments }: Resources,
  credit: EventCredit | undefined,
  { nameBank, nameStyle }: Rendering,
) {
  const payment = payments.get(event.paymentId as string)
  if (!payment) return event.facts
  const { status = payment.status } = event.facts as { status?: PaymentStatus }
  const number = numberOf(payment, credit)
  const bankName = nameBank(number.bankCode)
  const view = {
    ...viewPayment(payment, number, { status, bankName, nameStyle }),
    adviceReference: payment.adviceId,
    merchantRef: payment.merchantRef,
    currency: payment.currency,
    ...event.facts,
  }
  return {
    ...view,
    amountRemaining: toNaira(
      remainingKobo(status, payment.amountKobo, koboOf(view.amountPaid) ?? 0n),
    ),
    ...(credit ? { credit: viewCredit(credit) } : {}),
  }
}

// The number that was paid to, where money came; the first one otherwise.
function numberOf({ numbers }: Payment, credit: EventCredit | undefined) {
  const paid = numbers.find(({ accountNumber }) => accountNumber === credit?.accountNumber)
  return paid ?? numbers[0] ?? { bankCode: '', accountNumber: '' }
}

function creditData(
  event: StoredEvent,
  { payments, accounts }: Resources,
  credit: EventCredit | undefined,
  { nameBank, sealer }: Viewing,
) {
  if (!credit) return event.facts
  const payment = payments.get((event.paymentId ?? credit.paymentId) as string)
  const account = accounts.get((event.collectionAccountId ?? credit.collectionAccountId) as bigint)
  return {
    id: publicId(sealer, 'credit', credit.id),
    ...viewCredit(credit),
    bankCode: credit.bankCode,
    bankName: nameBank(credit.bankCode),
    accountNumber: credit.accountNumber,
    transactionTime:
      credit.transactionDate ?? (credit.transactionTime && timestamp(credit.transactionTime)),
    paymentReference: payment?.id ?? null,
    adviceReference: payment?.adviceId ?? null,
    merchantRef: payment?.merchantRef ?? null,
    collectionAccountNumber: account?.accountNumber ?? null,
    outcome: event.type.slice('credit.'.length),
    reason: null,
    ...event.facts,
  }
}

function viewCredit(credit: EventCredit) {
  return {
    sessionId: credit.sessionId,
    amount: toNaira(credit.amountKobo),
    currency: credit.currency,
    sourceAccountName: credit.sourceAccountName,
    sourceAccountNumberMasked: credit.sourceAccountNumberMasked,
    sourceBankCode: credit.sourceBankCode,
    narration: credit.narration,
    receivedAt: timestamp(credit.receivedAt),
  }
}
