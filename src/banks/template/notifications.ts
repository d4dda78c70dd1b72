// Example Bank's notification: one transfer a body.

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
  // In the bank's own words. Any status but 2xx makes a bank send again, and is ours to choose only
  // by answering 03.
  answer: ({ sessionId, responseCode }) => ({
    reference: sessionId ?? '',
    received: responseCode === '00' || responseCode === '01',
  }),
})

// Also for answers to queries, so that the same transfer is the same credit by either way.
export function readTransfer(transfer: Record<string, unknown>): ParsedItem {
  // What is no credit is said to be none. What may be money is kept, never dropped: keptRejection.
  if (transfer.direction !== 'credit') return rejection('not_a_credit', transfer.reference)
  const payer = objectIn(transfer.payer)
  return checkCredit({
    // 3. What identifies a credit? The most widely known id first (here NIP's session id), with its
    // kind if it is none; all others after it. One that two transfers can share is no identifier.
    sessionId: transfer.sessionId,
    otherIdentifiers: [{ kind: 'bank_reference', value: transfer.reference }],
    accountNumber: transfer.account,
    // The payer's gross. As the bank wrote it: checkCredit reads numbers and text, to the kobo.
    amount: transfer.amount,
    currency: transfer.currency,
    // 4. What did the bank keep? The amount that reached us, and whichever parts it names.
    charges: { settled: transfer.settled, fee: transfer.fee, vat: transfer.vat },
    sourceAccountNumber: payer.account,
    sourceAccountName: payer.name,
    sourceBankCode: payer.bank,
    narration: transfer.narration,
    // ISO 8601; without an offset it is West Africa Time.
    transactionTime: transfer.time,
  })
}
