// The list of adjusting entries in a real browser can be filtered by state and exported, and entries are
// decided from it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { addLineDifference, RECONCILIATION } from '../support/differences.ts'
import { dataOf } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'

const ENTRIES = `${RECONCILIATION}/adjusting-entries`

const browser = closeAfterTests(await openBrowser())
const bench = closeAfterTests(await startDashboardBench())

test('adjusting entries are listed by state, decided from the list and exported', async () => {
  const maker = await newBrowser(bench, 'operator')
  // Requests an adjusting entry for a new difference of this amount, and returns its reference.
  const request = async (amount: number) => {
    const difference = { kind: 'missing_in_books', line: { amount }, day: '2025-01-01' } as const
    const { id: differenceId } = await addLineDifference(bench, difference)
    const body = { differenceId, account: 'due_to_bank', amount, reason: 'Their letter' }
    return dataOf(await maker.call({ url: ENTRIES, body })).reference as string
  }
  const [rejected, open] = [await request(12), await request(34)]
  const body = { reason: 'No letter' }
  const decider = await newBrowser(bench, 'operator')
  dataOf(await decider.call({ url: `${ENTRIES}/${rejected}/reject`, body }))

  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/reconciliation?tab=entries`
  await page.goto(url)
  await page.getByText('₦12.00').first().waitFor()
  await page.getByLabel('Status', { exact: true }).selectOption('open')
  await page.getByText('₦12.00').first().waitFor({ state: 'detached' })
  const csv = page.getByRole('link', { name: /CSV/ }).first()
  const file = await page.request.get(new URL((await csv.getAttribute('href')) ?? '', url).href)
  const text = await file.text()
  assert.match(text, new RegExp(open))
  assert.doesNotMatch(text, new RegExp(rejected))

  await page.getByText('₦34.00').first().click()
  const drawer = page.locator('dialog.drawer')
  await drawer.getByText(open).waitFor()
  await drawer.getByRole('button', { name: 'Approve' }).click()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.locator('dialog.modal').getByRole('button', { name: 'Approve' }).click()
  await drawer.getByText('Approved', { exact: true }).first().waitFor()
  await assertFaultlessThroughout(page, url)
  assert.deepEqual(problems, [])
})
