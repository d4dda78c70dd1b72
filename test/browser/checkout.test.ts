// The payer's page in a real browser: every journey, and each state for payers who see it, hear it, or have
// only a keyboard.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, untilTrue } from '../support/browser.ts'
import { see, shownNumber, startCheckout } from '../support/checkout-page.ts'
import { CHECKOUT_SCENES } from '../support/checkout-scenes.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ADVICE, MINUTE_MS, simulate } from '../support/fixtures.ts'
import { retryUntilBelow } from '../support/patience.ts'

const TRIES_MAX = 5 // The fastest try counts, because a busy machine is slower than the network.
const checkout = closeAfterTests(await startCheckout())
const { bench, url } = checkout

// Freezes the page's clock, and with it the countdown and announcements.
async function stopTime(page: Page): Promise<void> {
  await page.clock.install()
  await page.reload()
  await page.clock.pauseAt(Date.now() + MINUTE_MS)
}

const BYTES_MAX = 30_000

test('from the link to the receipt, and back to the merchant', async () => {
  const callBackUrl = `${url}/health?order=1`
  const { adviceReference, address } = await checkout.advice({ callBackUrl })
  await using opened = await checkout.open(address)
  const { page, problems } = opened
  await stopTime(page)

  await see(page, '₦6,000.00')
  await page.getByRole('button', { name: 'Guaranty Trust Bank' }).click()
  await see(page, 'Waiting for your transfer')
  await see(page, 'Sandbox Merchant/Ada Obi')
  const accountNumber = await shownNumber(page)
  await simulate(bench, accountNumber, '2000')
  await see(page, '₦2,000.00 of ₦6,000.00 received. Send the remaining ₦4,000.00.')
  await simulate(bench, accountNumber, '4000')
  await see(page, 'Payment received')
  await see(page, /^Back to Sandbox Merchant in \d+ s$/)
  assert.equal(await page.title(), 'Payment received · Sandbox Merchant')
  assert.deepEqual(problems, [])
  await page.clock.runFor(12_000)

  await page.waitForURL(`${url}/health?order=1&**`)
  const query = new URL(page.url()).searchParams
  assert.equal(query.get('adviceReference'), adviceReference)
  assert.match(String(query.get('paymentReference')), /^[0-9a-f-]{36}$/)
})

test('the page turns within a second of the credit', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  await opened.page.locator('.pulse').waitFor()
  let thousandsLeft = 6
  // Each try pays 1,000 naira, and returns after how many milliseconds the page shows the new remaining
  // amount.
  const tookMs = await retryUntilBelow(1_000, TRIES_MAX, async () => {
    await simulate(bench, accountNumber, '1000')
    thousandsLeft -= 1
    const from = performance.now()
    await see(opened.page, `remaining ₦${thousandsLeft},000.00`)
    return performance.now() - from
  })
  assert(Math.min(...tookMs) < 1_000, `${tookMs}`)
})

test('a payer who chooses to stay stays; one who comes back later is not sent away', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  await stopTime(page)
  await simulate(bench, accountNumber, '6000')
  await page.getByRole('button', { name: 'Stay on this page' }).click()
  await page.clock.runFor(15_000)
  assert.equal(page.url(), address)
  await page.getByRole('link', { name: 'Back to Sandbox Merchant', exact: true }).waitFor()

  await page.reload()
  await page.clock.runFor(15_000)
  assert.equal(page.url(), address)
  const link = page.getByRole('link', { name: 'Back to Sandbox Merchant', exact: true })
  assert.match(String(await link.getAttribute('href')), /^https:\/\/shop\.example\.com\/done\?adv/)
})

test('too much: paid, and the page says where the rest is', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  await simulate(bench, accountNumber, '6500')
  await see(opened.page, 'Payment received')
  await see(opened.page, 'You sent ₦6,500.00: ₦500.00 too much')
})

test('a wrong amount where only the exact one counts is announced, and the page keeps waiting', async () => {
  const { accountNumber, address } = await checkout.advice({ amountPolicy: 'exact' }, '058')
  await using opened = await checkout.open(address)
  await see(opened.page, 'Send exactly ₦6,000.00 to this account, in one transfer')
  await simulate(bench, accountNumber, '5999.99')
  await see(opened.page, '₦5,999.99 you sent couldn’t be applied')
  await see(opened.page, 'Waiting for your transfer')
})

test('cancelled by the merchant: the page turns and says not to pay', async () => {
  const { adviceReference, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  await opened.page.locator('.pulse').waitFor()
  await bench.call({ method: 'POST', url: `${ADVICE}/${adviceReference}/cancel` })
  await see(opened.page, 'This payment was cancelled')
  await see(opened.page, 'Don’t send money for it')
})

test('the countdown follows the service’s clock, not the phone’s', async () => {
  const { address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  await page.clock.install({ time: new Date('2011-01-01T00:00:00Z') })
  await page.route('**/pay/api/**', () => {}) // Blocks the API, whose answers would correct the countdown.
  await page.reload()
  assert.match(await page.getByRole('timer').innerText(), /^Pay within (?:30:00|29:[45]\d)$/)
  await page.clock.runFor(31_000)
  assert.match(await page.getByRole('timer').innerText(), /^Pay within 29:(?:[0-2]\d|30)$/)
})

test('a copied number or amount is on the clipboard, and the page announces it', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  const permissions = ['clipboard-read', 'clipboard-write']
  await using opened = await checkout.open(address, { permissions })
  const { page } = opened
  const untilAnnounced = (text: string) => page.getByRole('status').getByText(text).waitFor()
  await stopTime(page)
  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  await untilAnnounced('Account number copied')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), accountNumber)

  await page.getByRole('button', { name: 'Copy amount' }).click()
  await page.getByRole('button', { name: 'Copy account number' }).waitFor()
  await untilAnnounced('Amount copied')
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), '6000.00')
  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()

  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await page.evaluate(`document.addEventListener('copy', () => { window.copiedTheOldWay = true })`)
  await page.getByRole('button', { name: 'Copied' }).click()
  await untilTrue(page, 'window.copiedTheOldWay')
})

test('a payer can do everything by keyboard', async () => {
  const { address } = await checkout.advice()
  await using opened = await checkout.open(address)
  const { page } = opened
  // Presses Tab until the element with this text has the focus.
  const tabTo = async (name: string) => {
    for (let step = 0; step < 40; step++) {
      await page.keyboard.press('Tab')
      if ((await page.evaluate('document.activeElement.textContent')) === name) return
    }
    assert.fail(`no way to ${name}`)
  }
  await tabTo('Sterling Bank')
  await page.keyboard.press('Enter')
  await see(page, 'Waiting for your transfer')
  await untilTrue(page, `document.activeElement.tagName === 'H1'`)
  await tabTo('Copy account number')
  await page.keyboard.press('Space')
  await tabTo('Use another bank')
  await page.keyboard.press('Enter')
  await tabTo('Wema Bank')
  await page.keyboard.press('Enter')
  await page.locator('.facts', { hasText: 'Wema Bank' }).waitFor()
})

test('when a pressed button disappears, the focus stays in the page', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  const untilFocused = (selector: string) =>
    untilTrue(page, `document.activeElement.matches('${selector}')`)
  await stopTime(page)
  await page.getByText('Use another bank').click()
  await page.getByRole('button', { name: 'Ecobank Nigeria' }).press('Enter')
  await page.locator('.account', { hasText: 'Ecobank Nigeria' }).waitFor()
  await untilFocused('.account')
  await page.route('**/sent', (route) => route.abort())
  await page.getByRole('button', { name: 'I’ve sent the money' }).press('Enter')
  await page.getByRole('alert').waitFor()
  await untilFocused('button.sent')
  await page.unroute('**/sent')
  const report = page.waitForResponse(/\/sent$/)
  await page.getByRole('button', { name: 'I’ve sent the money' }).press('Enter')
  await untilFocused('.checking')
  await report
  await simulate(bench, accountNumber, '6000')
  await page.getByRole('button', { name: 'Stay on this page' }).press('Enter')

  await untilFocused('h1')
})

test('the first load is small, complete, quiet, and nothing jumps', async () => {
  const { address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page, problems, sizes, hosts } = opened
  await page.locator('.pulse').waitFor()
  const shift = await page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) =>
       resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
         .observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(resolve, 300, 0))`,
  )
  const loaded = await sizes()
  const bytes = Object.values(loaded).reduce((sum, size) => sum + size, 0)

  assert.equal(shift, 0)
  assert.equal(Object.keys(loaded).length, 4, Object.keys(loaded).join())
  assert(bytes > 5_000 && bytes <= BYTES_MAX, `${bytes} bytes`)
  assert.deepEqual(problems, [])
  assert.deepEqual(hosts(), [new URL(url).host])
})

test('on slow 3G the number can be read and copied within three seconds', async () => {
  const { address } = await checkout.advice({}, '058')
  const tookMs = await retryUntilBelow(3_000, TRIES_MAX, () => readAndCopyMs(address))
  assert(
    tookMs.some((ms) => ms < 3_000),
    `${tookMs} ms`,
  )
})

// Opens the page over a slow connection and copies the account number. Returns the milliseconds.
async function readAndCopyMs(address: string): Promise<number> {
  await using opened = await checkout.open('about:blank')
  const { page } = opened
  const session = await page.context().newCDPSession(page)
  const bytesPerSecond = 400_000 / 8
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 400,
    downloadThroughput: bytesPerSecond,
    uploadThroughput: bytesPerSecond,
  })
  const from = performance.now()
  await page.goto(address)
  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.getByRole('status').filter({ hasText: /cop/i }).waitFor({ state: 'attached' })
  return performance.now() - from
}

for (const [name, scene] of Object.entries(CHECKOUT_SCENES)) {
  test(`${name}: axe-core finds nothing, the console is silent, nothing overflows`, async () => {
    const path = await scene(bench)
    await using opened = await checkout.open(url + path)
    const { page, problems } = opened
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await findAxeFaults(page), [])
    }
    for (const width of [360, 1280, 3840]) {
      await page.setViewportSize({ width, height: 900 })
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert(Number(over) <= 0, `${over} pixels too wide at ${width}`)
    }
    const drawn = await page.evaluate('document.querySelectorAll("svg.sign > path").length')
    assert.equal(drawn, await page.locator('svg.sign').count())
    // The browser also logs the 404 of the page itself.
    const expected = name === 'missing' ? /status of 404/ : /^$/
    for (const problem of problems) assert.match(problem, expected)
  })
}

test('expired: the page says so, and money still counts until the grace period ends', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const late = await checkout.advice({}, '058')
  await using other = await checkout.open(late.address)
  await see(opened.page, 'Waiting for your transfer')

  bench.advance(31 * MINUTE_MS)
  await see(opened.page, 'This payment has expired')
  await see(opened.page, 'still count')
  await simulate(bench, accountNumber, '6000')
  await see(opened.page, 'Payment received')
  bench.advance(10 * MINUTE_MS)
  await simulate(bench, late.accountNumber, '6000')
  await see(other.page, '₦6,000.00 you sent couldn’t be applied')
  await see(other.page, 'Already paid?')
})
