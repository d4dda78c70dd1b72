// Flutterwave's events. A charge.completed of a bank transfer is a hint, which we check with a query at
// Flutterwave. A transfer.completed names one of our payouts. Every other event with an amount is kept for an
// operator.
//
// Flutterwave's id identifies a transaction. All payments to one account share its tx_ref, and Flutterwave
// does not publish whether two transactions can have the same flw_ref.

import { type CreditFields, checkCredit, keptRejection, rejection } from '#banks/credit-fields.ts'
import { bankCodeByName } from '#banks/directory.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  isText,
  jsonNotification,
  type ParsedItem,
  type PayoutEvent,
  type Rejection,
} from '#banks/notifications.ts'

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

function readCharge(data: Transaction, rejectedItem: Rejection): ParsedItem {
  const id = idOf(data)
  if (isOfOtherType(data) || data.status === FAILED) return rejection('not_a_credit', id)
  return id ? { ...rejectedItem, hint: { kind: 'bank_reference', value: id } } : rejectedItem
}

function readTransfer({ reference, status }: Transaction, rejectedItem: Rejection): ParsedItem {
  const says = PAYOUT_STATUSES.get(status)
  return says && isText(reference) ? { ...rejectedItem, payout: { reference, says } } : rejectedItem
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
  return accountNumber === undefined ? unassigned(transaction, fields) : checkCredit(fields)
}

// Builds the same text for a transaction whichever call reported it, so that the transaction is stored only
// once.
function unassigned(transaction: Transaction, fields: CreditFields): ParsedItem {
  const id = idOf(transaction)
  const rejectedItem = keptRejection('invalid_account_number', id, fields)
  const { tx_ref, currency } = transaction
  const text = JSON.stringify({ id, tx_ref, amount: fields.amount, currency })
  return { ...rejectedItem, money: rejectedItem.money && { ...rejectedItem.money, text } }
}

// Returns true for a card payment, for example.
function isOfOtherType({ payment_type: type }: Transaction): boolean {
  return isText(type) && type !== BANK_TRANSFER
}

export function idOf({ id }: Transaction): string | undefined {
  return typeof id === 'number' || typeof id === 'string' ? ID.exec(String(id))?.[1] : undefined
}

// The payer sends charged_amount, which includes the fee where the payer bears it.
function creditFields(transaction: Transaction): CreditFields {
  const { amount, charged_amount: chargedAmount } = transaction
  const meta = objectIn(transaction.meta)
  return {
    sessionId: transaction.id,
    identifiedBy: 'bank_reference',
    amount: chargedAmount ?? amount,
    currency: transaction.currency,
    sourceAccountNumber: accountOf(meta.originatoraccountnumber),
    sourceAccountName: present(meta.originatorname),
    sourceBankCode: bankCodeByName(meta.bankname),
    narration: present(transaction.narration),
    transactionTime: transaction.created_at,
    charges: {
      settled: toKobo(transaction.amount_settled),
      fee: toKobo(transaction.app_fee),
    },
  }
}

// A masked number is treated as absent, because refunds and returns go to the payer's number.
function accountOf(value: unknown): unknown {
  const number = present(value)
  return typeof number === 'string' && MASKED.test(number) ? null : number
}

function present(value: unknown): unknown {
  return value === ABSENT ? null : value
}

// Rounds a fee or a settled amount: a fee is a percentage, so both may have more than two decimals.
function toKobo(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value
}
