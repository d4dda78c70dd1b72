// Monnify's events. Money for one of our numbers is a SUCCESSFUL_TRANSACTION of a RESERVED_ACCOUNT
// that is PAID. Events about disbursements name a payout of ours; money of a reserved account in any
// other status, and every other event with an amount, is kept for an operator.
//
// Whatever is acknowledged with 2xx is not sent again.

import { type CreditFields, checkCredit, keptRejection, rejection } from '#banks/credit-fields.ts'
import { objectIn } from '#banks/json-body.ts'
import { isText, jsonNotification } from '#banks/json-notifications.ts'
import type { ParsedItem, PayoutEvent } from '#banks/notifications.ts'
import { isoTime } from './time.ts'

const PAYOUT_EVENTS: Readonly<Record<string, PayoutEvent['says']>> = {
  SUCCESSFUL_DISBURSEMENT: 'confirmed',
  FAILED_DISBURSEMENT: 'failed',
  REVERSED_DISBURSEMENT: 'reversed',
}
const NO_MONEY = ['SETTLEMENT'] // Of our own money, from Monnify to our bank.

export const monnifyFormat = jsonNotification({
  name: 'monnify',
  read(event, isRepeated) {
    const transaction = objectIn(event.eventData)
    if (isRepeated) return keptRejection('repeated_field', null, creditFields(transaction))
    if (event.eventType === 'SUCCESSFUL_TRANSACTION') return readTransaction(transaction)
    return readOther(String(event.eventType), transaction)
  },
  answer: ({ sessionId, responseCode, responseMessage }) => ({
    requestSuccessful: responseCode === '00' || responseCode === '01',
    responseMessage,
    responseCode,
    sessionId: sessionId ?? '',
  }),
})

// What names a payout without a reference, or is an event that we do not know, is kept.
function readOther(eventType: string, data: Record<string, unknown>): ParsedItem {
  const { transactionReference, reference } = data
  if (NO_MONEY.includes(eventType)) return rejection('not_a_credit', transactionReference)
  const says = PAYOUT_EVENTS[eventType]
  const fields = { ...creditFields(data), amount: data.amount ?? data.amountPaid }
  const kept = keptRejection('not_a_credit', transactionReference, fields)
  return says && isText(reference) ? { ...kept, payout: { reference, says } } : kept
}

// The same in an event and in an answer to a query, apart from where the parties are.
export function readTransaction(transaction: Record<string, unknown>): ParsedItem {
  const { transactionReference, product, paymentStatus } = transaction
  if (objectIn(product).type !== 'RESERVED_ACCOUNT') {
    return rejection('not_a_credit', transactionReference)
  }
  const fields = creditFields(transaction)
  if (paymentStatus !== 'PAID') return keptRejection('not_a_credit', transactionReference, fields)
  return checkCredit(fields)
}

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

// A list in events, and in answers under another name; a reserved account's has one entry.
function sourceOf(transaction: Record<string, unknown>): Record<string, unknown> {
  const sources = transaction.paymentSourceInformation ?? transaction.accountPayments
  return objectIn(Array.isArray(sources) ? sources[0] : sources)
}
