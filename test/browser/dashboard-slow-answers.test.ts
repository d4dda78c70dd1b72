// When responses come late, get lost or are refusals, the dashboard loses nothing that a user sees or has
// typed, and loads the missing data later.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { patchAccount } from '../support/account-calls.ts'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { makeUser, PASSWORD, SESSION_URL } from '../support/people.ts'
import { fileOf } from '../support/reconciliation-scenes.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const modalOf = (page: Page) => page.locator('dialog.modal')
const rowsOf = (page: Page) => page.locator('table.list tbody tr')

// Returns a list that collects the addresses of all responses that match the pattern.
function collectResponses(page: Page, pattern: RegExp): string[] {
  const answers: string[] = []
  page.on('response', (response) => pattern.test(response.url()) && answers.push(response.url()))
  return answers
}

// Handles only the first request to the address. Playwright's own `times: 1` stops intercepting while that
// request is under way, and then sometimes loses its answer.
async function interceptFirst(page: Page, url: string, handle: (route: Route) => unknown) {
  let isFirst = true
  await page.route(url, (route) => {
    if (!isFirst) return route.continue()
    isFirst = false
    return handle(route)
  })
}

test('a list whose response is slower than its events appears, and is loaded once more', async () => {
  const { accountNumber } = await createAccount(bench)
  await using opened = await bench.openAs(browser)
  const { page } = opened
  const counted: string[] = []
  const held: Route[] = []
  const aborted: string[] = []
  page.on('requestfailed', (request) => aborted.push(request.url()))
  await page.route('**/api/v1/credits?*', (route) => held.push(route))
  await page.route('**/api/v1/credits/summary*', (route) => {
    counted.push(route.request().url())
    return route.continue()
  })
  const streaming = page.waitForResponse(/events\/stream/)
  await page.goto(`${bench.url}/dashboard/credits`)
  await streaming
  for (const payer of ['ADA OBI', 'BOLA ADE']) {
    const before = counted.length
    await credit(bench, accountNumber, '250.00', { sourceAccountName: payer })
    await until('the event is here', async () => counted.length > before)
  }
  assert.equal(held.length, 1)
  await page.unroute('**/api/v1/credits?*')
  const answers = collectResponses(page, /credits\?limit/)

  await held[0]?.continue()

  await rowsOf(page).filter({ hasText: 'BOLA ADE' }).waitFor()
  await until('it is asked for once more', async () => answers.length >= 2)
  assert.deepEqual(aborted, [])
})

test('an account keeps its limit profile where the choice of profiles did not load', async () => {
  const token = await bench.newClient('SLOW1')
  const body = { code: 'vip', name: 'VIP', perDay: '1000' }
  await bench.call({ url: '/api/v1/limit-profiles', body, token })
  const { accountNumber } = await createAccount(bench, {}, { token })
  dataOf(await patchAccount(bench, accountNumber, { limitProfile: 'vip' }, { token }))
  await using opened = await bench.openAs(browser, { clientId: 'SLOW1' })
  const { page } = opened
  await page.route('**/api/v1/limit-profiles?*', (route) => route.abort())
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
  await page.getByRole('button', { name: 'Limits' }).click()
  await modalOf(page).getByRole('alert').waitFor()
  await modalOf(page).getByLabel('Limit per credit').fill('500')
  await modalOf(page).getByRole('button', { name: 'Save' }).click()
  await modalOf(page).waitFor({ state: 'detached' })

  const url = `/api/v1/accounts/static/${accountNumber}/details`
  const now = dataOf(await bench.call({ url, token }))
  assert.equal(now.ownLimits.perCredit, 500)
  assert.equal(now.limitProfile, 'vip')
})

test('a statement can be imported once its choices have loaded; a retry loads all of them', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.route('**/operator/statement-profiles', (route) => route.abort())
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Import the first statement' }).click()
  await (await choosing).setFiles(fileOf('Date,Amount'))
  await modalOf(page).getByRole('alert').waitFor()
  const start = modalOf(page).getByRole('button', { name: 'Import', exact: true })
  assert(await start.isDisabled())

  await page.unroute('**/operator/statement-profiles')
  await modalOf(page).getByRole('button', { name: 'Try again' }).click()

  await modalOf(page).getByLabel('CSV profile').waitFor()
  assert(await start.isEnabled())
})

test('a new client secret stays in sight where what it belongs to does not load again', async () => {
  await bench.newClient('SLOW2')
  await using opened = await bench.openAs(browser, { clientId: 'SLOW2', role: 'developer' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/developers`)
  await page.getByRole('button', { name: 'Rotate client secret' }).click()
  await page.route('**/dashboard/api/client', (route) => route.abort())
  await modalOf(page).getByRole('button', { name: 'Rotate client secret' }).click()
  await page.locator('main .failed').waitFor({ state: 'attached' })

  const secret = await modalOf(page).locator('.secrets code').innerText()

  assert(await bench.login('SLOW2', secret))
})

test('the page says that the service cannot be reached, and tries again', async () => {
  await bench.newClient('SLOW4')
  await using opened = await bench.openAs(browser, { clientId: 'SLOW4' })
  const { page } = opened
  await page.route('**/events/stream*', () => {}) // An open stream would reload the list.
  await page.goto(`${bench.url}/dashboard/credits`)
  await page.getByRole('heading', { name: 'No credits yet' }).waitFor()
  await page.route('**/api/v1/payments*', (route) => route.abort())
  await page.getByRole('link', { name: 'Payments' }).click()
  await page.getByText('Can’t reach the service.').waitFor()
  await page.unroute('**/api/v1/payments*')
  await page.getByRole('button', { name: 'Try again' }).click()

  await page.getByRole('heading', { name: 'No payments yet' }).waitFor()
})

test('rows stay on the page if the list fails to reload', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '74.00')
  const answers = collectResponses(page, /credits\?limit/)
  await page.goto(`${bench.url}/dashboard/credits`)
  await until('it is loaded, and again with the stream', async () => answers.length >= 2)
  await page.route('**/api/v1/credits?*', (route) => route.abort())

  await credit(bench, accountNumber, '75.00', { sourceAccountName: 'NGOZI EZE' })
  await page.locator('main .failed').waitFor()
  assert(await rowsOf(page).first().isVisible())
  await page.unroute('**/api/v1/credits?*')
  await page.getByRole('button', { name: 'Try again' }).click()

  await rowsOf(page).filter({ hasText: 'NGOZI EZE' }).waitFor()
  assert.equal(await page.locator('main .failed').count(), 0)
})

const HIDE = `Object.defineProperty(document, 'hidden', { configurable: true, value: true })
  && document.dispatchEvent(new Event('visibilitychange'))`
const SHOW = `delete document.hidden && document.dispatchEvent(new Event('visibilitychange'))`

test('changes from before the event stream opened, or while the page was hidden, appear later', async () => {
  const { accountNumber } = await createAccount(bench)
  await using opened = await bench.openAs(browser)
  const { page } = opened
  const held = Promise.withResolvers<Route>()
  await interceptFirst(page, '**/events/stream*', held.resolve)
  await page.goto(`${bench.url}/dashboard/credits`)
  await rowsOf(page).first().waitFor()
  await credit(bench, accountNumber, '80.00', { sourceAccountName: 'BEFORE IT' })
  await (await held.promise).continue()
  await rowsOf(page).filter({ hasText: 'BEFORE IT' }).waitFor()

  await page.evaluate(HIDE)
  await credit(bench, accountNumber, '81.00', { sourceAccountName: 'WHILE HIDDEN' })
  await page.evaluate(SHOW)

  await rowsOf(page).filter({ hasText: 'WHILE HIDDEN' }).waitFor()
})

test('a form that is open stays as it was filled in when the list turns out to be empty', async () => {
  await bench.newClient('SLOW3')
  await using opened = await bench.openAs(browser, { clientId: 'SLOW3' })
  const { page } = opened
  const held = Promise.withResolvers<Route>()
  await interceptFirst(page, '**/api/v1/payouts?limit=25', held.resolve)
  await page.goto(`${bench.url}/dashboard/payouts`)
  await page.getByRole('button', { name: 'New payout' }).click()
  await modalOf(page).getByLabel('Amount').fill('1,500')

  await (await held.promise).continue()
  await page.getByText('No payouts yet').waitFor({ state: 'attached' })

  assert.equal(await modalOf(page).getByLabel('Amount').inputValue(), '1,500')
})

// Signs in from the page's browser without the sign-in form.
async function signInAnew(page: Page, email: string): Promise<void> {
  const answer = await page.request.post(`${bench.url}${SESSION_URL}`, {
    data: { email, password: PASSWORD },
  })
  assert.equal(answer.status(), 200)
}

// Opens the webhooks page as a user, signed in.
async function openWebhooksAs(email: string) {
  const opened = await browser.newPage()
  await opened.page.addInitScript(() => localStorage.setItem('manilla-signed-in', 'yes'))
  await signInAnew(opened.page, email)
  await opened.page.goto(`${bench.url}/dashboard/webhooks`)
  return opened
}

// Adds a webhook endpoint through the page's dialog, without waiting for the answer.
async function addEndpoint(page: Page, url: string): Promise<void> {
  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await modalOf(page).getByLabel('URL').fill(url)
  await modalOf(page).getByRole('button', { name: 'Add endpoint' }).click()
}

test('a user who signs in again in another tab can continue in this one', async () => {
  const email = await makeUser(bench)
  await using opened = await openWebhooksAs(email)
  const { page } = opened
  await page.getByRole('button', { name: 'Add endpoint' }).waitFor()
  await signInAnew(page, email)

  await addEndpoint(page, 'https://shop.example/again')

  await page.getByRole('button', { name: 'I’ve saved it' }).waitFor()
})

test('a request that the former session refused is sent again in the new one', async () => {
  await bench.newClient('SLOW5')
  await using opened = await bench.openAs(browser, { clientId: 'SLOW5' })
  const { page } = opened
  const refusal = { status: 401, json: { code: 'session_needed', message: 'Sign in first.' } }
  await interceptFirst(page, '**/api/v1/credits?*', (route) => route.fulfill(refusal))

  await page.goto(`${bench.url}/dashboard/credits`)

  await page.getByRole('heading', { name: 'No credits yet' }).waitFor()
  assert.equal(await page.getByText('Your session has expired.').count(), 0)
})

test('if another user signs in in another tab, no request of this tab runs in their name', async () => {
  await using opened = await openWebhooksAs(await makeUser(bench))
  const { page } = opened
  await page.getByRole('button', { name: 'Add endpoint' }).waitFor()
  const other = await makeUser(bench)
  await signInAnew(page, other)
  const loaded = page.waitForEvent('load')

  await addEndpoint(page, 'https://shop.example/other')

  await loaded
  await page.locator('.user-menu').getByText(other).waitFor()
  assert.equal(await page.getByText('https://shop.example/other').count(), 0)
})

test('if another user signs in in another tab, this tab changes to that user', async () => {
  await using opened = await openWebhooksAs(await makeUser(bench))
  const { page } = opened
  await page.getByRole('button', { name: 'Add endpoint' }).waitFor()
  const other = await makeUser(bench)
  await signInAnew(page, other)

  const tab = await page.context().newPage()
  await tab.goto(`${bench.url}/dashboard/webhooks`)

  await page.locator('.user-menu').getByText(other).waitFor()
})
