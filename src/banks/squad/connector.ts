// Squad (HabariPay), an aggregator of GTBank. What it signs depends on the version of its webhooks,
// which is agreed with it: version 1 signs the raw body, versions 2 and 3 six fields and no time.
// The six say nothing of a reversal, a return or an enquiry.
//
// Version 3 reports a transfer under another reference than its list does. Where it comes without a
// session id, the two cannot be told to be the same: prefer version 2.

import { createHmac } from 'node:crypto'
import type { Connector, RailCall } from '#banks/connector.ts'
import { objectIn, readNestedJson } from '#banks/json-body.ts'
import { nameEnquiry } from '#banks/manilla/name-enquiry.ts'
import { onlyFormat } from '#banks/notifications.ts'
import { isSecretEqual, singleHeader } from '#banks/secret-equality.ts'
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
  needsKnownSource: false, // But for the signature of fields.
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
  // The header of version 1 is published under both names.
  const older = signed === 'body' ? headers['x-squad-encrypted-body'] : undefined
  const given = singleHeader(older ?? headers['x-squad-signature']) ?? ''
  const text = signed === 'body' ? rawBody : signedFields(rawBody)
  const expected = createHmac('sha512', secretKey)
    .update(text ?? '')
    .digest('hex')
  return isSecretEqual(given.toLowerCase(), expected) && text !== undefined
}

// Undefined when it cannot have been signed: with the separator inside a field, text could move from
// one field into the next.
function signedFields(rawBody: Buffer): string | undefined {
  const body = readNestedJson(rawBody)
  if ('malformed' in body || body.isRepeated) return undefined
  const notification = objectIn(body.value)
  const values = SIGNED_FIELDS.map((field) => notification[field])
  const areSound = values.every((value) => typeof value === 'string' && !value.includes('|'))
  return areSound ? values.join('|') : undefined
}
