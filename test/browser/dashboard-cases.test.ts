// Cases in a real browser: one click from a credit to a case, with evidence, a hold, deadlines and an
// outcome.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

// Presses a button of the dialog and waits until the dialog is gone.
async function submitDialog(page: Page, name: string) {
  await modalOf(page).getByRole('button', { name, exact: true }).click()
  await modalOf(page).waitFor({ state: 'detached' })
}

test('an operator opens a case from a credit, holds its money, and works on it', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '5000')
  const { id } = (await bench.call({ url: `/api/v1/credits/${sessionId}` })).json().data
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/credits/${id}`)
  await button(page, 'Open case').press('Enter')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByLabel('Summary').fill('The payer was deceived')
  await modalOf(page).getByLabel('Summary').press('Tab')
  await submitDialog(page, 'Open case')
  await waitForText(page, /Case CAS\d{15} opened/)
  await waitForText(page, 'Respond to the reporter')

  await button(page, 'Place hold').click()
  await modalOf(page).getByLabel('Reason').fill('Reported')
  await submitDialog(page, 'Place hold')
  await waitForText(page, /HLD\d{15}/)
  await button(page, 'Mark as met: Acknowledge the report').click()
  await page.getByText('Met', { exact: true }).waitFor()
  await button(page, 'Add party').click()
  await modalOf(page).getByLabel('Name').fill('Ada Obi')
  await submitDialog(page, 'Add party')
  await waitForText(page, 'Ada Obi')
  await button(page, 'Add evidence').click()
  const buffer = Buffer.from('From: bank@example.ng')
  const file = { name: 'report.eml', mimeType: 'message/rfc822', buffer }
  await modalOf(page).getByLabel('File').setInputFiles(file)
  assert.deepEqual(await findAxeFaults(page), [])
  await submitDialog(page, 'Add evidence')
  await page.getByRole('link', { name: 'report.eml' }).waitFor()
  await button(page, 'Add note').click()
  await modalOf(page).getByLabel('Note').fill('Called the payer')
  await submitDialog(page, 'Add note')
  await waitForText(page, 'Called the payer')
  await button(page, 'Start investigation').click()
  await waitForText(page, 'Investigation started')
  await assertFaultlessThroughout(page, page.url())

  await button(page, 'Close case').click()
  await modalOf(page).getByLabel('Reason').fill('Decided')
  await modalOf(page).getByRole('button', { name: 'Close case', exact: true }).click()
  await waitForText(page, 'Money is still held for this case.')
  await page.goto(`${bench.url}/dashboard/credits/${id}`)
  await page.getByRole('link', { name: /^CAS/ }).click()
  await waitForText(page, 'The payer was deceived')
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/cases`)
  await page.goto(`${page.url()}`)
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('409')),
    [],
  )
})

test('a user who is no operator sees no cases', async () => {
  await using opened = await bench.openAs(browser, { role: 'finance', width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/credits`)
  await page.getByRole('heading', { name: 'Credits' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Cases' }).count(), 0)
})
