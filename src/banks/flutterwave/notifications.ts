// Reads Flutterwave's events. A charge.completed of a bank transfer is a hint, which we check with a query at
// Flutterwave. A transfer.completed names one of our payouts. Every other event with an amount is kept for an
// operator.
//
// Flutterwave's id identifies a transaction. The tx_ref does not, because all payments to one account share
// it. Nor does flw_ref: Flutterwave does not publish whether two transactions can have the same one.

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
import type { Rejection } from '#banks/notifications.ts'

type Transaction = Record<string, unknown>

export const PENDING = 'pending'
export const FAILED = 'failed'
const SUCCESSFUL = 'successful'
const BANK_TRANSFER = 'bank_transfer'
const PAYOUT_STATUSES = new Map<unknown, PayoutEvent['says']>([
  ['SUCCESSFUL', 'confirmed'],
  ['FAILED', 'failed'],
])
// The leading space marks a number with more digits than a double holds (json-body.ts).
const ID = /^ ?([1-9][0-9]{0,18})$/
const MASKED = /[Xx*]/
const ABSENT = 'N/A'

export const flutterwaveFormat = jsonNotification({
  name: 'flutterwave',
  read(event, isRepeated) {
    const data = objectIn(event.data)
    const code = isRepeated ? 'repeated_field' : 'not_a_credit'
    const rejectedItem = keptRejection(code, idOf(data), creditFields(data))
    if (isRepeated) return rejectedItem
    if (event.event === 'charge.completed') return readCharge(data, rejectedItem)
    return event.event === 'transfer.completed' ? readTransfer(data, rejectedItem) : rejectedItem
  },
  answer: ({ sessionId, responseCode, responseMessage }) => ({
    status: responseCode === '00' || responseCode === '01' ? 'success' : 'error',
    message: responseMessage,
    code: responseCode,
    reference: sessionId ?? '',
  }),
})

// Makes a hint of an event about a bank transfer to one of our numbers. The service then queries the transfer
// at Flutterwave.
function readCharge(data: Transaction, rejectedItem: Rejection): ParsedItem {
  const id = idOf(data)
  if (isOfOtherType(data) || data.status === FAILED) return rejection('not_a_credit', id)
  return id ? { ...rejectedItem, hint: { kind: 'bank_reference', value: id } } : rejectedItem
}

// Reads an event about one of our payouts. The service then queries the payout. An event with another status
// is only kept for an operator.
function readTransfer({ reference, status }: Transaction, rejectedItem: Rejection): ParsedItem {
  const outcome = PAYOUT_STATUSES.get(status)
  if (!outcome || !isText(reference)) return rejectedItem
  return { ...rejectedItem, payout: { reference, says: outcome } }
}

// Reads a transaction in Flutterwave's answer. `accountNumber` was reserved under the transaction's tx_ref.
export function readTransaction(
  transaction: Transaction,
  accountNumber: string | undefined,
): ParsedItem {
  const id = idOf(transaction)
  if (isOfOtherType(transaction)) return rejection('not_a_credit', id)
  const fields = { ...creditFields(transaction), accountNumber }
  const isPaid = transaction.status === SUCCESSFUL && transaction.payment_type === BANK_TRANSFER
  if (!isPaid) return keptRejection('not_a_credit', id, fields)
  return accountNumber === undefined
    ? rejectUnknownAccount(transaction, fields)
    : checkCredit(fields)
}

// Rejects a transfer to an account that we did not reserve, and keeps it for an operator. The stored text is
// the same whichever call reported the transaction, so that it is stored only once.
function rejectUnknownAccount(transaction: Transaction, fields: CreditFields): ParsedItem {
  const id = idOf(transaction)
  const rejectedItem = keptRejection('invalid_account_number', id, fields)
  const { tx_ref, currency } = transaction
  const text = JSON.stringify({ id, tx_ref, amount: fields.amount, currency })
  return { ...rejectedItem, money: rejectedItem.money && { ...rejectedItem.money, text } }
}

// Returns whether the transaction is something other than a bank transfer, such as a card payment.
function isOfOtherType({ payment_type: type }: Transaction): boolean {
  return isText(type) && type !== BANK_TRANSFER
}

// Returns Flutterwave's id of a transaction or transfer as text.
export function idOf({ id }: Transaction): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? ID.exec(String(id))?.[1] : undefined
}

// Maps a transaction to the fields of a credit. The payer sends charged_amount, which includes the fee where
// the payer bears it.
function creditFields(transaction: Transaction): CreditFields {
  const { amount, charged_amount: chargedAmount } = transaction
  const meta = objectIn(transaction.meta)
  return {
    sessionId: transaction.id,
    identifiedBy: 'bank_reference',
    amount: chargedAmount ?? amount,
    currency: transaction.currency,
    sourceAccountNumber: payerAccount(meta.originatoraccountnumber),
    sourceAccountName: presentOrNull(meta.originatorname),
    sourceBankCode: bankCodeByName(meta.bankname),
    narration: presentOrNull(transaction.narration),
    transactionTime: transaction.created_at,
    charges: {
      settled: roundToKobo(transaction.amount_settled),
      fee: roundToKobo(transaction.app_fee),
    },
  }
}

// Returns the payer's account number. A masked number is treated as absent, because refunds and returns go to
// the payer's number.
function payerAccount(value: unknown): unknown {
  const number = presentOrNull(value)
  return typeof number === 'string' && MASKED.test(number) ? null : number
}

// Flutterwave writes N/A for a value that it does not have.
function presentOrNull(value: unknown): unknown {
  return value === ABSENT ? null : value
}

// Rounds a fee or a settled amount to whole kobo: a fee is a percentage, so both may have more than two
// decimals.
function roundToKobo(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value
}
