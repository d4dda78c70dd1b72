// The frame of the dashboard: notices appear where the user looks, a lost connection is announced,
// times name their zone, and long content stays inside the page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { credit } from '../support/tracing.ts'

const LONG = 'Oluwaseun-Adebayo Chukwuemeka Ngozi Babatunde Àdùnní Ọláolúwa of Ikeja and Surulere'

const bench = closeAfterTests(await startDashboardBench())
await fillWithLongThings()
const browser = closeAfterTests(await openBrowser())

const TYPES = ['collection.received'] // Without types of alerts, which only an operator's endpoint may have.
const noticeOf = (page: Page) => page.locator('.connection')

test('a notice about what is open is seen above it, pressed away, and there when it closes', async () => {
  const { id } = await bench.addEndpoint('https://shop.example/in', TYPES)
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)

  await page.getByRole('button', { name: 'Send test event' }).click()
  // The notice may cover a button, so users can dismiss it.
  await page.getByRole('button', { name: 'Dismiss' }).click()
  await page.getByText('Test event queued.').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.locator('dialog.modal').getByRole('button', { name: 'Delete' }).click()

  await page.getByRole('status').getByText('Endpoint deleted.').waitFor()
  await page.locator('dialog').waitFor({ state: 'detached' })
  assert(await page.getByText('Endpoint deleted.').isVisible())
  assert.deepEqual(problems, [])
})

test('an answer about an endpoint is dropped after the endpoint was deleted', async () => {
  const { id } = await bench.addEndpoint('https://shop.example/going', TYPES)
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)
  await page.getByRole('button', { name: 'Send test event' }).waitFor()
  const deleted = Promise.withResolvers<void>()
  const late: Promise<unknown>[] = []
  const passOn = async (route: Route) => route.fulfill({ response: await route.fetch() })
  await page.route(`**/api/v1/webhook-endpoints/${id}`, async (route) => {
    if (route.request().method() === 'GET') {
      late.push(deleted.promise.then(() => passOn(route)))
      return
    }
    const response = await route.fetch()
    deleted.resolve()
    await Promise.allSettled(late)
    await route.fulfill({ response })
  })

  await page.getByRole('button', { name: 'Send test event' }).click()
  await until('it is asked for again', async () => late.length > 0)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.locator('dialog.modal').getByRole('button', { name: 'Delete' }).click()

  await page.getByRole('status').getByText('Endpoint deleted.').waitFor()
  assert.deepEqual(problems, [])
})

test('every view says that the connection is lost, until it is back', async () => {
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.getByText('Live', { exact: true }).waitFor()
  assert.equal(await noticeOf(page).innerText(), '')

  await page.context().setOffline(true)
  await noticeOf(page).getByText('You’re offline').waitFor()
  await page.getByText('Disconnected').waitFor()
  await page.context().setOffline(false)
  await noticeOf(page).getByText('You’re offline').waitFor({ state: 'detached' })
  await page.route('**/events/stream*', (route) => route.abort())
  await page.goto(`${bench.url}/dashboard/credits`)
  await noticeOf(page).getByText('Live updates are disconnected').waitFor()
  await page.unroute('**/events/stream*')

  await noticeOf(page).getByText('Live updates are disconnected').waitFor({ state: 'detached' })
})

test('a press that begins inside a drawer and ends beside it leaves it open', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts`)
  await page.locator('.row-link').first().click()
  const drawer = page.locator('dialog.drawer')
  await drawer.locator('.facts').waitFor()
  const box = await drawer.locator('h2').boundingBox()
  assert(box)
  await page.mouse.move(box.x + 5, box.y + 5)
  await page.mouse.down()
  await page.mouse.move(20, 400)
  await page.mouse.up()
  assert(await drawer.isVisible())

  await page.mouse.click(20, 400)

  await drawer.waitFor({ state: 'detached' })
})

test('times name their time zone', async () => {
  await using opened = await bench.openAs(browser, { timezoneId: 'America/New_York' })
  await opened.page.goto(`${bench.url}/dashboard/credits`)

  const note = await opened.page.locator('.zone-note').innerText()
  assert.equal(note, 'All times are in West Africa Time (GMT+1).')
})

// Creates objects with the longest names, references and amounts that the API accepts.
async function fillWithLongThings(): Promise<void> {
  const { accountNumber } = await createAccount(bench, {
    accountName: LONG,
    merchantId: 'M'.repeat(64),
    email: `${'e'.repeat(200)}@shop.example`,
  })
  const payer = { sourceAccountName: `${LONG} ${LONG}`, narration: 'W'.repeat(200) }
  await credit(bench, accountNumber, '1000000000.00', payer)
  const { bankAccount } = await startPayment(bench, {
    amount: '1000000000.00',
    merchantRef: 'R'.repeat(100),
    narration: 'N'.repeat(100),
    customer: { customerFullName: LONG },
  })
  await credit(bench, bankAccount, '1000000000.00', payer)
  await bench.addEndpoint(`https://shop.example/${'p'.repeat(200)}`)
}

const OVERFLOW = `[document.documentElement, ...document.querySelectorAll('dialog, .listing')]
  .map((each) => each.scrollWidth - each.clientWidth)`

for (const width of [360, 1280]) {
  test(`names, references and amounts of any length stay inside at ${width} pixels`, async () => {
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    for (const path of ['', '/payments', '/accounts', '/credits', '/webhooks']) {
      await page.goto(`${bench.url}/dashboard${path}`)
      await page.locator('.skeleton').first().waitFor({ state: 'detached' })
      const [pageOver, listOver] = await page.evaluate<number[]>(OVERFLOW)
      assert.equal(pageOver, 0, `${path} is too wide`)
      if (width < 600) assert.equal(listOver ?? 0, 0, `the list of ${path} is too wide`)
      if (path === '') continue
      await page.locator('.row-link').first().click()
      await page.locator('dialog h2').waitFor()
      await page.locator('dialog .skeleton').first().waitFor({ state: 'detached' })
      assert(
        (await page.evaluate<number[]>(OVERFLOW)).every((over, at) => over === 0 || at === 1),
        `what is open of ${path} is too wide`,
      )
    }
    assert.deepEqual(problems, [])
  })
}

test('the chevron of a timeline stays beside its words', async () => {
  const { paymentReference } = await startPayment(bench, { customer: { customerFullName: LONG } })
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payments/${paymentReference}`)
  await page.locator('.timeline summary').first().waitFor()

  const apart = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.timeline summary')].map((summary) =>
      summary.querySelector('svg').getBoundingClientRect().top - summary.getBoundingClientRect().top)`,
  )
  assert(apart.length > 1)
  assert(
    apart.every((pixels) => pixels < 8),
    apart.join(),
  )
})

test('the open part of a view is in sight on a narrow page, and Escape folds the menu', async () => {
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=auditLog`)
  const tab = page.getByRole('link', { name: 'Audit log' })
  await tab.waitFor()
  await untilTrue(
    page,
    `document.querySelector('.tabs [aria-current]').getBoundingClientRect().right <= innerWidth`,
  )

  await page.getByRole('button', { name: 'Open menu' }).press('Enter')
  await page.getByRole('link', { name: 'Ledger' }).focus()
  await page.keyboard.press('Escape')

  await page.getByRole('link', { name: 'Ledger' }).waitFor({ state: 'hidden' })
  const focused = await page.evaluate(`document.activeElement.getAttribute('aria-label')`)
  assert.equal(focused, 'Open menu')
})
