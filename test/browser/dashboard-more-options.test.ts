// Rarely used fields in a real browser: the further options of a payment request and of a
// collection account, and the API's errors at their fields.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { createSubaccounts, postSplit, SPLITS, splitBody } from '../support/splits.ts'

const ACCOUNTS = '/api/v1/accounts/static'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
await createSubaccounts(bench, 'ADA', 'BOLA')
for (const code of ['HALF', 'OLD'])
  await postSplit(bench, splitBody(code, 'percentage', ['ADA', 50]))
await bench.call({ method: 'POST', url: `${SPLITS}/OLD/deactivate`, body: {} })

const modalOf = (page: Page) => page.locator('dialog.modal')
const optionsOf = (page: Page) =>
  modalOf(page).getByLabel('Split').locator('option').allInnerTexts()

// Returns the details of an account from the API.
async function detailsOf(accountNumber: string) {
  const { body } = await bench.call({ url: `${ACCOUNTS}/${accountNumber}/details` })
  return JSON.parse(body).data
}

test('a request takes a split, grace, webhook and payer rules; errors appear at their fields', async () => {
  await using opened = await bench.openAs(browser, { width: 360, colorScheme: 'dark' })
  const { page } = opened
  const modal = modalOf(page)
  const create = () => modal.getByRole('button', { name: 'Create request' }).click()
  await page.goto(`${bench.url}/dashboard/payments?new=request`)
  await modal.getByLabel('Amount in naira').fill('100')
  await modal.getByLabel('Customer name').fill('Ada')
  await modal.getByLabel('Return page').fill('https://shop.example/back')
  await modal.getByText('More options').click()
  await modal.getByLabel('Split').selectOption('HALF')
  assert.deepEqual(await optionsOf(page), ['None', 'Split HALF']) // The list lacks the inactive split.
  await modal.getByLabel('Grace period').selectOption('None')
  await modal.getByLabel('Webhook URL').fill('https://shop.example/hook')
  await modal.getByLabel('Maximum per transfer').fill('5,000')
  await modal.getByLabel('Payer names').fill('Ada Obi\nChidi')
  assert.deepEqual(await findAxeFaults(page), [])
  await modal.getByText('More options').click()
  assert.equal(await modal.getByLabel('Payer names').isVisible(), false)

  await create()
  const names = modal.locator('.field').filter({ hasText: 'Payer names' })
  await names.getByText('Must be at least two words:').waitFor()
  const [id] = await names.locator('.fault').evaluateAll((faults) => faults.map((each) => each.id))
  assert.equal(await modal.getByLabel('Payer names').getAttribute('aria-describedby'), id)
  assert.deepEqual(await findAxeFaults(page), [])
  await modal.getByLabel('Payer names').fill('Ada Obi\nChidi Eze')
  await create()
  await page.getByRole('heading', { name: 'Payment request created' }).waitFor()

  const [latest] = (await bench.call({ url: '/api/v1/advices?limit=1' })).json().data
  const { graceSeconds, splitCode, notificationUrl } = latest
  assert.deepEqual(
    [graceSeconds, splitCode, notificationUrl],
    [0, 'HALF', 'https://shop.example/hook'],
  )
  const { rows } = await bench.db.query('select payer_rules as rules from advices')
  assert.deepEqual(
    [rows.length, rows[0].rules.maxKobo, rows[0].rules.names],
    [1, '500000', ['Ada Obi', 'Chidi Eze']],
  )
})

test('a request without further options has the defaults', async () => {
  bench.advance(1_000)
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const modal = modalOf(page)
  await page.goto(`${bench.url}/dashboard/payments?new=request`)
  await modal.getByLabel('Amount in naira').fill('200')
  await modal.getByLabel('Customer name').fill('Bola')
  await modal.getByText('More options').click()
  await modal.getByLabel('Split').waitFor()
  await modal.getByRole('button', { name: 'Create request' }).click()
  await page.getByRole('heading', { name: 'Payment request created' }).waitFor()

  const [latest] = (await bench.call({ url: '/api/v1/advices?limit=1' })).json().data
  const { graceSeconds, splitCode, notificationUrl } = latest
  assert.deepEqual([graceSeconds, splitCode, notificationUrl], [300, null, null])
  assert.deepEqual(problems, [])
})

test('an account gets a NIN and a split; removing the split can be undone', async () => {
  const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' })
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const modal = modalOf(page)
  const pressSave = () => modal.getByRole('button', { name: 'Save' }).click()
  // Opens the dialog to edit the account, and waits until its fields are filled in.
  const edit = async () => {
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await modal.getByLabel('Split').waitFor()
  }
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)

  await edit()
  await modal.getByLabel('NIN').fill('12345678901')
  await modal.getByLabel('Split').selectOption('HALF')
  assert.deepEqual(await findAxeFaults(page), [])
  await pressSave()
  await page.getByText('Saved.').waitFor()
  // There is no Undo, because the dashboard does not know the NIN.
  assert.equal(await page.getByRole('button', { name: 'Undo' }).count(), 0)
  const details = await detailsOf(accountNumber)
  assert.equal(details.splitCode, 'HALF')
  assert.match(details.ninMasked, /01$/)
  await edit()
  await modal.getByText(`Leave empty to keep ${details.ninMasked}.`).waitFor()
  await modal.getByLabel('Split').selectOption('None')
  await pressSave()
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  const without = await detailsOf(accountNumber)
  assert.deepEqual([without.splitCode, without.ninMasked], [null, details.ninMasked])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Undone.').waitFor()

  assert.equal((await detailsOf(accountNumber)).splitCode, 'HALF')
  assert.deepEqual(problems, [])
})

test('a new account is given a split', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const modal = modalOf(page)
  await page.goto(`${bench.url}/dashboard/accounts?new=account`)
  await modal.getByLabel('Name', { exact: true }).fill('Chidi Eze')
  await modal.getByLabel('Email').fill('chidi@example.com')
  await modal.getByLabel('Phone').fill('+2348012345678')
  await modal.getByLabel('BVN').fill('22212345654')
  await modal.getByText('More options').click()
  await modal.getByLabel('Split').selectOption('HALF')
  await modal.getByRole('button', { name: 'Create account' }).click()
  await page.getByText(/Account \d{10} created/).waitFor()

  const [latest] = (await bench.call({ url: `${ACCOUNTS}?limit=1` })).json().data
  assert.deepEqual([latest.accountName, latest.splitCode], ['Chidi Eze', 'HALF'])
  assert.deepEqual(problems, [])
})
