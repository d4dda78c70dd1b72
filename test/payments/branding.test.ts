// A client's branding, which payers see: its name, its support contact, its name in account names, and its
// colour, on which text must be readable. Logos are tested in logos.test.ts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { brandStylesheet, contrast, DEFAULT_COLOUR } from '#payments/checkout-views.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAdvice, dataOf, initiate, startPayment } from '../support/fixtures.ts'
import { postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const BRANDING = '/api/v1/branding'

const put = (body: unknown, token?: string) =>
  bench.call({ method: 'PUT', url: BRANDING, body, ...(token ? { token } : {}) })
const read = async () => dataOf(await bench.call({ url: BRANDING }))
// The entries of the audit log about changes of the branding.
const brandingEntries = async () => {
  const { rows } = await bench.db.query(
    `select actor, subject, detail from audit_log where action = 'branding.set' order by id`,
  )
  return rows
}

const UNCHOSEN = {
  name: 'Sandbox Merchant',
  colour: DEFAULT_COLOUR,
  isOwnName: false,
  isOwnColour: false,
  accountName: 'Sandbox Merchant',
  isOwnAccountName: false,
  pendingAccountName: null,
  accountNameStyle: '{merchant}/{customer}',
  supportEmail: null,
  supportPhone: null,
  supportUrl: null,
  logo: null,
}

test('a client is shown by its own name in our colour until it chooses', async () => {
  assert.deepEqual(await read(), UNCHOSEN)
})

test('a chosen logo and colour are stored, recorded once, and shown to payers', async () => {
  const answer = dataOf(await put({ name: 'Ada’s Shoes', colour: '#C2185B' }))
  await put({ name: 'Ada’s Shoes', colour: '#c2185b' })

  const own = { name: 'Ada’s Shoes', colour: '#c2185b', isOwnName: true, isOwnColour: true }
  const chosen = { ...UNCHOSEN, ...own }
  assert.deepEqual(answer, chosen)
  assert.deepEqual(await read(), chosen)
  const detail = { name: 'Ada’s Shoes', colour: '#c2185b' }
  const actor = 'client:MAN0000001'
  assert.deepEqual(await brandingEntries(), [{ actor, subject: 'client/MAN0000001', detail }])
  const { adviceReference } = await createAdvice(bench)
  const page = await bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null })
  assert.match(page.body, /<span class="merchant-name">Ada’s Shoes<\/span>/)
  assert.match(page.body, /href="\/pay\/colours\/c2185b\.css"/)
})

const CONTACT = {
  supportEmail: 'help@shop.example',
  supportPhone: '+234 (801) 234-5678',
  supportUrl: 'https://shop.example/help?a=1&b=2',
}

test('a support contact is shown to payers, and stays when it is left out', async () => {
  const bare = { name: null, colour: null }
  const answer = dataOf(await put({ ...bare, ...CONTACT, accountName: 'Adas Shoes' }))
  // An older client, which does not know the other fields.
  await put({ name: 'Ada’s Shoes', colour: '#c2185b' })

  const chosen = { ...CONTACT, accountName: 'Adas Shoes', isOwnAccountName: true }
  assert.deepEqual(answer, { ...UNCHOSEN, ...chosen })
  const own = { name: 'Ada’s Shoes', colour: '#c2185b', isOwnName: true, isOwnColour: true }
  assert.deepEqual(await read(), { ...UNCHOSEN, ...own, ...chosen })
  const { adviceReference } = await createAdvice(bench, { merchantRef: 'ORD 7' })
  const page = await bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null })
  assert.match(page.body, /<a href="mailto:help@shop\.example\?subject=Payment%20ORD%207"/)
  assert.match(page.body, /<a href="tel:\+2348012345678"[^>]*>\+234 \(801\) 234-5678<\/a>/)
  assert.match(page.body, /<a href="https:\/\/shop\.example\/help\?a=1&amp;b=2"/)
})

test('payers read one account name: on the page, from the API, and at their bank', async () => {
  const payment = await startPayment(bench, {}, '058')
  const { adviceReference, bankAccount: accountNumber } = payment
  const statusUrl = `/pay/api/status?adviceReference=${adviceReference}`
  const names = async () => [
    dataOf(await bench.call({ url: statusUrl, token: null })).accountName,
    (await initiate(bench, adviceReference, '058')).accountName, // Initiating again returns the same number.
    (await postRail(bench, '058/name-enquiry', { accountNumber })).json().accountName,
  ]

  assert.equal(payment.accountName, 'Adas Shoes/Ada Obi')
  assert.deepEqual(await names(), Array(3).fill('Adas Shoes/Ada Obi'))
  await put({ name: null, colour: null, accountName: null })
  assert.deepEqual(await names(), Array(3).fill('Sandbox Merchant/Ada Obi'))
})

test('null resets a setting to its default', async () => {
  const nothing = { accountName: null, supportEmail: null, supportPhone: null, supportUrl: null }
  await put({ name: null, colour: null, ...nothing })
  assert.deepEqual(await read(), UNCHOSEN)
})

test('two concurrent changes both take effect', async () => {
  const bare = { name: null, colour: null }
  await Promise.all([
    put({ ...bare, supportEmail: 'one@shop.example' }),
    put({ ...bare, supportPhone: '08012345678' }),
    put({ ...bare, accountName: 'Adas Shoes' }),
  ])

  const { supportEmail, supportPhone, accountName } = await read()
  const expected = ['one@shop.example', '08012345678', 'Adas Shoes']
  assert.deepEqual([supportEmail, supportPhone, accountName], expected)
  await put({ ...bare, supportEmail: null, supportPhone: null, accountName: null })
})

test('an address for help adds no recipients of its own', async () => {
  const supportEmail = 'help?cc=thief%40evil.example&body="x"@a.example'
  await put({ name: null, colour: null, supportEmail })
  const { adviceReference } = await createAdvice(bench)
  const page = await bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null })
  await put({ name: null, colour: null, supportEmail: null })

  const [, href = ''] = /href="mailto:([^"]*)"/.exec(page.body) ?? []
  assert.equal(href.split('?').length, 2, href)
  assert.match(href, /^[^&?]*\?subject=[^&]*$/)
})

test('a client changes only its own branding', async () => {
  const token = await bench.newClient('OTHER1')
  await put({ name: 'Somebody Else', colour: '#000000' }, token)
  assert.equal((await read()).name, 'Sandbox Merchant')
})

const BAD: readonly (readonly [string, unknown])[] = [
  ['nothing', {}],
  ['no colour', { name: 'A' }],
  ['no name', { colour: '#000000' }],
  ['a blank name', { name: '  ', colour: null }],
  ['an empty name', { name: '', colour: null }],
  ['a name too long', { name: 'x'.repeat(61), colour: null }],
  ['a name with a line break', { name: 'a\nb', colour: null }],
  ['a name that is a number', { name: 1, colour: null }],
  ['a short colour', { name: null, colour: '#fff' }],
  ['a named colour', { name: null, colour: 'red' }],
  ['a colour with more', { name: null, colour: '#ffffff;}' }],
  ['an unknown field', { name: null, colour: null, banner: 'x' }],
  ['a blank account name', { name: null, colour: null, accountName: ' ' }],
  ['an account name too long', { name: null, colour: null, accountName: 'x'.repeat(61) }],
  ['an account name that is a number', { name: null, colour: null, accountName: 1 }],
  ['an empty email address', { name: null, colour: null, supportEmail: '' }],
  ['half an email address', { name: null, colour: null, supportEmail: 'help@' }],
  ['a phone number in words', { name: null, colour: null, supportPhone: 'call us' }],
  ['a phone number too long', { name: null, colour: null, supportPhone: '0'.repeat(22) }],
  ['a page that is a script', { name: null, colour: null, supportUrl: 'javascript:alert(1)' }],
  ['a page without a host', { name: null, colour: null, supportUrl: '/help' }],
  ['a list', []],
]

for (const [what, body] of BAD) {
  test(`${what} is refused and changes nothing`, async () => {
    const before = await brandingEntries()
    assertRefused(await put(body), { code: 'invalid_request' })
    assert.deepEqual(await brandingEntries(), before)
  })
}

test('without a token branding can be neither read nor changed', async () => {
  for (const method of ['GET', 'PUT'] as const) {
    const answer = await bench.call({ method, url: BRANDING, token: null })
    assertRefused(answer, { status: 401, code: 'unauthorized' })
  }
})

test('text on and in any colour can be read, in light and in dark', () => {
  const colour = fc.integer({ min: 0, max: 0xffffff }).map((number) => {
    return `#${number.toString(16).padStart(6, '0')}`
  })
  fc.assert(
    fc.property(colour, (hex) => {
      const [light = '', dark = ''] = brandStylesheet(hex).split('@media')
      const rule = (sheet: string, name: string) =>
        new RegExp(`--${name}:(#[0-9a-f]{6})`).exec(sheet)?.[1] as string
      for (const sheet of [light, dark]) {
        assert.equal(rule(sheet, 'accent'), hex)
        assert(contrast(rule(sheet, 'accent'), rule(sheet, 'on-accent')) >= 4.5)
      }
      for (const ground of ['#ffffff', '#f3f4f2']) {
        assert(contrast(rule(light, 'accent-text'), ground) >= 4.5)
      }
      for (const ground of ['#181c1b', '#222625']) {
        assert(contrast(rule(dark, 'accent-text'), ground) >= 4.5)
      }
    }),
  )
})

test('the sheet of a colour may be kept for ever, and there is one for every colour only', async () => {
  const sheet = await bench.call({ url: '/pay/colours/c2185b.css', token: null })
  assert.equal(sheet.statusCode, 200)
  assert.equal(sheet.headers['content-type'], 'text/css; charset=utf-8')
  assert.match(String(sheet.headers['cache-control']), /immutable/)
  for (const path of [
    'red.css',
    'c2185.css',
    'c2185b0.css',
    'gggggg.css',
    'c2185b',
    '%7d%7d.css',
  ]) {
    const answer = await bench.call({ url: `/pay/colours/${path}`, token: null })
    assertRefused(answer, { status: 404, code: 'route_not_found' })
  }
})
