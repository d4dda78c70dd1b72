// How a client looks to payers: its name and colour, readable whatever colour it is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { brandStylesheet, contrast, DEFAULT_COLOUR } from '#http/routes/payments/brand-colours.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAdvice, dataOf } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const BRANDING = '/api/v1/branding'

const put = (body: unknown, token?: string) =>
  bench.call({ method: 'PUT', url: BRANDING, body, ...(token ? { token } : {}) })
const read = async () => dataOf(await bench.call({ url: BRANDING }), 'account')
const actions = async () => {
  const { rows } = await bench.db.query(
    `select actor, subject, detail from actions where action = 'branding.set' order by id`,
  )
  return rows
}

test('a client is shown by its own name in our colour until it chooses', async () => {
  const expected = { name: 'Sandbox Merchant', colour: DEFAULT_COLOUR }
  assert.deepEqual(await read(), { ...expected, isOwnName: false, isOwnColour: false })
})

test('what is chosen is kept, written down once, and shown to payers', async () => {
  const answer = dataOf(await put({ name: 'Ada’s Shoes', colour: '#C2185B' }), 'account')
  await put({ name: 'Ada’s Shoes', colour: '#c2185b' })

  const chosen = { name: 'Ada’s Shoes', colour: '#c2185b', isOwnName: true, isOwnColour: true }
  assert.deepEqual(answer, chosen)
  assert.deepEqual(await read(), chosen)
  const detail = { name: 'Ada’s Shoes', colour: '#c2185b' }
  const actor = 'client:MAN0000001'
  assert.deepEqual(await actions(), [{ actor, subject: 'client/MAN0000001', detail }])
  const { adviceReference } = await createAdvice(bench)
  const page = await bench.call({ url: `/pay?adviceReference=${adviceReference}`, token: null })
  assert.match(page.body, /<span class="merchant-name">Ada’s Shoes<\/span>/)
  assert.match(page.body, /href="\/pay\/colours\/c2185b\.css"/)
})

test('null takes a choice back', async () => {
  await put({ name: null, colour: null })
  const { name, colour, isOwnName, isOwnColour } = await read()
  assert.deepEqual([name, colour], ['Sandbox Merchant', DEFAULT_COLOUR])
  assert.deepEqual([isOwnName, isOwnColour], [false, false])
})

test('a client changes only itself', async () => {
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
  ['an unknown field', { name: null, colour: null, logo: 'x' }],
  ['a list', []],
]

for (const [what, body] of BAD) {
  test(`${what} is refused and changes nothing`, async () => {
    const before = await actions()
    assertRefused(await put(body), 'account', { code: 'invalid_request' })
    assert.deepEqual(await actions(), before)
  })
}

test('nobody without a token sees or changes it', async () => {
  for (const method of ['GET', 'PUT'] as const) {
    const answer = await bench.call({ method, url: BRANDING, token: null })
    assertRefused(answer, 'account', { status: 401, code: 'unauthorized' })
  }
})

test('whatever the colour, what is written on it and in it can be read, in light and in dark', () => {
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
    assertRefused(answer, 'account', { status: 404, code: 'route_not_found' })
  }
})
