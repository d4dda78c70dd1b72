// No answer about a payout counts unless it repeats our reference, whatever a connector makes of it (I261).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorCalls, PayoutReading } from '#banks/connector.ts'
import { requireOurReference } from '#banks/payout-answers.ts'
import { kobo } from '#money.ts'

const TO = { bankCode: '058', accountNumber: '0123456789', accountName: 'ADA OBI' }
const PAYOUT = { reference: 'p-1', amountKobo: kobo(1n), currency: 'NGN', to: TO, narration: 'n' }

// Returns what the service gets for this reading, after an order and after a query.
async function accept(reading: object, referenceAt?: (reference: string) => string | undefined) {
  const read = async () => reading as PayoutReading
  const calls = requireOurReference(
    { sendMoney: read, findPayout: read } as ConnectorCalls,
    referenceAt,
  )
  return [await calls.sendMoney?.(PAYOUT, {}), await calls.findPayout?.('p-1', {})]
}

const READINGS = [
  { status: 'confirmed', bankReference: 'b-1' },
  { status: 'failed', reason: 'no' },
  { status: 'failed', reason: 'no', isReversed: true },
  { status: 'unknown', reason: 'PENDING', isAccepted: true },
  { status: 'unknown', reason: 'OTP', isAccepted: true, waitsFor: 'authorization' },
]

for (const reading of READINGS) {
  test(`${JSON.stringify(reading)} counts with our reference, and with no other`, async () => {
    assert.deepEqual(await accept({ ...reading, reference: 'p-1' }), [reading, reading])
    assert.deepEqual(await accept({ ...reading, reference: 'AT-P-1' }, () => 'AT-P-1'), [
      reading,
      reading,
    ])
    for (const reference of ['p-2', 'P-1', '', null, undefined, 0, ['p-1'], { reference: 'p-1' }]) {
      for (const answer of await accept({ ...reading, reference })) {
        assert.equal(answer?.status, 'unknown')
        assert.ok(!('isAccepted' in answer) && !('waitsFor' in answer))
      }
    }
    const unknowable = await accept({ ...reading, reference: undefined }, () => undefined)
    assert.deepEqual(
      unknowable.map((answer) => answer?.status),
      ['unknown', 'unknown'],
    )
  })
}

test('an answer that shows no payout refuses the order it answers, and settles no query', async () => {
  const statuses = (await accept({ status: 'refused', reason: 'no' })).map(
    (answer) => answer?.status,
  )
  assert.deepEqual(statuses, ['failed', 'unknown'])
})

test('an answer that says nothing about a payout needs no reference', async () => {
  for (const reading of [
    { status: 'unsent', reason: 'ECONNREFUSED' },
    { status: 'not_found' },
    { status: 'unknown', reason: 'timeout' },
  ]) {
    assert.deepEqual(await accept(reading), [reading, reading])
  }
})
