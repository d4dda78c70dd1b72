// Payment files as CSV, and the bank's results in the same form.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReportLine } from '#banks/payment-files.ts'
import { readPaymentCsv, writePaymentCsv } from '#banks/payment-files.ts'
import { paymentFile, paymentOrder } from '../support/payment-files.ts'

// Returns the lines of a report that can be read.
function lines(csv: string): ReportLine[] {
  const report = readPaymentCsv(Buffer.from(csv))
  assert('lines' in report, JSON.stringify(report))
  return report.lines
}

// Returns why a report cannot be read, or an empty text.
function malformed(csv: string | Buffer): string {
  const report = readPaymentCsv(Buffer.from(csv as string))
  return 'malformed' in report ? report.malformed : ''
}

test('a file has a line for each order, and nothing a spreadsheet would compute', () => {
  const orders = [
    paymentOrder(),
    paymentOrder({ reference: 'PYT2', name: '=1+1', narration: 'a, "b"', amountKobo: 5n }),
  ]
  assert.equal(
    writePaymentCsv(paymentFile({ orders })),
    'reference,amount,currency,accountName,accountNumber,bankCode,narration,debitAccount,date\r\n' +
      'PYT000000000000001,20000.00,NGN,Okafor + Sons,2093566866,033,Settlement of 15 November,' +
      '0123456789,2026-11-16\r\n' +
      `PYT2,0.05,NGN,1+1,2093566866,033,"a, 'b'",0123456789,2026-11-16\r\n`,
  )
})

test('results are read by the names of their columns, in any order', () => {
  const [paid, rejected, pending] = lines(
    '\ufeffStatus,Reference,Bank Reference,reason\r\n' +
      'ACSC,PYT1,B-1,\r\n\r\nfailed,PYT2,,"Closed, since ""May"""\r\nPending,PYT3\n',
  )
  assert.deepEqual(paid, {
    line: 2,
    level: 'order',
    fileReference: undefined,
    reference: 'PYT1',
    statusText: 'ACSC',
    status: 'confirmed',
    bankReference: 'B-1',
    reason: undefined,
  })
  assert.deepEqual(
    [rejected?.line, rejected?.status, rejected?.reason],
    [4, 'failed', 'Closed, since "May"'],
  )
  assert.deepEqual([pending?.status, pending?.bankReference], ['pending', undefined])
})

test('semicolons separate as well as commas', () => {
  const [line] = lines('reference;status;bankReference;reason\nPYT1;RJCT;;a, b')
  assert.deepEqual([line?.status, line?.reason], ['failed', 'a, b'])
})

test('a line with an unknown status is kept for the user to read', () => {
  const [unknown, nameless] = lines('reference,status\nPYT1,done\n,ACSC\n')
  assert.deepEqual([unknown?.status, unknown?.statusText], [undefined, 'done'])
  assert.deepEqual([nameless?.status, nameless?.reference], ['confirmed', undefined])
})

test('control characters never leave the reader', () => {
  const [line] = lines('reference,status,bankReference\nPYT1,ACSC,"B\u0000\n1"\n')
  assert.equal(line?.bankReference, 'B 1')
})

test('any other file is malformed, and the reader says so', () => {
  assert.match(malformed('PYT1,ACSC\n'), /name the columns/)
  assert.match(malformed('reference,status,status\nPYT1,ACSC,RJCT\n'), /name the columns/)
  assert.match(malformed('reference,status\n'), /states no status/)
  assert.match(malformed(''), /name the columns/)
  assert.match(malformed('reference,status\nPYT1,"ACSC'), /not closed/)
  assert.match(malformed('reference,status\nPYT1,"ACSC"x'), /text after one/)
  assert.match(malformed(`reference,status\nPYT1,"${'x'.repeat(10_000_000)}`), /too long/)
  assert.match(malformed(Buffer.from([0x72, 0xff])), /UTF-8/)
})
