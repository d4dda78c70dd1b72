// Reads Nomba's events, and the records in its answers. Money for one of our numbers is a payment_success of
// type vact_transfer; its fee is withheld from the amount. Nomba does not publish the form of a reversal, so
// a reversal is kept for an operator.

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

const TO_VIRTUAL_ACCOUNT = 'vact_transfer'

// The events about payouts. Nomba publishes only the body of payout_success. We assume that our reference is
// in merchantTxRef of all three.
const PAYOUT_EVENTS: Readonly<Record<string, PayoutEvent['says']>> = {
  payout_success: 'confirmed',
  payout_failed: 'failed',
  payout_refund: 'reversed',
}
const KNOWN_EVENTS = ['payment_success', 'payment_failed', 'payment_reversal']

export const nombaFormat = jsonNotification({
  name: 'nomba',
  read(event, isRepeated) {
    const fields = eventFields(objectIn(event.data))
    if (isRepeated) return keptRejection('repeated_field', null, fields)
    const { type, transactionId, merchantTxRef } = objectIn(objectIn(event.data).transaction)
    const payoutOutcome = PAYOUT_EVENTS[String(event.event_type)]
    if (payoutOutcome) {
      const rejectedItem = keptRejection('not_a_credit', transactionId, fields)
      return isText(merchantTxRef)
        ? { ...rejectedItem, payout: { reference: merchantTxRef, says: payoutOutcome } }
        : rejectedItem
    }
    if (!KNOWN_EVENTS.includes(String(event.event_type))) {
      return keptRejection('not_a_credit', transactionId, fields)
    }
    if (type !== TO_VIRTUAL_ACCOUNT) return rejection('not_a_credit', transactionId)
    if (event.event_type === 'payment_success') return checkCredit(fields)
    return event.event_type === 'payment_reversal'
      ? keptRejection('not_a_credit', transactionId, fields)
      : rejection('not_a_credit', transactionId)
  },
  answer: ({ sessionId, responseCode, responseMessage }) => ({
    code: responseCode,
    description: responseMessage,
    data: { sessionId: sessionId ?? '' },
  }),
})

function eventFields(data: Record<string, unknown>): CreditFields {
  const transaction = objectIn(data.transaction)
  const customer = objectIn(data.customer)
  return {
    ...identifiers(transaction.sessionId, transaction.transactionId),
    accountNumber: transaction.aliasAccountNumber,
    amount: transaction.transactionAmount,
    sourceAccountNumber: customer.accountNumber,
    sourceAccountName: customer.senderName,
    sourceBankCode: customer.bankCode,
    narration: transaction.narration,
    transactionTime: transaction.time,
    charges: { fee: transaction.fee },
  }
}

// Reads a record in an answer of Nomba, whose fields have other names than in events.
export function readRecord(record: Record<string, unknown>): ParsedItem {
  if (record.type !== TO_VIRTUAL_ACCOUNT) return rejection('not_a_credit', record.id)
  return checkCredit({
    ...identifiers(record.sessionId, record.id),
    accountNumber: record.recipientAccountNumber,
    amount: record.amount,
    currency: record.currency ?? record.walletCurrency,
    sourceAccountNumber: record.accountNumber,
    sourceAccountName: record.senderName,
    sourceBankCode: record.bankCode,
    narration: record.narration,
    transactionTime: record.timeCreated,
    charges: { fee: record.fixedCharge },
  })
}

// Returns the identifiers of a credit. Nomba signs the transaction id but not the session id. If the session
// id alone identified a credit, an attacker could repeat the credit under any session id with the same
// signature. So the transaction id is required.
function identifiers(
  sessionId: unknown,
  transactionId: unknown,
): Pick<CreditFields, 'sessionId' | 'identifiedBy' | 'otherIdentifiers'> {
  if (!isText(sessionId)) return { sessionId: transactionId, identifiedBy: 'bank_reference' }
  const signedId = { kind: 'bank_reference', value: transactionId, isRequired: true } as const
  return { sessionId, otherIdentifiers: [signedId] }
}
