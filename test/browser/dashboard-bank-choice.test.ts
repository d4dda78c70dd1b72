// Users choose a bank in the dashboard's forms by searching for any name or code.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('banks to pay to are found by any name or code; those that cannot be paid are left out', async () => {
  await bench.newClient('CHOICE1')
  await using opened = await bench.openAs(browser, { clientId: 'CHOICE1', role: 'finance' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts?tab=bankAccounts`)
  await page.getByRole('button', { name: 'Add bank account' }).first().click()
  const modal = page.locator('dialog.modal')
  const options = modal.getByLabel('Bank', { exact: true }).locator('option[value]')
  // Types a search and returns the names of the banks that the list offers.
  const searchBanks = async (search: string) => {
    await modal.getByLabel('Search the list').fill(search)
    const names = await options.allTextContents()
    return names.slice(1) // The first option is the placeholder.
  }
  assert.deepEqual(await searchBanks('GTBank'), ['Guaranty Trust Bank'])
  assert.deepEqual(await searchBanks('000013'), ['Guaranty Trust Bank'])
  assert.deepEqual(await searchBanks('00103'), ['Globus Bank'])
  assert.deepEqual(await searchBanks('Heritage'), [])
  assert.deepEqual(problems, [])
})
