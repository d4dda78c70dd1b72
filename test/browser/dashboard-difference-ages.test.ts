// Differences and reconciling items can be filtered by each age that the dashboard offers. The aged report
// has the same ages.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { AGEING_BUCKETS } from '#records/shared-sql.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { addLineDifference, resolve } from '../support/differences.ts'
import { newBrowser } from '../support/people.ts'

const AGES = [0, 5, 20, 45, 75, 120, 200, 400] // Days: one in each range of ages that the dashboard offers.

const browser = closeAfterTests(await openBrowser())
const bench = closeAfterTests(await startDashboardBench())

// Each difference has a different amount: ₦1.00 for the youngest, ₦8.00 for the oldest.
for (const [at, days] of AGES.entries()) {
  const day = new Date(bench.clock().getTime() - days * 86_400_000).toISOString().slice(0, 10)
  const line = { amount: at + 1 }
  const { id } = await addLineDifference(bench, { kind: 'missing_in_books', line, day })
  const noted = await resolve(await newBrowser(bench, 'operator'), id, 'note')
  assert.equal(noted.statusCode, 200, noted.body)
}
await addLineDifference(bench, { kind: 'missing_in_books', line: { amount: 9 }, day: '2025-01-01' })

// Returns the amounts in the list, such as 3.00, by which the test tells the differences apart.
async function amountsOf(page: Page): Promise<string[]> {
  const text = await page.locator('table.list tbody').innerText()
  return [...text.matchAll(/₦([0-9]\.[0-9]{2})/g)].map(([, amount]) => amount as string)
}

for (const tab of ['differences', 'reconciling']) {
  test(`${tab} are filtered by every age that is offered`, async () => {
    await using opened = await bench.openAs(browser, { role: 'operator' })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/reconciliation?tab=${tab}&state=resolved`)
    const ages = page.getByLabel('Age', { exact: true })
    await ages.waitFor()
    const offered = await ages
      .locator('option')
      .evaluateAll((options) =>
        options.map((option) => option.getAttribute('value') ?? '').filter(Boolean),
      )
    assert.deepEqual(offered, [...AGEING_BUCKETS])
    for (const [at, bucket] of offered.entries()) {
      const answer = page.waitForResponse(
        (response) => new URL(response.url()).searchParams.get('bucket') === bucket,
      )
      await ages.selectOption(bucket)
      assert.equal((await answer).status(), 200)
      await page
        .getByText(`₦${at + 1}.00`)
        .first()
        .waitFor()
      assert.deepEqual(new Set(await amountsOf(page)), new Set([`${at + 1}.00`]))
    }
    assert.deepEqual(problems, [])
  })
}

test('the aged report has a column for each age, and a row for reconciling items', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  const report = page.locator('table.ageing')
  await report.waitFor()
  assert.equal(await report.locator('thead th').count(), 1 + AGEING_BUCKETS.length)
  const rows = (await report.locator('tbody tr').allInnerTexts()).map((row) =>
    row.replaceAll(/\s+/g, ' '),
  )
  assert.equal(rows.length, 2, rows.join('\n'))
  assert.match(rows.find((row) => /reconciling items/.test(row)) ?? '', /1\.00.*8\.00/)
  await page.getByRole('link', { name: /9\.00/ }).click()
  await page.getByText('₦9.00').first().waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})
