// CSV files of accounts, as spreadsheets and people write them: they are read as intended or refused with
// their faults, before any account is created.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  csvLine,
  ROWS_MAX,
  readAccounts,
  TEMPLATE,
} from '../../web/dashboard/views/accounts/account-csv.ts'

const HEADER = 'accountName,bvn,email,phoneNumber,merchantId,merchantCode,notificationUrl'
const ROW = 'Ada Obi,22212345654,ada@example.com,+2348012345678,42,SHOP,https://shop.example/hooks'
const ACCOUNT = {
  accountName: 'Ada Obi',
  bvn: '22212345654',
  email: 'ada@example.com',
  phoneNumber: '+2348012345678',
  merchantId: '42',
  merchantCode: 'SHOP',
  notificationUrl: 'https://shop.example/hooks',
  channel: 'dashboard',
}

const accountsIn = (text: string) => readAccounts(text).rows.map(({ account }) => account)
const linesIn = (text: string) => readAccounts(text).rows.map(({ line }) => line)

test('the template is a file that can be uploaded', () => {
  const [account] = accountsIn(TEMPLATE)

  assert.deepEqual([account?.accountName, account?.kycTier], ['Ada Obi', 3])
})

test('commas, semicolons and tabs, any line end and a byte order mark mean the same', () => {
  for (const separator of [',', ';', '\t']) {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [HEADER, ROW, ''].join(end).replaceAll(',', separator)
      assert.deepEqual(accountsIn(`\ufeff${text}`), [ACCOUNT])
      assert.deepEqual(accountsIn(text.trimEnd()), [ACCOUNT])
    }
  }
})

test('quoted cells may hold separators, quotation marks and line ends, and lines are counted by them', () => {
  const quoted = ROW.replace('Ada Obi', '"Obi, ""Ada""\nand Sons"')
  const text = `${HEADER}\n${quoted}\n\n , ,\n${ROW}\n`

  assert.equal(accountsIn(text)[0]?.accountName, 'Obi, "Ada"\nand Sons')
  assert.deepEqual(linesIn(text), [2, 6])
})

test('columns come in any order, optional ones are left out when empty, and banks are a list', () => {
  const starts = ['1,,058 035,branch', ',33312345654,,', 'x,,,']
  const rows = starts.map((start) => `${start},${ROW}`)
  const text = [`kycTier,nin,banks,channel,${HEADER}`, ...rows].join('\n')

  assert.deepEqual(accountsIn(text), [
    { ...ACCOUNT, kycTier: 1, banks: ['058', '035'], channel: 'branch' },
    { ...ACCOUNT, nin: '33312345654' },
    { ...ACCOUNT, kycTier: 'x' }, // The API refuses it and names the field.
  ])
})

test('a short row has empty cells, and a long one is a fault of that row alone', () => {
  const { rows } = readAccounts(`${HEADER}\nAda Obi,222\n${ROW},more\n${ROW}`)

  assert.equal(rows[0]?.account.email, '')
  assert.deepEqual(
    rows.map(({ faults }) => faults.length),
    [0, 1, 0],
  )
})

test('a file that cannot be meant is refused as a whole, with the reason', () => {
  const assertFileRefused = (text: string, reason: RegExp) =>
    assert.throws(() => readAccounts(text), { message: reason })
  assertFileRefused('', /no rows/)
  assertFileRefused(HEADER, /no rows/)
  assertFileRefused(`${HEADER}\n\n , \n`, /no rows/)
  assertFileRefused(`accountName,bvn\nAda,1`, /Missing columns: email, phoneNumber, merchantId/)
  assertFileRefused(`${HEADER},colour\n${ROW},red`, /Unknown columns: colour/)
  assertFileRefused(`${HEADER},bvn\n${ROW},1`, /^Duplicate columns: bvn/)
  assertFileRefused(`${HEADER}\n"Ada,222\n${ROW}`, /line 2 is never closed/)
  assertFileRefused(`${HEADER}\n${`${ROW}\n`.repeat(ROWS_MAX + 1)}`, /more than 5000 rows/)
  assert.equal(readAccounts(`${HEADER}\n${`${ROW}\n`.repeat(ROWS_MAX)}`).rows.length, ROWS_MAX)
})

test('results are written so that a spreadsheet runs no formula and a phone number stays one', () => {
  const cells = ['=1+1', '+2348012345678', 'a "b"', ' @x', '-5']

  assert.equal(csvLine(cells), `"'=1+1","+2348012345678","a ""b""","' @x","'-5"\r\n`)
})
