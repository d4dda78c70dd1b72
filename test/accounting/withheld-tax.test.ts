// I178: the withholding tax that a VAT document states can be booked in parts, reversed, written off or
// declared not to be withheld, but never more than the document states.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDay, OPERATOR, pass, reportOf } from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit, recordMovements, reverse } from '../support/movements.ts'
import { makeUser, signIn } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const ADJUSTMENTS = `${OPERATOR}/adjustments`
const TAX = { of: 'withholding', clientId: 'MAN0000001', reason: 'As agreed' }
const TOO_LARGE = { status: 409, code: 'adjustment_too_large' }

// Starts a service whose client has fees of 200.00 on 29 November, and withholds 5% of them: 10.00. Returns
// helpers to request and approve adjustments of it.
async function startMonth() {
  const bench = await startTestService()
  const rate = { tax: 'withholding', clientId: 'MAN0000001', percent: 5, source: 'A notice' }
  const url = `${OPERATOR}/tax-rates`
  dataOf(await bench.call({ url, body: { ...rate, effectiveFrom: '2026-11-20' } }))
  bench.advance(Date.parse('2026-11-29T10:00:00+01:00') - bench.clock().getTime())
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '20000')
  const emails = [
    await makeUser(bench, { role: 'operator' }),
    await makeUser(bench, { role: 'operator' }),
  ] as const
  // Signs in again for each request, because sessions expire while days pass.
  const ask = async (kind: string, amount: string, document = 'INV000001') => {
    const maker = await signIn(bench, emails[0])
    return maker.call({ url: ADJUSTMENTS, body: { ...TAX, kind, amount, document } })
  }
  // Approves an adjustment as the second user, who signs in again because sessions expire while days pass.
  const approve = async (reference: string) => {
    const checker = await signIn(bench, emails[1])
    return checker.call({ url: `${ADJUSTMENTS}/${reference}/approve`, body: {} })
  }
  // Requests an adjustment and approves it as another user.
  const agree = async (...request: Parameters<typeof ask>) =>
    dataOf(await approve(dataOf(await ask(...request)).reference))
  // Lets these days pass, closes them, and issues the month's VAT invoices.
  const closeMonth = async (days: readonly string[], month = '2026-11') => {
    for (const day of days) {
      pass(bench, day)
      await closeDay(bench, day)
    }
    return dataOf(await bench.call({ url: `${OPERATOR}/vat-invoices`, body: { month } }))
  }
  // Returns the number of open items in the entry `wht_ready` (withholding tax) of the month's checklist.
  const openTaxObstacle = async (month = '2026-11') => {
    const { checks } = dataOf(await bench.call({ url: `${OPERATOR}/months/${month}` }))
    return checks.find(({ name }: { name: string }) => name === 'wht_ready').open
  }
  // Returns the withholding tax of a VAT invoice that is not booked or declared yet.
  const openTaxOf = async (number = 'INV000001') =>
    dataOf(await bench.call({ url: `${OPERATOR}/vat-invoices/${number}` })).withholdingOpen
  return Object.assign(bench, {
    accountNumber,
    sessionId,
    ask,
    approve,
    agree,
    closeMonth,
    openTaxObstacle,
    openTaxOf,
  })
}

const NOVEMBER = ['2026-11-29', '2026-11-30']

test('tax is booked in parts until the invoice is covered, and no further', async () => {
  await using bench = await startMonth()
  await bench.closeMonth(NOVEMBER)
  await bench.agree('withholding', '4')
  assert.deepEqual([await bench.openTaxObstacle(), await bench.openTaxOf()], [1, 6])
  assertRefused(await bench.ask('withholding', '6.01'), TOO_LARGE)

  const { reference } = dataOf(await bench.ask('withholding', '6'))
  assertRefused(await bench.ask('withholding', '1'), {
    status: 409,
    code: 'document_recorded',
  })
  dataOf(await bench.approve(reference))

  assert.deepEqual([await bench.openTaxObstacle(), await bench.openTaxOf()], [0, 0])
  assertRefused(await bench.ask('withholding', '0.01'), TOO_LARGE)
  await assertCleanBooks(bench)
})

test('a wrong booking is reversed from the money of the client, and booked again', async () => {
  await using bench = await startMonth()
  await bench.closeMonth(NOVEMBER)
  await bench.agree('withholding', '10')
  assertRefused(await bench.ask('withholding_reversal', '10.01'), TOO_LARGE)
  const { moves } = await recordMovements(bench)
  await bench.agree('withholding_reversal', '7')

  assert.deepEqual([await bench.openTaxObstacle(), await bench.openTaxOf()], [1, 7])
  await bench.agree('withholding', '7')
  assert.equal(await bench.openTaxObstacle(), 0)
  const [drawn, ...rest] = await moves()
  assert.match(drawn as string, /^withholding_reversal: \w+ → wht_receivable 7\.00$/)
  assert.deepEqual(rest, ['withholding: wht_receivable → available 7.00'])
  await assertCleanBooks(bench)
})

test('two people decide that tax is not withheld, so that the month can close', async () => {
  await using bench = await startMonth()
  await bench.closeMonth(NOVEMBER)
  await bench.agree('withholding', '4')
  assertRefused(await bench.ask('not_withheld', '6.01'), TOO_LARGE)
  const { moves } = await recordMovements(bench)
  await bench.agree('not_withheld', '6')

  assert.deepEqual(await moves(), [])
  assert.deepEqual([await bench.openTaxObstacle(), await bench.openTaxOf()], [0, 0])
  assertRefused(await bench.ask('not_withheld', '0.01'), TOO_LARGE)
  await bench.agree('withholding', '6') // The client withheld it after all.
  await assertCleanBooks(bench)
})

test('tax whose credit note never comes is written off; a wrong credit note is taken back', async () => {
  await using bench = await startMonth()
  await bench.closeMonth(NOVEMBER)
  await bench.agree('withholding', '10')
  await bench.agree('wht_credit_note', '8', 'FIRS/77')
  assertRefused(await bench.ask('wht_credit_note', '1', 'FIRS/77'), {
    status: 409,
    code: 'document_recorded',
  })
  await bench.agree('wht_credit_note_reversal', '8', 'FIRS/77')
  await bench.agree('wht_credit_note', '6', 'FIRS/77')
  assertRefused(await bench.ask('wht_write_off', '4.01'), TOO_LARGE)
  const { moves } = await recordMovements(bench)
  await bench.agree('wht_write_off', '4')

  assert.deepEqual(await moves(), ['write_off: write_off → wht_receivable 4.00'])
  const { rows } = await reportOf(bench, 'withholding-tax?month=2026-12')
  assert.deepEqual(rows, [
    {
      clientId: 'MAN0000001',
      currency: 'NGN',
      invoiced: 0,
      withheld: 10,
      creditNotes: 6,
      writtenOff: 4,
      receivable: 0,
    },
  ])
  await assertCleanBooks(bench)
})

test('the report of a month is JSON, CSV, a workbook and a page', async () => {
  await using bench = await startMonth()
  await bench.closeMonth(NOVEMBER)
  const path = `${OPERATOR}/withholding-tax`

  const { rows } = await reportOf(bench, 'withholding-tax?month=2026-11')
  const csv = await bench.call({ url: `${path}.csv?month=2026-11` })
  const xlsx = await bench.call({ url: `${path}.xlsx?month=2026-11` })
  const html = await bench.call({ url: `${path}.html?month=2026-11` })

  assert.deepEqual([rows.length, rows[0].invoiced, rows[0].receivable], [1, 10, 0])
  assert.match(csv.body, /MAN0000001,10\.00,0\.00,0\.00,0\.00,0\.00,NGN,2026-11/)
  assert.equal(xlsx.statusCode, 200)
  assert.match(html.body, /Withholding tax of 2026-11/)
  const future = await bench.call({ url: `${path}?month=2031-01` })
  assertRefused(future, { status: 400, code: 'invalid_request' })
})

test('fees given back in a later month are taxed on its credit note, and taken back', async () => {
  await using bench = await startMonth()
  await bench.closeMonth(NOVEMBER)
  await bench.agree('withholding', '10')
  await reverse(bench, bench.sessionId, '10000')
  await bench.closeMonth(['2026-12-01', '2026-12-31'], '2026-12')

  const note = dataOf(await bench.call({ url: `${OPERATOR}/vat-invoices/CRN000001` }))
  assert.deepEqual([note.fees, note.withholdingTax, note.withholdingOpen], [100, 5, 5])
  assert.equal(await bench.openTaxObstacle('2026-12'), 1)
  assertRefused(await bench.ask('withholding', '1', 'CRN000001'), TOO_LARGE)
  assertRefused(await bench.ask('withholding_reversal', '5.01', 'CRN000001'), TOO_LARGE)
  await bench.agree('withholding_reversal', '5', 'CRN000001')
  assert.equal(await bench.openTaxObstacle('2026-12'), 0)
  await assertCleanBooks(bench)
})

test('fees given back at one rate lower the tax at another rate of the same month', async () => {
  await using bench = await startMonth()
  const rate = { tax: 'withholding', clientId: 'MAN0000001', percent: 10, source: 'A notice' }
  const url = `${OPERATOR}/tax-rates`
  dataOf(await bench.call({ url, body: { ...rate, effectiveFrom: '2026-11-30' } }))
  bench.advance(86_400_000)
  await reverse(bench, bench.sessionId, '5000') // Gives 50.00 of fees back, on the day of the new rate.
  await bench.closeMonth(['2026-11-29', '2026-11-30'])

  const invoice = dataOf(await bench.call({ url: `${OPERATOR}/vat-invoices/INV000001` }))
  assert.equal(invoice.withholdingTax, 10 - 5, '5% of 200.00 less 10% of 50.00')
})
