// Tests Manilla’s own JSON notifications, beyond the promises that test/banks/conformance.test.ts checks
// for every format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { jsonFormat } from '#banks/manilla/notifications.ts'

const LEAST = {
  sessionId: '000004210301180534806663649508',
  accountNumber: '0016563228',
  amount: 6000,
}

test('three fields are enough: the currency is naira and the rest is null', () => {
  const { items, batch } = read(LEAST)
  assert.equal(batch, false)
  assert.deepEqual(items[0], {
    ok: true,
    credit: {
      sessionId: LEAST.sessionId,
      accountNumber: LEAST.accountNumber,
      amountKobo: 600_000n,
      currency: 'NGN',
      sourceAccountNumber: null,
      sourceAccountName: null,
      sourceBankCode: null,
      narration: null,
      transactionTime: null,
    },
  })
})

test('a null means that a field is absent', () => {
  const nulls = { currency: null, narration: null, sourceBankCode: null, transactionTime: null }
  assert.deepEqual(read({ ...LEAST, ...nulls }), read(LEAST))
})

test('fields of other formats are ignored, whatever they contain', () => {
  for (const otherIdentifiers of [5, 'x', {}, [null], [{ kind: 'session_id', value: 'X' }]]) {
    assert.deepEqual(read({ ...LEAST, otherIdentifiers, identifiedBy: 'x' }), read(LEAST))
  }
})

test('an amount may be a number', () => {
  for (const [amount, kobo] of [
    [0.29, 29n],
    [6000.5, 600_050n],
    [1e13, 1_000_000_000_000_000n],
  ] as const) {
    const [item] = read({ ...LEAST, amount }).items
    assert(item?.ok)
    assert.equal(item.credit.amountKobo, kobo)
  }
  for (const amount of [0, -1, 0.001, 1e13 + 0.01, 1e21, true, null, [5], { amount: 5 }]) {
    assert.equal(codeOf({ ...LEAST, amount }), 'invalid_amount')
  }
  assert.equal(codeOfText(JSON.stringify(LEAST).replace('6000', '1e400')), 'invalid_amount')
})

test('further identifiers and charges are read, but no other values under their names', () => {
  const charges = { fee: '45', vat: 3.38, duty: null }
  const more = { settlementId: 'S-1', bankReference: 'FT-1', charges }
  const [item] = read({ ...LEAST, ...more }).items
  assert(item?.ok)
  assert.deepEqual(item.credit.otherIdentifiers, [
    { kind: 'settlement_id', value: 'S-1' },
    { kind: 'bank_reference', value: 'FT-1' },
  ])
  assert.deepEqual(item.credit.charges, { feeKobo: 4_500n, vatKobo: 338n, dutyKobo: 0n })

  const ours = { identifiedBy: 'x', isWeak: true, otherIdentifiers: 5, source: 'x', bankCode: 'x' }
  assert.deepEqual(read({ ...LEAST, ...ours }), read(LEAST))
  for (const wrong of ['5', 5, [], { fee: -1 }, { fee: 6000 }, { vat: 'x' }]) {
    assert.equal(codeOf({ ...LEAST, charges: wrong }), 'charges_mismatch')
  }
})

test('each field of the wrong type has its own code', () => {
  assert.equal(codeOf({}), 'invalid_session_id')
  assert.equal(codeOf({ ...LEAST, sessionId: 4.210301180534807e26 }), 'invalid_session_id')
  assert.equal(codeOf({ ...LEAST, accountNumber: 1_656_322_801 }), 'invalid_account_number')
  assert.equal(codeOf({ ...LEAST, currency: 566 }), 'invalid_currency')
  assert.equal(codeOf({ ...LEAST, currency: '' }), 'invalid_currency')
  assert.equal(codeOf({ ...LEAST, sourceAccountNumber: 5 }), 'invalid_source_account_number')
  assert.equal(codeOf({ ...LEAST, sourceBankCode: [] }), 'invalid_source_bank_code')
  assert.equal(codeOf({ ...LEAST, sourceAccountName: {} }), 'invalid_source_account_name')
  assert.equal(codeOf({ ...LEAST, narration: 5 }), 'invalid_narration')
  assert.equal(codeOf({ ...LEAST, transactionTime: '2026-02-30' }), 'invalid_transaction_time')
  assert.equal(codeOf({ ...LEAST, transactionTime: 1_794_703_346 }), 'invalid_transaction_time')
})

test('items that are no objects are rejected one by one', () => {
  const { items, batch } = read([null, 'credit', 5, [LEAST], LEAST])
  assert.equal(batch, true)
  assert.deepEqual(
    items.map((item) => item.ok || item.code),
    ['not_a_credit', 'not_a_credit', 'not_a_credit', 'not_a_credit', true],
  )
})

test('a list of one is answered by a list of one', () => {
  const acknowledgement = {
    sessionId: LEAST.sessionId,
    responseCode: '01',
    responseMessage: 'Already taken.',
    outcome: 'duplicate',
  } as const
  assert.equal(read([LEAST]).batch, true)
  assert.deepEqual(JSON.parse(jsonFormat.acknowledge([acknowledgement], { batch: true }).body), [
    acknowledgement,
  ])
  assert.deepEqual(
    JSON.parse(jsonFormat.acknowledge([acknowledgement], { batch: false }).body),
    acknowledgement,
  )
})

test('an empty list is malformed', () => {
  assert('malformed' in jsonFormat.parse(Buffer.from('[]')))
})

const TWICE = JSON.stringify(LEAST).replace('"amount"', '"amount":1,"amount"')

test('a field that occurs twice is rejected, and only in its own credit', () => {
  const good = JSON.stringify(LEAST)
  assert.equal(codeOfText(TWICE), 'repeated_field')
  assert.equal(codeOfText(TWICE.replace('"amount"', '"\\u0061mount"')), 'repeated_field')
  assert.equal(codeOfText(TWICE.replace('"amount"', ' "amount"\n ')), 'repeated_field')
  const slash = TWICE.replace('{', '{"narration":"\\\\",')
  assert.equal(codeOfText(slash), 'repeated_field')
  const { items } = readText(`[${good}, 5, ${TWICE}, ${good}]`)
  assert.deepEqual(
    items.map((item) => item.ok || item.code),
    [true, 'not_a_credit', 'repeated_field', true],
  )
})

test('a field that only looks repeated is not', () => {
  const looks = [
    { ...LEAST, narration: '"amount": 1, "amount"' },
    { ...LEAST, narration: 'ends in a backslash \\' },
    { ...LEAST, narration: 'amount' },
    { ...LEAST, extra: { amount: 1, sessionId: '1' }, more: [{ amount: 2 }, 'amount'] },
  ]
  for (const credit of looks) assert(read(credit).items[0]?.ok)
  assert(read(looks).items.every((item) => item.ok))
  assert(readText(JSON.stringify(LEAST).replace('{', '{"unknown":1,"unknown":2,')).items[0]?.ok)
})

test('names such as __proto__ and constructor are ordinary names', () => {
  const text = JSON.stringify(LEAST).replace('{', '{"__proto__":{"amount":1},"constructor":{},')
  assert(readText(text).items[0]?.ok)
  assert.equal(codeOfText('{"__proto__":{"sessionId":"1"}}'), 'invalid_session_id')
})

test('an escaped NUL or half a character is cleaned from text and refused in an id', () => {
  const [item] = readText(
    JSON.stringify({ ...LEAST, narration: 'N' }).replace('"N"', '"a\\u0000\\u0001b \\ud83c"'),
  ).items
  assert(item?.ok)
  assert.equal(item.credit.narration, 'a b \ufffd')
  assert.equal(codeOf({ ...LEAST, sessionId: `${LEAST.sessionId}\u0000` }), 'invalid_session_id')
})

test('a rejection echoes no more than a line of what was sent', () => {
  const [item] = read({ ...LEAST, sessionId: `\u0007${'9'.repeat(10_000)}` }).items
  assert(item && !item.ok)
  assert.equal(item.sessionId, '9'.repeat(64))
})

test("a payer's bank named by its NIP code gets its bank code, an unknown one is kept", () => {
  for (const [sent, stored] of [
    ['000013', '058'],
    ['058', '058'],
    ['999999', '999999'],
  ] as const) {
    const [item] = read({ ...LEAST, sourceBankCode: sent }).items
    assert(item?.ok)
    assert.equal(item.credit.sourceBankCode, stored)
  }
})

// Parses a body that must be a notification.
function readText(text: string) {
  const parsed = jsonFormat.parse(Buffer.from(text))
  assert('items' in parsed)
  return parsed
}

function read(value: unknown) {
  return readText(JSON.stringify(value))
}

// Returns the rejection code of the first item; undefined for a credit.
function codeOfText(text: string): string | undefined {
  const [item] = readText(text).items
  return item?.ok === false ? item.code : undefined
}

function codeOf(value: unknown): string | undefined {
  return codeOfText(JSON.stringify(value))
}
