// Lists by keyboard and by filter in a real browser: shortcuts work from anywhere, one press chooses a
// period, and each list shows its count and sum.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { fillDays, startDashboardBench } from '../support/dashboard-bench.ts'
import { goByLetter } from '../support/pressing.ts'

const bench = closeAfterTests(await startDashboardBench())
await fillDays(bench, 8)
const browser = closeAfterTests(await openBrowser())

const dialogOf = (page: Page) => page.locator('dialog.modal')
const rowsOf = (page: Page) => page.locator('#content a.row-link')
const totalOf = (page: Page) => page.getByRole('status', { name: 'List total' })
// Returns the names of all views in the menu, after unfolding its groups.
async function viewsOf(page: Page): Promise<string[]> {
  const folded = page.locator('.menu-group[aria-expanded=false]')
  while ((await folded.count()) > 0) await folded.first().dispatchEvent('click')
  return page.locator('.side nav a').allInnerTexts()
}

const focusedText = (page: Page) => page.evaluate<string>('document.activeElement.textContent')

test('g and a letter go to every view that has one; ? lists them; both can be turned off', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.stat').first().waitFor()
  await page.keyboard.press('?')
  await dialogOf(page).getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  const places = await dialogOf(page)
    .locator('section', { hasText: 'Go to' })
    .locator('dl > div')
    .evaluateAll((all) =>
      all.map((each) => [...each.querySelectorAll('dt, kbd')].map((part) => part.textContent)),
    )
  const names = await viewsOf(page)
  assert.equal(places.length, names.length, 'every view has a letter')
  await page.keyboard.press('Escape')
  await dialogOf(page).waitFor({ state: 'detached' })

  for (const [name, , letter] of places as string[][]) {
    await goByLetter(page, { name: name as string, letter: letter as string })
  }
  await page.keyboard.press('?')
  await dialogOf(page).getByLabel('Single-key shortcuts').uncheck()
  await dialogOf(page).getByRole('button', { name: 'Close' }).click()
  await page.keyboard.press('?')
  await page.keyboard.press('g')
  await page.keyboard.press('p')
  assert.equal(await dialogOf(page).count(), 0)
  assert.match(page.url(), /developers/)
  await page.keyboard.press('Control+k')
  await page.locator('#search:focus').waitFor()
  assert.deepEqual(problems, [])
})

for (const width of [360, 1280]) {
  test(`j and k walk a list of ${width} pixels, Enter opens, Escape comes back to the row`, async () => {
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/payments`)
    await rowsOf(page).nth(2).waitFor()
    const names = await rowsOf(page).allTextContents()
    await page.keyboard.press('j')
    assert.equal(await focusedText(page), names[0])
    await page.keyboard.press('j')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('k')
    assert.equal(await focusedText(page), names[1])
    await page.keyboard.press('k')
    await page.keyboard.press('k') // The first row is the top: the key has no effect.
    assert.equal(await focusedText(page), names[0])

    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    await page.locator('dialog.drawer .headline').waitFor()
    const second = page.url()
    await page.keyboard.press('j') // In an open drawer, moves to the next row.
    await page.waitForURL((url) => url.href !== second)
    await page.keyboard.press('k')
    await page.waitForURL(second)
    await page.locator('dialog.drawer .headline').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog.drawer').waitFor({ state: 'detached' })
    assert.equal(await focusedText(page), names[1])
    await page.keyboard.press('/')
    await page.keyboard.type('jk?g') // In a field, these are letters.
    assert.equal(await page.locator('#search').inputValue(), 'jk?g')
    assert.equal(await dialogOf(page).count(), 0)
    assert.deepEqual(problems, [])
  })
}

// Returns the count and sum of a list, from the API, as the page shows them.
async function sumOf(path: string, query = ''): Promise<string> {
  const { data } = (await bench.call({ url: `/api/v1/${path}/summary${query}` })).json()
  const sum = new Intl.NumberFormat('en-NG', { style: 'currency', currency: 'NGN' })
  return `${data.count} items${sum.format(data.totals[0].amount)}`
}

for (const [width, path] of [
  [1280, 'credits'],
  [360, 'payments'],
] as const) {
  test(`periods, amounts and order of ${path} are counted and added up at ${width} pixels`, async () => {
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/${path}`)
    await rowsOf(page).first().waitFor()
    const all = await sumOf(path)
    await totalOf(page).getByText('items').waitFor()
    assert((await totalOf(page).textContent())?.startsWith(all), all)
    if (width < 600) await page.getByRole('button', { name: 'Filters' }).click()

    const period = (name: string) => page.getByRole('button', { name, exact: true })
    await period('Today').click()
    await page.waitForURL(/from=/)
    const today = new URL(page.url()).searchParams
    assert.equal(today.get('from'), today.get('to'))
    assert.equal(await period('Today').getAttribute('aria-pressed'), 'true')
    assert.equal(await page.getByLabel('From', { exact: true }).inputValue(), today.get('from'))
    await period('Yesterday').click()
    await period('Last 7 days').click()
    await period('This month').click()
    await page.waitForURL(/-01&/)
    await period('This month').click() // Pressing the button again removes the filter.
    await page.waitForURL((url) => !url.search.includes('from='))

    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByRole('button', { name: 'Minimum amount', exact: true }).click()
    await page.getByLabel('Minimum amount').fill('₦5,000')
    await page.getByLabel('Minimum amount').press('Enter')
    await page.waitForURL(/minAmount=5000/)
    const large = await sumOf(path, '?minAmount=5000')
    assert.notEqual(large, all)
    await totalOf(page)
      .getByText(large.replace(/.*items/, ''))
      .waitFor()
    await page.locator('th[aria-sort] button').click()
    await page.locator('th[aria-sort=ascending]').waitFor()
    assert.match(page.url(), /minAmount=5000/)
    assert((await totalOf(page).textContent())?.startsWith(large))
    assert.deepEqual(await findAxeFaults(page), [])
    await page.getByRole('button', { name: 'Clear', exact: true }).click()
    await page.waitForURL((url) => !url.search.includes('minAmount'))
    assert.equal(await page.getByLabel('Minimum amount').inputValue(), '')
    assert.deepEqual(problems, [])
  })
}
