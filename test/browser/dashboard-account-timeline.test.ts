// The timeline of a collection account in a real browser: entries that a user has loaded stay on the page
// when newer ones arrive.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const PAGE = 20

test('every credit is still told after more came in than fit on a page', async () => {
  const { accountNumber } = await createAccount(bench)
  // Receives a credit of each whole amount in naira between these two.
  const receiveCredits = async (from: number, to: number) => {
    for (let naira = from; naira <= to; naira++) await credit(bench, accountNumber, `${naira}.00`)
  }
  await receiveCredits(1, 2 * PAGE + 5)
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
  const entries = page.locator('dialog.drawer ol.timeline').first().locator('li.good')
  await entries.nth(PAGE - 1).waitFor()
  await page.getByRole('button', { name: 'Load earlier' }).click()
  await entries.nth(2 * PAGE - 1).waitFor()
  assert.equal(await entries.count(), 2 * PAGE)

  await receiveCredits(2 * PAGE + 6, 3 * PAGE + 7)
  await entries.filter({ hasText: `₦${3 * PAGE + 7}.00` }).waitFor()

  const amounts = await entries.locator('.money').allInnerTexts()
  const oldest = 6
  const all = Array.from({ length: 3 * PAGE + 7 - oldest + 1 }, (_, at) => `₦${oldest + at}.00`)
  assert.deepEqual(
    all.filter((amount) => !amounts.includes(amount)),
    [],
  )
  assert.equal(new Set(amounts).size, amounts.length)
  assert.deepEqual(problems, [])
})
