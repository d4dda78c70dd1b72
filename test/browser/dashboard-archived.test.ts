// Archived credits in a real browser: found by session id, with where they are and nothing to press that
// would be refused; and a list that says what it lacks.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { archiveLater } from '../support/archiving.ts'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { PAYER } from '../support/refunding.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const { accountNumber } = await createAccount(bench)
const archived = await credit(bench, accountNumber, '125000.00', PAYER)
await archiveLater(bench)
const live = await credit(bench, accountNumber, '7500.00', PAYER)

test('a drawer says that its credit is archived, and offers no refund', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const list = page.locator('table.list tbody tr')
  const drawer = page.locator('dialog.drawer')
  const refund = drawer.getByRole('button', { name: 'Refund' })

  await page.goto(`${bench.url}/dashboard/credits?sessionId=${live}`)
  await list.first().click()
  await refund.waitFor()
  let asked = 0
  page.on('request', (request) => (asked += Number(/\/refunds\?/.test(request.url()))))
  await page.goto(`${bench.url}/dashboard/credits?sessionId=${archived}`)
  await list.first().click()

  await drawer.getByText('Archived in November 2026', { exact: true }).waitFor()
  await drawer.getByText('From an archived payer').waitFor()
  await drawer.getByText(/^Archived with November 2026/).waitFor()
  assert.deepEqual([asked, await refund.count()], [0, 0])
  assert.equal(await page.locator('.list-end').count(), 0)
  assert.deepEqual(problems, [])
})

test('a list says that older credits are archived where its filters reach them', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const [row, note] = [page.locator('table.list tbody tr'), page.locator('.list-end')]
  const csv = page.locator('a[download]')
  const show = async (query: string) => {
    await page.goto(`${bench.url}/dashboard/credits${query}`)
    await page.locator('.listing tbody tr, .empty').first().waitFor()
    return [await row.count(), await note.count(), await csv.count()]
  }

  assert.deepEqual(await show(''), [1, 1, 1])
  assert.match(await note.innerText(), /before Tuesday,? 1 December 2026 may be archived/)
  assert.deepEqual(await show('?from=2026-12-01'), [1, 0, 1])
  assert.deepEqual(await show('?from=2026-11-30'), [1, 1, 0])
  assert.deepEqual(await show('?to=2026-11-30'), [0, 1, 0])
  assert.deepEqual(await show('?outcome=reversed'), [0, 0, 1])
  assert.deepEqual(problems, [])
})
