// Squad's notification of a transfer to a virtual account, and the rows of its list. Only a transfer with the
// indicator C is a credit. A frozen transfer has been sent but is not ours yet, so it is kept for an
// operator. Money for a dynamic account is also kept, because we have no such account. `encrypted_body`
// repeats the notification and is ignored.

import { type CreditFields, checkCredit, keptRejection, rejection } from '#banks/credit-fields.ts'
import { objectIn } from '#banks/json-body.ts'
import {
  type Acknowledgement,
  isText,
  jsonNotification,
  type ParsedItem,
} from '#banks/notifications.ts'

type Answer = { response_code: number; response_description: string }

const ANSWERS: Record<Acknowledgement['responseCode'], Answer> = {
  '00': { response_code: 200, response_description: 'Success' },
  '01': { response_code: 200, response_description: 'Success' },
  '02': { response_code: 400, response_description: 'Validation failure' },
  '03': { response_code: 500, response_description: 'System malfunction' },
}

export const squadFormat = jsonNotification({
  name: 'squad',
  read: (notification, isRepeated) =>
    isRepeated
      ? keptRejection('repeated_field', null, creditFields(notification))
      : readTransfer(notification),
  answer: ({ sessionId, responseCode }) => ({
    ...ANSWERS[responseCode],
    transaction_reference: sessionId ?? '',
  }),
})

export function readTransfer(transfer: Record<string, unknown>): ParsedItem {
  const { transaction_reference: reference, transaction_indicator: indicator } = transfer
  if (indicator === undefined && transfer.amount_received !== undefined) {
    const fields = { ...creditFields(transfer), amount: transfer.amount_received }
    return keptRejection('not_a_credit', reference, fields)
  }
  if (indicator !== 'C') return rejection('not_a_credit', reference)
  const fields = creditFields(transfer)
  return isFrozen(transfer) ? keptRejection('not_booked', reference, fields) : checkCredit(fields)
}

function isFrozen({ meta, frozen_transaction: frozen }: Record<string, unknown>): boolean {
  return [meta, frozen].some((each) => isText(objectIn(each).freeze_transaction_ref))
}

function creditFields(transfer: Record<string, unknown>): CreditFields {
  return {
    sessionId: transfer.transaction_reference,
    identifiedBy: 'bank_reference',
    otherIdentifiers: [
      { kind: 'session_id', value: transfer.session_id },
      { kind: 'bank_reference', value: transfer.transaction_uuid },
    ],
    accountNumber: transfer.virtual_account_number,
    amount: transfer.principal_amount,
    currency: transfer.currency,
    sourceAccountName: transfer.sender_name,
    narration: transfer.remarks,
    transactionTime: dayOrTime(transfer.transaction_date),
    charges: { settled: transfer.settled_amount, fee: transfer.fee_charged },
  }
}

// Version 1 reports only the day, written as midnight. Returns the day without that time.
function dayOrTime(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/T00:00:00(?:\.000)?Z$/, '') : value
}
