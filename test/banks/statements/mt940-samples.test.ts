// Reads MT940 as banks write it: with and without SWIFT's blocks, in the three styles of :86:, and with the
// traps that public samples and banks' manuals show.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemOf, readAll, readOne, sample, summary } from './reading.ts'

const read = (name: string) => readAll({ format: 'mt940', bytes: sample(`${name}.mt940`) })

test('pages are one statement; a session id is found in the supplementary line and cut in two', async () => {
  const { head, lines, end } = await readOne({
    format: 'mt940',
    bytes: sample('nigerian-plain.mt940'),
  })
  assert.deepEqual(head, {
    accountNumber: '0123456789',
    reference: 'STMT261102',
    sequence: 306n,
    currency: 'NGN',
    openingKobo: 125000000n,
    openingDay: '2026-11-01',
    fromDay: null,
  })
  assert.deepEqual(lines.map(summary), [
    '6 2026-11-02 7500000 credit 000014261102091205000000000001 S48213377 - 9912345678',
    '10 2026-11-02 -5000 stamp_duty - S48213377 - -',
    '12 2026-11-02 150050 credit 000015261102101112000000000002 S48213901 - -',
    '15 2026-11-02 -2688 fee - S48230115 PYT0000000000001 -',
    '24 2026-11-02 -374 vat - - - -',
    '26 2026-11-02 -150050 other reversal 000015261102101112000000000002 S48213901 - -',
  ])
  assert.deepEqual(end, { closingKobo: 132491938n, toDay: '2026-11-02' })
})

test('subfields are put together; the entry date is the one nearest to the value date', async () => {
  const [statement] = await read('german-subfields')
  assert.deepEqual(statement?.lines.map(summary), [
    '7 2027-01-02 500000 credit 000014261231091205000000000003 - PYT000000000000007 -',
    '9 2027-01-02 -25050 fee - BR-1 - -',
    '11 2026-12-31 2000 return reversal - - - -',
  ])
  const [first] = statement?.lines ?? []
  assert.deepEqual(first?.counterparty, {
    name: 'ADA OBI',
    account: '0011223344',
    bank: 'GTBINGLA',
  })
  assert.equal(first?.narration, 'GUTSCHRIFT 000014261231091205000000000003 Miete Januar')
  assert.equal(first?.valueOn, '2026-12-31')
  assert.deepEqual(
    [statement?.head.openingKobo, statement?.end.closingKobo, statement?.end.toDay],
    [-10000n, 466950n, '2027-01-02'],
  )
})

test('code words between slashes are told apart from what was remitted', async () => {
  const [statement] = await read('dutch-codewords')
  assert.deepEqual(statement?.lines.map(summary), [
    '6 2026-11-02 156 credit - 00000000001005 EV12341REP1231456T1234 -',
    '10 2026-11-02 -157 other - 00000000001006 - -',
    '13 2026-11-02 157 return - 00000000001007 20120123456789 -',
  ])
  assert.deepEqual(
    statement?.lines.map(({ narration }) => narration),
    [
      'EV10001REP1000000T1000 /TRCD/00100/',
      'TOTAAL 1 VZ /TRCD/00200/',
      'Factuurnr 123456 Klantnr 00123 /TRCD/00190/',
    ],
  )
  assert.equal(statement?.lines[2]?.counterparty.name, 'J.Janssen')
  assert.equal(statement?.head.sequence, null)
})

test('statements follow one another without a sign between them, and one may be empty', async () => {
  const [first, second, ...rest] = await read('padded-amounts')
  assert.deepEqual(first?.lines.map(summary), [
    '6 2026-11-02 -2500 other - - 02-11-2026 12:00 0030000987654321 -',
    '10 2026-11-03 -1000 other - - - -',
  ])
  assert.equal(first?.lines[0]?.counterparty.name, 'CONTRA ACCOUNT HOLDER')
  assert.deepEqual(
    [second?.lines.length, second?.head.fromDay, second?.end.toDay, second?.end.closingKobo],
    [0, '2026-11-04', '2026-11-04', 96500n],
  )
  assert.equal(rest.length, 0)
})

test('a line is UTF-8 or Latin-1; what a bank writes around messages is left out', async () => {
  const [statement] = await read('no-blocks')
  assert.deepEqual(statement?.lines.map(summary), [
    '8 2026-11-02 -900 other - - - -',
    '13 2026-11-03 -1180 other - - - -',
    '17 2026-11-03 100 credit - - - -',
  ])
  const narrations = statement?.lines.map(({ narration }) => narration)
  assert.match(narrations?.[0] ?? '', /^GIRO 428428 KPN .* 20-10-2026 - INCL\. 1,44 BTW$/)
  assert.deepEqual(narrations?.slice(1), ['CAFÉ JOSÉ, PAS999', 'ZÜRICH'])
})

test('fields of a bank’s own, empty details and odd types do not disturb the lines', async () => {
  const [statement] = await read('supplementary')
  assert.deepEqual(statement?.lines.map(summary), [
    '7 2026-11-02 1 credit - MB261102012058 - -',
    '12 2026-11-02 2000 credit - - X -',
    '13 2026-11-02 -2000 other - A//B REF -',
  ])
})

test('a statement read byte by byte gives the same lines', async () => {
  const bytes = sample('nigerian-plain.mt940')
  const whole = await readAll({ format: 'mt940', bytes })
  assert.deepEqual(await readAll({ format: 'mt940', bytes, chunkBytes: 1 }), whole)
})

const PLAIN = [
  ':20:S',
  ':25:0123456789',
  ':28C:1',
  ':60F:C260227NGN100,00',
  ':61:2602300302C50,00NTRFNONREF//B1',
  ':86:ONE',
  ':61:2602290302D20,00 NMSCNONREF',
  ':86:TWO',
  ':62F:C260302NGN130,00',
  '-',
]

test('a value date of 29 or 30 February is the last day of that month', async () => {
  const { lines } = await readOne({ format: 'mt940', bytes: PLAIN.join('\n') })
  assert.deepEqual(
    lines.map(({ valueOn, bookedOn }) => [valueOn, bookedOn]),
    [
      ['2026-02-28', '2026-03-02'],
      ['2026-02-28', '2026-03-02'],
    ],
  )
  const leap = PLAIN.join('\n').replaceAll('26022', '28022').replaceAll('26023', '28023')
  const [line] = (await readOne({ format: 'mt940', bytes: leap })).lines
  assert.equal(line?.valueOn, '2028-02-29')
})

test('the entry date and other dates must be in the calendar', async () => {
  const problem = (from: string, to: string) =>
    problemOf({ format: 'mt940', bytes: PLAIN.join('\n').replace(from, to) })
  const notADay = '5: The date in :61: is not a day.'
  assert.equal(await problem('2602300302', '2602300230'), notADay)
  assert.equal(await problem('2602300302', '2602310302'), notADay)
  assert.equal(await problem('2602300302', '2602000302'), notADay)
  assert.equal(await problem('2602300302', '2613300302'), notADay)
  assert.equal(
    await problem(':62F:C260302', ':62F:C260230'),
    '9: The balance in :62F: cannot be read.',
  )
})

test('lines end in LF, CR LF or CR, a space may follow the amount, in chunks of any size', async () => {
  const expected = await readAll({ format: 'mt940', bytes: PLAIN.join('\n') })
  assert.deepEqual(expected[0]?.lines.map(summary), [
    '5 2026-03-02 5000 credit - B1 - -',
    '7 2026-03-02 -2000 other - - - -',
  ])
  for (const end of ['\r\n', '\r']) {
    for (const chunkBytes of [1, 2, 7, 65_536]) {
      const bytes = PLAIN.join(end) + end
      assert.deepEqual(await readAll({ format: 'mt940', bytes, chunkBytes }), expected)
    }
  }
})
