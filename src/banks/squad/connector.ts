// Squad (HabariPay), an aggregator of GTBank. What Squad signs depends on the agreed version of its webhooks:
// version 1 signs the raw body, versions 2 and 3 sign six fields and no time. The six fields do not show a
// reversal, a return or an enquiry.
//
// Version 3 reports a transfer under another reference than Squad's list. Without a session id, nothing shows
// that both are the same transfer, so prefer version 2.

import { createHmac } from 'node:crypto'
import type { Connector, RailCall } from '#banks/connector.ts'
import { objectIn, readNestedJson } from '#banks/json-body.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { isSecretEqual, onlyFormat, singleHeader } from '#banks/notifications.ts'
import { squadCalls } from './calls.ts'
import { squadFormat } from './notifications.ts'

const SIGNED_FIELDS = [
  'transaction_reference',
  'virtual_account_number',
  'currency',
  'principal_amount',
  'settled_amount',
  'customer_identifier',
]

export const squadConnector: Connector = {
  name: 'squad',
  needsKnownSource: false, // With signed fields, signsFieldsOnly demands a known source.
  payoutScope: 'merchantId',
  connect(settings, { mode }) {
    const secretKey = settings.requireSecret('secretKey')
    const signed = settings.findChoice('signed', ['body', 'fields']) ?? 'body'
    const calls = squadCalls(settings, { mode, secretKey })
    return {
      authenticate: (call) =>
        isAuthentic(call, { secretKey, signed }) ? 'ok' : 'invalid_signature',
      signsFieldsOnly: signed === 'fields',
      findFormat: onlyFormat(squadFormat),
      nameEnquiry,
      calls,
      reserves: { kinds: ['static'], needsCustomer: true },
    }
  },
}

function isAuthentic(
  { headers, rawBody }: RailCall,
  { secretKey, signed }: { secretKey: string; signed: 'body' | 'fields' },
): boolean {
  // Squad publishes both names for the header of version 1.
  const older = signed === 'body' ? headers['x-squad-encrypted-body'] : undefined
  const signature = singleHeader(older ?? headers['x-squad-signature']) ?? ''
  const text = signed === 'body' ? rawBody : signedFields(rawBody)
  const expected = createHmac('sha512', secretKey)
    .update(text ?? '')
    .digest('hex')
  return isSecretEqual(signature.toLowerCase(), expected) && text !== undefined
}

// Undefined if Squad cannot have signed the text: with the separator inside a field, text could move from one
// field into the next.
function signedFields(rawBody: Buffer): string | undefined {
  const body = readNestedJson(rawBody)
  if ('malformed' in body || body.isRepeated) return undefined
  const notification = objectIn(body.value)
  const values = SIGNED_FIELDS.map((field) => notification[field])
  const areSound = values.every((value) => typeof value === 'string' && !value.includes('|'))
  return areSound ? values.join('|') : undefined
}
