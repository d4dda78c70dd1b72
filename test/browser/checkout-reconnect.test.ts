// The payer's page when it is reloaded, reopened, in two tabs, without network or without JavaScript: it
// always shows the true state and never creates a second account number by accident.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { see, shownNumber, startCheckout } from '../support/checkout-page.ts'
import { closeAfterTests } from '../support/closing.ts'
import { simulate } from '../support/fixtures.ts'

const checkout = closeAfterTests(await startCheckout())
const { bench, url } = checkout
const POLL_MS = 4_000 // The page polls every 3 s.
const SILENCE_MS = 44_000 // The page reopens a stream that is silent for 40 s.
// Returns how to find a bank’s button by its exact name.
const buttonOf = (name: string) => ({ name, exact: true })

test('a page that is reloaded, left, closed or reopened shows the same number', async () => {
  const { adviceReference, address } = await checkout.advice()
  await using opened = await checkout.open(address)
  const { page } = opened
  await page.getByRole('button', buttonOf('Zenith Bank')).click()
  await see(page, 'Waiting for your transfer')
  const number = await shownNumber(page)

  await page.reload()
  assert.equal(await shownNumber(page), number)
  await page.goto(`${url}/health`)
  await page.goBack()
  await see(page, 'Waiting for your transfer')
  assert.equal(await shownNumber(page), number)
  await page.close()
  await using reopened = await checkout.open(address)
  assert.equal(await shownNumber(reopened.page), number)
  assert.equal(await checkout.numbersOf(adviceReference), 1)
})

test('a page that the payer returns to after paying says that it is paid', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  await opened.page.goto(`${url}/health`)
  await simulate(bench, accountNumber, '6000')
  await opened.page.goBack()
  await see(opened.page, 'Payment received')
})

test('a second tab follows the first, and chooses nothing by itself', async () => {
  const { adviceReference, address } = await checkout.advice()
  await using first = await checkout.open(address)
  const second = await first.page.context().newPage()
  await second.goto(address)
  await second.getByRole('button', buttonOf('Access Bank')).waitFor()

  await first.page.getByRole('button', buttonOf('Access Bank')).click()
  await see(second, 'Waiting for your transfer')
  assert.equal(await shownNumber(second), await shownNumber(first.page))
  await simulate(bench, await shownNumber(second), '6000')
  await Promise.all([first.page, second].map((page) => see(page, 'Payment received')))
  assert.equal(await checkout.numbersOf(adviceReference), 1)
})

test('repeated presses create one number', async () => {
  const { adviceReference, address } = await checkout.advice()
  await using opened = await checkout.open(address)
  await opened.page.getByRole('button', buttonOf('Kuda Microfinance Bank')).click({ clickCount: 5 })
  await see(opened.page, 'Waiting for your transfer')
  assert.equal(await checkout.numbersOf(adviceReference), 1)
})

test('another bank gives another number, each tab keeps its own, and money to either counts', async () => {
  const { adviceReference, accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  bench.advance(1)
  await page.getByText('Use another bank').click()
  await page.getByRole('button', buttonOf('Ecobank Nigeria')).click()
  await page.locator('.account', { hasText: 'Ecobank Nigeria' }).waitFor()
  const further = await shownNumber(page)
  await page.reload()

  assert.equal(await shownNumber(page), further)
  assert.notEqual(further, accountNumber)
  assert.equal(await checkout.numbersOf(adviceReference), 2)
  await using other = await checkout.open(`${address}&bank=058`)
  assert.equal(await shownNumber(other.page), accountNumber)
  await simulate(bench, accountNumber, '1000')
  await see(page, 'remaining ₦5,000.00')
  await simulate(bench, further, '5000')
  await see(page, 'Payment received')
})

test('a page without network says so, and shows the true state when the network is back', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  await page.locator('.pulse').waitFor()
  const context = page.context()

  await context.setOffline(true)
  await page.locator('.toast.is-shown').waitFor()
  await see(page, 'Waiting for your transfer')
  await simulate(bench, accountNumber, '6000')
  await context.setOffline(false)
  await see(page, 'Payment received')
  await page.locator('.toast:not(.is-shown)').waitFor({ state: 'attached' })
})

test('a bank that is chosen without network is requested again later', async () => {
  const { adviceReference, address } = await checkout.advice()
  await using opened = await checkout.open(address)
  const { page } = opened
  await page.context().setOffline(true)
  await page.getByRole('button', buttonOf('Wema Bank')).click()
  await see(page, 'Couldn’t connect.')
  await page.context().setOffline(false)
  await page.getByRole('button', buttonOf('Wema Bank')).click()
  await see(page, 'Waiting for your transfer')
  assert.equal(await checkout.numbersOf(adviceReference), 1)
})

test('a failure is shown once, where the payer pressed', async () => {
  const { address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  await page.route('**/pay**', (route) => route.abort())
  await page.getByText('Use another bank').click()
  await page.getByRole('button', buttonOf('Ecobank Nigeria')).click()
  await page.locator('.other .problem').waitFor()
  assert.equal(await page.locator('.problem').count(), 1)

  await page.getByRole('button', { name: 'I’ve sent the money' }).click()

  await page.locator('form[action*="/sent"] .problem').waitFor()
  assert.equal(await page.locator('.problem').count(), 1)
})

test('if no stream gets through, the page polls every few seconds', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open('about:blank')
  const { page } = opened
  await page.route('**/pay/api/stream*', (route) => route.fulfill({ status: 429 }))
  await page.goto(address)
  await page.locator('.pulse').waitFor()
  await simulate(bench, accountNumber, '6000')
  await see(page, 'Payment received')
})

test('after its stream died silently, the page polls, says that it is offline, and reconnects', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open('about:blank')
  const { page } = opened
  await page.clock.install()
  const begun = page.waitForResponse(/\/pay\/api\/stream/)
  await page.goto(address)
  await begun
  await page.route('**/pay/api/stream*', () => {}) // Leaves the request for the stream without an answer.
  await page.route('**/pay/api/status*', (route) => route.abort())
  // Lets the time pass after which the page takes its stream for dead and opens another.
  const untilSilenceEnds = async () => {
    const another = page.waitForRequest(/\/pay\/api\/stream/)
    await page.clock.runFor(SILENCE_MS)
    await another
  }

  await untilSilenceEnds()
  await page.locator('.toast.is-shown').waitFor()
  await untilSilenceEnds()
  await page.unroute('**/pay/api/status*')
  await simulate(bench, accountNumber, '2000')
  await page.clock.runFor(POLL_MS)
  await see(page, 'remaining ₦4,000.00')
  await page.locator('.toast:not(.is-shown)').waitFor({ state: 'attached' })

  await page.unroute('**/pay/api/stream*')
  await untilSilenceEnds()
  await page.route('**/pay/api/status*', (route) => route.abort())
  await simulate(bench, accountNumber, '4000')
  await see(page, 'Payment received')
})

test('without JavaScript the payer chooses a bank, sees the number, checks again and is done', async () => {
  const { adviceReference, address } = await checkout.advice()
  await using opened = await checkout.open(address, { javaScriptEnabled: false })
  const { page } = opened
  await page.getByRole('button', buttonOf('Polaris Bank')).click()
  await see(page, 'This page refreshes every 15 seconds.')
  assert.match(await page.content(), /<noscript><meta http-equiv="refresh" content="15">/)
  assert.equal(await page.getByRole('button', { name: 'Copy account number' }).count(), 0)

  await simulate(bench, await shownNumber(page), '6000')
  await page.reload()
  await see(page, 'Payment received')
  assert.equal(await page.getByRole('button', { name: 'Print or save' }).count(), 0)
  assert.doesNotMatch(await page.content(), /http-equiv="refresh"/)
  assert.equal(await checkout.numbersOf(adviceReference), 1)
})

test('names and amounts of any length stay inside the page', async () => {
  const { address } = await checkout.advice(
    {
      amount: '1000000000.00',
      narration: 'W'.repeat(100),
      customer: { customerFullName: 'Oluwaseun-Adebayo '.repeat(10).trim() },
    },
    '50515',
  )
  await using opened = await checkout.open(address, { width: 320 })
  const over = await opened.page.evaluate('document.documentElement.scrollWidth - innerWidth')
  assert.equal(over, 0)
})
