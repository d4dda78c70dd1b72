// Reads Squad's notifications of transfers to a virtual account, and the rows of its list. Only a transfer
// with the indicator C is a credit. A frozen transfer has been sent but is not ours yet, so it is kept for an
// operator. Money for a dynamic account is also kept, because we have no such account. `encrypted_body`
// repeats the notification and is ignored.

import {
  type Acknowledgement,
  type CreditFields,
  checkCredit,
  isText,
  jsonNotification,
  keptRejection,
  objectIn,
  type ParsedItem,
  rejection,
} from '#banks/kit.ts'

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

// Reads a transfer of a notification or of the list. The indicator C means a credit. A body with
// amount_received and no indicator is about a dynamic account, and a frozen transfer is not ours yet: both
// are kept for an operator.
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

// Returns whether the transfer is frozen: the payer has sent it, but Squad has not released it to us.
function isFrozen({ meta, frozen_transaction: frozen }: Record<string, unknown>): boolean {
  return [meta, frozen].some((details) => isText(objectIn(details).freeze_transaction_ref))
}

// Maps a transfer to the fields of a credit. Squad's own reference identifies it, because some transfers have
// no session id.
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

// Returns the time of a transfer. Version 1 reports only the day, written as midnight: then returns the day
// alone.
function dayOrTime(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/T00:00:00(?:\.000)?Z$/, '') : value
}
