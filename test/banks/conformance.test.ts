// Promises that every notification format keeps, in JSON or XML. A new format joins RENDERINGS and must
// keep all of them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { FORMATS } from '#banks/manilla/connector.ts'
import { CREDITS_MAX, type ParsedItem } from '#banks/notifications.ts'
import { patience } from '../support/patience.ts'
import { CONNECTOR_RENDERINGS } from './connector-renderings.ts'
import { expectedOf, goodOf, RENDERINGS, type Rendering, type Written } from './renderings.ts'

// The processor time that parsing a hostile body may take, generous for a busy machine. Without limits in
// the parser it would take minutes.
const CPU_MS_MAX = patience(1_000)

const AMOUNTS = {
  naira: {
    amounts: [
      ['6000', 600_000n],
      ['6000.00', 600_000n],
      ['6000.5', 600_050n],
      ['0.01', 1n],
      ['10000000000000.00', 1_000_000_000_000_000n],
    ],
    noAmounts: ['6000.001', '0.00', '10000000000000.01'],
  },
  kobo: {
    amounts: [
      ['600050', 600_050n],
      ['1', 1n],
      ['1000000000000000', 1_000_000_000_000_000n],
    ],
    noAmounts: ['6000.5', '6000.00', '1000000000000001'],
  },
} as const
const NEVER_AMOUNTS = ['-1', '0', '1e3', '9'.repeat(400), '', '1,000', '+5', '.5', '5.']
NEVER_AMOUNTS.push('0x10', '١٢', 'NaN', '5 000')

test('every known format is held to these promises', () => {
  assert.deepEqual(
    FORMATS,
    RENDERINGS.map((rendering) => rendering.format),
  )
})

for (const rendering of [...RENDERINGS, ...CONNECTOR_RENDERINGS]) {
  const { format, lacks = [], unit = 'naira' } = rendering
  const GOOD = goodOf(rendering)

  test(`${format.name}: a good credit arrives with all its fields`, () => {
    const credit = expectedOf(rendering, GOOD, 600_050n)
    assert.deepEqual(parseOne(rendering, GOOD), { ok: true, credit })
  })

  test(`${format.name}: its content type is accepted, others are not`, () => {
    assert(format.accepts(rendering.contentType))
    assert(format.accepts(rendering.contentType.toUpperCase()))
    for (const other of ['', 'text/plain', 'application/x-www-form-urlencoded', 'json', ';']) {
      assert(!format.accepts(other), other)
    }
  })

  const { amounts, noAmounts } = AMOUNTS[unit]
  for (const [amount, kobo] of amounts) {
    test(`${format.name}: an amount of ${amount} is ${kobo} kobo`, () => {
      const item = parseOne(rendering, { ...GOOD, amount })
      assert(item.ok)
      assert.equal(item.credit.amountKobo, kobo)
    })
  }

  for (const amount of [...noAmounts, ...NEVER_AMOUNTS]) {
    test(`${format.name}: an amount of "${amount.slice(0, 20)}" is rejected by its code`, () => {
      assertRejected(parseOne(rendering, { ...GOOD, amount }), 'invalid_amount', GOOD.sessionId)
    })
  }

  // camt.054 also identifies a transfer in other ways (camt054-references.test.ts).
  if (format.name !== 'camt054') {
    test(`${format.name}: a session id of 65 characters is rejected, echoed and kept`, () => {
      const item = parseOne(rendering, { ...GOOD, sessionId: 'x'.repeat(65) })
      assertRejected(item, 'invalid_session_id', 'x'.repeat(64))
      assert.equal(item?.ok === false && item.money?.amount, '6000.50')
    })
  }

  test(`${format.name}: each field of the wrong shape has its own code`, () => {
    const assertRejectedWith = (change: Partial<Written>, code: string) =>
      assertRejected(parseOne(rendering, { ...GOOD, ...change }), code, GOOD.sessionId)
    assertRejectedWith({ accountNumber: '001656322' }, 'invalid_account_number')
    assertRejectedWith({ accountNumber: '001656322٨' }, 'invalid_account_number')
    if (!lacks.includes('currency')) assertRejectedWith({ currency: 'NAIRA' }, 'invalid_currency')
    if (!lacks.includes('sourceAccountNumber')) {
      assertRejectedWith({ sourceAccountNumber: '9'.repeat(35) }, 'invalid_source_account_number')
    }
  })

  test(`${format.name}: an unusual currency is the caller's to judge`, () => {
    const item = parseOne(rendering, { ...GOOD, currency: 'usd' })
    assert(item.ok)
    assert.equal(item.credit.currency, lacks.includes('currency') ? 'NGN' : 'USD')
  })

  test(`${format.name}: names and narrations in any script survive`, () => {
    const change = { sourceAccountName: 'Ọlámidé Ńwáńkwọ́ 王 أحمد', narration: 'Ẹ ṣé 🎉 ₦5' }
    const item = parseOne(rendering, { ...GOOD, ...change })
    const credit = expectedOf(rendering, { ...GOOD, ...change }, 600_050n)
    assert.deepEqual(item, { ok: true, credit })
  })

  test(`${format.name}: overlong text is cut, never a reason to refuse money`, () => {
    const item = parseOne(rendering, { ...GOOD, narration: `${'n'.repeat(199)}🎉${'n'.repeat(9)}` })
    assert(item.ok)
    assert.equal(item.credit.narration, 'n'.repeat(199))
  })

  test(`${format.name}: blank optional fields are null`, () => {
    const blank = { sourceAccountName: '', sourceAccountNumber: ' ', narration: ' \t ' }
    const item = parseOne(rendering, { ...GOOD, ...blank, sourceBank: { code: '', name: '' } })
    assert(item.ok)
    assert.equal(item.credit.sourceAccountName, null)
    assert.equal(item.credit.sourceAccountNumber, null)
    assert.equal(item.credit.narration, null)
    assert.equal(item.credit.sourceBankCode, null)
  })

  test(`${format.name}: a payer's name cannot carry control characters or turn the page`, () => {
    const item = parseOne(rendering, { ...GOOD, sourceAccountName: 'A\u0085\u202eB\tC' })
    assert(item.ok)
    assert.equal(item.credit.sourceAccountName, 'A B C')
  })

  test(`${format.name}: a good acknowledgement is JSON with the session id and the code`, () => {
    const { contentType, body } = format.acknowledge(
      [
        {
          sessionId: GOOD.sessionId,
          responseCode: '00',
          responseMessage: 'Taken',
          outcome: 'booked',
        },
      ],
      { batch: false },
    )
    const [answer] = [JSON.parse(body)].flat()
    assert.match(contentType, /^application\/json/)
    const { acknowledged = (sessionId: string) => ({ sessionId, responseCode: '00' }) } = rendering
    for (const [field, value] of Object.entries(acknowledged(GOOD.sessionId))) {
      assert.deepEqual(answer[field], value, field)
    }
  })

  const good = rendering.render([GOOD])
  const hostile: Record<string, Buffer> = {
    'an empty body': Buffer.alloc(0),
    'nothing but spaces': Buffer.from(' \n\t '),
    'another language': Buffer.from('sessionId=1&amount=5'),
    'a form of YAML': Buffer.from('- sessionId: 1\n'),
    null: Buffer.from('null'),
    'a string': Buffer.from('"credit"'),
    'a truncated body': Buffer.from(good.slice(0, -10)),
    'a body cut in the middle': Buffer.from(good.slice(0, good.length / 2)),
    'something after the end': Buffer.from(`${good}x`),
    'a megabyte of junk': Buffer.alloc(1_000_000, 'x'),
    'a megabyte of opening marks': Buffer.alloc(1_000_000, '<'),
    'a megabyte of brackets': Buffer.alloc(1_000_000, '['),
    'a megabyte of quotes': Buffer.alloc(1_000_000, '"'),
    'deep nesting': Buffer.from(rendering.nestedDeeply),
    'a NUL': Buffer.from(good.replace('SEYI', 'SE\u0000YI')),
    'bytes that are not UTF-8': Buffer.from(good.replace('SEYI', 'S\xffYI'), 'latin1'),
    'half a character': Buffer.concat([Buffer.from(good), Buffer.from([0xe2, 0x82])]),
    'UTF-16': Buffer.from(good, 'utf16le'),
  }
  for (const [what, body] of Object.entries(hostile)) {
    test(`${format.name}: ${what} is malformed, soon and in plain words`, () => {
      const before = process.cpuUsage()
      const parsed = format.parse(body)
      const { user, system } = process.cpuUsage(before)
      assert('malformed' in parsed)
      assert.match(parsed.malformed, /^[A-Z].{10,100}\.$/)
      assert((user + system) / 1_000 < CPU_MS_MAX, `took ${user + system} µs`)
    })
  }

  test(`${format.name}: no bytes make it throw`, () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) =>
        assertParsesAnything(rendering, bytes),
      ),
    )
    fc.assert(fc.property(fc.json(), (text) => assertParsesAnything(rendering, Buffer.from(text))))
  })

  test(`${format.name}: no damage to a good body makes it throw`, () => {
    const place = fc.nat(good.length)
    fc.assert(
      fc.property(place, fc.nat(20), fc.string({ unit: 'binary' }), (at, length, patch) =>
        assertParsesAnything(
          rendering,
          Buffer.from(good.slice(0, at) + patch + good.slice(at + length)),
        ),
      ),
      { numRuns: 300 },
    )
  })
}

for (const rendering of RENDERINGS.filter(({ batches }) => batches)) {
  const { format } = rendering
  const GOOD = goodOf(rendering)

  test(`${format.name}: a bad neighbour does not fail its batch`, () => {
    const second = { ...GOOD, sessionId: GOOD.sessionId.replace(/8$/, '9') }
    const items = parseMany(rendering, [GOOD, { ...GOOD, amount: '-1' }, second])
    assert.deepEqual(items[0], { ok: true, credit: expectedOf(rendering, GOOD, 600_050n) })
    assertRejected(items[1], 'invalid_amount', GOOD.sessionId)
    assert.deepEqual(items[2], { ok: true, credit: expectedOf(rendering, second, 600_050n) })
  })

  test(`${format.name}: ${CREDITS_MAX} credits keep their order, one more is malformed`, () => {
    const ids = Array.from({ length: CREDITS_MAX + 1 }, (_, at) => String(at).padStart(30, '0'))
    const credits = ids.map((sessionId) => ({ ...GOOD, sessionId }))
    const items = parseMany(rendering, credits.slice(0, CREDITS_MAX))
    const seen = items.map((item) => (item.ok ? item.credit.sessionId : item.code))
    assert.deepEqual(seen, ids.slice(0, CREDITS_MAX))
    assert('malformed' in format.parse(Buffer.from(rendering.render(credits))))
  })

  test(`${format.name}: a batch is answered by a list in the same order`, () => {
    const acknowledgementOf = (sessionId: string | null, responseCode: '00' | '02') =>
      ({ sessionId, responseCode, responseMessage: 'm', outcome: 'o' }) as const
    const acknowledgements = [
      acknowledgementOf('1', '00'),
      { ...acknowledgementOf(null, '02'), code: 'invalid_amount' },
    ]
    const { body } = format.acknowledge(acknowledgements, { batch: true })
    assert.deepEqual(JSON.parse(body), acknowledgements)
  })
}

// Writes the credits in the format and parses them again.
function parseMany({ format, render }: Rendering, credits: readonly Written[]): ParsedItem[] {
  const parsed = format.parse(Buffer.from(render(credits)))
  assert('items' in parsed, 'malformed' in parsed ? parsed.malformed : '')
  return parsed.items
}

// Writes one credit in the format, and returns the only item that is parsed from it.
function parseOne(rendering: Rendering, credit: Written): ParsedItem {
  const [item, ...others] = parseMany(rendering, [credit])
  assert(item && others.length === 0)
  return item
}

// Asserts that an item is rejected with this code, in one sentence, and that its session id is returned.
function assertRejected(item: ParsedItem | undefined, code: string, sessionId: string | null) {
  assert(item && !item.ok, 'the credit was taken')
  assert.equal(item.code, code)
  assert.equal(item.sessionId, sessionId)
  assert.match(item.message, /^[A-Z].+\.$/)
}

// Asserts that any bytes are parsed or reported as malformed, without an exception or too many credits.
function assertParsesAnything({ format }: Rendering, bytes: Uint8Array): void {
  const parsed = format.parse(Buffer.from(bytes))
  assert('malformed' in parsed ? parsed.malformed : parsed.items.length <= CREDITS_MAX)
}
