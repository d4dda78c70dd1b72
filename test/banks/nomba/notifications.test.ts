// Tests Nomba’s events and signatures, beyond the promises that test/banks/conformance.test.ts checks for
// every format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nombaFormat } from '#banks/nomba/notifications.ts'
import { connect, railCall } from '../connector-bench.ts'
import { readSample } from '../connector-case.ts'
import { NOMBA } from './conformance-case.ts'

const BODY = readSample('nomba', 'virtual-account.json')
const EVENT = JSON.parse(String(BODY))
const SENT = '2025-09-29T10:51:44Z'

// The headers that Nomba publishes for this body and the key of its example.
const HEADERS = {
  'nomba-signature': 'Kt9095hQxfgmVbx6iz7G2tPhHdbdXgLlyY/mf35sptw=',
  'nomba-timestamp': SENT,
}

// Returns whether the connector accepts the published body and signature, some seconds later.
function verdict(body: Buffer, { headers = HEADERS as object, secondsLater = 0 } = {}) {
  const { connection } = connect(NOMBA)
  const now = new Date(Date.parse(SENT) + secondsLater * 1_000)
  return connection?.authenticate({ ...railCall({ ...headers }, body), now })
}

test('the published signature is right, for every retry under the first timestamp', () => {
  const waits = [120, 280, 640, 1_440, 3_200]
  const retries = waits.map((_, at) => waits.slice(0, at + 1).reduce((sum, wait) => sum + wait))
  for (const secondsLater of [0, -300, ...waits, ...retries, 7_200]) {
    assert.equal(verdict(BODY, { secondsLater }), 'ok', String(secondsLater))
  }
  for (const secondsLater of [7_201, -301]) {
    assert.equal(verdict(BODY, { secondsLater }), 'signature_too_old')
  }
})

test('the signature covers the time', () => {
  const headers = { ...HEADERS, 'nomba-timestamp': '2025-09-29T10:51:45Z' }
  assert.equal(verdict(BODY, { headers }), 'invalid_signature')
})

test('a response code of null is signed as an empty one', () => {
  for (const code of ['null', '"null"']) {
    const body = Buffer.from(String(BODY).replace('"responseCode": ""', `"responseCode": ${code}`))
    assert.notDeepEqual(body, BODY)
    assert.equal(verdict(body), 'ok')
  }
})

test('text cannot move from one signed field into the next', () => {
  const { merchant, transaction } = EVENT.data
  const moved = {
    ...EVENT,
    requestId: `${EVENT.requestId}:${merchant.userId}`,
    data: {
      ...EVENT.data,
      merchant: { userId: merchant.walletId, walletId: transaction.transactionId },
      transaction: {
        ...transaction,
        transactionId: 'vact_transfer',
        type: '2025-09-29T10',
        time: '51:44Z',
      },
    },
  }
  assert.equal(verdict(Buffer.from(JSON.stringify(moved))), 'invalid_signature')
})

test('a signed field that comes twice is not authentic', () => {
  const body = Buffer.from(
    String(BODY).replace('"transactionId"', '"transactionId": "x", "transactionId"'),
  )
  assert.equal(verdict(body), 'invalid_signature')
})

for (const [what, changes, isKept] of [
  ['a card payment', { type: 'online_checkout' }, false],
  ['a payout that is not named', { event_type: 'payout_success' }, true],
  ['an event that we do not know', { event_type: 'wallet_swept', type: 'sweep' }, true],
  ['a failed payment', { event_type: 'payment_failed' }, false],
  ['a reversal', { event_type: 'payment_reversal' }, true],
] as const) {
  test(`${what} is no credit${isKept ? ', and is kept for an operator' : ''}`, () => {
    const { event_type = EVENT.event_type, type = 'vact_transfer' } = changes as Record<
      string,
      string
    >
    const transaction = { ...EVENT.data.transaction, type }
    const event = { ...EVENT, event_type, data: { ...EVENT.data, transaction } }
    const parsed = nombaFormat.parse(Buffer.from(JSON.stringify(event)))
    assert('items' in parsed && parsed.items[0]?.ok === false)
    assert.equal(parsed.items[0].code, 'not_a_credit')
    assert.equal(parsed.items[0].money !== null, isKept)
  })
}

for (const [event_type, says] of [
  ['payout_success', 'confirmed'],
  ['payout_failed', 'failed'],
  ['payout_refund', 'reversed'],
] as const) {
  test(`${event_type} is about the payout that it names`, () => {
    const transaction = { ...EVENT.data.transaction, type: 'transfer', merchantTxRef: 'PAY-1' }
    const event = { ...EVENT, event_type, data: { ...EVENT.data, transaction } }
    const parsed = nombaFormat.parse(Buffer.from(JSON.stringify(event)))
    assert('items' in parsed && parsed.items[0]?.ok === false)
    assert.deepEqual(parsed.items[0].payout, { reference: 'PAY-1', says })
  })
}
