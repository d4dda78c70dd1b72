// Users reverse the order of a list by the heading of its time column, also by keyboard. The address of the
// page keeps the order, and further pages and the exported file follow it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { fillDays, startDashboardBench } from '../support/dashboard-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
await fillDays(bench, 8)
const browser = closeAfterTests(await openBrowser())

// Returns the times of the rows that the list shows, from top to bottom.
async function timesOf(page: Page): Promise<string[]> {
  await page.locator('table.list tbody tr').first().waitFor()
  return page.locator('td.at-time time').evaluateAll((all) => all.map((each) => each.dateTime))
}

const sortOf = (page: Page, sort: string) => page.locator(`th[aria-sort="${sort}"]`).waitFor()

for (const [path, name] of [
  ['payments', 'Created'],
  ['accounts', 'Created'],
  ['credits', 'Received'],
] as const) {
  test(`${path} are turned round by keyboard, and stay so`, async () => {
    await using opened = await bench.openAs(browser)
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/${path}`)
    const newest = await timesOf(page)
    await sortOf(page, 'descending')
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press('Enter')
    await sortOf(page, 'ascending')
    const oldest = await timesOf(page)

    assert.deepEqual(newest, newest.toSorted().reverse())
    assert.deepEqual(oldest, oldest.toSorted())
    assert.equal(new URL(page.url()).search, '?order=oldest')
    await untilTrue(page, `document.activeElement.textContent === ${JSON.stringify(name)}`)
    const file = await page.getByRole('link', { name: 'Export CSV' }).getAttribute('href')
    assert.match(file as string, /\.csv\?order=oldest&(?:columns=[\w%]+&)?for=spreadsheet$/)
    assert.deepEqual(await findAxeFaults(page), [])
    await page.reload()
    assert.deepEqual(await timesOf(page), oldest)
    await page.getByRole('button', { name, exact: true }).focus()
    await page.keyboard.press('Space')
    await sortOf(page, 'descending')
    assert.deepEqual(await timesOf(page), newest)
    assert.equal(new URL(page.url()).search, '')
    assert.deepEqual(problems, [])
  })
}

test('on a narrow page too; the pages after the oldest are newer', async () => {
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/credits`)
  await timesOf(page)
  await page.getByRole('button', { name: 'Received', exact: true }).click()
  await sortOf(page, 'ascending')
  const first = await timesOf(page)
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.getByText('Page 2').waitFor()

  const second = await timesOf(page)
  assert((second[0] as string) >= (first.at(-1) as string))
  assert.deepEqual(problems, [])
})
