// Accounting in a real browser: the journal of a day is read, downloaded and closed, and every
// report matches the API.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { watDay } from '#clock.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { credit } from '../support/tracing.ts'

const DAY_MS = 86_400_000

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')
const openView = (page: Page, path: string) => page.goto(`${bench.url}/dashboard/accounting${path}`)

// Receives a credit and a suspended one, and lets the day end. Returns the day.
async function creditOnADay(): Promise<string> {
  const day = watDay(bench.clock())
  const { accountNumber } = await createAccount(bench, { merchantCode: 'SHOP-1' })
  await credit(bench, accountNumber, '45000.00', { sourceAccountName: 'ADAEZE OKONKWO' })
  await suspend(bench, NOBODYS_NUMBER, '750.00')
  bench.advance(DAY_MS)
  return day
}

test('a day’s journal is shown and downloaded, and the day is closed for good', async () => {
  const day = await creditOnADay()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await openView(page, `?day=${day}`)
  await waitForText(page, 'This day is open')
  const total = page.locator('tr.total')
  assert.match(await total.innerText(), /Total\s+₦45,750\.00\s+₦45,750\.00/)
  await page.getByLabel('Layout').selectOption('xero')
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download journal' }).click()
  const content = readFileSync(await (await downloading).path(), 'utf8')
  assert.match(content, /\*AccountCode/)

  await button(page, 'Close day').click()
  await waitForText(page, /This can’t be undone/)
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Close day' }).click()
  await modalOf(page).getByRole('alert').waitFor() // Without a statement, closing needs a reason.
  await modalOf(page).getByLabel('Reason').fill('The bank’s portal is down')
  await modalOf(page).getByRole('button', { name: 'Close day' }).click()

  await waitForText(page, 'This day is closed')
  assert.equal(await button(page, 'Close day').count(), 0)
  await openView(page, `/${day}?tab=days`)
  await waitForText(page, 'The bank’s portal is down')
  const { rows } = await bench.db.query('select day::text from closed_days')
  assert.deepEqual(rows, [{ day }])
  assert.deepEqual(
    problems.filter((problem) => !/status of 409/.test(problem)),
    [],
  )
})

test('reports show what the API has, of the day that is chosen', async () => {
  const day = await creditOnADay()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await openView(page, `?tab=trialBalance&day=${day}`)
  const total = page.locator('tr.total')
  await total.waitFor()
  const [debit, creditSide] = (await total.locator('.money').allInnerTexts()) as [string, string]
  assert.equal(debit, creditSide)
  await page.getByLabel('End of day').fill('2020-01-01')
  await waitForText(page, 'Nothing was posted by the end of this day.')

  await openView(page, '?tab=suspense')
  await waitForText(page, 'Unrecognised account number')
  await openView(page, '?tab=balances')
  await waitForText(page, 'SHOP-1')
  await openView(page, '?tab=vat')
  await page.getByLabel('Month').fill('2020-01')
  await waitForText(page, 'No VAT was booked in this month.')
  assert.deepEqual(problems, [])
})

test('accounting has no fault at 360 and 1280 pixels, in light and dark', async () => {
  const day = await creditOnADay()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened

  const tabs = ['trialBalance', 'vat', 'balances', 'suspense', 'days']
  for (const path of [`?day=${day}`, ...tabs.map((tab) => `?tab=${tab}`), `/${day}?tab=days`]) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/accounting${path}`)
  }

  assert.deepEqual(problems, [])
})

test('a user without accounting finds neither reconciliation nor accounting', async () => {
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page } = opened
  for (const view of ['reconciliation', 'accounting']) {
    await page.goto(`${bench.url}/dashboard/${view}`)
    await waitForText(page, 'This page doesn’t exist')
    assert.equal(await page.locator(`nav a[href$="/${view}"]`).count(), 0)
  }
})

test('a month shows its checklist, closes with a reason, and is reopened by two people', async () => {
  const month = watDay(bench.clock()).slice(0, 7)
  const { rows } = await bench.db.query<{ day: string | null }>(
    'select max(day)::text as day from closed_days',
  )
  const first = rows[0]?.day ? new Date(Date.parse(rows[0].day) + DAY_MS) : bench.clock()
  const from = watDay(first)
  while (watDay(bench.clock()).startsWith(month)) bench.advance(DAY_MS)
  for (let day = from; day.startsWith(month); ) {
    const url = `/api/v1/operator/days/${day}/close`
    const { statusCode, body } = await bench.call({ url, body: { reason: 'No statements.' } })
    assert.equal(statusCode, 200, body)
    day = watDay(new Date(Date.parse(`${day}T12:00:00Z`) + DAY_MS))
  }
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await openView(page, `?tab=months&month=${month}`)
  await waitForText(page, 'All days are closed')
  const missing = page.getByRole('link', { name: 'Every bank is reconciled on each day' })
  assert.match((await missing.getAttribute('href')) ?? '', /reconciliation/)
  await button(page, 'Close month').click()
  await modalOf(page).getByRole('button', { name: 'Close month' }).click()
  await modalOf(page).getByRole('alert').waitFor()
  await modalOf(page).getByLabel('Reason').fill('The bank’s portal is down')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Close month' }).click()
  await waitForText(page, 'Version 1, closed by')
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download pack' }).click()
  assert.equal((await downloading).suggestedFilename(), `manilla-${month}-v1.zip`)

  await button(page, 'Request reopening').click()
  await modalOf(page).getByLabel('Reason').fill('A statement came late')
  await modalOf(page).getByRole('button', { name: 'Request reopening' }).click()
  await waitForText(page, 'You requested this')
  assert.equal(await button(page, 'Approve reopening').count(), 0)
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 800 })
      assert.deepEqual(await findAxeFaults(page), [])
      if (process.env.SHOTS) {
        await page.screenshot({ path: `${process.env.SHOTS}/month-${colorScheme}-${width}.png` })
      }
    }
  }

  await using second = await bench.openAs(browser, { role: 'operator' })
  await openView(second.page, `?tab=months&month=${month}`)
  await button(second.page, 'Approve reopening').click()
  await modalOf(second.page).getByRole('button', { name: 'Approve reopening' }).click()
  await waitForText(second.page, 'Reopened')
  assert.deepEqual(
    [...problems, ...second.problems].filter((problem) => !/status of 409/.test(problem)),
    [],
  )
})
