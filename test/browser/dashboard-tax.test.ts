// Tax in a real browser: operators issue, read and print VAT invoices, and set rates, stamp duty and
// escalation.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { watDay } from '#clock.ts'
import { closeDay } from '../support/accounting.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'

const DAY_MS = 86_400_000

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

// Charges fees on the last day of a month and closes the day. Returns the month.
async function chargeFees(): Promise<string> {
  const rate = { tax: 'withholding', clientId: 'MAN0000001', percent: 5, source: 'Agreed' }
  const body = { ...rate, effectiveFrom: '2026-11-20' }
  dataOf(await bench.call({ url: '/api/v1/operator/tax-rates', body }))
  bench.advance(Date.parse('2026-11-30T10:00:00+01:00') - bench.clock().getTime())
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  const charges = { fee: '40.00', vat: '3.00', duty: '50.00', settled: '19907.00' }
  await credit(bench, accountNumber, '20000', { charges })
  await credit(bench, NOBODYS_NUMBER, '750')
  const day = watDay(bench.clock())
  bench.advance(DAY_MS)
  await closeDay(bench, day)
  return day.slice(0, 7)
}

test('an operator issues the VAT invoices of a month, and prints them', async () => {
  const month = await chargeFees()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/accounting?tab=vatInvoices`
  await page.goto(url)
  await button(page, 'Issue invoices').click()
  await modalOf(page).getByLabel('Month').fill(month)
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Issue invoices' }).click()
  await waitForText(page, '1 invoice and 0 credit notes issued.')

  await page.getByText('INV000001').first().click()
  await waitForText(page, 'Fees without VAT')
  await waitForText(page, '₦215.00')
  await button(page, 'Book withheld tax').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.equal(
    await page.getByRole('link', { name: 'Print' }).getAttribute('href'),
    '/api/v1/operator/vat-invoices/INV000001.html',
  )
  await assertFaultlessThroughout(page, url)

  await page.goto(`${bench.url}/api/v1/operator/vat-invoices/INV000001.html`)
  await waitForText(page, 'VAT invoice INV000001')
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('a client finds its invoices beside its settlements', async () => {
  await using opened = await bench.openAs(browser, { role: 'owner', width: 360 })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/settlements?tab=vatInvoices`
  await page.goto(url)
  await page.getByText('INV000001').first().click()
  await waitForText(page, 'Fees without VAT')
  assert.equal(await button(page, 'Book withheld tax').count(), 0)
  await assertFaultlessThroughout(page, url)
  assert.deepEqual(problems, [])
})

test('the pages of stamp duty, ageing of suspense and holidays have no accessibility faults', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const accounting = `${bench.url}/dashboard/accounting`
  await assertFaultlessThroughout(page, `${accounting}?tab=stampDuty&month=2026-11`)
  await waitForText(page, '₦50.00')

  await assertFaultlessThroughout(page, `${accounting}?tab=withholdingTax&month=2026-11`)
  await waitForText(page, '₦10.00')

  await assertFaultlessThroughout(page, `${accounting}?tab=suspense`)
  await page.getByLabel('Alert after more than this many days in suspense').fill('90')
  await button(page, 'Save').click()
  await waitForText(page, 'Saved')
  const setting = await bench.call({ url: '/api/v1/operator/suspense-escalation' })
  assert.deepEqual(dataOf(setting), { days: 90 })

  await page.goto(`${bench.url}/dashboard/settings?tab=payoutRules`)
  await page.getByLabel('Year', { exact: true }).selectOption('2027')
  await waitForText(page, 'Expected, to be announced')
  assert.deepEqual(await findAxeFaults(page), [])
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/settings?tab=payoutRules`)
  assert.deepEqual(problems, [])
})

test('an operator sets a client’s particulars and withholding tax by keyboard', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/clients/MAN0000001`)
  await waitForText(page, '5% of fees, since 2026-11-20')
  await button(page, 'Edit particulars').press('Enter')
  await modalOf(page).getByLabel('Registered name').fill('Obi Stores Limited')
  await modalOf(page).getByLabel('Registered address').fill('1 Marina, Lagos')
  await modalOf(page).getByLabel('Tax identification number').fill('01234567-0001')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByLabel('Tax identification number').press('Enter')
  await waitForText(page, 'Obi Stores Limited')

  await button(page, 'Set withholding tax').click()
  await modalOf(page).getByLabel('Percent').fill('2')
  await modalOf(page).getByLabel('Source').fill('Withholding Regulations 2024')
  await modalOf(page).getByRole('button', { name: 'Save' }).click()
  await modalOf(page).waitFor({ state: 'detached' })
  const { data } = (
    await bench.call({ url: '/api/v1/operator/tax-rates?clientId=MAN0000001' })
  ).json()
  assert.deepEqual(
    data.map(({ percent, effectiveFrom }: Record<string, unknown>) => [percent, effectiveFrom]),
    [
      [2, '2026-12-02'],
      [5, '2026-11-20'],
    ],
  )
  assert.deepEqual(problems, [])
})

test('an operator reads the rates of tax with their sources, and adds rates from tomorrow on', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/accounting?tab=taxRates`
  await assertFaultlessThroughout(page, url)
  await waitForText(page, /Have a tax adviser confirm each rate/)
  await waitForText(page, '₦50.00 from ₦10,000.00')

  await button(page, 'Add VAT rate').click()
  const from = modalOf(page).getByLabel('From')
  assert.equal(await from.getAttribute('min'), await from.inputValue())
  await from.fill('2027-01-01')
  await modalOf(page).getByLabel('Percent').fill('10')
  await modalOf(page).getByLabel('Source').fill('Finance Act 2026')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByLabel('Source').press('Enter')
  await waitForText(page, 'Finance Act 2026')

  await button(page, 'Add stamp duty').click()
  await modalOf(page).getByLabel('Duty on a transfer').fill('100')
  await modalOf(page).getByLabel('Smallest transfer charged').fill('20,000')
  await modalOf(page).getByLabel('Borne by').selectOption('Recipient')
  await modalOf(page).getByLabel('From').fill('2027-01-01')
  await modalOf(page).getByLabel('Source').fill('Stamp Duties Act 2026')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Save' }).click()
  await waitForText(page, '₦100.00 from ₦20,000.00')

  await page.getByText('₦100.00 from ₦20,000.00').first().click()
  await page.locator('dialog.drawer').getByText('Recipient').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.goto(`${url}&tax=vat`)
  await waitForText(page, '10%')
  assert.equal(await page.getByText('Stamp Duties Act 2026').count(), 0)
  assert.deepEqual(problems, [])
})
