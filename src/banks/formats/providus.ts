// Providus-style settlement notification: one JSON object a body, acknowledged in the body.
//
// The amount that counts is `transactionAmount`, the whole transfer: it is what the payer sent and
// what settles his bill. `settledAmount` is what is left after the bank's fee, which is a matter
// between the bank and the operator. Times are WAT.

import { findBankByName } from '#banks/directory.ts'
import { checkCredit, keptRejection } from './credit-fields.ts'
import { type Acknowledgement, type BankFormat, mediaType, type Parsed } from './format.ts'
import { fieldBits, isObject, readJson } from './json-body.ts'

const FIELDS = fieldBits([
  'sessionId',
  'accountNumber',
  'tranRemarks',
  'transactionAmount',
  'currency',
  'sourceAccountNumber',
  'sourceAccountName',
  'sourceBankName',
  'tranDateTime',
])

// The bank reads the code; the words are the ones its documentation shows.
const MESSAGES: Record<Acknowledgement['responseCode'], string> = {
  '00': 'success',
  '01': 'duplicate transaction',
  '02': 'rejected transaction',
  '03': 'system failure, retry',
}

export const providusFormat: BankFormat = {
  name: 'providus',
  accepts: (contentType) => mediaType(contentType) === 'application/json',
  parse,
  acknowledge,
}

function parse(rawBody: Buffer): Parsed {
  const body = readJson(rawBody, FIELDS)
  if ('malformed' in body) return body
  const { value, repeated } = body
  if (!isObject(value)) return { malformed: 'The body must be one settlement notification.' }
  const item = repeated.has(0)
    ? keptRejection('repeated_field', null, { ...value, amount: value.transactionAmount })
    : checkCredit({
        sessionId: value.sessionId,
        accountNumber: value.accountNumber,
        amount: value.transactionAmount,
        currency: value.currency,
        sourceAccountNumber: value.sourceAccountNumber,
        sourceAccountName: value.sourceAccountName,
        sourceBankCode: bankCodeOf(value.sourceBankName),
        narration: value.tranRemarks,
        transactionTime: value.tranDateTime,
      })
  return { items: [item], batch: false }
}

// The notification names the payer's bank but has no code for it.
function bankCodeOf(bankName: unknown): string | null {
  return typeof bankName === 'string' ? (findBankByName(bankName)?.code ?? null) : null
}

// `requestSuccessful` says that the notification was received, not that the credit was taken.
function acknowledge(acknowledgements: readonly Acknowledgement[]) {
  const { sessionId = null, responseCode = '03' } = acknowledgements[0] ?? {}
  return {
    contentType: 'application/json; charset=utf-8',
    body: JSON.stringify({
      requestSuccessful: true,
      sessionId: sessionId ?? '',
      responseMessage: MESSAGES[responseCode],
      responseCode,
    }),
  }
}
