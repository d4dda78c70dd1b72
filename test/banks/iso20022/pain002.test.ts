// Reads banks' reports (pain.002) on our payment files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPain002 } from '#banks/iso20022/pain.ts'
import type { ReportLine } from '#banks/payment-files.ts'
import { pain002, rejection } from '../../support/payment-files.ts'

const FILE = 'PYF000000000000001'

// Returns the lines of a report that can be read.
function lines(xml: string): ReportLine[] {
  const report = readPain002(Buffer.from(xml))
  assert('lines' in report, JSON.stringify(report))
  return report.lines
}

// Returns why a report cannot be read, or an empty text.
function malformed(xml: string): string {
  const report = readPain002(Buffer.from(xml))
  return 'malformed' in report ? report.malformed : ''
}

test('each order has its status, the bank’s reference and the reason', () => {
  const amount = '<OrgnlTxRef><Amt><InstdAmt Ccy="NGN">100.00</InstdAmt></Amt></OrgnlTxRef>'
  const [paid, rejected] = lines(
    pain002({
      of: [
        { reference: 'PYT1', status: 'ACSC', more: `<AcctSvcrRef>B-77</AcctSvcrRef>${amount}` },
        { reference: 'PYT2', status: 'RJCT', more: rejection('AC04', 'Closed account') },
      ],
    }),
  )
  assert.deepEqual(paid, {
    line: 1,
    level: 'order',
    fileReference: FILE,
    reference: 'PYT1',
    statusText: 'ACSC',
    status: 'confirmed',
    bankReference: 'B-77',
    reason: undefined,
    amount: { amount: '100.00', currency: 'NGN' },
  })
  assert.equal(rejected?.status, 'failed')
  assert.equal(rejected?.reason, 'AC04: Closed account')
})

const STATUSES: Readonly<Record<string, ReportLine['status']>> = {
  ACSC: 'confirmed',
  ACCC: 'confirmed',
  RJCT: 'failed',
  PDNG: 'pending',
  ACTC: 'pending',
  ACSP: 'pending',
  ACCP: 'pending',
  CANC: undefined,
  constructor: undefined,
  acsc: undefined,
}

for (const [code, status] of Object.entries(STATUSES)) {
  test(`${code} means ${status ?? 'nothing to us'}`, () => {
    const [line] = lines(pain002({ of: [{ reference: 'PYT1', status: code }] }))
    assert.equal(line?.status, status)
    assert.equal(line?.statusText, code)
  })
}

test('a status of the group or of the payment information is of the whole file', () => {
  const [group] = lines(pain002({ group: `<GrpSts>RJCT</GrpSts>${rejection('FF01')}` }))
  assert.equal(group?.level, 'file')
  assert.equal(group?.fileReference, FILE)
  assert.equal(group?.status, 'failed')
  assert.equal(group?.reason, 'FF01')

  const [payment] = lines(pain002({ payment: '<PmtInfSts>ACSC</PmtInfSts>' }))
  assert.deepEqual([payment?.level, payment?.status], ['file', 'confirmed'])
})

for (const code of ['AM05', 'DU01', 'DU02', 'DU03', 'DU04', 'DU05']) {
  test(`a rejection for ${code} decides nothing: the bank has it already`, () => {
    const why = rejection(code, 'Duplicate')
    const rejected = `<GrpSts>RJCT</GrpSts>${why}`
    const order = { reference: 'PYT1', status: 'RJCT' }
    const reports = {
      group: pain002({ group: rejected }),
      payment: pain002({ payment: `<PmtInfSts>RJCT</PmtInfSts>${why}` }),
      order: pain002({ of: [{ ...order, more: why }] }),
      'order, by its group’s reason': pain002({ group: rejected, of: [order] }),
    }
    for (const [level, report] of Object.entries(reports)) {
      for (const { status, isDuplicate, statusText } of lines(report)) {
        assert.deepEqual([status, isDuplicate, statusText], [undefined, true, 'RJCT'], level)
      }
    }
  })
}

test('a rejection that calls it a duplicate in words decides nothing', () => {
  const proprietary = '<StsRsnInf><Rsn><Prtry>BANK-DUPLICATE</Prtry></Rsn></StsRsnInf>'
  const wordsAlone = '<StsRsnInf><AddtlInf>Possible duplication</AddtlInf></StsRsnInf>'
  const other = [
    'Payment already processed',
    'Reference has already been used',
    'Instruction was already submitted',
    'This transfer is already completed',
    'ALREADY PAID',
  ].map((words) => `<StsRsnInf><AddtlInf>${words}</AddtlInf></StsRsnInf>`)
  for (const why of [rejection('NARR', 'duplicated file'), proprietary, wordsAlone, ...other]) {
    const order = { reference: 'PYT1', status: 'RJCT' }
    const own = lines(pain002({ of: [{ ...order, more: why }] }))
    const ofGroup = lines(pain002({ group: `<GrpSts>RJCT</GrpSts>${why}`, of: [order] }))
    for (const { status, isDuplicate } of [...own, ...ofGroup]) {
      assert.deepEqual([status, isDuplicate], [undefined, true], why)
    }
  }
})

test('a rejection for a reason of its own counts, in whatever it is', () => {
  const group = `<GrpSts>PART</GrpSts>${rejection('AM05', 'Duplicates')}`
  const more = rejection('AC04', 'The account is already closed')
  const of = [{ reference: 'PYT1', status: 'RJCT', more }]
  assert.deepEqual(
    lines(pain002({ group, of })).map(({ status }) => status),
    ['pending', 'failed'],
  )
})

for (const version of ['03', '08', '10', '14']) {
  test(`version ${version} is read`, () => {
    assert.equal(lines(pain002({ version, group: '<GrpSts>ACTC</GrpSts>' })).length, 1)
  })
}

test('a status that stands twice, or has elements in it, is none', () => {
  const more = '<TxSts>RJCT</TxSts>'
  const [line] = lines(pain002({ of: [{ reference: 'PYT1', status: 'ACSC', more }] }))
  assert.equal(line?.status, undefined)

  const [nested] = lines(pain002({ of: [{ reference: 'PYT1', status: '<b>ACSC</b>' }] }))
  assert.equal(nested?.status, undefined)
})

test('the placeholder for a missing reference is not taken for a reference', () => {
  const [line] = lines(
    pain002({ file: 'NOTPROVIDED', of: [{ reference: 'NOTPROVIDED', status: 'ACSC' }] }),
  )
  assert.deepEqual([line?.fileReference, line?.reference], [undefined, undefined])
})

test('any other file is malformed, and the reader says so', () => {
  assert.match(malformed('<a/>'), /not a pain.002/)
  assert.match(malformed(pain002({ version: '02', group: '<GrpSts>ACSC</GrpSts>' })), /03 or later/)
  assert.match(malformed(pain002({ group: '' })), /states no status/)
  assert.match(
    malformed('<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
    /DOCTYPE/,
  )
  assert.match(malformed('<Document'), /not well-formed/)
  assert.match(malformed(`<a>${'<b/>'.repeat(600_001)}</a>`), /too many elements/)
  const other = pain002({ group: '<GrpSts>ACSC</GrpSts>' }).replace('pain.002', 'pacs.002')
  assert.match(malformed(other), /not a pain.002/)
})

const NAMESPACES = [
  'http://www.six-interbank-clearing.com/de/pain.002.001.03.ch.02.xsd',
  'urn:iso:std:iso:20022:tech:xsd:pain.002.003.03',
  'urn:swift:xsd:$pain.002.001.03',
  'urn:swift:xsd:pain.002.001.10',
  '',
]

for (const namespace of NAMESPACES) {
  test(`a report in the namespace "${namespace}" is read`, () => {
    const of = [{ reference: 'PYT1', status: 'ACSC' }]
    const report = pain002({ of })
    const written = report.replace(/ xmlns="[^"]+"/, namespace && ` xmlns="${namespace}"`)
    assert.notEqual(written, report)
    assert.deepEqual(lines(written), lines(report))
  })
}

test('a namespace that names another message, or none, is refused', () => {
  const report = pain002({ of: [{ reference: 'PYT1', status: 'ACSC' }] })
  for (const namespace of ['urn:x', 'pain.002.001.03', 'urn:swift:xsd:$pain.002.002.02x']) {
    const written = report.replace(/xmlns="[^"]+"/, `xmlns="${namespace}"`)
    assert.match(malformed(written), /not a pain.002/, namespace)
  }
  assert.match(malformed(report.replace(/xmlns="[^"]+"/, 'xmlns="urn:x:pain.002.001.02"')), /not a/)
})

test('elements of another namespace say nothing', () => {
  const report = pain002({ group: '<x:GrpSts xmlns:x="urn:x">ACSC</x:GrpSts>' })
  assert.match(malformed(report), /states no status/)
})

test('ten thousand orders of the fullest kind are read', () => {
  const more =
    `${rejection('AC01', 'Incorrect account number')}<OrgnlTxRef><Amt><InstdAmt Ccy="NGN">1.00` +
    '</InstdAmt></Amt><ReqdExctnDt><Dt>2026-11-16</Dt></ReqdExctnDt><Cdtr><Nm>A</Nm></Cdtr>' +
    '<CdtrAcct><Id><Othr><Id>2093566866</Id></Othr></Id></CdtrAcct></OrgnlTxRef>'
  const of = Array.from({ length: 10_000 }, (_, at) => ({
    reference: `PYT${at}`,
    status: 'RJCT',
    more,
  }))
  assert.equal(lines(pain002({ of })).length, 10_000)
})
