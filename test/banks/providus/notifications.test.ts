// Tests the Providus notification, beyond the promises that test/banks/conformance.test.ts checks for every
// format.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Acknowledgement } from '#banks/notifications.ts'
import { providusFormat } from '#banks/providus/notifications.ts'

const NOTIFICATION = {
  sessionId: '000004210301180534806663649508',
  accountNumber: '9977581536',
  tranRemarks: 'FROM UBA/ INVOICE 1183/SEYI OLUFEMI',
  transactionAmount: 6000,
  settledAmount: 5950,
  feeAmount: 46.51,
  vatAmount: 3.49,
  currency: 'NGN',
  initiationTranRef: '',
  settlementId: '202210301006807600001432',
  sourceAccountNumber: '2093566866',
  sourceAccountName: 'SEYI OLUFEMI',
  sourceBankName: 'UNITED BANK FOR AFRICA',
  channelId: 1,
  tranDateTime: '2026-11-15 01:42:26.0',
}

test('the whole transfer counts, not what the bank left of it after its fee', () => {
  assert.equal(credit(NOTIFICATION).amountKobo, 600_000n)
})

test('times are those of Lagos', () => {
  const { transactionTime } = credit(NOTIFICATION)
  assert.equal(transactionTime?.toISOString(), '2026-11-15T00:42:26.000Z')
})

test('an unknown bank’s name leaves the bank code empty, and the money is taken', () => {
  assert.equal(credit(NOTIFICATION).sourceBankCode, '033')
  assert.equal(credit({ ...NOTIFICATION, sourceBankName: 'Bank of Nowhere' }).sourceBankCode, null)
  assert.equal(credit({ ...NOTIFICATION, sourceBankName: 5 }).sourceBankCode, null)
})

test('a list is malformed, because this bank sends one credit per notification', () => {
  assert('malformed' in parse(JSON.stringify([NOTIFICATION])))
})

test('an amount sent twice is rejected', () => {
  const parsed = parse(JSON.stringify(NOTIFICATION).replace('{', '{"transactionAmount":1,'))
  assert('items' in parsed)
  assert(parsed.items[0]?.ok === false && parsed.items[0].code === 'repeated_field')
})

test('a settlement id may be a number, whose digits are all kept', () => {
  // Parses a notification whose settlement id is this JSON text. The text replaces "HERE", because a
  // JavaScript number would lose digits of a long id.
  const withId = (settlementId: string, more: object = {}) => {
    const text = JSON.stringify({ ...NOTIFICATION, ...more, settlementId: 'HERE' })
    const parsed = parse(text.replace('"HERE"', settlementId))
    assert('items' in parsed)
    return parsed.items[0]
  }
  for (const digits of ['7', '9007199254740991', '9007199254740993', '202210301006807600001432']) {
    const item = withId(digits)
    assert(item?.ok && item.credit.isWeak, digits)
    assert.deepEqual(item.credit.otherIdentifiers, [{ kind: 'settlement_id', value: digits }])
    const alone = withId(digits, { sessionId: '' })
    assert(alone?.ok && alone.credit.identifiedBy === 'settlement_id')
    assert.equal(alone.credit.sessionId, digits)
  }
  for (const none of ['null', '""', '" "', '0']) {
    const item = withId(none)
    assert(item?.ok && (item.credit.otherIdentifiers ?? []).length === 0, none)
  }
  const long = JSON.stringify('x'.repeat(65))
  for (const wrong of [long, '"a\\u0000b"', '1.5', '-7', '1e99', 'true', '[]', '{}']) {
    const item = withId(wrong)
    assert(item && !item.ok && item.code === 'invalid_identifier' && item.money, wrong)
  }
})

const ANSWERS = [
  ['00', 'success'],
  ['01', 'duplicate transaction'],
  ['02', 'rejected transaction'],
  ['03', 'system failure, retry'],
] as const

for (const [responseCode, responseMessage] of ANSWERS) {
  test(`${responseCode} is answered in the bank's own words`, () => {
    const { sessionId } = NOTIFICATION
    assert.deepEqual(answerTo({ sessionId, responseCode, responseMessage: 'ours', outcome: 'o' }), {
      requestSuccessful: true,
      sessionId,
      responseMessage,
      responseCode,
    })
  })
}

test('an unknown session id is answered as an empty one', () => {
  const unknown = { sessionId: null, responseCode: '02', responseMessage: '', outcome: '' } as const
  assert.equal(answerTo(unknown).sessionId, '')
})

function parse(text: string) {
  return providusFormat.parse(Buffer.from(text))
}

// Returns the credit that is read from a notification.
function credit(notification: object) {
  const parsed = parse(JSON.stringify(notification))
  assert('items' in parsed && parsed.items[0]?.ok)
  return parsed.items[0].credit
}

function answerTo(acknowledgement: Acknowledgement) {
  return JSON.parse(providusFormat.acknowledge([acknowledgement], { batch: false }).body)
}
