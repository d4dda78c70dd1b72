// Any invalid input to an endpoint gets a refusal in the shape of its family and in plain words: never a
// 5xx, never a word about the service's internals, and nothing is written.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  accountBody,
  adviceBody,
  createAccount,
  createAdvice,
  databaseText,
  type Family,
  INITIATE,
  refusalFaults,
  SIMULATE,
  startPayment,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const MEGABYTE = 1024 * 1024
const LOGIN = '/api/Account/login'
const REFUSED = [400, 401, 404, 413, 415]

type Endpoint = {
  url: string
  family: Family
  right: Record<string, unknown> // A valid body.
  hasRequired?: boolean
}
type Sent = { body?: unknown; headers?: Record<string, string>; statuses?: readonly number[] }

const bench = closeAfterTests(await startTestService())
const { bankAccount } = await startPayment(bench)
const { adviceReference } = await createAdvice(bench)

const ENDPOINTS: readonly Endpoint[] = [
  { url: LOGIN, family: 'account', right: { clientId: 'MAN0000001', clientSecret: 'no' } },
  { url: ACCOUNTS, family: 'account', right: accountBody() },
  { url: ADVICE, family: 'payment', right: adviceBody() },
  {
    url: `${INITIATE}/${adviceReference}`,
    family: 'payment',
    right: { bankCode: '035' },
    hasRequired: false, // The service chooses a bank.
  },
  {
    url: SIMULATE,
    family: 'payment',
    right: { virtualAccountNumber: bankAccount, amount: '1' },
  },
]

// Bodies that are no JSON object with fields.
const BODIES: Record<string, Sent> = {
  'no body': { body: undefined },
  'an empty body': { body: '' },
  'not JSON': { body: 'amount=6000' },
  'half an object': { body: '{"amount":' },
  'two objects': { body: '{}{}' },
  'a trailing comma': { body: '{"amount":1,}' },
  'single quotes': { body: "{'amount':1}" },
  'a byte order mark and nothing': { body: '\ufeff' },
  'an array': { body: [] },
  'an array of objects': { body: [{}] },
  null: { body: 'null' },
  true: { body: 'true' },
  'a number': { body: '1e400' },
  'a text': { body: '"text"' },
  'bytes that are no text': { body: Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x7d]) },
  'a NUL': { body: '\u0000' },
  'deep arrays': { body: '['.repeat(50_000) + ']'.repeat(50_000) },
  'deep objects': { body: `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}` },
  'deep and open': { body: '[{"a":'.repeat(20_000) },
}

// Objects without any field of the API.
const WITHOUT_FIELDS: Record<string, Sent> = {
  'an empty object': { body: {} },
  'a prototype': { body: '{"__proto__":{"clientId":"x","bankCode":"035"}}' },
  'a constructor': { body: '{"constructor":{"prototype":{"bankCode":"035"}}}' },
}

const TYPES = [
  'text/plain',
  'application/xml',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'text/json',
  'json',
  ',;=',
]

const VALUES: Record<string, string> = {
  null: 'null',
  true: 'true',
  zero: '0',
  'a number': '5',
  '1e3': '1e3',
  '0.001': '0.001',
  '-1': '-1',
  '1e400': '1e400',
  'many digits': '9'.repeat(500),
  'an array': '[]',
  'an object': '{}',
  'an array of itself': '["x"]',
  'an object like itself': '{"toString":"x","length":5}',
  empty: '""',
  blank: '" \\t "',
  'no-break blank': '"\\u00a0\\u2003"',
  'a lone high surrogate': '"a\\ud800b"',
  'a lone low surrogate': '"a\\udc00"',
  'swapped surrogates': '"\\ude00\\ud83d"',
  NUL: '"a\\u0000b"',
  'a control character': '"a\\u001bb"',
  'a C1 control character': '"a\\u0085b"',
  'Arabic digits': '"١٢"',
  'a thousands separator': '"1,000"',
  'an exponent': '"1e3"',
  'too many decimals': '"0.001"',
  negative: '"-1"',
  'very long': `"${'x'.repeat(20_000)}"`,
}

const WEB_ADDRESSES = [
  'https://x.ng/#\u0000',
  'https://x.ng/#a b',
  'https://x.ng/#\u007f',
  'https://x.ng/#\ud800',
  'https://x.ng/\ud800',
  'https://x.ng/\u0000',
  `https://x.ng/#${'x'.repeat(3000)}`,
  `https://x.ng/${'x'.repeat(3000)}`,
]

for (const { url, family, right, hasRequired = true } of ENDPOINTS) {
  const name = `POST ${url.replace(adviceReference, '{adviceReference}')}`

  test(`${name} refuses a body that is not an object with its fields`, async () => {
    await assertAllRefused(family, url, hasRequired ? { ...BODIES, ...WITHOUT_FIELDS } : BODIES)
  })

  test(`${name} refuses what is too large`, async () => {
    const large = { ...right, x: 'x'.repeat(MEGABYTE) }
    await assertAllRefused(family, url, {
      'a megabyte': { body: large, statuses: [413] },
      'a megabyte of blanks': { body: ' '.repeat(MEGABYTE), statuses: [413, 400] },
      'a megabyte of text': { body: `"${'x'.repeat(MEGABYTE)}"`, statuses: [413] },
    })
  })

  test(`${name} refuses what does not call itself JSON`, async () => {
    const entries = TYPES.map((type): [string, Sent] => [
      type,
      { body: JSON.stringify(right), headers: { 'content-type': type }, statuses: [415] },
    ])
    await assertAllRefused(family, url, Object.fromEntries(entries))
  })

  test(`${name} refuses the same field twice`, async () => {
    const text = JSON.stringify(right)
    // Writes a body for each field, in which that field appears twice with the same value.
    const entries = Object.entries(right).map(([field, value]): [string, Sent] => {
      const twice = `{"${field}":${JSON.stringify(value)},${text.slice(1)}`
      return [field, { body: twice }]
    })
    await assertAllRefused(family, url, Object.fromEntries(entries))
  })

  test(`${name} refuses every field of the wrong type or content`, async () => {
    const cases: Record<string, Sent> = {}
    for (const field of Object.keys(right)) {
      for (const [kind, value] of Object.entries(VALUES)) {
        if (isValidFor(field, kind)) continue
        const others = { ...right, [field]: undefined }
        const body = `{"${field}":${value},${JSON.stringify(others).slice(1)}`
        cases[`${field}: ${kind}`] = { body: body.replace(',}', '}') }
      }
    }
    await assertAllRefused(family, url, cases)
  })
}

test('a customer whose fields are of the wrong type is refused', async () => {
  const cases: Record<string, Sent> = {}
  const fields = ['customerId', 'customerFirstName', 'customerLastName', 'customerEmail']
  for (const field of [...fields, 'customerPhoneNumber']) {
    for (const kind of ['true', 'an array', 'an object', 'a lone high surrogate', 'NUL']) {
      const customer = `{"customerFirstName":"Ada","${field}":${VALUES[kind]}}`
      const body = JSON.stringify(adviceBody({ customer: 0 })).replace(
        '"customer":0',
        `"customer":${customer}`,
      )
      cases[`${field}: ${kind}`] = {
        body: field === 'customerFirstName' ? body.replace('"customerFirstName":"Ada",', '') : body,
      }
    }
  }
  await assertAllRefused('payment', ADVICE, cases)
})

test('a web address is checked to its end, also behind the #', async () => {
  const { accountNumber } = await createAccount(bench)
  const branding = { name: null, colour: null }
  const places = [
    ['POST', ACCOUNTS, 'account', 'notificationUrl', accountBody()],
    ['PATCH', `${ACCOUNTS}/${accountNumber}`, 'account', 'notificationUrl', {}],
    ['POST', ADVICE, 'payment', 'callBackUrl', adviceBody()],
    ['POST', ADVICE, 'payment', 'notificationUrl', adviceBody()],
    ['PUT', '/api/v1/branding', 'account', 'supportUrl', branding],
  ] as const
  const before = await databaseText(bench)

  const faults: string[] = []
  for (const [method, url, family, field, right] of places) {
    for (const address of WEB_ADDRESSES) {
      const answer = await bench.call({ method, url, body: { ...right, [field]: address } })
      const found = refusalFaults(answer, family, [400])
      if (found.length === 0) assert.deepEqual(answer.json().errors[0].field, field)
      const where = `${method} ${url} ${JSON.stringify(address).slice(0, 40)}`
      faults.push(...found.slice(0, 1).map((fault) => `${where}: ${fault}`))
    }
  }
  assert.deepEqual(faults, [])
  assert.equal(await databaseText(bench), before)
})

test('text that is not UTF-8 is refused, not mended', async () => {
  const bytes = Buffer.from(JSON.stringify(accountBody({ accountName: 'Ada ~ Obi' })))
  bytes[bytes.indexOf('~')] = 0xff

  await assertAllRefused('account', ACCOUNTS, { 'a byte that is no text': { body: bytes } })
})

test('a deep or prototype-like field that nobody reads does not break anything', async () => {
  const deep = '['.repeat(5000) + ']'.repeat(5000)
  const text = JSON.stringify(adviceBody())
  for (const extra of [`"x":${deep}`, '"constructor":{"prototype":1}', '"toString":1']) {
    const answer = await bench.call({ url: ADVICE, body: `${text.slice(0, -1)},${extra}}` })
    assert(answer.statusCode === 200 || refusalFaults(answer, 'payment', [400]).length === 0)
  }
})

test('the OAuth endpoint refuses everything odd in its own words', async () => {
  const form = 'application/x-www-form-urlencoded'
  const cases: [string, string | Buffer | undefined][] = [
    [form, undefined],
    [form, '%'],
    [form, 'grant_type=%00&client_id=%ff'],
    [form, 'grant_type[]=client_credentials&client_id[x]=1'],
    [form, `grant_type=client_credentials&client_id=${'x'.repeat(20_000)}&client_secret=x`],
    [form, 'grant_type=client_credentials&client_id=a%00b&client_secret=%00'],
    [form, 'a&'.repeat(20_000)],
    [form, 'x'.repeat(MEGABYTE)],
    ['text/plain', 'grant_type=client_credentials'],
    ['application/json', '{"grant_type":'],
    ['application/json', 'null'],
  ]
  const before = await databaseText(bench)

  for (const [type, body] of cases) {
    const headers = { 'content-type': type }
    const request = { method: 'POST', url: '/oauth/token', body, headers, token: null } as const
    const answer = await bench.call(request)
    assert(REFUSED.includes(answer.statusCode), `${body?.slice(0, 50)}: ${answer.body}`)
    assert.match(String(answer.json().error), /^[a-z_]+$/, answer.body)
    assert.equal(typeof answer.json().error_description, 'string')
  }
  assert.equal(await databaseText(bench), before)
})

// Returns whether this kind of value is valid for the field: the field accepts any readable text, or the
// value happens to be valid.
function isValidFor(field: string, kind: string): boolean {
  const digits = ['Arabic digits', 'a thousands separator', 'an exponent']
  const anyText = [...digits, 'too many decimals', 'negative']
  const free = ['accountName', 'merchantId', 'merchantCode', 'channel', 'narration']
  if (free.includes(field) && anyText.includes(kind)) return true
  // A blank optional field counts as absent.
  if (field === 'callBackUrl' && kind === 'empty') return true
  if (field === 'currency' && ['empty', 'null'].includes(kind)) return true
  if (field === 'narration') return ['empty', 'null', 'blank', 'no-break blank'].includes(kind)
  // In JSON, 1e3 and 1000 are one number.
  return field === 'amount' && (kind === 'a number' || kind === '1e3')
}

// Sends each case, which must be refused, and asserts that the database has not changed.
async function assertAllRefused(family: Family, url: string, cases: Record<string, Sent>) {
  const before = await databaseText(bench)
  const faults: string[] = []
  for (const [kind, { body, headers = {}, statuses = REFUSED }] of Object.entries(cases)) {
    const token = url === LOGIN ? null : undefined
    const request = { method: 'POST', url, body, headers } as const
    const answer: LightMyRequestResponse = await bench.call(
      token === undefined ? request : { ...request, token },
    )
    const found = refusalFaults(answer, family, statuses)
    faults.push(...found.slice(0, 1).map((fault) => `${kind}: ${fault}`))
  }
  assert.deepEqual(faults, [])
  assert.equal(await databaseText(bench), before)
}
