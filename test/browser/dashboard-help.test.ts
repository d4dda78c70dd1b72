// Help in the dashboard: terms show their definition from the glossary on hover, focus and touch, and every
// view links to a guide.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { fillDays, startDashboardBench } from '../support/dashboard-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
await fillDays(bench)

const VIEWS = [
  ['', 'payments', 'accounts', 'credits', 'suspense', 'returns', 'rail-items', 'holds'],
  ['screening', 'cases', 'payouts', 'refunds', 'ledger', 'statements', 'reconciliation'],
  ['accounting', 'adjustments', 'alerts', 'banks', 'clients', 'sandbox-bank', 'webhooks'],
  ['messages', 'developers', 'settings', 'settlements', 'reports'],
].flat()

test('every view explains its terms and links to a guide that opens', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const guides = new Set<string>()
  for (const view of VIEWS) {
    await page.goto(`${bench.url}/dashboard/${view}`)
    await page.getByRole('button', { name: /^Help on / }).click()
    const links = page.locator('.view-help-text a')
    await links.first().waitFor()
    for (const link of await links.all()) guides.add((await link.getAttribute('href')) ?? '')
  }
  for (const guide of guides) {
    const [url = '', anchor] = guide.split('#')
    const { statusCode, body } = await bench.call({ url, token: null })
    assert.equal(statusCode, 200, guide)
    assert(!anchor || body.includes(` id="${anchor}"`), guide)
  }
  assert(guides.size > 20)
  assert.deepEqual(problems, [])
})

for (const width of [360, 1280]) {
  test(`the help of a view opens and closes by keyboard, ${width} pixels wide`, async () => {
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/payments`)
    await page.locator('.row-link').first().waitFor()
    const help = page.getByRole('button', { name: 'Help on Payments' })
    await help.press('Enter')
    const text = page.getByRole('region', { name: 'Help on Payments' })
    await text.getByText('Asks one customer for one payment').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    const box = await text.boundingBox()
    assert(box && box.x >= 0 && box.x + box.width <= width)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')

    await text.waitFor({ state: 'hidden' })
    await page.locator('.view-help button:focus').waitFor()
    assert.deepEqual(problems, [])
  })
}

test('a term in a drawer is explained at a touch, and Escape closes the definition only', async () => {
  await using opened = await bench.openAs(browser, { width: 360, hasTouch: true })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/credits`)
  await page.locator('.row-link').first().tap()
  const drawer = page.locator('dialog.drawer')
  const definition = drawer.getByText(/^The interbank identifier of a transfer/)
  await drawer.getByRole('button', { name: 'Session ID', exact: true }).tap()
  await definition.waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await page.keyboard.press('Escape')

  await definition.waitFor({ state: 'hidden' })
  assert.equal(await drawer.isVisible(), true)
  assert.deepEqual(problems, [])
})

test('a page that is printed in the dark theme is white', async () => {
  await using opened = await bench.openAs(browser, { colorScheme: 'dark' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payments`)
  await page.locator('.row-link').first().waitFor()
  // Returns the red, green and blue parts of the page's background.
  const partsOfColour = async () => {
    const colour = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    return colour.match(/\d+/g)?.map(Number)
  }
  assert((await partsOfColour())?.every((part) => part < 60))

  await page.emulateMedia({ media: 'print' })

  assert((await partsOfColour())?.every((part) => part > 240))
  assert.equal(await page.locator('.side').isVisible(), false)
  assert.equal(await page.getByRole('button', { name: 'Help on Payments' }).isVisible(), false)
})
