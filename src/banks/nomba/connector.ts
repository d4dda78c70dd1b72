// Nomba, an aggregator. It signs nine fields of a notification, one of them the time in its header,
// but neither the amount nor the number: so live mode demands an address allow-list or mutual TLS
// beside it. Nomba's own transaction id is signed and identifies the credit, so a captured call books
// nothing twice.

import { createHmac } from 'node:crypto'
import type { AuthenticationResult, Connector, RailCall } from '#banks/connector.ts'
import { objectIn, readNestedJson } from '#banks/json-body.ts'
import { signedValue } from '#banks/json-notifications.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { nombaCalls } from './calls.ts'
import { nombaFormat } from './notifications.ts'

// Nomba tries again for up to 95 minutes, and does not say whether a retry has a new timestamp.
const AGE_MAX_MS = 7_200_000
const CLOCK_SKEW_MAX_MS = 300_000

export const nombaConnector: Connector = {
  name: 'nomba',
  needsKnownSource: true,
  payoutScope: 'accountId',
  connect(settings, { mode }) {
    const signatureKey = settings.requireSecret('signatureKey')
    const calls = nombaCalls(settings, mode)
    return {
      authenticate: (call) => authenticate(signatureKey, call),
      signsFieldsOnly: true,
      findFormat: onlyFormat(nombaFormat),
      nameEnquiry,
      calls,
    }
  },
}

function authenticate(key: string, { headers, rawBody, now }: RailCall): AuthenticationResult {
  const signature = singleHeader(headers['nomba-signature']) ?? ''
  const timestamp = singleHeader(headers['nomba-timestamp']) ?? ''
  const signed = signedText(rawBody, timestamp)
  const expected = createHmac('sha256', key)
    .update(signed ?? '')
    .digest('base64')
  if (!isSecretEqual(signature, expected) || signed === undefined) return 'invalid_signature'
  const ageMs = now.getTime() - Date.parse(timestamp)
  return ageMs <= AGE_MAX_MS && ageMs >= -CLOCK_SKEW_MAX_MS ? 'ok' : 'signature_too_old'
}

// Undefined if Nomba cannot have signed the text. Only times have colons: with a colon elsewhere, text could
// move from one field into the next under the same signature.
function signedText(rawBody: Buffer, timestamp: string): string | undefined {
  const body = readNestedJson(rawBody)
  if ('malformed' in body || body.isRepeated) return undefined
  const event = objectIn(body.value)
  const { merchant, transaction } = objectIn(event.data)
  const { userId, walletId } = objectIn(merchant)
  const { transactionId, type, time, responseCode } = objectIn(transaction)
  if (!signedValue(transactionId)) return undefined
  const ids = [event.event_type, event.requestId, userId, walletId, transactionId, type]
  const code = responseCode === 'null' ? '' : responseCode
  if ([...ids, code].some((each) => signedValue(each)?.includes(':'))) return undefined
  const values = [...ids, time, code].map(signedValue)
  return values.includes(undefined) ? undefined : [...values, timestamp].join(':')
}
