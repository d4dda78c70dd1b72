// Reads Providus-style settlement notifications: one JSON object per body, acknowledged in the body.
//
// The credit has the amount `transactionAmount`, which is the whole amount that the payer sent.
// `settledAmount` is the rest after the bank's fee and VAT. Times are in West Africa Time.

import { fieldBits, readJson } from '#banks/json-body.ts'
import {
  type Acknowledgement,
  bankCodeByName,
  checkCredit,
  isObject,
  isText,
  keptRejection,
  type NotificationFormat,
  type ParsedItem,
} from '#banks/kit.ts'
import { mediaType, type Parsed } from '#banks/notifications.ts'

const FIELDS = fieldBits([
  'sessionId',
  'accountNumber',
  'tranRemarks',
  'transactionAmount',
  'settledAmount',
  'feeAmount',
  'vatAmount',
  'settlementId',
  'currency',
  'sourceAccountNumber',
  'sourceAccountName',
  'sourceBankCode',
  'sourceBankName',
  'tranDateTime',
])

// The bank reads only the code. The messages are those in its documentation.
const MESSAGES: Record<Acknowledgement['responseCode'], string> = {
  '00': 'success',
  '01': 'duplicate transaction',
  '02': 'rejected transaction',
  '03': 'system failure, retry',
}

export const providusFormat: NotificationFormat = {
  name: 'providus',
  accepts: (contentType) => mediaType(contentType) === 'application/json',
  parse,
  acknowledge,
}

// Parses one notification. `repeated` has the positions of credits with a field that occurs twice; the only
// credit of a notification has the position 0.
function parse(rawBody: Buffer): Parsed {
  const body = readJson(rawBody, FIELDS)
  if ('malformed' in body) return body
  const { value, repeated } = body
  if (!isObject(value)) return { malformed: 'The body must be one settlement notification.' }
  const item = repeated.has(0)
    ? keptRejection('repeated_field', null, { ...value, amount: value.transactionAmount })
    : readNotification(value)
  return { items: [item], batch: false }
}

// Reads a notification, or an answer to a query. Providus de-duplicates by settlement id: a known session id
// with another settlement id is another transfer, so the session id is a weak identifier. A transfer may come
// without a session id.
export function readNotification(value: Record<string, unknown>): ParsedItem {
  const { sessionId, settlementId } = value
  const hasSession = isText(sessionId)
  return checkCredit({
    sessionId: hasSession ? sessionId : settlementId,
    ...(hasSession ? {} : { identifiedBy: 'settlement_id' }),
    ...(hasSession && settlementId
      ? { isWeak: true, otherIdentifiers: [{ kind: 'settlement_id', value: settlementId }] }
      : {}),
    accountNumber: value.accountNumber,
    amount: value.transactionAmount,
    currency: value.currency,
    sourceAccountNumber: value.sourceAccountNumber,
    sourceAccountName: withoutNull(value.sourceAccountName),
    // Only answers to queries have the bank's code.
    sourceBankCode: value.sourceBankCode ?? bankCodeByName(value.sourceBankName),
    narration: value.tranRemarks,
    transactionTime: value.tranDateTime,
    charges: { settled: value.settledAmount, fee: value.feeAmount, vat: value.vatAmount },
  })
}

// Returns the name, or null for the text "null", which occurs in examples that Providus publishes.
function withoutNull(name: unknown): unknown {
  return name === 'null' ? null : name
}

// Writes the acknowledgement. `requestSuccessful` means that the notification was received, not that the
// credit was taken.
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
