// A generated statement is read back exactly as it was written, and a long one needs no more memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readStatement } from '#banks/statements/read-statement.ts'
import type { StatementFormat } from '#banks/statements/statement.ts'
import { kobo } from '#money.ts'
import { heapUsed } from '../../support/heap-used.ts'
import { profileOf, readOne } from './reading.ts'
import {
  CSV_FIELDS,
  type Written,
  type WrittenLine,
  writeCamt053,
  writeCsv,
  writeMt940,
} from './written-statements.ts'

const WRITERS: Readonly<Record<StatementFormat, (written: Written) => Generator<string>>> = {
  csv: writeCsv,
  mt940: writeMt940,
  camt053: writeCamt053,
}
const FORMATS = Object.keys(WRITERS) as StatementFormat[]
const LINES = 40_000
const LOOK_EVERY = 10_000
const HEAP_MAX = 6 * 1024 ** 2 // Keeping forty thousand lines would take twice as much.

const amounts = fc.bigInt({ min: -(10n ** 14n), max: 10n ** 14n }).filter((amount) => amount !== 0n)
const days = fc
  .date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))
const digits = fc.stringMatching(/^[0-9]{30}$/)
const references = fc.stringMatching(/^[A-Z][0-9A-Z]{3,15}$/).filter((text) => text !== 'NONE')
// Narrations of words, with the characters that have a meaning in one of the formats. They contain no
// longer digits, because those would be read as a session id.
const narrations = fc
  .array(fc.stringMatching(/^[A-Za-z][A-Za-z0-9"&<;,.'é?+]{0,8}$/), { minLength: 1, maxLength: 14 })
  .map((words) => words.join(' '))
const lines: fc.Arbitrary<WrittenLine> = fc
  .record({
    bookedOn: days,
    amountKobo: amounts.map(kobo),
    isReversal: fc.boolean(),
    sessionId: fc.option(digits),
    bankReference: fc.option(references),
    narration: narrations,
  })
  .map((line) => ({ ...line, narration: `${line.isReversal ? 'RVSL ' : 'X '}${line.narration}` }))
const statements: fc.Arbitrary<Written> = fc.record({
  openingKobo: amounts.map(kobo),
  lines: fc.array(lines, { minLength: 1, maxLength: 12 }),
})

// Returns the line as the format gives it back: MT940 adds the supplementary line, which has the session
// id, to the narration.
function asRead(format: StatementFormat, line: WrittenLine): WrittenLine {
  if (format !== 'mt940' || line.sessionId === null) return line
  return { ...line, narration: `${line.narration} ${line.sessionId}` }
}

for (const format of FORMATS) {
  test(`a statement written as ${format} is read back to the kobo`, async () => {
    const profile = profileOf(CSV_FIELDS)
    const property = fc.asyncProperty(
      statements,
      fc.integer({ min: 1, max: 200 }),
      async (written, chunkBytes) => {
        const bytes = [...WRITERS[format](written)].join('')
        const { head, lines, end } = await readOne({ format, profile, bytes, chunkBytes })
        const sum = written.lines.reduce((total, { amountKobo }) => total + amountKobo, 0n)
        assert.equal(head.openingKobo, written.openingKobo)
        assert.equal(end.closingKobo, written.openingKobo + sum)
        const found = lines.map(
          ({ bookedOn, amountKobo, isReversal, sessionId, bankReference, narration }) => ({
            ...{ bookedOn, amountKobo, isReversal, sessionId, bankReference, narration },
          }),
        )
        assert.deepEqual(
          found,
          written.lines.map((line) => asRead(format, line)),
        )
      },
    )
    await fc.assert(property, { numRuns: 60 })
  })
}

// A statement too long to be in memory: each line is generated when it is written. Writers only iterate
// over the lines and sum up their amounts of 1.00 with `reduce`.
const many: Written = {
  openingKobo: kobo(0n),
  lines: {
    *[Symbol.iterator]() {
      for (let at = 0; at < LINES; at++) yield lineAt(at)
    },
    reduce: (_: unknown, start: bigint) => start + BigInt(LINES) * 100n,
  } as unknown as WrittenLine[],
}

// Returns the line at this position of the long statement.
function lineAt(at: number): WrittenLine {
  return {
    bookedOn: '2026-11-02',
    amountKobo: kobo(100n),
    isReversal: false,
    sessionId: `000014261102${String(at).padStart(18, '0')}`,
    bankReference: `S${at}`,
    narration: 'NIP transfer for an invoice',
  }
}

// Joins small pieces of text to chunks of at least 64 kB.
async function* inChunks(pieces: Iterable<string>) {
  let text = ''
  for (const piece of pieces) {
    text += piece
    if (text.length < 65_536) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}

for (const format of FORMATS) {
  test(`${LINES} lines of ${format} are read in the memory of a few`, async () => {
    const profile = profileOf(CSV_FIELDS)
    const before = heapUsed()
    let [count, most] = [0, 0]
    const bytes = inChunks(WRITERS[format](many))
    for await (const part of readStatement({ format, profile, bytes })) {
      if (part.part !== 'lines') continue
      const times = Math.floor(count / LOOK_EVERY)
      count += part.lines.length
      if (Math.floor(count / LOOK_EVERY) === times) continue
      most = Math.max(most, heapUsed() - before)
    }
    assert.equal(count, LINES)
    assert(most < HEAP_MAX, `${most} bytes are held`)
  })
}
