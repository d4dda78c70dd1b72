// The cells of a CSV export: exact digits for programs and, with `for=spreadsheet`, digits that spreadsheets
// keep as text.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from '#clock.ts'
import { cellText } from '#csv.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import {
  ACCOUNTS,
  assertRefused,
  createAccount,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { PAYER, refund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { CREDITS, credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const CELL = '"=""1E10"""'

async function rowsOf(url: string): Promise<Record<string, string>[]> {
  const answer = await bench.call({ url })
  assert.equal(answer.statusCode, 200, answer.body)
  return parseCsv(answer.body)
}

test('a payment is exported with when, where and by which transfers it was paid, and refunds', async () => {
  const { paymentReference, bankAccount } = await startPayment(bench, { amount: 100 })
  const first = await credit(bench, bankAccount, '40', PAYER)
  bench.advance(MINUTE_MS)
  const second = await credit(bench, bankAccount, '60', PAYER)
  const paidAt = timestamp(bench.clock())
  bench.advance(MINUTE_MS)
  await refund(bench, { paymentReference }, '25')
  await settleAll(bench, CONFIRMED)

  const [row] = await rowsOf(`/api/v1/payments.csv?reference=${paymentReference}`)

  assert.deepEqual(
    [row?.status, row?.refundedAmount, row?.paidAt, row?.bankCode, row?.bankName, row?.sessionIds],
    ['Successful', '25.00', paidAt, '035', 'Wema Bank', `${first} ${second}`],
  )
})

test('digits are exact for programs, and text in the form for spreadsheets', async () => {
  const { accountNumber } = await createAccount(bench, { phoneNumber: '+2348012345678' })
  const sessionId = await credit(bench, accountNumber, '12.30', { sourceAccountName: '=1+1' })
  const path = `${CREDITS}.csv?sessionId=${sessionId}`

  const [exact] = await rowsOf(path)
  const [row] = await rowsOf(`${path}&for=spreadsheet`)
  const [account] = await rowsOf(`${ACCOUNTS}.csv?for=spreadsheet`)
  const wrong = await bench.call({ url: `${path}&for=excel` })

  assert.deepEqual([exact?.sessionId, exact?.bankCode], [sessionId, '035'])
  assert.match(sessionId, /^[0-9]{30}$/)
  assert.deepEqual(
    [row?.sessionId, row?.bankCode, row?.accountNumber],
    [`="${sessionId}"`, '="035"', `="${accountNumber}"`],
  )
  assert.equal(account?.phoneNumber, '="+2348012345678"')
  assert.deepEqual(
    [row?.gross, row?.creditId, row?.postedAt, row?.sourceAccountName],
    ['12.30', exact?.creditId, exact?.postedAt?.slice(0, 19).replace('T', ' '), "'=1+1"],
    'amounts and numbers stay, times are plain, and so does the rule about formulas',
  )
  assert.equal(cellText('1E10', true), CELL)
  assert.equal(cellText('0123=1', true), '0123=1')
  assertRefused(wrong, { status: 400, code: 'invalid_request' })
})
