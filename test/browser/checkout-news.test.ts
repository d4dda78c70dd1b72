// News on the payer's page is seen and heard, wherever on the page the payer is: failures, the result of a
// transfer, and a new account number.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, untilTrue } from '../support/browser.ts'
import { see, shownNumber, startCheckout } from '../support/checkout-page.ts'
import { closeAfterTests } from '../support/closing.ts'
import { simulate } from '../support/fixtures.ts'

const SECOND_MS = 1_000
const checkout = closeAfterTests(await startCheckout())
const { bench } = checkout
const SENT = { name: 'I’ve sent the money' }

const untilInView = (page: Page, selector: string) =>
  untilTrue(
    page,
    `(({ top, bottom }) => top >= 0 && bottom <= innerHeight)(
       document.querySelector('${selector}').getBoundingClientRect())`,
  )
const untilSaid = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor()

test('a failed copy is reported at its button, and the text is selected instead', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page, problems } = opened
  const selectedText = () => page.evaluate('getSelection().toString()')
  const notice = page.getByRole('alert').getByText('Couldn’t copy.')
  await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
  await page.evaluate('document.execCommand = () => false')

  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.locator('.account > .problem').waitFor()
  assert.equal(await selectedText(), accountNumber)
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('button', { name: 'Copy amount' }).click()
  await page.locator('.failed > .problem').waitFor()
  assert.equal(await selectedText(), '₦6,000.00')
  assert.equal(await notice.count(), 1)

  await page.evaluate('document.execCommand = () => true')
  await page.getByRole('button', { name: 'Copy account number' }).click()
  await page.getByRole('button', { name: 'Copied' }).waitFor()
  assert.equal(await notice.count(), 0)
  assert.deepEqual(problems, [])
})

test('“I’ve sent the money” before the script has loaded can be pressed again in a minute', async () => {
  const { address } = await checkout.advice({}, '058')
  await using opened = await checkout.open('about:blank')
  const { page } = opened
  await page.clock.install()
  await page.route('**/*.js', (route) => route.abort())
  await page.goto(address)
  await page.unroute('**/*.js')

  await page.getByRole('button', SENT).click()
  await page.waitForURL(address) // The page removes the service's own parameters from its address.
  await page.locator('.checking').waitFor()
  await page.clock.runFor(59 * SECOND_MS)
  assert.equal(await page.locator('.checking').count(), 1)
  await page.clock.runFor(SECOND_MS)
  await page.getByRole('button', SENT).waitFor()
})

test('“I’ve sent the money” without a script can be pressed again in a minute', async () => {
  const { address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address, { javaScriptEnabled: false })
  const { page } = opened
  await page.getByRole('button', SENT).click()
  await page.locator('.checking').waitFor()
  bench.advance(59 * SECOND_MS)
  await page.reload()
  assert.equal(await page.locator('.checking').count(), 1)

  bench.advance(SECOND_MS)
  await page.reload()

  await see(page, SENT.name)
  assert.equal(await page.locator('.checking').count(), 0)
})

test('that the money was sent is believed of an address only for a minute, whatever it says', async () => {
  const { address } = await checkout.advice({}, '058')
  const isChecking = async (sent: string | number) =>
    (await (await fetch(`${address}&sent=${sent}`)).text()).includes('class="checking"')
  const now = bench.clock().getTime()
  assert(await isChecking(now - 59 * SECOND_MS))
  assert(await isChecking(now + 5 * SECOND_MS)) // A process whose clock is ahead wrote this time.

  for (const sent of ['', '1', 'now', '-1', '1e999', now + 60_000, `${now}&sent=${now}`]) {
    assert.equal(await isChecking(sent), false, `${sent}`)
  }
})

test('money that cannot be applied ends the waiting, is announced and scrolls into view', async () => {
  const { accountNumber, address } = await checkout.advice({ amountPolicy: 'exact' }, '058')
  await using opened = await checkout.open(address, { height: 400 })
  const { page, problems } = opened
  const report = page.waitForResponse(/\/sent$/)
  await page.getByRole('button', SENT).click()
  await page.locator('.checking').waitFor()
  await report

  await simulate(bench, accountNumber, '5999.99')
  await untilSaid(page, '₦5,999.99 you sent couldn’t be applied to this payment.')
  await page.getByRole('button', SENT).waitFor()
  await untilInView(page, '.held')
  await page.getByText('Use another bank').scrollIntoViewIfNeeded()
  await simulate(bench, accountNumber, '0.01')
  await untilSaid(page, '₦6,000.00 you sent couldn’t be applied to this payment.')
  await untilInView(page, '.held')
  assert.deepEqual(problems, [])
})

test('too much: the page says at once that it is paid and that money is left over', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address)
  const { page } = opened
  await page.locator('.pulse').waitFor()
  await simulate(bench, accountNumber, '6500')
  await untilSaid(page, 'Payment received · Sandbox Merchant. You sent ₦6,500.00: ₦500.00 too much')
})

test('a payer who has come back for the receipt stays there when more money comes', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await simulate(bench, accountNumber, '6000')
  await using opened = await checkout.open(address)
  const { page } = opened
  await simulate(bench, accountNumber, '100')
  await untilSaid(page, 'You sent ₦6,100.00: ₦100.00 too much')
  await page.getByRole('link', { name: 'Back to Sandbox Merchant', exact: true }).waitFor()
})

test('another bank’s number is seen, in focus and said aloud; so is the first, chosen again', async () => {
  const { adviceReference, accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address, { height: 400 })
  const { page, problems } = opened
  bench.advance(1)
  // Chooses another bank. The page must move the focus to the new account number and have it read aloud.
  const choose = async (bankName: string) => {
    await page.getByText('Use another bank').click()
    await page.getByRole('button', { name: bankName }).click()
    await page.locator('.account', { hasText: bankName }).waitFor()
    await untilTrue(page, `document.activeElement.matches('.account')`)
    await untilInView(page, '.number')
    const number = await shownNumber(page)
    const read = `${number.slice(0, 3)} ${number.slice(3, 6)} ${number.slice(6)}`
    await untilSaid(page, `Account number at ${bankName}: ${read}`)
    assert.equal(await page.locator('details[open]').count(), 0)
    return number
  }

  assert.notEqual(await choose('Ecobank Nigeria'), accountNumber)
  await page.getByText('Use another bank').click()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByText('Use another bank').click()
  await page.route('**/pay', (route) => route.abort()) // The page must not request the number again.
  assert.equal(await choose('Guaranty Trust Bank'), accountNumber)
  await page.reload()

  assert.equal(await shownNumber(page), accountNumber)
  assert.equal(await checkout.numbersOf(adviceReference), 2)
  assert.deepEqual(problems, [])
})

test('without a script too, the number of another bank is shown, also once the money is sent', async () => {
  const { adviceReference, accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address, { javaScriptEnabled: false })
  const { page } = opened
  bench.advance(1)
  for (const bankName of ['Ecobank Nigeria', 'Guaranty Trust Bank']) {
    await page.getByText('Use another bank').click()
    await page.getByRole('button', { name: bankName }).click()
    await page.locator('.account', { hasText: bankName }).waitFor()
    await page.getByRole('button', SENT).click()
    await page.locator('.checking').waitFor()
    assert.equal(await page.locator('.account', { hasText: bankName }).count(), 1)
  }

  assert.equal(await shownNumber(page), accountNumber)
  assert.equal(await checkout.numbersOf(adviceReference), 2)
})
