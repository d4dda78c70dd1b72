// The Back button in the dashboard does not reopen a closed drawer, and returns to the same place of a list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const PAGE = 25
for (let at = 1; at <= 2 * PAGE + 3; at++) {
  await createAccount(bench, { accountName: `Customer ${String(at).padStart(3, '0')}` })
}

const drawerOf = (page: Page) => page.locator('dialog.drawer')
const rowsOf = (page: Page) => page.locator('a.row-link')
const untilDrawerGone = (page: Page) => drawerOf(page).waitFor({ state: 'detached' })
const untilPage = (page: Page, at: number) =>
  page.locator('.pager').getByText(`Page ${at}`).waitFor()
const olderButton = (page: Page) => page.getByRole('button', { name: 'Older' })

// Closes the open drawer by keyboard.
async function closeDrawer(page: Page): Promise<void> {
  await drawerOf(page).waitFor()
  await page.keyboard.press('Escape')
  await untilDrawerGone(page)
}

// Opens the dashboard in a new page and follows the link to the list of collection accounts.
async function openAccounts() {
  const opened = await bench.openAs(browser)
  await opened.page.goto(`${bench.url}/dashboard`)
  await opened.page.getByRole('link', { name: 'Collection accounts' }).click()
  await rowsOf(opened.page).first().waitFor()
  return opened
}

test('a drawer that was closed is not opened again by Back', async () => {
  await using opened = await openAccounts()
  const { page, problems } = opened
  await rowsOf(page).first().click()
  await closeDrawer(page)
  await rowsOf(page).nth(1).click()
  await drawerOf(page).waitFor()
  await page.keyboard.press('j') // Replaces the drawer by that of the next row.
  await untilTrue(page, `document.querySelectorAll('tr')[3].dataset.open === 'true'`)
  await closeDrawer(page)

  await page.goBack()

  await untilTrue(page, `location.pathname === '/dashboard'`)
  assert.equal(await drawerOf(page).count(), 0)
  await page.goForward()
  await rowsOf(page).first().waitFor()
  assert.match(page.url(), /accounts$/)
  assert.deepEqual(problems, [])
})

test('a drawer that a link led to is closed in its place, and Back leads where the link was', async () => {
  await using opened = await openAccounts()
  const { page } = opened
  const href = await rowsOf(page).first().getAttribute('href')
  await page.goto(`${bench.url}${href}`)
  await closeDrawer(page)
  assert.match(page.url(), /accounts$/)

  await page.goBack()

  await rowsOf(page).first().waitFor()
  assert.match(page.url(), /accounts$/)
  await page.goBack()
  await untilTrue(page, `location.pathname === '/dashboard'`)
})

test('a form that was opened from a list and cancelled leaves nothing to go back through', async () => {
  await using opened = await openAccounts()
  const { page } = opened
  await page.getByRole('link', { name: 'New account' }).click()
  await page.locator('dialog.modal').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog.modal').waitFor({ state: 'detached' })

  await page.goBack()

  await untilTrue(page, `location.pathname === '/dashboard'`)
})

test('a list is at the page where it was left: behind a drawer, after Back and after a reload', async () => {
  await using opened = await openAccounts()
  const { page, problems } = opened
  await olderButton(page).click()
  await untilPage(page, 2)
  await olderButton(page).click()
  await untilPage(page, 3)
  const last = await rowsOf(page).last().innerText()
  await rowsOf(page).last().click()
  await drawerOf(page).waitFor()
  await untilPage(page, 3)
  await closeDrawer(page)
  await untilPage(page, 3)
  await page.getByRole('link', { name: 'Credits' }).click()
  await untilTrue(page, `location.pathname === '/dashboard/credits'`)

  await page.goBack()
  await untilPage(page, 3)
  await page.reload()
  await untilPage(page, 3)
  await page.getByText(last).waitFor()
  await page.getByRole('button', { name: 'Newer' }).click()
  await untilPage(page, 2)

  await page.getByLabel('Status').selectOption('true') // Loads the list again with this filter.
  await untilPage(page, 1)
  await page.getByLabel('Status').selectOption('')
  await untilPage(page, 1)
  assert.deepEqual(problems, [])
})
