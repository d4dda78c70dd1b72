// Statements in camt.053 and MT940 are refused, with the line, if they do not add up, do not continue one
// another or cannot be read.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StatementFormat } from '#banks/statements/statement.ts'
import { problemOf, sample } from './reading.ts'

// Returns the problem of a sample in which one text is replaced by another.
async function problemAfterChange(name: string, from: string, to: string): Promise<string> {
  const text = sample(name).toString('latin1')
  assert(text.includes(from), from)
  const format: StatementFormat = name.endsWith('.xml') ? 'camt053' : 'mt940'
  return await problemOf({ format, bytes: Buffer.from(text.replace(from, to), 'latin1') })
}

const CASES: readonly (readonly [name: string, from: string, to: string, problem: string])[] = [
  [
    'v06-charges-and-reversals.xml',
    '1896.25',
    '1896.24',
    '4: The statement does not add up: opening 5000.00 and its lines -3103.75 make 1896.25, ' +
      'and its closing balance is 1896.24: a difference of -0.01.',
  ],
  [
    'v06-charges-and-reversals.xml',
    '<Amt Ccy="NGN">3.75</Amt>',
    '<Amt Ccy="NGN">3.755</Amt>',
    '7: The amount "3.755" of the entry cannot be read.',
  ],
  [
    'v06-charges-and-reversals.xml',
    '<CdtDbtInd>DBIT</CdtDbtInd><Sts>',
    '<Sts>',
    '5: The entry says neither debit nor credit.',
  ],
  ['v06-charges-and-reversals.xml', '<Sts>BOOK</Sts>', '', '5: The entry has no status.'],
  [
    'v06-charges-and-reversals.xml',
    '<BookgDt><Dt>2026-11-02</Dt></BookgDt>',
    '<BookgDt><Dt>2026-02-30</Dt></BookgDt>',
    '5: The entry has no booking date.',
  ],
  [
    'v06-charges-and-reversals.xml',
    '<Cd>CLBD</Cd>',
    '<Cd>CLAV</Cd>',
    '16: The statement has no closing (CLBD) balance.',
  ],
  [
    'v06-charges-and-reversals.xml',
    '<Cd>CLBD</Cd>',
    '<Cd>OPBD</Cd>',
    '4: The balance OPBD is given as 5000.00 and 1896.25.',
  ],
  [
    'v10-pages.xml',
    '<Amt Ccy="NGN">15.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-02</Dt></Dt></Bal>\n<Bal>',
    '<Amt Ccy="NGN">14.99</Amt><CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-11-02</Dt></Dt></Bal>\n<Bal>',
    '10: The page begins with 14.99, and the page before it ended with 15.00.',
  ],
  [
    'v10-pages.xml',
    '<PgNb>2</PgNb>',
    '<PgNb>3</PgNb>',
    '8: The page before says that it is not the last, and this is not the next one.',
  ],
  [
    'nigerian-plain.mt940',
    ':62F:C261102NGN1324919,38',
    ':62F:C261102NGN1324919,3',
    '28: The statement does not add up: opening 1326423.62 and its lines -1504.24 make ' +
      '1324919.38, and its closing balance is 1324919.30: a difference of -0.08.',
  ],
  [
    'nigerian-plain.mt940',
    ':60M:C261102NGN1326423,62',
    ':60M:C261102NGN1326423,63',
    '23: The page begins with 1326423.63, and the page before it ended with 1326423.62.',
  ],
  [
    'nigerian-plain.mt940',
    ':28C:306/2',
    ':28C:306/3',
    '23: A page ends in :62M:, and what follows is not the next page of the statement.',
  ],
  ['nigerian-plain.mt940', 'D26,88N', 'D26,885N', '15: The amount "26,885" cannot be read.'],
  ['nigerian-plain.mt940', 'D26,88N', 'D26.88N', '15: The statement line in :61: cannot be read.'],
  [
    'nigerian-plain.mt940',
    ':61:2611021102D3',
    ':61:2611311102D3',
    '24: The date in :61: is not a day.',
  ],
  ['nigerian-plain.mt940', ':60F:C', ':60F:X', '5: The balance in :60F: cannot be read.'],
  [
    'nigerian-plain.mt940',
    ':62M:C261102NGN1326423,62\n',
    '',
    '2: The statement that begins here has no closing balance (:62F:): it is cut off.',
  ],
  [
    'nigerian-plain.mt940',
    ':20:',
    ':21:',
    '3: The field :25: stands outside of a statement (:20:).',
  ],
  [
    'german-subfields.mt940',
    ':62F:C270102NGN',
    ':62F:C270102USD',
    '13: The balances are in different currencies.',
  ],
]

for (const [name, from, to, problem] of CASES) {
  test(`${name} is refused with ${JSON.stringify(to.slice(0, 50))}`, async () => {
    assert.equal(await problemAfterChange(name, from, to), problem)
  })
}

test('a file of another format is refused in a sentence', async () => {
  const cases: readonly (readonly [StatementFormat, string, string])[] = [
    ['mt940', 'hello', '-: The file is not MT940: it has no statement.'],
    ['mt940', '', '-: The file is empty.'],
    ['camt053', ':20:A\n', '2: The XML is not well-formed (column 0).'],
    ['camt053', '<a/>', '-: The XML is not a camt.053 statement of version 02 to 13.'],
    [
      'camt053',
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"/>',
      '1: The XML is not a camt.053 statement of version 02 to 13.',
    ],
  ]
  for (const [format, bytes, problem] of cases) {
    assert.equal(await problemOf({ format, bytes }), problem)
  }
})
