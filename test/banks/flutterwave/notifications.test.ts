// No event of Flutterwave books a credit by itself. The service queries Flutterwave, or stores everything
// that may be money for an operator.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHints } from '#banks/credit-fields.ts'
import { flutterwaveFormat } from '#banks/flutterwave/notifications.ts'
import { kobo } from '#money.ts'
import { readContract } from '../../../fake-bank/contract.ts'
import { connect, railCall, signed } from '../connector-bench.ts'
import { readSample } from '../connector-case.ts'
import { FLUTTERWAVE } from './conformance-case.ts'

const EVENT = JSON.parse(String(readSample('flutterwave', 'bank-transfer.json')))
const { data: DATA } = EVENT
const HINT = { kind: 'bank_reference', value: '285959875' }

test('a bank transfer is a hint, by Flutterwave’s id', () => {
  const item = parse(EVENT)
  assert(!item.ok)
  assert.deepEqual(item.hint, HINT)
})

for (const [what, id, value] of [
  ['text', '"285959875"', '285959875'],
  ['more digits than a number holds', '9007199254740993', '9007199254740993'],
] as const) {
  test(`an id that is ${what} is read to the digit`, () => {
    const text = JSON.stringify(EVENT).replace('"id":285959875', `"id":${id}`)
    const item = parseText(text)
    assert(!item.ok)
    assert.equal(item.hint?.value, value)
  })
}

for (const id of [undefined, null, 0, -1, 1.5, '', '../x', '1/verify', '01', [5], { a: 1 }, true]) {
  test(`an event with the id ${JSON.stringify(id)} asks for nothing, and its money is kept`, () => {
    const item = parse({ ...EVENT, data: { ...DATA, id } })
    assert(!item.ok && item.hint === undefined)
    assert.equal(item.money?.amount, '1000')
  })
}

test('an event that has a field twice asks for nothing, and its money is kept', () => {
  const item = parseText(JSON.stringify(EVENT).replace('"id":', '"id":1,"id":'))
  assert(!item.ok && item.hint === undefined)
  assert.deepEqual([item.code, item.money?.amount], ['repeated_field', '1000'])
})

for (const change of [{ payment_type: 'card' }, { status: 'failed' }]) {
  test(`an event with ${JSON.stringify(change)} is no credit`, () => {
    const item = parse({ ...EVENT, data: { ...DATA, ...change } })
    assert(!item.ok && item.hint === undefined)
    assert.deepEqual([item.code, item.money], ['not_a_credit', null])
  })
}

test('the bank is queried about a pending payment, or one without a type', () => {
  for (const change of [{ status: 'pending' }, { payment_type: undefined }]) {
    const item = parse({ ...EVENT, data: { ...DATA, ...change } })
    assert(!item.ok)
    assert.deepEqual(item.hint, HINT)
  }
})

for (const [call, says] of [
  ['webhook.payoutSucceeded', 'confirmed'],
  ['webhook.payoutFailed', 'failed'],
] as const) {
  const sample = readContract('flutterwave')?.calls.find((each) => each.call === call)?.sample
  test(`${call} names a payout, and the service queries the bank about it`, () => {
    const item = parse(sample as object)
    assert(!item.ok && item.hint === undefined)
    assert.deepEqual(item.payout, { reference: 'PAY-0001', says })
  })
}

test('other events are stored for an operator if they name an amount', () => {
  for (const status of ['HELD', 'constructor', ['FAILED'], null]) {
    const data = { amount: 50, status, reference: 'PAY-0001' }
    const other = parse({ event: 'transfer.completed', data })
    assert(!other.ok && other.payout === undefined && other.money?.amount === '50')
  }
  const unknown = parse({ event: 'subscription.cancelled', data: { amount: 5 } })
  assert(!unknown.ok && unknown.hint === undefined && unknown.money?.amount === '5')
  const empty = parse({ event: 'charge.completed' })
  assert(!empty.ok && empty.hint === undefined && empty.money === null)
})

test('the hash is compared as it is, and the body is not signed', () => {
  const body = readSample('flutterwave', 'bank-transfer.json')
  const headers = signed(FLUTTERWAVE, body)
  const { connection } = connect(FLUTTERWAVE)
  assert.equal(connection?.hintsOnly, true)
  const forged = Buffer.from(String(body).replaceAll('1000', '9000000'))
  assert.equal(connection.authenticate(railCall(headers, forged)), 'ok')
  const upper = { ...headers, 'verif-hash': headers['verif-hash']?.toUpperCase() }
  assert.equal(connection.authenticate(railCall(upper, body)), 'invalid_signature')
})

test('where nothing is signed, whatever a format reads as a credit or a reversal is not one', () => {
  const credit = {
    sessionId: 'S-1',
    accountNumber: '9930000737',
    amountKobo: kobo(5n),
    currency: 'NGN',
    ...{ sourceAccountNumber: null, sourceAccountName: null, sourceBankCode: null },
    ...{ narration: null, transactionTime: null },
  }
  const reversal = { sessionId: 'R', originals: ['S-1'], amountKobo: kobo(5n), currency: 'NGN' }
  const money = { amount: '5', text: '' }
  const rest = { ok: false, sessionId: null, code: 'not_a_credit', message: 'no' } as const
  const parsed = asHints({
    items: [
      { ok: true, credit },
      { ok: true, credit: { ...credit, identifiedBy: 'bank_reference' } },
      { ...rest, money, reversal },
    ],
    batch: true,
  })
  assert('items' in parsed)
  const [bySession, byReference, reversed] = parsed.items
  assert(bySession && !bySession.ok && byReference && !byReference.ok)
  assert.deepEqual(bySession.hint, { kind: 'session_id', value: 'S-1' })
  assert.deepEqual(byReference.hint, { kind: 'bank_reference', value: 'S-1' })
  assert.deepEqual(reversed, { ...rest, money })
})

function parse(event: object) {
  return parseText(JSON.stringify(event))
}

// Returns the first item of a notification, which must be readable.
function parseText(text: string) {
  const parsed = flutterwaveFormat.parse(Buffer.from(text))
  assert('items' in parsed && parsed.items[0])
  return parsed.items[0]
}
