// The dashboard in a real browser: money appears as it arrives, every row opens its details, lists are
// filtered, paged and exported, all of it also by keyboard. It works at every width, in light and dark,
// without a fault that axe-core or the console reports.

import assert from 'node:assert/strict'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultless, findAxeFaults, openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { fillDays, startDashboardBench } from '../support/dashboard-bench.ts'
import { simulate, startPayment } from '../support/fixtures.ts'
import { listener } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
await fillDays(bench, 8)
const browser = closeAfterTests(await openBrowser())

const rowsOf = (page: Page) => page.locator('table.list tbody tr')
const drawerOf = (page: Page) => page.getByRole('dialog')

test('a payment shows on Today and in its list as it is made and paid, with its story', async () => {
  await using hooks = await listener()
  await bench.addEndpoint(hooks.url)
  await using opened = await bench.openAs(browser)
  const { page, problems, hosts } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.getByText('Live', { exact: true }).waitFor()
  const collected = page.locator('.stat.main .stat-value')
  const before = await collected.innerText()
  const tab = await page.context().newPage()
  await tab.clock.setFixedTime(bench.clock())
  const streaming = tab.waitForResponse(/events\/stream/)
  await tab.goto(`${bench.url}/dashboard/payments`)
  await rowsOf(tab).first().waitFor()
  await streaming

  const { bankAccount, paymentReference } = await startPayment(bench, {
    amount: 12_345.6,
    merchantRef: 'LIVE-1',
    callBackUrl: `${hooks.url}/back`,
  })
  await rowsOf(tab).filter({ hasText: 'LIVE-1' }).getByText('Processing').waitFor()
  await simulate(bench, bankAccount, '12345.60')
  await rowsOf(tab).filter({ hasText: 'LIVE-1' }).getByText('Successful').waitFor()
  await page.locator('.feed li').first().getByText('₦12,345.60').waitFor()
  await page.getByText('₦12,345.60 received.').waitFor({ state: 'attached' })
  await collected.filter({ hasNotText: before }).waitFor()
  await bench.dispatch()
  await bench.deliver(bench.newDeliverer()) // A deliverer with the timeouts of the real one.
  await rowsOf(tab).filter({ hasText: 'LIVE-1' }).getByRole('link').click()

  const drawer = drawerOf(tab)
  await drawer.getByText('Payment requested from Ada Obi.').waitFor()
  await drawer
    .getByText(/^[1-9] of [1-9] delivered$/)
    .first()
    .waitFor()
  assert.equal(await drawer.getByText('Event payment.successful.').isVisible(), false)
  await drawer.locator('.deliveries summary').first().click()
  await drawer
    .getByText(/^Webhook payment\.successful: HTTP 200 in \d+ ms\./)
    .first()
    .waitFor()
  await drawer.getByText('Event payment.successful.').waitFor()
  assert.equal(new URL(tab.url()).pathname, `/dashboard/payments/${paymentReference}`)
  assert.deepEqual(problems, [])
  assert.deepEqual(hosts(), [new URL(bench.url).host])
})

test('filters narrow a list, stay in the address, and are cleared', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments`)
  await rowsOf(page).first().waitFor()

  await page.getByLabel('Status').selectOption('Expired')
  await untilTwoRows(page)
  assert.match(page.url(), /\?status=Expired$/)
  await page.reload()
  await untilTwoRows(page)
  await page.getByLabel('Reference', { exact: true }).fill('ORDER-1040')
  await page.getByLabel('Reference', { exact: true }).press('Enter')
  await page.getByText('No results match these filters').waitFor()
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await rowsOf(page).nth(4).waitFor()

  assert.equal(new URL(page.url()).search, '')
  assert.deepEqual(problems, [])
})

// Waits until the list has exactly two rows.
async function untilTwoRows(page: Page): Promise<void> {
  await rowsOf(page).nth(2).waitFor({ state: 'detached' })
  await rowsOf(page).nth(1).waitFor()
}

test('a filter that the service refuses is explained where the list would be', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/credits?accountNumber=123`)

  const alert = page.getByRole('alert').filter({ hasText: 'accountNumber' })
  await alert.getByText('accountNumber: Must be 10 digits.').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
})

test('pages go further and back, each row on one of them', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/credits`)
  // Returns the session ids of the rows that the list shows.
  const listedSessionIds = async () => {
    await rowsOf(page).first().waitFor()
    return page.locator('td code.long').allInnerTexts()
  }
  const first = await listedSessionIds()
  await page.getByRole('button', { name: 'Older' }).click()
  await page.getByText('Page 2').waitFor()
  const second = await listedSessionIds()
  assert.equal(await page.locator(':focus').innerText(), 'Older')
  await page.getByRole('button', { name: 'Newer' }).click()
  await page.getByText('Page 1').waitFor()

  assert.equal(first.length, 25)
  assert.deepEqual(await listedSessionIds(), first)
  assert.equal(new Set([...first, ...second]).size, first.length + second.length)
  assert.deepEqual(problems, [])
})

test('a list is saved as CSV, as it is filtered', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/credits?outcome=suspended`)
  await rowsOf(page).first().waitFor()
  const count = await rowsOf(page).count()

  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export CSV' }).click()
  const download = await downloading

  assert.equal(download.suggestedFilename(), 'credits.csv')
  // One line for every movement of the listed credits.
  const movements = parseCsv(String(await buffer(await download.createReadStream())))
  assert.equal(new Set(movements.map(({ creditId }) => creditId)).size, count)
  assert(movements.some(({ movement }) => movement === 'suspend'))
})

test('search finds by name and reference, and opens what was chosen', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.stat').first().waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('ORDER-1042')
  await page.getByRole('option').getByText('Folake Balogun').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.keyboard.press('Enter')
  await drawerOf(page).getByRole('code').getByText('ORDER-1042').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('combobox', { name: 'Search' }).fill('nobody at all')
  await page.getByText(/^No results\./).waitFor()

  assert.deepEqual(problems, [])
})

test('everything is done by keyboard: skip, menu, rows, drawer, and back', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payments`)
  await rowsOf(page).first().waitFor()
  const focusedText = () => page.evaluate<string>(`document.activeElement.textContent`)

  await page.keyboard.press('Tab')
  assert.equal(await focusedText(), 'Skip to content')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(`document.activeElement.id`), 'content')
  await page.locator('a.row-link').first().focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  const name = await focusedText()
  await page.keyboard.press('Enter')
  await drawerOf(page).getByText(`From ${name}`, { exact: true }).waitFor()
  // Tab stays inside: the list behind is unreachable.
  for (let steps = 0; steps < 30; steps++) {
    await page.keyboard.press('Tab')
    assert(
      await page.evaluate(`document.activeElement.closest('main') === null
                                || document.activeElement.closest('dialog') !== null`),
    )
  }
  await page.keyboard.press('Escape')
  await drawerOf(page).waitFor({ state: 'detached' })

  await untilTrue(page, `document.activeElement.textContent === ${JSON.stringify(name)}`)
  assert.equal(new URL(page.url()).pathname, '/dashboard/payments')
})

test('going back closes what was opened; a link to it opens it', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/accounts`)
  await rowsOf(page).first().click()
  await drawerOf(page)
    .getByText(/^Account opened for /)
    .waitFor()
  const link = page.url()
  await page.goBack()
  await drawerOf(page).waitFor({ state: 'detached' })
  await page.goto(link)

  await drawerOf(page)
    .getByText(/^Account opened for /)
    .waitFor()
  assert.deepEqual(problems, [])
})

test('times are in West Africa Time, with the exact one at hand; amounts line up', async () => {
  await using opened = await bench.openAs(browser, { timezoneId: 'America/New_York' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payments?reference=ORDER-1042`)
  const time = rowsOf(page).locator('time')
  await time.waitFor()

  const at = new Date((await time.getAttribute('dateTime')) as string)
  const text = at.toLocaleString('en-GB', {
    ...{ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
    ...{ hour12: false, timeZone: 'Africa/Lagos' },
  })
  assert.equal(await time.innerText(), `${text} WAT`)
  assert.match((await time.getAttribute('title')) as string, /WAT .*\+01:00\)$/)
  const amount = rowsOf(page).locator('td.amount').first()
  assert.equal(await amount.innerText(), '₦6,000.00')
  assert.equal(
    await page.evaluate(`getComputedStyle(document.querySelector('td.amount')).textAlign`),
    'right',
  )
})

const SIGHTS = ['', '/payments', '/payments/ORDER-1042', '/accounts', '/credits', '/nowhere']

for (const [width, colorScheme] of [
  [1280, 'light'],
  [360, 'dark'],
] as const) {
  test(`no view has a fault at ${width} pixels in ${colorScheme}`, async () => {
    await using opened = await bench.openAs(browser, { width, colorScheme })
    const { page, problems } = opened
    for (const path of SIGHTS) {
      await assertFaultless(page, `${bench.url}/dashboard${path}`)
    }
    assert.deepEqual(problems, [])
  })
}

test('a user without payments or accounts sees what to do next', async () => {
  await bench.newClient('EMPTYDASH1')
  await using opened = await bench.openAs(browser, { clientId: 'EMPTYDASH1', width: 360 })
  const { page, problems } = opened
  const hints = {
    '': 'No credits yet',
    '/payments': 'No payments yet',
    '/accounts': 'No collection accounts yet',
    '/credits': 'No credits yet',
  }
  for (const [path, hint] of Object.entries(hints)) {
    await page.goto(`${bench.url}/dashboard${path}`)
    await page.getByRole('heading', { name: hint }).waitFor()
    assert.deepEqual(await findAxeFaults(page), [], path)
  }
  assert.deepEqual(problems, [])
})

test('the menu folds away on a narrow page', async () => {
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)
  const link = page.getByRole('link', { name: 'Credits', exact: true })
  assert.equal(await link.isVisible(), false)

  await page.getByRole('button', { name: 'Open menu' }).click()
  await link.click()
  await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor()

  await link.waitFor({ state: 'hidden' })
})
