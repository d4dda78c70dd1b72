// Tests Paystack’s events, beyond the promises that test/banks/conformance.test.ts checks for every format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paystackFormat } from '#banks/paystack/notifications.ts'
import { readContract } from '../../../fake-bank/contract.ts'
import { connect, railCall, signed } from '../connector-bench.ts'
import { readSample } from '../connector-case.ts'
import { PAYSTACK } from './conformance-case.ts'

const EVENT = JSON.parse(String(readSample('paystack', 'dedicated-account.json')))
const { data: DATA } = EVENT

test('the amount and the fee are kobo', () => {
  const item = parse(EVENT)
  assert(item.ok)
  assert.equal(item.credit.amountKobo, 100_000n)
  assert.equal(item.credit.charges?.feeKobo, 1_500n)
  assert.equal(item.credit.sourceBankCode, '058')
  assert.equal(item.credit.transactionTime?.toISOString(), '2026-01-01T12:00:00.000Z')
})

test('a masked payer’s number counts as missing, because refunds would go to it', () => {
  const masked = parse(EVENT)
  assert(masked.ok && masked.credit.sourceAccountNumber === null)
  const authorization = { ...DATA.authorization, sender_bank_account_number: '0123456789' }
  const whole = parse({ ...EVENT, data: { ...DATA, authorization } })
  assert(whole.ok && whole.credit.sourceAccountNumber === '0123456789')
})

test('without a fee the bank withheld nothing', () => {
  const item = parse({ ...EVENT, data: { ...DATA, fees: null } })
  assert(item.ok && item.credit.charges === undefined)
})

test('a fee as large as the amount is not believed, and the money kept', () => {
  const item = parse({ ...EVENT, data: { ...DATA, fees: DATA.amount } })
  assert(!item.ok && item.code === 'charges_mismatch')
  assert.equal(item.money?.amount, '1000.00')
})

test('a payment by card is no credit', () => {
  const authorization = { channel: 'card', receiver_bank_account_number: null }
  const item = parse({ ...EVENT, data: { ...DATA, channel: 'card', authorization } })
  assert(!item.ok)
  assert.deepEqual([item.code, item.money], ['not_a_credit', null])
})

for (const [what, change] of [
  ['another status', { status: 'reversed' }],
  ['another channel that names a number', { channel: 'bank_transfer' }],
  ['no channel', { channel: undefined }],
] as const) {
  test(`money with ${what} is kept for an operator`, () => {
    const item = parse({ ...EVENT, data: { ...DATA, ...change } })
    assert(!item.ok)
    assert.deepEqual([item.code, item.money?.amount], ['not_a_credit', '1000.00'])
  })
}

for (const [call, says] of [
  ['webhook.payoutSucceeded', 'confirmed'],
  ['webhook.payoutFailed', 'failed'],
  ['webhook.payoutReversed', 'reversed'],
] as const) {
  const sample = readContract('paystack')?.calls.find((each) => each.call === call)?.sample
  const event = sample as { event: string; data: object }

  test(`${event.event} names our payout, and the service queries the bank about it`, () => {
    const reference = 'manilla-payout-pyt000000000000042'
    const item = parse({ ...event, data: { ...event.data, reference } })
    assert(!item.ok)
    assert.deepEqual(item.payout, { reference: 'PYT000000000000042', says })
  })

  test(`${event.event} of a transfer that is not ours is stored for an operator`, () => {
    const item = parse(event)
    assert(!item.ok && item.payout === undefined)
    assert.equal(item.money?.amount, '1000.00')
  })
}

test('other events are stored for an operator if they name an amount', () => {
  const refund = parse({ event: 'refund.processed', data: { amount: 5_000 } })
  assert(!refund.ok && refund.money?.amount === '50.00')
  const assigned = parse({ event: 'dedicatedaccount.assign.success', data: { customer: {} } })
  assert(!assigned.ok && assigned.money === null)
})

test('the signature is over the bytes, in either case', () => {
  const body = readSample('paystack', 'dedicated-account.json')
  const headers = signed(PAYSTACK, body)
  const name = 'x-paystack-signature'
  const upper = { ...headers, [name]: headers[name]?.toUpperCase() }
  const { connection } = connect(PAYSTACK)
  assert.equal(connection?.authenticate(railCall(upper, body)), 'ok')
  const again = Buffer.from(JSON.stringify(JSON.parse(String(body))))
  assert.equal(connection.authenticate(railCall(headers, again)), 'invalid_signature')
})

// Returns the first item of an event, which must be readable.
function parse(event: object) {
  const parsed = paystackFormat.parse(Buffer.from(JSON.stringify(event)))
  assert('items' in parsed && parsed.items[0])
  return parsed.items[0]
}
