// Paystack's events. Money for one of our numbers is a charge.success of the channel dedicated_nuban.
// Its reference identifies it: there is no NIP session id. Events about transfers name a payout of ours;
// every other event with an amount is kept for an operator.

import { type CreditFields, checkCredit, keptRejection, rejection } from '#banks/credit-fields.ts'
import { bankCodeByName } from '#banks/directory.ts'
import { objectIn } from '#banks/json-body.ts'
import { isText, jsonNotification } from '#banks/json-notifications.ts'
import type { ParsedItem, PayoutEvent } from '#banks/notifications.ts'
import { ourReference } from './payout-references.ts'

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

// A masked number counts as absent, because refunds and returns go to the payer's number.
function unmasked(accountNumber: unknown): unknown {
  return typeof accountNumber === 'string' && MASKED.test(accountNumber) ? null : accountNumber
}
