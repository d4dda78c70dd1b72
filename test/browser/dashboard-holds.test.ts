// Holds in a real browser: an operator places one by keyboard and requests its end, and another operator
// approves. The client sees how much is held, but not why.

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
const URL = `${bench.url}/dashboard/holds`

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

// Presses a button of the dialog and waits until the dialog is gone.
async function submitDialog(page: Page, name: string) {
  await modalOf(page).getByRole('button', { name, exact: true }).click()
  await modalOf(page).waitFor({ state: 'detached' })
}

test('an operator holds money by keyboard, and two people release it', async () => {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '20000')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(URL)
  await waitForText(page, 'Nothing is held')
  await button(page, 'Place hold').press('Enter')
  const form = modalOf(page)
  assert.deepEqual(await findAxeFaults(page), [])
  await form.getByLabel('Client').fill('MAN0000001')
  await form.getByLabel('Account number').fill(accountNumber)
  await form.getByLabel('Amount').fill('15,000.00')
  await form.getByLabel('Reason').fill('Reported by GTBank')
  await form.getByLabel('Case').fill('GTB-77')
  await form.getByRole('button', { name: 'Place hold' }).press('Enter')
  await waitForText(page, /placed: ₦15,000.00 held now/)
  await waitForText(page, 'Reported by GTBank')

  await button(page, 'Release').click()
  await modalOf(page).getByLabel('Reason').fill('The payer withdrew the report')
  await submitDialog(page, 'Request approval')
  await waitForText(page, 'You requested this. Another user must approve it.')
  await assertFaultlessThroughout(page, page.url())

  await using other = await bench.openAs(browser, { role: 'operator' })
  await other.page.goto(`${bench.url}/dashboard`)
  await waitForText(other.page, 'Holds to end')
  await other.page.goto(page.url())
  await waitForText(other.page, 'Release requested')
  await button(other.page, 'Approve').click()
  await submitDialog(other.page, 'Approve')
  await waitForText(other.page, 'Released.')
  assert.equal((await readBalance()).held, 0)
  assert.deepEqual([...problems, ...other.problems], [])
})

test('a client sees what is held in its balances and the credit’s timeline, but not why', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '700')
  const body = { target: 'credit', clientId: 'MAN0000001', sessionId, reason: 'Secret reason' }
  const answer = await bench.call({ url: '/api/v1/operator/holds', body })
  assert.equal(answer.statusCode, 200, answer.body)

  await using opened = await bench.openAs(browser, { role: 'owner', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/ledger`)
  await page.getByText('Stopped by the operator', { exact: true }).first().waitFor()
  await waitForText(page, '₦700.00')
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/ledger`)
  const { id } = (await bench.call({ url: `/api/v1/credits/${sessionId}` })).json().data
  await page.goto(`${bench.url}/dashboard/credits/${id}`)
  await waitForText(page, 'Held by the operator.')
  assert.equal(await page.getByText('Secret reason').count(), 0)
  assert.deepEqual(problems, [])
})

async function readBalance() {
  return (await bench.call({ url: '/api/v1/balances' })).json().data.totals[0]
}
