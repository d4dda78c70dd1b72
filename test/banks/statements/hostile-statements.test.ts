// Each hostile statement is refused with one sentence, before it needs much memory.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readStatement } from '#banks/statements/read-statement.ts'
import { type StatementFormat, StatementProblem } from '#banks/statements/statement.ts'
import { heapUsed } from '../../support/heap-used.ts'
import { problemOf, profileOf, sample } from './reading.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:camt.053.001.08'
const OPEN = `<Document xmlns="${NAMESPACE}"><BkToCstmrStmt><Stmt>`
// How much the heap may grow while a statement is read.
const HEAP_MAX = 150 * 1024 ** 2
const MEGABYTE = 1024 ** 2
const HEAP_BEFORE = heapUsed()
// The size of the pieces that a statement arrives in. A reader processes a whole piece before it refuses,
// so small pieces keep it from reading much more than it must.
const PIECE_BYTES = 8_192

async function problemOfCamt053(bytes: string): Promise<string> {
  return await problemOf({ format: 'camt053', bytes })
}

// Reads a statement that never ends, up to a gigabyte. Returns the problem that ends the reading, before
// memory grows.
async function problemOfEndless(
  format: StatementFormat,
  start: string,
  filler: string,
): Promise<string> {
  let accepted = 0
  // Yields the beginning of the statement and then the filler, up to a gigabyte.
  async function* bytes() {
    yield Buffer.from(start)
    const chunk = Buffer.from(filler.repeat(PIECE_BYTES / filler.length))
    for (; accepted < 1024 ** 3; accepted += chunk.length) yield chunk
  }
  try {
    for await (const _ of readStatement({ format, profile: profileOf(), bytes: bytes() })) {
      // Reads until the reader refuses the statement. The parts before do not matter.
    }
    return 'read'
  } catch (error) {
    assert(error instanceof StatementProblem, String(error))
    assert(accepted < 70 * MEGABYTE, `${accepted} bytes were taken`)
    assert(isBelow(HEAP_BEFORE + HEAP_MAX))
    return error.message
  }
}

// Garbage that is not collected yet counts as used. If there is much of it, heapUsed() collects it first,
// which takes half a second.
const isBelow = (bytes: number) => process.memoryUsage().heapUsed < bytes || heapUsed() < bytes

test('a gzip bomb is refused at its ratio, and a damaged or cut off file as what it is', async () => {
  const profile = profileOf()
  const row = `2026-11-02,1,${'x'.repeat(8_000)}\n`
  const bomb = gzipSync(`date,amount,text\n${row.repeat(750)}`)
  assert.equal(
    await problemOf({ format: 'csv', profile, bytes: bomb }),
    '-: The gzip file unpacks to more than 200 times its size.',
  )
  const packed = gzipSync(sample('gtbank.csv'))
  const damaged = '-: The gzip file is damaged or cut off.'
  assert.equal(await problemOf({ format: 'csv', profile, bytes: packed.subarray(0, 300) }), damaged)
  const broken = Buffer.from(packed)
  broken.writeUInt8((broken[200] as number) ^ 0xff, 200)
  assert.equal(await problemOf({ format: 'csv', profile, bytes: broken }), damaged)
  assert.equal(await problemOf({ format: 'csv', profile, bytes: packed.subarray(0, 3) }), damaged)
})

test('gzip within gzip is refused, not unpacked again', async () => {
  const profile = profileOf()
  const bytes = gzipSync(gzipSync(sample('gtbank.csv')))
  const message = 'The gzip file holds another gzip file. Pack the statement once.'
  assert.equal(await problemOf({ format: 'csv', profile, bytes }), `-: ${message}`)
})

test('a file of empty rows is refused soon, whatever stands around them', async () => {
  for (const blank of ['\n', ',,,\n']) {
    const start = `${sample('gtbank.csv')}\n`
    assert.equal(
      await problemOfEndless('csv', start, blank.padStart(8, blank)),
      'The file has too many empty rows.',
    )
  }
})

test('other kinds of file are refused by their name', async () => {
  const problemOfFile = async (start: string) =>
    await problemOf({ format: 'mt940', bytes: Buffer.from(start, 'latin1') })
  assert.match(await problemOfFile('PK\x03\x04...'), /ZIP archive or an Excel workbook/)
  assert.match(await problemOfFile('\xd0\xcf\x11\xe0...'), /Excel workbook/)
  assert.match(await problemOfFile('%PDF-1.7'), /PDF/)
})

test('XML with a DOCTYPE, entities, deep nesting or many attributes is refused', async () => {
  assert.equal(
    await problemOfCamt053(`<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>${OPEN}`),
    '1: A DOCTYPE is not accepted.',
  )
  assert.match(await problemOfCamt053(`${OPEN}<Id>&b;</Id>`), /^1: The XML is not well-formed/)
  assert.equal(await problemOfCamt053(OPEN + '<a>'.repeat(100)), '1: The XML is nested too deeply.')
  const attributes = Array.from({ length: 40 }, (_, at) => `a${at}="1"`).join(' ')
  assert.equal(
    await problemOfCamt053(`${OPEN}<Id ${attributes}/>`),
    '1: An element has too many attributes.',
  )
  assert.match(await problemOfCamt053(`${OPEN}<Id>1</Id>`), /^1: The XML is not well-formed/)
  const declared = `<?xml version="1.0" encoding="UTF-16"?>${OPEN}`
  assert.match(await problemOfCamt053(declared), /encoding that the XML declares is not the one/)
  assert.match(
    await problemOfCamt053('<?xml version="1.0" encoding="EBCDIC"?><a/>'),
    /must be encoded in/,
  )
})

test('endless input is refused early: a line, a cell, a row, a text, an entry', async () => {
  const head = 'date,amount,text\n2026-11-02,1,'
  assert.match(await problemOfEndless('csv', head, 'x'), /line is longer than 65536/)
  assert.match(await problemOfEndless('csv', `${head}"`, 'x\n'), /row is longer than 65536/)
  assert.match(await problemOfEndless('csv', head, ','), /line is longer than 65536/)
  assert.match(await problemOfEndless('mt940', ':20:', 'x'), /line is longer than 65536/)
  assert.match(
    await problemOfEndless('mt940', ':20:A\n:86:', 'x\n'),
    /field has more than 200 lines/,
  )
  assert.match(await problemOfEndless('camt053', `${OPEN}<Id>`, 'x'), /text in the XML is too long/)
  assert.match(await problemOfEndless('camt053', `${OPEN}<!--`, 'x'), /text in the XML is too long/)
  assert.match(await problemOfEndless('camt053', `${OPEN}<Ntry>`, '<a></a>\n'), /too many elements/)
  const padded = `<a>${'x'.repeat(1017)}</a>`
  assert.match(await problemOfEndless('camt053', `${OPEN}<Ntry>`, padded), /XML is too large/)
})

test('NUL characters are refused with their line', async () => {
  const profile = profileOf()
  const csv = 'date,amount,text\n2026-11-02,1,a\0b\n'
  assert.match(await problemOf({ format: 'csv', profile, bytes: csv }), /^2: .* NUL/)
  assert.match(await problemOf({ format: 'mt940', bytes: ':20:A\n:25:\0\n' }), /^2: .* NUL/)
  assert.match(await problemOfCamt053(`${OPEN}\n<Id>\0</Id>`), /^2: .* NUL/)
})
