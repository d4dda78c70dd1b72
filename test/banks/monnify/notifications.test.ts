// Tests Monnify’s events, beyond the promises that test/banks/conformance.test.ts checks for every format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { monnifyFormat } from '#banks/monnify/notifications.ts'
import { connect, railCall } from '../connector-bench.ts'
import { readSample } from '../connector-case.ts'
import { MONNIFY } from './conformance-case.ts'

const EVENT = JSON.parse(String(readSample('monnify', 'reserved-account.json')))

// The signature that Monnify publishes for the body and the secret of its example.
const PUBLISHED =
  'f04fb635e04d71648bd3cc7999003da6861483342c856d05ddfa9b2dafacb873' +
  'b0de1d0f8f67405d0010b4348b721c49fa171d317972618debba6b638aedcd3c'

test('the published signature is right', () => {
  const body = readSample('monnify', 'offline-payment.json')
  const { connection } = connect(MONNIFY)
  assert.equal(connection?.authenticate(railCall({ 'monnify-signature': PUBLISHED }, body)), 'ok')
})

test('a settlement to our own bank is no credit, and no money to keep', () => {
  const item = parse({ ...EVENT, eventType: 'SETTLEMENT' })
  assert(!item.ok)
  assert.deepEqual([item.code, item.money], ['not_a_credit', null])
})

for (const eventType of ['SUCCESSFUL_REFUND', 'SOMETHING_NEW', undefined]) {
  test(`an event of type ${eventType} is no credit, and is kept`, () => {
    const item = parse({ ...EVENT, eventType })
    assert(!item.ok)
    assert.deepEqual([item.code, item.money?.amount], ['not_a_credit', '3000'])
    assert.equal(item.payout, undefined)
  })
}

for (const [eventType, says] of [
  ['SUCCESSFUL_DISBURSEMENT', 'confirmed'],
  ['FAILED_DISBURSEMENT', 'failed'],
  ['REVERSED_DISBURSEMENT', 'reversed'],
] as const) {
  test(`${eventType} is about a payout, or kept where it names none`, () => {
    const eventData = { amount: 200.5, transactionReference: 'MFDS1', reference: 'PAY-1' }
    const item = parse({ eventType, eventData })
    assert(!item.ok)
    assert.deepEqual(item.payout, { reference: 'PAY-1', says })
    const unnamed = parse({ eventType, eventData: { ...eventData, reference: 7 } })
    assert(!unnamed.ok)
    assert.deepEqual([unnamed.payout, unnamed.money?.amount], [undefined, '200.5'])
  })
}

test('money of a reserved account in any other status is stored for an operator', () => {
  const item = parse(withData({ paymentStatus: 'OVERPAID' }))
  assert(!item.ok)
  assert.deepEqual([item.code, item.money?.amount], ['not_a_credit', '3000'])
})

test('without a session id, a transaction goes by its reference', () => {
  const item = parse(withData({ paymentSourceInformation: [] }))
  assert(item.ok)
  assert.equal(item.credit.sessionId, EVENT.eventData.transactionReference)
  assert.equal(item.credit.identifiedBy, 'bank_reference')
})

test('an implausible settlement above the amount is stored for an operator', () => {
  const item = parse(withData({ settlementAmount: 3001 }))
  assert(!item.ok)
  assert.deepEqual([item.code, item.money?.amount], ['charges_mismatch', '3000'])
})

for (const [paidOn, time] of [
  ['2021-11-17 11:28:42.615', '2021-11-17T10:28:42.615Z'],
  ['17/11/2021 3:48:10 PM', '2021-11-17T14:48:10.000Z'],
  ['17/11/2021 12:48:10 AM', '2021-11-16T23:48:10.000Z'],
  ['23/05/2019 06:21:33', '2019-05-23T05:21:33.000Z'],
  ['2019-07-24T14:12:28.000+0000', '2019-07-24T14:12:28.000Z'],
] as const) {
  test(`${paidOn} is a time`, () => {
    const item = parse(withData({ paidOn }))
    assert.equal(item.ok && item.credit.transactionTime?.toISOString(), time)
  })
}

function withData(changes: object) {
  return { ...EVENT, eventData: { ...EVENT.eventData, ...changes } }
}

// Returns the first item of an event, which must be readable.
function parse(event: object) {
  const parsed = monnifyFormat.parse(Buffer.from(JSON.stringify(event)))
  assert('items' in parsed && parsed.items[0])
  return parsed.items[0]
}
