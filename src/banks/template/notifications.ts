// Reads Example Bank's notifications: each body is one transfer.

import {
  checkCredit,
  jsonNotification,
  keptRejection,
  objectIn,
  type ParsedItem,
  rejection,
} from '#banks/kit.ts'

export const templateFormat = jsonNotification({
  name: 'template',
  read: (notification, isRepeated) =>
    isRepeated
      ? keptRejection('repeated_field', null, { amount: notification.amount })
      : readTransfer(notification),
  // The acknowledgement in the bank's form. A bank sends again after any HTTP status except 2xx. The service
  // answers with another status only for 03.
  answer: ({ sessionId, responseCode }) => ({
    reference: sessionId ?? '',
    received: responseCode === '00' || responseCode === '01',
  }),
})

// Reads a transfer of a notification or of an answer to a query, so that both give the same credit.
export function readTransfer(transfer: Record<string, unknown>): ParsedItem {
  // Reject only what is provably no credit. Anything that may be money is stored: keptRejection.
  if (transfer.direction !== 'credit') return rejection('not_a_credit', transfer.reference)
  const payer = objectIn(transfer.payer)
  return checkCredit({
    // 3. What identifies a credit? Put the most widely known id first (here NIP's session id), with its kind
    // if it is another, and all others after it. An id that two transfers can share is no identifier.
    sessionId: transfer.sessionId,
    otherIdentifiers: [{ kind: 'bank_reference', value: transfer.reference }],
    accountNumber: transfer.account,
    // The payer's gross, as the bank wrote it: checkCredit reads numbers and text, to the kobo.
    amount: transfer.amount,
    currency: transfer.currency,
    // 4. Which charges did the bank withhold? Give the amount that reached us, and each charge that it names.
    charges: { settled: transfer.settled, fee: transfer.fee, vat: transfer.vat },
    sourceAccountNumber: payer.account,
    sourceAccountName: payer.name,
    sourceBankCode: payer.bank,
    narration: transfer.narration,
    // ISO 8601; without an offset it is West Africa Time.
    transactionTime: transfer.time,
  })
}
