// Paystack's events. Money for one of our numbers is a charge.success of the channel dedicated_nuban. Its
// reference identifies it, because it has no NIP session id. Events about transfers name one of our payouts.
// Every other event with an amount is kept for an operator.

import { type CreditFields, checkCredit, keptRejection, rejection } from '#banks/credit-fields.ts'
import { bankCodeByName } from '#banks/directory.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  isText,
  jsonNotification,
  type ParsedItem,
  type PayoutEvent,
} from '#banks/notifications.ts'

const TO_DEDICATED_ACCOUNT = 'dedicated_nuban'
const PAYOUT_EVENTS: Readonly<Record<string, PayoutEvent['says']>> = {
  'transfer.success': 'confirmed',
  'transfer.failed': 'failed',
  'transfer.reversed': 'reversed',
}
const MASKED = /[Xx*]/

export const paystackFormat = jsonNotification({
  name: 'paystack',
  read(event, isRepeated) {
    const data = objectIn(event.data)
    if (isRepeated) return keptRejection('repeated_field', null, creditFields(data))
    if (event.event === 'charge.success') return readTransaction(data)
    return readOther(String(event.event), data)
  },
  answer: ({ sessionId, responseCode, responseMessage }) => ({
    status: responseCode === '00' || responseCode === '01',
    message: responseMessage,
    code: responseCode,
    reference: sessionId ?? '',
  }),
})

function readOther(name: string, data: Record<string, unknown>): ParsedItem {
  const says = PAYOUT_EVENTS[name]
  const rejectedItem = keptRejection('not_a_credit', data.reference, creditFields(data))
  const reference = says && ourReference(data.reference)
  return says && reference ? { ...rejectedItem, payout: { reference, says } } : rejectedItem
}

// A transaction has the same fields in an event and in an answer to a query. Other channels, such as a card,
// do not pay into our numbers.
export function readTransaction(transaction: Record<string, unknown>): ParsedItem {
  const { channel, reference, status } = transaction
  if (channel !== TO_DEDICATED_ACCOUNT && isText(channel) && !receiverOf(transaction)) {
    return rejection('not_a_credit', reference)
  }
  const fields = creditFields(transaction)
  return channel === TO_DEDICATED_ACCOUNT && status === 'success'
    ? checkCredit(fields)
    : keptRejection('not_a_credit', reference, fields)
}

export function receiverOf({ authorization }: Record<string, unknown>): string | undefined {
  const number = objectIn(authorization).receiver_bank_account_number
  return isText(number) ? number : undefined
}

function creditFields(transaction: Record<string, unknown>): CreditFields {
  const authorization = objectIn(transaction.authorization)
  return {
    sessionId: transaction.reference,
    identifiedBy: 'bank_reference',
    accountNumber: authorization.receiver_bank_account_number,
    amount: transaction.amount,
    unit: 'kobo',
    currency: transaction.currency,
    sourceAccountNumber: unmasked(authorization.sender_bank_account_number),
    sourceAccountName: authorization.sender_name,
    sourceBankCode: bankCodeByName(authorization.sender_bank),
    narration: authorization.narration,
    transactionTime: transaction.paid_at,
    charges: { fee: transaction.fees },
  }
}

// A masked number is treated as absent, because refunds and returns go to the payer's number.
function unmasked(accountNumber: unknown): unknown {
  return typeof accountNumber === 'string' && MASKED.test(accountNumber) ? null : accountNumber
}

// The reference of a transfer at Paystack has at least 16 lower-case letters, digits, - and _. Paystack does
// not publish a maximum; we assume 50. Each of our references has exactly one form at Paystack, from which it
// can be restored: PYT000000000000042 becomes manilla-payout-pyt000000000000042. A lower-case letter or an
// underscore in our reference gets an underscore before it.
//
// Paystack knows our payouts by these references permanently, so never change the form.

const PREFIX = 'manilla-payout-'
const REFERENCE = /^[a-z0-9_-]{16,50}$/
const TAKEN = /^[A-Za-z0-9_-]+$/

// Returns undefined if Paystack cannot accept the reference.
export function paystackReference(ours: string): string | undefined {
  if (!TAKEN.test(ours)) return undefined
  const plain = ours.replace(/[A-Za-z_]/g, (mark) =>
    /[A-Z]/.test(mark) ? mark.toLowerCase() : `_${mark}`,
  )
  const reference = PREFIX + plain
  return REFERENCE.test(reference) ? reference : undefined
}

// Returns undefined if the transfer is not ours.
export function ourReference(theirs: unknown): string | undefined {
  if (typeof theirs !== 'string' || !theirs.startsWith(PREFIX)) return undefined
  const ours = theirs
    .slice(PREFIX.length)
    .replace(/_([a-z_])|[a-z]/g, (mark, plain?: string) => plain ?? mark.toUpperCase())
  return paystackReference(ours) === theirs ? ours : undefined
}
