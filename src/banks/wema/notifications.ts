// Reads Wema's transfer notifications (unofficial): one flat object with lower-case names, without currency
// or time. A duplicate is acknowledged as success, because Wema sends a notification again unless the answer
// is 00.

import {
  type Acknowledgement,
  bankCodeByName,
  checkCredit,
  isText,
  jsonNotification,
  keptRejection,
  type NameEnquiryFormat,
  type ParsedItem,
} from '#banks/kit.ts'

const ANSWERS: Record<Acknowledgement['responseCode'], { status: string; status_desc: string }> = {
  '00': { status: '00', status_desc: 'success' },
  '01': { status: '00', status_desc: 'duplicate transaction' },
  '02': { status: '02', status_desc: 'rejected transaction' },
  '03': { status: '03', status_desc: 'system failure, retry' },
}

export const wemaFormat = jsonNotification({
  name: 'wema',
  read: (notification, isRepeated) =>
    isRepeated ? keptRejection('repeated_field', null, notification) : readTransfer(notification),
  answer: ({ sessionId, responseCode }) => ({
    transactionreference: sessionId ?? '',
    ...ANSWERS[responseCode],
  }),
})

// Reads a transfer of a notification or of an answer to a query. Wema does not say that a payment reference
// is used only once: the same reference with another session id is another transfer, so the reference is a
// weak identifier. The list gives a session id also for a transfer that was notified without one.
export function readTransfer(transfer: Record<string, unknown>): ParsedItem {
  const { sessionid, paymentreference, bankcode, bankname } = transfer
  const hasSession = isText(sessionid)
  return checkCredit({
    sessionId: hasSession ? sessionid : paymentreference,
    ...(hasSession
      ? { otherIdentifiers: [{ kind: 'bank_reference', value: paymentreference, isWeak: true }] }
      : { identifiedBy: 'bank_reference' }),
    accountNumber: transfer.craccount,
    amount: transfer.amount,
    sourceAccountNumber: transfer.originatoraccountnumber,
    sourceAccountName: transfer.originatorname,
    sourceBankCode: isText(bankcode) ? bankcode : bankCodeByName(bankname),
    narration: transfer.narration,
  })
}

export const nameEnquiry: NameEnquiryFormat = {
  field: 'accountnumber',
  answer: ({ accountName }) => ({
    accountname: accountName ?? '',
    status: accountName === null ? '07' : '00',
    status_desc: accountName === null ? 'account number not found' : 'account number found',
  }),
}
