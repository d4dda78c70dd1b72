// Which email addresses and phone numbers the service accepts, and how the log of messages shows them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskRecipient, parseEmailAddress, parsePhoneNumber } from '#messages/recipients.ts'
import { ACCOUNTS, accountBody } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

test('an address that mail software may read in two ways is invalid', () => {
  assert.equal(parseEmailAddress('Ada.Obi+shop@Example.COM'), 'Ada.Obi+shop@example.com')
  const refused = [
    ...[
      '',
      'ada',
      '@example.com',
      'ada@',
      'ada@localhost',
      'ada@example',
      'ada@-x.com',
      'ada@x..com',
    ],
    ...[
      '"ada obi"@example.com',
      'ada(comment)@example.com',
      'Ada <ada@example.com>',
      '<ada@example.com>',
    ],
    ...['ada@example.com,eve@example.com', 'ada@example.com;eve@example.com', 'ada@[127.0.0.1]'],
    ...[
      'ada@example.com\r\nBcc: eve@example.com',
      'ada\n@example.com',
      'ada@exa\0mple.com',
      'a da@example.com',
    ],
    ...[
      '.ada@example.com',
      'ada.@example.com',
      'a..da@example.com',
      'аdа@example.com',
      'ada@127.0.0.1',
    ],
    ...[`${'a'.repeat(65)}@example.com`, `ada@${'a'.repeat(64)}.com`, `ada@${'a.'.repeat(125)}com`],
  ]
  for (const text of refused) assert.equal(parseEmailAddress(text), undefined, JSON.stringify(text))
})

test('a domain that looks like another is shown in its ASCII form', () => {
  assert.equal(parseEmailAddress('ada@bücher.example'), 'ada@xn--bcher-kva.example')
  const lookalike = parseEmailAddress('ada@аpple.com') ?? '' // The first letter is Cyrillic.
  assert.equal(lookalike, 'ada@xn--pple-43d.com')
  assert.equal(maskRecipient('email', lookalike), 'a•••@xn--pple-43d.com')
})

test('a phone number is international; without a country code it is Nigerian', () => {
  for (const text of [
    '08012345678',
    '+2348012345678',
    '2348012345678',
    '002348012345678',
    '+234 801 234-5678',
  ]) {
    assert.equal(parsePhoneNumber(text), '+2348012345678', text)
  }
  assert.equal(parsePhoneNumber('+447911123456'), '+447911123456')
  for (const text of [
    '',
    '12345',
    '0801234567',
    '+0801234567',
    '+234801234567812345',
    '08012345678x',
    '٠٨٠١٢٣٤٥٦٧٨',
  ]) {
    assert.equal(parsePhoneNumber(text), undefined, text)
  }
  assert.equal(maskRecipient('sms', '+2348012345678'), '+234•••••5678')
})

test('an address that no message could be sent to is refused where it is entered', async () => {
  await using bench = await startTestService()
  const tryEmail = async (email: string) =>
    (await bench.call({ url: ACCOUNTS, body: accountBody({ email }) })).statusCode
  for (const email of ['olá@example.com', 'ọlá@example.com', 'аda@example.com', 'ada＠example.com'])
    assert.equal(await tryEmail(email), 400, email)
  for (const email of ['ada+shop@example.com', "o'neill@example.com", 'ada@bücher.example'])
    assert.equal(await tryEmail(email), 200, email)
})
