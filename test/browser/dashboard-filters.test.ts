// The filters of a list by keyboard, letter by letter: what is typed is applied when it is complete, and
// the focus stays where somebody types.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
await createAccount(bench, { accountName: 'Ada Obi' })

const field = (page: Page, name: string) => page.locator(`#filter-${name}`)
const focused = (page: Page) => page.evaluate('document.activeElement?.id')

async function untilAsked(page: Page, name: string, value: string | null): Promise<void> {
  const asked = JSON.stringify(value)
  await untilTrue(page, `new URLSearchParams(location.search).get('${name}') === ${asked}`)
}

test('a date is typed part by part, and asked for when it is whole', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).searchParams.get('from') ?? ''))
  await page.goto(`${bench.url}/dashboard/accounts`)
  await field(page, 'from').focus()

  await page.keyboard.type('11152026')
  await untilAsked(page, 'from', '2026-11-15')
  assert.equal(await focused(page), 'filter-from')
  await page.keyboard.press('Shift+Tab') // From the year to the day.
  await page.keyboard.type('09')
  await untilAsked(page, 'from', '2026-11-09')
  assert.equal(await focused(page), 'filter-from')

  assert.deepEqual(
    [...new Set(asked)].filter((from) => from !== '' && !from.startsWith('2026-')),
    [],
  )
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await untilAsked(page, 'from', null)
  assert.equal(await field(page, 'from').inputValue(), '')
  assert.deepEqual(problems, [])
})

test('Enter applies text and amounts, and typing goes on', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/accounts`)
  await field(page, 'name').focus()

  await page.keyboard.type('ada')
  await page.keyboard.press('Enter')
  await untilAsked(page, 'name', 'ada')
  assert.equal(await focused(page), 'filter-name')
  await page.keyboard.type(' obi')
  await page.keyboard.press('Enter')
  await untilAsked(page, 'name', 'ada obi')
  assert.equal(await focused(page), 'filter-name')
  await field(page, 'maxAmount').focus()
  await page.keyboard.type('₦6,000')
  await page.keyboard.press('Enter')
  await untilAsked(page, 'maxAmount', '6000')

  assert.equal(await focused(page), 'filter-maxAmount')
  await untilTrue(page, `document.activeElement.value === '6000'`)
  await page.getByRole('link', { name: 'Ada Obi' }).waitFor()
  assert.deepEqual(problems, [])
})
