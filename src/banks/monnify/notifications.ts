// Reads Monnify's events. Money for one of our numbers is a SUCCESSFUL_TRANSACTION of a RESERVED_ACCOUNT that
// is PAID. Events about disbursements name one of our payouts. Money of a reserved account in any other
// status, and every other event with an amount, is kept for an operator.
//
// Monnify does not resend an event that was acknowledged with 2xx.

import {
  type CreditFields,
  checkCredit,
  isText,
  jsonNotification,
  keptRejection,
  objectIn,
  type ParsedItem,
  type PayoutEvent,
  rejection,
} from '#banks/kit.ts'

const PAYOUT_EVENTS: Readonly<Record<string, PayoutEvent['says']>> = {
  SUCCESSFUL_DISBURSEMENT: 'confirmed',
  FAILED_DISBURSEMENT: 'failed',
  REVERSED_DISBURSEMENT: 'reversed',
}
const NO_MONEY = ['SETTLEMENT'] // Monnify pays our own money out to our bank, so no client receives any.

export const monnifyFormat = jsonNotification({
  name: 'monnify',
  read(event, isRepeated) {
    const transaction = objectIn(event.eventData)
    if (isRepeated) return keptRejection('repeated_field', null, creditFields(transaction))
    if (event.eventType === 'SUCCESSFUL_TRANSACTION') return readTransaction(transaction)
    return readOtherEvent(String(event.eventType), transaction)
  },
  answer: ({ sessionId, responseCode, responseMessage }) => ({
    requestSuccessful: responseCode === '00' || responseCode === '01',
    responseMessage,
    responseCode,
    sessionId: sessionId ?? '',
  }),
})

// Reads an event that reports no incoming payment. If it reports the outcome of one of our payouts, the
// service then queries the payout. Other events are kept for an operator, except those about settlements to
// ourselves.
function readOtherEvent(eventType: string, data: Record<string, unknown>): ParsedItem {
  const { transactionReference, reference } = data
  if (NO_MONEY.includes(eventType)) return rejection('not_a_credit', transactionReference)
  const outcome = PAYOUT_EVENTS[eventType]
  const fields = { ...creditFields(data), amount: data.amount ?? data.amountPaid }
  const rejectedItem = keptRejection('not_a_credit', transactionReference, fields)
  if (!outcome || !isText(reference)) return rejectedItem
  return { ...rejectedItem, payout: { reference, says: outcome } }
}

// Reads a transaction of an event or of an answer to a query. Both have the same fields, except those of the
// parties.
export function readTransaction(transaction: Record<string, unknown>): ParsedItem {
  const { transactionReference, product, paymentStatus } = transaction
  if (objectIn(product).type !== 'RESERVED_ACCOUNT') {
    return rejection('not_a_credit', transactionReference)
  }
  const fields = creditFields(transaction)
  if (paymentStatus !== 'PAID') return keptRejection('not_a_credit', transactionReference, fields)
  return checkCredit(fields)
}

// Maps a transaction to the fields of a credit. If Monnify has no session id of the payer's bank, its own
// reference identifies the credit.
function creditFields(transaction: Record<string, unknown>): CreditFields {
  const { transactionReference } = transaction
  const source = sourceOf(transaction)
  const hasSession = isText(source.sessionId)
  return {
    sessionId: hasSession ? source.sessionId : transactionReference,
    ...(hasSession
      ? { otherIdentifiers: [{ kind: 'bank_reference', value: transactionReference }] }
      : { identifiedBy: 'bank_reference' }),
    accountNumber: objectIn(transaction.destinationAccountInformation).accountNumber,
    amount: transaction.amountPaid,
    currency: transaction.currency,
    sourceAccountNumber: source.accountNumber,
    sourceAccountName: source.accountName,
    sourceBankCode: source.bankCode,
    narration: transaction.paymentDescription,
    transactionTime: isoTime(transaction.paidOn),
    charges: { settled: transaction.settlementAmount },
  }
}

// Returns the payer, who is in a list whose name differs between events and answers. For a reserved account
// the list has one entry.
function sourceOf(transaction: Record<string, unknown>): Record<string, unknown> {
  const sources = transaction.paymentSourceInformation ?? transaction.accountPayments
  return objectIn(Array.isArray(sources) ? sources[0] : sources)
}

// Monnify writes times in ISO 8601, or, as published for other products and older answers, as
// 17/11/2021 3:48:10 PM. Times without an offset are in West Africa Time.

const DAY_FIRST = /^(\d{2})\/(\d{2})\/(\d{4}) (\d{1,2}):(\d{2}):(\d{2})(?: ([AP]M))?$/

// Turns a time that begins with the day into ISO order. Returns every other value unchanged; the caller
// refuses those that are no time.
function isoTime(value: unknown): unknown {
  const match = typeof value === 'string' ? DAY_FIRST.exec(value) : null
  if (!match) return value
  const [, day, month, year, hour, minute, second, amOrPm] = match
  const hours = amOrPm ? (Number(hour) % 12) + (amOrPm === 'PM' ? 12 : 0) : Number(hour)
  return `${year}-${month}-${day}T${String(hours).padStart(2, '0')}:${minute}:${second}`
}
