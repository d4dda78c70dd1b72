// A finance user of an operator's client reconciles a day and closes it in a real browser, without the
// operator role. A user who may only read sees the same views, but no button that changes anything.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, openBrowser } from '../support/browser.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { dayPath, fileOf, writeStatement } from '../support/reconciliation-scenes.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const { day, before, text } = await writeStatement(bench)

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const waitForText = (page: Page, seen: string | RegExp) => page.getByText(seen).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')
const menuOf = (page: Page) =>
  page.getByRole('navigation', { name: 'Main menu' }).getByRole('link').allInnerTexts()
const openView = (page: Page, path: string) => page.goto(`${bench.url}/dashboard/${path}`)

const ACCOUNTING = ['Reconciliation', 'Accounting', 'Adjustments', 'Banks']
const OPERATORS = ['Alerts', 'Rejected messages']

test('finance imports the statement, closes the day, and sees nothing that is for operators', async () => {
  const email = await makeUser(bench, { role: 'finance' })
  await using opened = await browser.newPage({ timezoneId: 'Africa/Lagos' })
  const { page, problems } = opened
  await page.clock.setFixedTime(bench.clock())
  await openView(page, 'reconciliation')
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await button(page, 'Sign in').click()
  await waitForText(page, 'No statements yet')
  const choosing = page.waitForEvent('filechooser')
  await button(page, 'Import the first statement').click()
  await (await choosing).setFiles(fileOf(text))
  await modalOf(page).getByLabel('Bank').selectOption('058')
  await button(page, 'Import').last().click()
  await waitForText(page, 'Statement imported')
  await button(page, 'View the day').click()
  await page.locator('.proof').waitFor()

  await openView(page, dayPath(before))
  await button(page, 'Close day').click()
  await modalOf(page).getByLabel('Reason').fill('Differences are with the bank')
  await modalOf(page).getByRole('button', { name: 'Close day' }).click()

  await page.locator('.day-title').getByText('Closed').waitFor()
  const { rows } = await bench.db.query('select day::text, closed_by as by from closed_days')
  assert.deepEqual(rows, [{ day: before, by: `user:${email}` }])
  const menu = await menuOf(page)
  assert.deepEqual(
    ACCOUNTING.filter((name) => !menu.includes(name)),
    [],
  )
  assert.deepEqual(
    OPERATORS.filter((name) => menu.includes(name)),
    [],
  )
  for (const view of ['alerts', 'rail-items']) {
    await openView(page, view)
    await waitForText(page, 'This page doesn’t exist')
  }
  assert.deepEqual(problems, [])
})

test('an owner disables a finance user of the operator’s client, and does no more to them', async () => {
  const email = await makeUser(bench, { role: 'finance' })
  await using opened = await bench.openAs(browser, { role: 'owner', width: 360 })
  const { page, problems } = opened
  const drawer = page.locator('dialog.drawer')
  await openView(page, 'settings?tab=users')
  await page.getByRole('link', { name: email }).click()

  assert.deepEqual(await drawer.locator('.actions button').allInnerTexts(), ['Disable'])
  await drawer.getByRole('button', { name: 'Disable' }).click()
  await modalOf(page).getByRole('button', { name: 'Disable' }).click()

  await drawer.getByText('Disabled', { exact: true }).waitFor()
  assert.equal(await drawer.locator('.actions').count(), 0)
  assert.deepEqual(problems, [])
})

test('finance works in every view of accounting, which has no fault', async () => {
  await using opened = await bench.openAs(browser, { role: 'finance' })
  const { page, problems } = opened
  await openView(page, `accounting?day=${day}`)
  await button(page, 'Close day').waitFor()
  await openView(page, 'adjustments?tab=shortfall')
  await waitForText(page, 'Nothing is owed')
  await openView(page, 'payouts?tab=all')
  await waitForText(page, 'No payouts')
  await openView(page, 'payouts?tab=files')
  await button(page, 'Create file').click()
  await modalOf(page).getByLabel('Bank').selectOption('058')
  await openView(page, 'banks')
  await waitForText(page, 'Guaranty Trust Bank')
  await openView(page, 'settings')
  await page.getByRole('link', { name: 'Profile', exact: true }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Payout rules' }).count(), 0)

  for (const path of ['reconciliation', 'accounting', 'adjustments', 'payouts?tab=files']) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }
  assert.deepEqual(problems, [])
})

test('a user who may only read sees the same, and no button that changes anything', async () => {
  const scopes = ['accounting:read', 'payouts:read']
  const { clientId } = await registerOf(bench).make({ isOperator: true, scopes })
  await using opened = await bench.openAs(browser, { clientId, role: 'finance' })
  const { page, problems } = opened
  const sights = [
    [dayPath(day), /^Differences/],
    ['reconciliation', 'Banks by day'],
    ['reconciliation?tab=differences', 'SMS ALERT CHARGE'],
    ['reconciliation?tab=statements', 'gtb-20261115.csv'],
    ['reconciliation?tab=imports', 'gtb-20261115.csv'],
    [`accounting?day=${day}`, 'This day is open'],
    [`accounting/${day}?tab=days`, 'View journal'],
    ['payouts?tab=files', 'No payout files'],
  ] as const
  for (const [path, seen] of sights) {
    await openView(page, path)
    await waitForText(page, seen)
    const buttons = await page.locator('main').getByRole('button').allInnerTexts()
    const changing = buttons.filter((name) => /Import|Close day|Resolve|Confirm|Create/.test(name))
    assert.deepEqual(changing, [], path)
    assert.equal(await page.locator('main input[type=checkbox]').count(), 0, path)
  }
  await openView(page, dayPath(day))
  await page.locator('.row-link').first().click()
  await page.getByRole('dialog').getByText('History').waitFor()
  assert.equal(await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).count(), 0)
  assert.deepEqual(problems, [])
})
