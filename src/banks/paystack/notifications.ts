// Reads Paystack's events. Money for one of our numbers is a charge.success of the channel dedicated_nuban.
// Its reference identifies it, because it has no NIP session id. Events about transfers name one of our
// payouts. Every other event with an amount is kept for an operator.

import {
  bankCodeByName,
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
    return readPayoutEvent(String(event.event), data)
  },
  answer: ({ sessionId, responseCode, responseMessage }) => ({
    status: responseCode === '00' || responseCode === '01',
    message: responseMessage,
    code: responseCode,
    reference: sessionId ?? '',
  }),
})

// Reads an event that is not a charge. If it is about one of our payouts, the item names the payout and its
// outcome. Any other event is kept for an operator.
function readPayoutEvent(eventType: string, data: Record<string, unknown>): ParsedItem {
  const outcome = PAYOUT_EVENTS[eventType]
  const rejectedItem = keptRejection('not_a_credit', data.reference, creditFields(data))
  const reference = outcome && ourReference(data.reference)
  return outcome && reference
    ? { ...rejectedItem, payout: { reference, says: outcome } }
    : rejectedItem
}

// Reads a transaction of an event or of an answer to a query, which have the same fields. Other channels,
// such as a card, do not pay into our numbers.
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

// Returns the number that received the money, if Paystack names it.
export function receiverOf({ authorization }: Record<string, unknown>): string | undefined {
  const number = objectIn(authorization).receiver_bank_account_number
  return isText(number) ? number : undefined
}

// Maps a transaction to the fields of a credit. Amounts are in kobo.
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

// Returns the payer's number. A masked number is treated as absent, because refunds and returns go to the
// payer's number.
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
const ALLOWED = /^[A-Za-z0-9_-]+$/

// Returns the reference at Paystack of one of our payouts; undefined if Paystack cannot accept it. Paystack
// allows no upper case: A becomes a, while a becomes _a and _ becomes __.
export function paystackReference(payoutReference: string): string | undefined {
  if (!ALLOWED.test(payoutReference)) return undefined
  const plain = payoutReference.replace(/[A-Za-z_]/g, (mark) =>
    /[A-Z]/.test(mark) ? mark.toLowerCase() : `_${mark}`,
  )
  const reference = PREFIX + plain
  return REFERENCE.test(reference) ? reference : undefined
}

// Returns our reference of a transfer at Paystack; undefined if the transfer is not ours. Converts the result
// back, because only a reference that paystackReference() makes is one of ours.
export function ourReference(theirs: unknown): string | undefined {
  if (typeof theirs !== 'string' || !theirs.startsWith(PREFIX)) return undefined
  const ours = theirs
    .slice(PREFIX.length)
    .replace(/_([a-z_])|[a-z]/g, (mark, plain?: string) => plain ?? mark.toUpperCase())
  return paystackReference(ours) === theirs ? ours : undefined
}
