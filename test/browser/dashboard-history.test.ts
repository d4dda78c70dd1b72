// The Back button in the dashboard: a closed drawer stays closed, and a list keeps its place.

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
const gone = (page: Page) => drawerOf(page).waitFor({ state: 'detached' })
const number = (page: Page, at: number) => page.locator('.pager').getByText(`Page ${at}`).waitFor()
const older = (page: Page) => page.getByRole('button', { name: 'Older' })

async function close(page: Page): Promise<void> {
  await drawerOf(page).waitFor()
  await page.keyboard.press('Escape')
  await gone(page)
}

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
  await close(page)
  await rowsOf(page).nth(1).click()
  await drawerOf(page).waitFor()
  await page.keyboard.press('j') // Opens the next row, and closes it.
  await untilTrue(page, `document.querySelectorAll('tr')[3].dataset.open === 'true'`)
  await close(page)

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
  await close(page)
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
  await older(page).click()
  await number(page, 2)
  await older(page).click()
  await number(page, 3)
  const last = await rowsOf(page).last().innerText()
  await rowsOf(page).last().click()
  await drawerOf(page).waitFor()
  await number(page, 3)
  await close(page)
  await number(page, 3)
  await page.getByRole('link', { name: 'Credits' }).click()
  await untilTrue(page, `location.pathname === '/dashboard/credits'`)

  await page.goBack()
  await number(page, 3)
  await page.reload()
  await number(page, 3)
  await page.getByText(last).waitFor()
  await page.getByRole('button', { name: 'Newer' }).click()
  await number(page, 2)

  await page.getByLabel('Status').selectOption('true') // Loads another list.
  await number(page, 1)
  await page.getByLabel('Status').selectOption('')
  await number(page, 1)
  assert.deepEqual(problems, [])
})
