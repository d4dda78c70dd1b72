// A collection account keeps its number for ever, has all seventeen documented fields, is visible only to
// its client, and is created once even if the request is repeated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertAlike,
  assertRefused,
  createAccount,
  readAccount,
  TIMESTAMP,
} from '../support/fixtures.ts'
import { isNuban } from '../support/nuban.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

test('a new account answers with its seventeen fields in their types, and its numbers', async () => {
  const answer = await bench.call({
    url: ACCOUNTS,
    body: accountBody(),
    headers: { accept: '*/*' },
  })

  assert.equal(answer.statusCode, 200)
  const { isSuccessful, message, data, ...rest } = answer.json()
  assert.equal(isSuccessful, true)
  assert.match(message, /creat/i)
  assert.match(message, /success/i)
  assert.deepEqual(rest, {})
  const { id, bankCode, accountNumber, accounts, createdAt, updatedAt, ...plain } = data
  assert.deepEqual(plain, {
    ...accountBody(),
    accountBalance: 0,
    isDefault: false,
    isActive: true,
    currencyCode: 'NGN',
  })
  assert(Number.isSafeInteger(id) && id > 0)
  assert.deepEqual(accounts, [{ bankCode, bankName: 'Wema Bank', accountNumber }])
  assert.match(bankCode, /^(\d{3}|\d{5})$/)
  assert(isNuban(bankCode, accountNumber), `${accountNumber} at ${bankCode}`)
  assert.match(createdAt, TIMESTAMP)
  assert.match(updatedAt, TIMESTAMP)
  assert.equal(new Date(createdAt).getTime(), bench.clock().getTime())
})

test('an account reads back as it was made', async () => {
  const made = await createAccount(bench)

  const answer = await bench.call({ url: `${ACCOUNTS}/${made.accountNumber}` })

  const { isSuccessful, message, data, ...rest } = answer.json()
  assert.equal(answer.statusCode, 200)
  assert.equal(isSuccessful, true)
  assert.match(message, /retriev/i)
  assert.match(message, /success/i)
  assert.deepEqual(data, made)
  assert.deepEqual(rest, {})
})

test('every text is stored and returned exactly as sent', async () => {
  const texts = [
    { accountName: '  Adébáyọ̀ Ọláwálé  ', channel: ' api ' },
    {
      accountName: '银行 🏦 👩‍👩‍👧 ‏שלום',
      merchantId: "'; drop table clients; --",
      channel: '<b>&amp;',
    },
    { accountName: '🏦'.repeat(100), merchantId: 'é'.repeat(64), channel: 'x', merchantCode: '0' },
    { accountName: 'e\u0301', merchantCode: '\u00e9', merchantId: '%s {x} \\u0041 "' },
    { email: 'Ada.Obi+shop@Mail.Example.CO.UK', phoneNumber: '1234567' },
    { phoneNumber: '+123456789012345', notificationUrl: 'HTTP://Localhost:3000' },
    { notificationUrl: 'http://shop.example.com:8080/a%20b/?q=1&q=2#part' },
  ]

  for (const text of texts) {
    const body = accountBody(text)
    const { accountNumber } = await createAccount(bench, text)
    const read = await readAccount(bench, accountNumber)
    for (const [field, value] of Object.entries(body)) assert.equal(read[field], value)
  }
})

test('fields we do not know are ignored', async () => {
  const data = await createAccount(bench, {
    mcc: '5999',
    id: 77,
    accountBalance: 5,
    isActive: false,
  })

  assert.equal(Object.keys(data).length, 17 + 1) // The documented fields, and `accounts`.
  assert.notEqual(data.id, 77)
  assert.equal(data.accountBalance, 0)
  assert.equal(data.isActive, true)
})

test('every field is required, and all invalid ones are named at once', async () => {
  const fields = Object.keys(accountBody())
  const empty = await bench.call({ url: ACCOUNTS, body: {} })

  assertRefused(empty, { code: 'invalid_request' })
  assert.deepEqual(fieldsOf(empty), fields.sort())
  for (const field of fields) {
    const missing = await bench.call({ url: ACCOUNTS, body: accountBody({ [field]: undefined }) })
    assertRefused(missing, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(missing), [field])
  }
})

const WRONG: Record<string, readonly unknown[]> = {
  bvn: ['2221234565', '222123456543', '2221234565a', ' 22212345654', '٢٢٢١٢٣٤٥٦٥٤', 22212345654],
  email: ['ada', 'ada@', '@example.com', 'a b@example.com', 'a@b@c.com', 'a@b.com\r\nBcc: x@y.z'],
  notificationUrl: [
    'shop.ng/hook',
    '/hook',
    '//shop.ng/hook',
    'ftp://shop.ng',
    'javascript:alert(1)',
    'https://',
    'http:// /',
    'https://shop.ng/\u0000',
  ],
  phoneNumber: [
    '123456',
    '1234567890123456',
    '+',
    '+123456',
    '++2348012345678',
    '0801-234-5678',
    ' 08012345678',
    '٠٨٠١٢٣٤٥٦٧٨',
    '2348012345678+',
  ],
  accountName: ['x'.repeat(101), '🏦'.repeat(101)],
  merchantId: ['x'.repeat(65)],
  merchantCode: ['x'.repeat(65)],
  channel: ['x'.repeat(65)],
}
const WRONG_ANYWHERE = [
  '',
  ' ',
  '\u00a0\u2003',
  'a\u0000b',
  'a\nb',
  'a\tb',
  'a\u007fb',
  'a\u0085b',
  null,
  5,
  true,
  [],
  {},
  ['x'],
]

for (const [field, values] of Object.entries(WRONG)) {
  test(`a wrong ${field} is refused by its name`, async () => {
    const accepted: unknown[] = []
    for (const value of [...values, ...WRONG_ANYWHERE]) {
      const answer = await bench.call({ url: ACCOUNTS, body: accountBody({ [field]: value }) })
      if (answer.statusCode === 200) accepted.push(value)
      else {
        assertRefused(answer, { code: 'invalid_request' })
        assert.deepEqual(fieldsOf(answer), [field])
      }
    }
    assert.deepEqual(accepted, [])
  })
}

test('numbers are valid, unique, in the static range, and not predictable from each other', async () => {
  const COUNT = 60
  const requests = Array.from({ length: COUNT / 2 }, () => createAccount(bench))
  const accounts = await Promise.all(requests)
  for (let made = accounts.length; made < COUNT; made++) accounts.push(await createAccount(bench))

  const numbers: string[] = accounts.map((account) => account.accountNumber)
  assert.equal(new Set(numbers).size, COUNT)
  assert.equal(new Set(accounts.map((account) => account.id)).size, COUNT)
  const serials = numbers.map((number) => Number(number.slice(0, 9)))
  for (const [at, { bankCode, accountNumber }] of accounts.entries()) {
    assert(isNuban(bankCode, accountNumber), accountNumber)
    const bank = bench.config.banks.find(({ code }) => code === bankCode)
    assert(bank?.static && Number(bank.static.from) <= Number(serials[at]))
    assert(Number(serials[at]) <= Number(bank.static.to))
  }
  const steps = serials.slice(1).map((serial, at) => serial - Number(serials[at]))
  assert(
    steps.every((step) => Math.abs(step) > 1),
    'neighbours follow each other',
  )
  assert(new Set(steps).size > COUNT / 2, 'the step from one to the next repeats')
  assert(steps.some((step) => step > 0) && steps.some((step) => step < 0), 'always up or down')
})

test("somebody else's account answers as one that does not exist", async () => {
  const { accountNumber } = await createAccount(bench)

  const foreign = await bench.call({ url: `${ACCOUNTS}/${accountNumber}`, token: otherClient })
  const missing = await bench.call({ url: `${ACCOUNTS}/0000000000`, token: otherClient })

  assertRefused(foreign, { code: 'account_not_found' })
  assertAlike(foreign, missing)
})

test('labels decide nothing: two clients may use the same merchant and customer', async () => {
  const mine = await createAccount(bench)
  const theirs = await createAccount(bench, {}, { token: otherClient })

  assert.notEqual(mine.accountNumber, theirs.accountNumber)
  const answer = await bench.call({ url: `${ACCOUNTS}/${theirs.accountNumber}` })
  assertRefused(answer, { code: 'account_not_found' })
})

test('a live service sends notifications nowhere but to https', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('LIVE000001')

  const http = { notificationUrl: 'http://shop.example.com/hook' }
  const refused = await live.call({ url: ACCOUNTS, body: accountBody(http), token })
  const answer = await live.call({ url: ACCOUNTS, body: accountBody(), token })

  assertRefused(refused, { code: 'invalid_request' })
  assert.deepEqual(fieldsOf(refused), ['notificationUrl'])
  assert.equal(answer.statusCode, 200)
})

// Returns the names of the fields to which a refusal objects, sorted.
function fieldsOf(answer: LightMyRequestResponse): string[] {
  return answer
    .json()
    .errors.map(({ field }: { field: string }) => field)
    .sort()
}
