// Reads sample statements in camt.053 of several versions and dialects, from the standard's examples and
// banks' own.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { readAll, sample, summary } from './reading.ts'

const read = (name: string) => readAll({ format: 'camt053', bytes: sample(`${name}.xml`) })

test('version 02: several statements, an entry that is not booked, and a balance below zero', async () => {
  const [first, second, ...rest] = await read('v02-two-statements')
  assert.deepEqual(first?.head, {
    accountNumber: 'NL26VAYB8060476890',
    reference: '253NGN0123456789',
    sequence: 253n,
    currency: 'NGN',
    openingKobo: 1815n,
    openingDay: '2026-11-01',
    fromDay: null,
  })
  assert.deepEqual(first?.lines, [
    {
      lineNo: 23,
      bookedOn: '2026-11-02',
      valueOn: '2026-11-04',
      amountKobo: 885n,
      currency: 'NGN',
      isReversal: false,
      kind: 'credit',
      sessionId: '000014261102091205000000000001',
      bankReference: null,
      endToEndId: null,
      accountNumber: '9912345678',
      counterparty: { name: 'Company Name 1', account: 'NL56AGDH9619008421', bank: 'GTBINGLA' },
      narration: 'NIP/000014261102091205000000000001/ rent',
    },
  ])
  assert.deepEqual(second?.lines.map(summary), [
    '61 2026-11-03 -3450 payout - SVC-2 PYT000000000000001 -',
  ])
  assert.equal(second?.lines[0]?.counterparty.name, 'Bello Stores')
  assert.deepEqual(second?.end, { closingKobo: -750n, toDay: '2026-11-03' })
  assert.equal(rest.length, 0)
})

test('version 04: a batch is as many lines as it has parts, if they make it up; else one', async () => {
  const [statement] = await read('v04-batch-prefixed')
  assert.deepEqual(statement?.lines.map(summary), [
    '13 2026-11-02 10000 credit 000014261102091205000000000011 T-1 - -',
    '13 2026-11-02 20000 credit - T-2 - -',
    '13 2026-11-02 -5000 fee - - - -',
    '24 2026-11-02 10000 credit - BATCH-2 - -',
  ])
  assert.deepEqual(
    [statement?.head.openingKobo, statement?.head.fromDay, statement?.end.toDay],
    [100000n, '2026-11-02', '2026-11-02'],
  )
})

test('version 06: charges, tax, duty, sweeps and reversals are told apart', async () => {
  const [statement] = await read('v06-charges-and-reversals')
  assert.deepEqual(statement?.lines.map(summary), [
    '5 2026-11-02 -5000 fee - - - -',
    '7 2026-11-02 -375 vat - - - -',
    '9 2026-11-02 -5000 stamp_duty - - - -',
    '11 2026-11-02 -100000 other reversal 000015261102101112000000000002 ' +
      '000015261102101112000000000002 - -',
    '13 2026-11-02 -200000 sweep - - - -',
  ])
  assert.equal(statement?.lines[3]?.counterparty.name, 'Musa')
  assert.equal(statement?.head.accountNumber, '0123456789')
})

test('the bank’s codes win over words, and a sender’s words decide nothing', async () => {
  const text = sample('v06-charges-and-reversals.xml').toString()
  const entry = (more: string, parts: { reversalMark?: string; end?: string } = {}) =>
    `<Ntry><Amt Ccy="NGN">10.00</Amt><CdtDbtInd>DBIT</CdtDbtInd>${parts.reversalMark ?? ''}<Sts>BOOK</Sts>
     <BookgDt><Dt>2026-11-02</Dt></BookgDt>${more}${parts.end ?? ''}</Ntry>`
  const family = (code: string, sub = 'OTHR') =>
    `<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>${code}</Cd><SubFmlyCd>${sub}</SubFmlyCd></Fmly></Domn></BkTxCd>`
  const details = (words: string, refs = '<EndToEndId>PYT000000000000001</EndToEndId>') =>
    `<NtryDtls><TxDtls><Refs>${refs}</Refs><RmtInf><Ustrd>${words}</Ustrd></RmtInf></TxDtls></NtryDtls>`
  const bankSays = (words: string) => ({ end: `<AddtlNtryInf>${words}</AddtlNtryInf>` })
  const reversalMark = '<RvslInd>true</RvslInd>'
  const cases: [entry: string, kind: string][] = [
    [entry(details('Agent commission March')), 'other'],
    [entry(family('ICDT') + details('VAT of March')), 'payout'],
    [entry(family('ICDT'), bankSays('TRF AGENT COMMISSION')), 'payout'],
    [entry(family('ICDT', 'RRTN') + details('VAT of March')), 'return'],
    [entry(family('RCDT') + details('school fees'), { reversalMark }), 'other'],
    [entry(family('RCDT'), { reversalMark, ...bankSays('RVSL SCHOOL FEES') }), 'other'],
    [entry(family('RCDT', 'CHRG') + details('VAT ON NIP')), 'vat'],
    [entry('', bankSays('SMS ALERT FEE')), 'fee'],
    [entry(details('SMS ALERT FEE', '<EndToEndId>NOTPROVIDED</EndToEndId>')), 'fee'],
  ]
  for (const [entryXml, kind] of cases) {
    const bytes = text.replace(/<Ntry>.*<\/Ntry>/s, entryXml).replace('1896.25', '4990.00')
    const [statement] = await readAll({ format: 'camt053', bytes })
    assert.equal(statement?.lines[0]?.kind, kind, entryXml)
  }
})

test('version 08: in an envelope, with the status as a code', async () => {
  const [statement] = await read('v08-envelope')
  assert.deepEqual(statement?.lines.map(summary), [
    '20 2026-11-02 885 credit 000013261102131500000000000099 AAAASESS-FP-CN_98765/01 ' +
      'MUELL/FINP/RA12345 -',
    '40 2026-11-02 10000 return - - PYT000000000000009 -',
  ])
  assert.deepEqual(statement?.lines[0]?.counterparty, {
    name: 'NAME NAME',
    account: '0011223344',
    bank: '000013',
  })
})

test('version 10: pages are one statement', async () => {
  const [statement, ...rest] = await read('v10-pages')
  assert.deepEqual(statement?.lines.map(summary), [
    '6 2026-11-02 2500 credit - - - -',
    '12 2026-11-02 -100 fee - - - -',
  ])
  assert.deepEqual([statement?.head.openingKobo, statement?.end.closingKobo], [-1000n, 1400n])
  assert.equal(rest.length, 0)
})

test('version 13: Latin-1, on one line, with a day without entries', async () => {
  const [empty, statement] = await read('v13-latin-one-line')
  assert.deepEqual([empty?.lines, empty?.end], [[], { closingKobo: 100n, toDay: '2026-11-01' }])
  const [line] = statement?.lines ?? []
  assert.deepEqual(
    [line?.counterparty.name, line?.narration, line?.accountNumber],
    ['José & Söhne', 'TO 9912345678 <tea>', '9912345678'],
  )
})

test('every version from 02 to 13 is read, and no other', async () => {
  const text = sample('v06-charges-and-reversals.xml').toString()
  for (let version = 1; version <= 14; version++) {
    const bytes = text.replace('001.06', `001.${String(version).padStart(2, '0')}`)
    const isKnown = version >= 2 && version <= 13
    const reading = readAll({ format: 'camt053', bytes })
    if (isKnown) assert.equal((await reading)[0]?.lines.length, 5)
    else await assert.rejects(reading, /not a camt\.053 statement of version 02 to 13/)
  }
})

test('a statement read byte by byte, packed, or in UTF-16 gives the same lines', async () => {
  const bytes = sample('v08-envelope.xml')
  const whole = await readAll({ format: 'camt053', bytes })
  assert.deepEqual(await readAll({ format: 'camt053', bytes, chunkBytes: 1 }), whole)
  const packed = gzipSync(bytes)
  assert.deepEqual(await readAll({ format: 'camt053', bytes: packed, chunkBytes: 3 }), whole)
  const wide = Buffer.from(bytes.toString().replace('UTF-8', 'UTF-16'), 'utf16le')
  assert.deepEqual(await readAll({ format: 'camt053', bytes: wide, chunkBytes: 7 }), whole)
})
