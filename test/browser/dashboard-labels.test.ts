// The dashboard's labels say what is true: the state of each webhook destination, the reason why money is
// where it is, banks by their names, and days in West Africa Time wherever the browser is.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { ADVICE, createAccount, createAdvice, dataOf, initiate } from '../support/fixtures.ts'
import { credit } from '../support/tracing.ts'
import { listener } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const drawerOf = (page: Page) => page.locator('dialog.drawer')
const rowsOf = (page: Page) => page.locator('table.list tbody tr')

let clients = 0
// Creates a client, so that each test sees only its own objects.
async function newClient() {
  const clientId = `TRUTH${++clients}`
  return { clientId, token: await bench.newClient(clientId) }
}

for (const [width, colorScheme] of [
  [360, 'dark'],
  [1280, 'light'],
] as const) {
  test(`one of two endpoints is paused: the event says which, at ${width}`, async () => {
    await using well = await listener()
    await using broken = await listener((response) => response.writeHead(500).end())
    const { clientId, token } = await newClient()
    await bench.addEndpoint(`${well.url}/well`, null, clientId)
    const paused = await bench.addEndpoint(`${broken.url}/broken`, null, clientId)
    const { accountNumber } = await createAccount(bench, { notificationUrl: well.url }, { token })
    for (let at = 0; at < 6; at++) await credit(bench, accountNumber, '1.00')
    await bench.dispatch()
    await bench.deliver(bench.newDeliverer())
    await using opened = await bench.openAs(browser, { clientId, width, colorScheme })
    const { page, problems } = opened

    await page.goto(`${bench.url}/dashboard/webhooks?tab=deliveries`)
    await rowsOf(page).getByText('2 of 3 delivered').first().waitFor()
    assert.equal(await rowsOf(page).getByText(`Paused: ${broken.url}/broken`).count(), 7)
    assert.equal(await page.getByText('Pending', { exact: true }).count(), 0)
    assert.deepEqual(await findAxeFaults(page), [])
    await rowsOf(page).getByRole('link').first().click()
    await drawerOf(page).locator('.delivery').getByText('Paused').waitFor()
    assert.equal(await drawerOf(page).locator('.delivery').getByText('Delivered').count(), 2)

    await page.goto(`${bench.url}/dashboard/webhooks/${paused.id}`)
    await drawerOf(page).getByText('HTTP 500').first().waitFor()
    assert.equal(await page.evaluate('document.body.scrollWidth <= innerWidth'), true)
    assert.deepEqual(problems, [])
  })
}

test('money of a cancelled payment is not said to have expired, and banks have their names', async () => {
  const { clientId, token } = await newClient()
  const { adviceReference } = await createAdvice(bench, {}, { token })
  const { bankAccount } = await initiate(bench, adviceReference, '058', token)
  await credit(bench, bankAccount, '1000.00')
  const url = `${ADVICE}/${adviceReference}/cancel`
  dataOf(await bench.call({ method: 'POST', url, token }), 'payment')
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened

  await page.goto(`${bench.url}/dashboard/suspense`)
  await rowsOf(page).getByRole('link').first().click()
  await drawerOf(page).getByText('Closed before paid in full').waitFor()
  await drawerOf(page).getByText('Guaranty Trust Bank').first().waitFor()
  assert.doesNotMatch(await page.locator('body').innerText(), /expired/i)
  assert.doesNotMatch(await drawerOf(page).innerText(), /\b058\b/)

  await createAccount(bench, {}, { token })
  await page.goto(`${bench.url}/dashboard/accounts`)
  await rowsOf(page).getByRole('link').first().click()
  await drawerOf(page).getByText(/Bank$/).nth(1).waitFor()
  assert.doesNotMatch(await drawerOf(page).innerText(), /^\d{3}$/m)

  await page.goto(`${bench.url}/pay?adviceReference=${adviceReference}`)
  await page.getByText('This payment was cancelled').waitFor()
  assert.doesNotMatch(await page.locator('body').innerText(), /expired|time to pay/i)
  assert.deepEqual(problems, [])
})

for (const [timezoneId, day] of [
  ['America/Los_Angeles', 20],
  ['Asia/Tokyo', 21],
  ['Africa/Lagos', 22],
] as const) {
  test(`a day is one of West Africa in ${timezoneId} too`, async () => {
    const { clientId, token } = await newClient()
    const { accountNumber } = await createAccount(bench, {}, { token })
    const halfPastMidnight = Date.parse(`2026-11-${day}T00:30:00+01:00`)
    bench.advance(halfPastMidnight - bench.clock().getTime())
    await credit(bench, accountNumber, '1.00')
    bench.advance(23 * 3_600_000) // Half past eleven in the evening, of the same day.
    await credit(bench, accountNumber, '2.00')
    await using opened = await bench.openAs(browser, { clientId, timezoneId })
    const { page, problems } = opened

    await page.goto(`${bench.url}/dashboard/credits?from=2026-11-${day}&to=2026-11-${day}`)
    await rowsOf(page).nth(1).waitFor()
    const times = await rowsOf(page).locator('time').allInnerTexts()
    assert.deepEqual(times, [`${day} Nov, 23:30 WAT`, `${day} Nov, 00:30 WAT`])
    assert.equal(await page.getByText('All times are in West Africa Time').count(), 1)

    await page.goto(`${bench.url}/dashboard`)
    await page.getByText('30 days', { exact: true }).click()
    await page.getByText('Show as table', { exact: true }).click()
    const newest = await page.locator('.plot-table tbody tr').first().innerText()
    assert.match(newest, new RegExp(`${day} Nov\\s+₦3\\.00\\s+2`))
    assert.deepEqual(problems, [])
  })
}
