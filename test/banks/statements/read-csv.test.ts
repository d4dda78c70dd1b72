// Reading CSV statements, and the faults that refuse a file, with their line.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemOf, profileOf, readOne, sample, shipped } from './reading.ts'

const HEAD = 'date,amount,text\n'

// Reads a CSV statement with these fields in its profile, and returns the problem that refuses it.
async function problem(bytes: string | Uint8Array, fields: Record<string, unknown> = {}) {
  return await problemOf({ format: 'csv', profile: profileOf(fields), bytes })
}

// Reads a CSV statement, and returns the amounts of its lines in kobo.
async function amounts(bytes: string, fields: Record<string, unknown> = {}) {
  const { lines } = await readOne({ format: 'csv', profile: profileOf(fields), bytes })
  return lines.map(({ amountKobo }) => amountKobo)
}

test('amounts are read with the marks and signs that banks use', async () => {
  const written = [
    ['1234.5', 123450n],
    ['"1,234.50"', 123450n],
    ['-10', -1000n],
    ['10.00-', -1000n],
    ['(1.05)', -105n],
    ['5.00DR', -500n],
    ['5 Cr', 500n],
    ['"₦1,000"', 100000n],
    ['-NGN 2.5', -250n],
    ['7.5000', 750n],
  ] as const
  const rows = written.map(([text]) => `2026-11-02,${text},x\n`).join('')
  assert.deepEqual(
    await amounts(HEAD + rows),
    written.map(([, kobo]) => kobo),
  )
  const european = { decimalMark: ',', thousandsMark: '.', delimiter: ';' }
  assert.deepEqual(await amounts('date;amount;text\n2026-11-02;1.234,56;x', european), [123456n])
})

test('an amount or a date that cannot be read refuses the file and names the line', async () => {
  const bad = [
    '1.234,56',
    '1,23',
    '12.345',
    'abc',
    '1e3',
    '--1',
    '(-1)',
    '１２',
    '99999999999999999',
  ]
  for (const text of bad) {
    const found = await problem(`${HEAD}2026-11-02,1,ok\n2026-11-02,"${text}",x\n`)
    assert.equal(found, `3: The amount ${JSON.stringify(text)} cannot be read.`)
  }
  assert.equal(await problem(`${HEAD}2026-11-02,,x`), '2: The line has no amount.')
  for (const text of ['02/11/2026', '2026-13-01', '2026-02-29', '1026-01-01']) {
    const sentence = `2: The date "${text}" is not a day in the format yyyy-MM-dd.`
    assert.equal(await problem(`${HEAD}${text},1,x`), sentence)
  }
  assert.equal(await problem(`${HEAD},1,x`), '2: The line has no date.')
})

test('the order of day and month is the profile’s, and names of months are read', async () => {
  // Returns the day that is read from this text with this date format.
  const readDay = async (format: string, text: string) => {
    const profile = profileOf({ dateFormats: [format] })
    const { lines } = await readOne({ format: 'csv', profile, bytes: `${HEAD}${text},1,x` })
    return lines[0]?.bookedOn
  }
  assert.equal(await readDay('dd/MM/yyyy', '03/11/2026'), '2026-11-03')
  assert.equal(await readDay('MM/dd/yyyy', '03/11/2026'), '2026-03-11')
  assert.equal(await readDay('d MMMM yyyy', '3 november 2026'), '2026-11-03')
  assert.equal(await readDay('dd-MMM-yy HH:mm', '03-Sep-26 23:59'), '2026-09-03')
})

test('a running balance that does not follow refuses the file, oldest or newest first', async () => {
  const columns = { booked: 'date', amount: 'amount', balance: 'balance' }
  const head = 'date,amount,balance\n'
  const running = { columns, balances: 'running' }
  const sentence = 'The balance should be 12.00, and is 11.00: a difference of -1.00.'
  const oldest = `${head}2026-11-02,10,10\n2026-11-02,2,11\n`
  assert.equal(await problem(oldest, running), `3: ${sentence}`)
  const newest = `${head}2026-11-03,1,13\n2026-11-02,2,11\n`
  assert.equal(await problem(newest, { ...running, isNewestFirst: true }), `3: ${sentence}`)
  assert.equal(await problem(`${head}2026-11-02,1,`, running), '2: The balance "" cannot be read.')
})

test('labelled balances that the lines do not make up refuse the file with the difference', async () => {
  const bytes = sample('wema.csv').toString().replace('2500.10', '2500.11')
  assert.equal(
    await problemOf({ format: 'csv', profile: shipped('wema'), bytes }),
    '5: The statement does not add up: opening 15000.00 and its lines 2450.11 make 17450.11, ' +
      'and its closing balance is 17450.10: a difference of -0.01.',
  )
})

test('a line cannot be hidden by what its narration says', async () => {
  const hidden = { ignoredRows: ['Total'], labels: { closing: 'Closing' } }
  const bytes = `${HEAD}2026-11-02,5,Total\n2026-11-02,6,Closing 1\nTotal,11,\n`
  assert.deepEqual(await amounts(bytes, hidden), [500n, 600n])
  assert.equal(await problem(bytes), '4: The date "Total" is not a day in the format yyyy-MM-dd.')
})

test('a narration by a payer does not make a credit a fee', async () => {
  const bytes = `${HEAD}2026-11-02,5,school fees and VAT\n2026-11-02,-5,SMS charges\n`
  const { lines } = await readOne({ format: 'csv', profile: profileOf(), bytes })
  assert.deepEqual(
    lines.map(({ kind }) => kind),
    ['credit', 'fee'],
  )
})

test('debit and credit columns and indicator columns give the same amounts', async () => {
  const two = { columns: { booked: 'date', debit: 'out', credit: 'in' } }
  const row = (cells: string) => `date,out,in\n2026-11-02,${cells}\n`
  assert.deepEqual(await amounts(row('5,'), two), [-500n])
  assert.deepEqual(await amounts(row('-,5'), two), [500n])
  assert.equal(await problem(row('5,5'), two), '2: The line is both a debit and a credit.')
  assert.equal(await problem(row('-5,'), two), '2: The amount "-5" has a sign.')
  assert.deepEqual(await amounts(row('-5,'), { ...two, isDebitNegative: true }), [-500n])
  const marked = { columns: { booked: 'date', amount: 'amount', indicator: 'text' } }
  assert.deepEqual(await amounts(`${HEAD}2026-11-02,5,dr\n2026-11-02,5,C`, marked), [-500n, 500n])
  assert.equal(
    await problem(`${HEAD}2026-11-02,5,X`, marked),
    '2: "X" says neither debit nor credit.',
  )
})

test('in a file without a header, columns are identified by position', async () => {
  const places = { hasHeader: false, columns: { booked: 1, amount: 3 }, skippedRows: 1 }
  assert.deepEqual(await amounts('anything\n2026-11-02,x,7\n', places), [700n])
})

test('a line number counts the lines within quoted cells, and empty lines', async () => {
  const bytes = `${HEAD}\n2026-11-02,1,"a\r\nb\nc"\r\n\r\n2026-11-02,2,x\n`
  const { lines } = await readOne({ format: 'csv', profile: profileOf(), bytes })
  assert.deepEqual(
    lines.map(({ lineNo, narration }) => [lineNo, narration]),
    [
      [3, 'a b c'],
      [7, 'x'],
    ],
  )
})

test('files that are no statement are refused in a sentence', async () => {
  assert.equal(await problem(''), '-: The file is empty.')
  assert.equal(await problem(HEAD), '1: The file has no lines.')
  const none = 'None of the first 100 rows has every column that the profile test names: '
  assert.equal(await problem('a,b,c\n1,2,3\n'), `-: ${none}date, amount, text.`)
  assert.equal(await problem('date,amount,Text,TEXT\n'), '1: The header "text" occurs twice.')
  assert.equal(
    await problem(`${HEAD}2026-11-02,1,a,b\n`),
    '2: The line has more cells than the header, which has 3.',
  )
  assert.equal(await problem(`${HEAD}2026-11-02,1,"a\n`), '2: A quote is opened and not closed.')
  const within = '2: A quote stands within a cell, or text after a closing quote.'
  assert.equal(await problem(`${HEAD}2026-11-02,1,"a"b\n`), within)
})

test('a byte order mark decides the encoding; other bytes are refused', async () => {
  const text = `${HEAD}2026-11-02,1,José\n`
  // Returns the narration of the only line. The reader gets the statement one byte at a time.
  const narration = async (bytes: Uint8Array, encoding: string) => {
    const profile = profileOf({ encoding })
    const { lines } = await readOne({ format: 'csv', profile, bytes, chunkBytes: 1 })
    return lines[0]?.narration
  }
  const wide = Buffer.from(`\ufeff${text}`, 'utf16le')
  assert.equal(await narration(wide, 'utf-8'), 'José')
  assert.equal(await narration(Buffer.from(`\ufeff${text}`), 'windows-1252'), 'José')
  assert.equal(await narration(Buffer.from(text, 'latin1'), 'windows-1252'), 'José')
  assert.equal(await problem(Buffer.from(text, 'latin1')), '2: The text is not valid UTF-8.')
  const nul = 'The text holds a NUL character: is its encoding right?'
  assert.equal(await problem(Buffer.from(HEAD, 'utf16le')), `1: ${nul}`)
})

test('a value date of 30 February is the last day of that month; a booking date is refused', async () => {
  const profile = profileOf({ columns: { booked: 'date', value: 'value', amount: 'amount' } })
  // Returns a statement with one line that has these two days.
  const read = (booked: string, value: string) => {
    const bytes = `date,value,amount\n${booked},${value},10.00\n`
    return { format: 'csv' as const, profile, bytes }
  }
  const { lines } = await readOne(read('2026-03-02', '2026-02-30'))
  assert.deepEqual([lines[0]?.bookedOn, lines[0]?.valueOn], ['2026-03-02', '2026-02-28'])
  const notADay = (text: string) => `2: The date "${text}" is not a day in the format yyyy-MM-dd.`
  assert.equal(await problemOf(read('2026-03-02', '2026-02-31')), notADay('2026-02-31'))
  assert.equal(await problemOf(read('2026-02-30', '2026-02-28')), notADay('2026-02-30'))
})
