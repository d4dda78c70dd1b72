// The filters of a list, typed letter by letter: a value is applied when it is complete, and the focus
// stays in its field.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
await createAccount(bench, { accountName: 'Ada Obi' })

const field = (page: Page, name: string) => page.locator(`#filter-${name}`)
const focusedId = (page: Page) => page.evaluate('document.activeElement?.id')

// Waits until the address of the page has this filter.
async function untilFiltered(page: Page, name: string, value: string | null): Promise<void> {
  const expected = JSON.stringify(value)
  await untilTrue(page, `new URLSearchParams(location.search).get('${name}') === ${expected}`)
}

test('a date is typed part by part, and asked for when it is whole', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const urls: string[] = []
  page.on('request', (request) => urls.push(new URL(request.url()).searchParams.get('from') ?? ''))
  await page.goto(`${bench.url}/dashboard/accounts`)
  await field(page, 'from').focus()

  await page.keyboard.type('11152026')
  await untilFiltered(page, 'from', '2026-11-15')
  assert.equal(await focusedId(page), 'filter-from')
  await page.keyboard.press('Shift+Tab') // Moves from the year of the date back to the day.
  await page.keyboard.type('09')
  await untilFiltered(page, 'from', '2026-11-09')
  assert.equal(await focusedId(page), 'filter-from')

  assert.deepEqual(
    [...new Set(urls)].filter((from) => from !== '' && !from.startsWith('2026-')),
    [],
  )
  await page.getByRole('button', { name: 'Clear', exact: true }).click()
  await untilFiltered(page, 'from', null)
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
  await untilFiltered(page, 'name', 'ada')
  assert.equal(await focusedId(page), 'filter-name')
  await page.keyboard.type(' obi')
  await page.keyboard.press('Enter')
  await untilFiltered(page, 'name', 'ada obi')
  assert.equal(await focusedId(page), 'filter-name')
  await page.getByRole('button', { name: 'Add filter' }).press('Enter')
  await page.getByRole('button', { name: 'Maximum balance' }).press('Enter')
  await untilTrue(page, `document.activeElement.id === 'filter-maxAmount'`)
  await page.keyboard.type('₦6,000')
  await page.keyboard.press('Enter')
  await untilFiltered(page, 'maxAmount', '6000')

  assert.equal(await focusedId(page), 'filter-maxAmount')
  await untilTrue(page, `document.activeElement.value === '6000'`)
  await page.getByRole('link', { name: 'Ada Obi' }).waitFor()
  assert.deepEqual(problems, [])
})

for (const width of [1280, 360]) {
  test(`a filter is added, shown as a chip and removed by keyboard at ${width} pixels`, async () => {
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/accounts?email=nobody%40shop.example`)
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const add = button('Add filter')
    await page.getByText('No results match these filters').waitFor()
    assert.equal(await field(page, 'merchantId').count(), 0)
    if (width < 600) await page.getByRole('button', { name: 'Filters (1)' }).press('Enter')

    await add.press('Enter')
    await button('Merchant ID').focus()
    await page.keyboard.press('Escape')
    assert.equal(await add.getAttribute('aria-expanded'), 'false')
    await untilTrue(page, `document.activeElement.textContent === 'Add filter'`)
    await add.press('Enter')
    assert.deepEqual(await findAxeFaults(page), [])
    await button('Merchant ID').press('Enter')
    await untilTrue(page, `document.activeElement.id === 'filter-merchantId'`)
    await page.keyboard.type('SHOP-1')
    await page.keyboard.press('Enter')
    await untilFiltered(page, 'merchantId', 'SHOP-1')

    await page.locator('.chip', { hasText: 'SHOP-1' }).press('Enter')
    await untilFiltered(page, 'merchantId', null)
    await untilTrue(page, `document.activeElement.matches('.chip')`)
    await page.keyboard.press('Enter')
    await untilFiltered(page, 'email', null)
    await page.getByRole('link', { name: 'Ada Obi' }).waitFor()
    assert.equal(await page.locator('.chip').count(), 0)
    await untilTrue(page, `document.activeElement.closest('form.filters') !== null`)
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(problems, [])
  })
}

test('hidden columns stay hidden on this device, and dates follow the region of the user', async () => {
  for (const [locale, date] of [
    ['en-NG', /^\d+ [A-Z][a-z]{2}, \d\d:\d\d WAT$/],
    ['en-US', /^[A-Z][a-z]{2} \d+, \d\d:\d\d WAT$/],
    ['fr-FR', /^\d+ [A-Z][a-z]{2}, \d\d:\d\d WAT$/],
  ] as const) {
    await using opened = await bench.openAs(browser, { locale })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/accounts`)
    const heading = page.getByRole('columnheader', { name: 'Balance' })
    await heading.waitFor()
    assert.match(await page.locator('td.at-time').first().innerText(), date)

    await page.getByRole('button', { name: 'Columns' }).press('Enter')
    await page.getByText('Remembered on this device.').waitFor()
    assert(await page.getByLabel('Name', { exact: true }).last().isDisabled())
    await page.getByLabel('Balance', { exact: true }).press('Space')
    await heading.waitFor({ state: 'detached' })
    assert.deepEqual(await findAxeFaults(page), [])
    await page.reload()
    await page.getByRole('link', { name: 'Ada Obi' }).waitFor()
    assert.equal(await heading.count(), 0)
    await page.getByRole('button', { name: 'Columns' }).press('Enter')
    await page.getByLabel('Balance', { exact: true }).press('Space')
    await heading.waitFor()
    assert.deepEqual(problems, [])
  }
})
