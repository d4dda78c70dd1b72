// Tests Squad’s notifications, beyond the promises that test/banks/conformance.test.ts checks for every
// format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { squadFormat } from '#banks/squad/notifications.ts'
import { connect, railCall, signed } from '../connector-bench.ts'
import { readSample } from '../connector-case.ts'
import { SQUAD_BODY, SQUAD_FIELDS } from './conformance-case.ts'

const NOTIFICATION = JSON.parse(String(readSample('squad', 'version-2.json')))

test('a debit is no credit', () => {
  const item = parse({ ...NOTIFICATION, transaction_indicator: 'D' })
  assert(!item.ok)
  assert.deepEqual([item.code, item.money], ['not_a_credit', null])
})

test('a frozen transfer is kept, not booked', () => {
  const item = parse({ ...NOTIFICATION, meta: { freeze_transaction_ref: 'afbd9b7f' } })
  assert(!item.ok)
  assert.deepEqual([item.code, item.money?.amount], ['not_booked', '100.00'])
})

test('a session id, where it comes with one, identifies the credit too', () => {
  const session_id = '100004240918144254119476359000'
  const item = parse({ ...NOTIFICATION, session_id })
  assert(item.ok)
  assert.deepEqual(item.credit.otherIdentifiers?.[0], { kind: 'session_id', value: session_id })
})

test('the encrypted body is ignored', () => {
  const { encrypted_body: _, ...rest } = NOTIFICATION
  assert.deepEqual(parse(rest), parse(NOTIFICATION))
})

test('version 1 may come under the name of the later header', () => {
  const body = readSample('squad', 'version-1.json')
  const signature = signed(SQUAD_BODY, body)['x-squad-encrypted-body']
  const call = railCall({ 'x-squad-signature': signature }, body)
  assert.equal(connect(SQUAD_BODY).connection?.authenticate(call), 'ok')
  assert.equal(connect(SQUAD_FIELDS).connection?.authenticate(call), 'invalid_signature')
})

test('text cannot move from one signed field into the next', () => {
  const body = Buffer.from(JSON.stringify(NOTIFICATION))
  const headers = signed(SQUAD_FIELDS, body)
  const moved = {
    ...NOTIFICATION,
    transaction_reference: `${NOTIFICATION.transaction_reference}|0740379575`,
    virtual_account_number: 'NGN',
    currency: '100.00',
    principal_amount: '99.80',
    settled_amount: 'P7SJ3KMH',
    customer_identifier: '',
  }
  const { connection } = connect(SQUAD_FIELDS)
  assert.equal(connection?.authenticate(railCall(headers, body)), 'ok')
  const forged = railCall(headers, Buffer.from(JSON.stringify(moved)))
  assert.equal(connection.authenticate(forged), 'invalid_signature')
})

test('money for a dynamic account is kept for an operator', () => {
  const item = parse({
    transaction_reference: 'REF-1',
    amount_received: '150.00',
    merchant_reference: 'ORDER-17',
    transaction_status: 'MISMATCH',
  })
  assert(!item.ok)
  assert.deepEqual(
    [item.code, item.sessionId, item.money?.amount],
    ['not_a_credit', 'REF-1', '150.00'],
  )
})

for (const [code, answer] of [
  ['02', { response_code: 400, response_description: 'Validation failure' }],
  ['03', { response_code: 500, response_description: 'System malfunction' }],
] as const) {
  test(`${code} is answered as published`, () => {
    const about = { sessionId: 'REF', responseMessage: 'm', outcome: 'o' }
    const { body } = squadFormat.acknowledge([{ ...about, responseCode: code }], { batch: false })
    assert.deepEqual(JSON.parse(body), { ...answer, transaction_reference: 'REF' })
  })
}

// Returns the first item of a notification, which must be readable.
function parse(notification: object) {
  const parsed = squadFormat.parse(Buffer.from(JSON.stringify(notification)))
  assert('items' in parsed && parsed.items[0])
  return parsed.items[0]
}
