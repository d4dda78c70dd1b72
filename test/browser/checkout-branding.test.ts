// The payer's page in a real browser: the merchant's branding, the QR code on wide screens, and the printed
// page.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { startWithBanks } from '../support/bank-calls.ts'
import { findAxeFaults, untilTrue } from '../support/browser.ts'
import { see, startCheckout } from '../support/checkout-page.ts'
import { CHECKOUT_SCENES, type Scene } from '../support/checkout-scenes.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { createAdvice, initiate, simulate } from '../support/fixtures.ts'

const checkout = closeAfterTests(await startCheckout())
const { bench, url } = checkout
const BYTES_MAX = 30_000
const RANGES = {
  static: { from: 100_000_000, to: 100_999_999 },
  dynamic: { from: 200_000_000, to: 200_999_999 },
}

// Opens the payer’s page in one of the prepared situations.
const openScene = async (scene: string, options = {}) =>
  checkout.open(url + (await (CHECKOUT_SCENES[scene] as Scene)(bench)), options)
const isVisible = (page: Page, selector: string) => page.locator(selector).first().isVisible()

test('a branded page shows logo, account name and contact, weighs little, and nothing jumps', async () => {
  await using opened = await openScene('branded')
  const { page, problems, sizes } = opened
  await page.locator('.pulse').waitFor()
  const logo = page.locator('img.logo')
  await untilTrue(page, 'document.querySelector("img.logo").complete')
  const shift = await page.evaluate<number>(
    `new Promise((resolve) => new PerformanceObserver((list) =>
       resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
         .observe({ type: 'layout-shift', buffered: true }) ?? setTimeout(resolve, 300, 0))`,
  )
  const loaded = Object.entries(await sizes())
  const ours = loaded.filter(([path]) => !path.startsWith('/pay/logos/'))
  const bytes = ours.reduce((sum, [, size]) => sum + size, 0)

  assert.equal(shift, 0)
  assert.equal(
    await logo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    240,
  )
  await see(page, 'Adas Shoes/Ada Obi')
  await see(page, 'Need help? Contact Ada’s Shoes')
  const link = page.getByRole('link', { name: 'help@adas-shoes.example' })
  assert.match(
    String(await link.getAttribute('href')),
    /^mailto:help@adas-shoes\.example\?subject=P/,
  )
  assert.equal(loaded.length, ours.length + 1)
  assert.equal(ours.length, 4, ours.join())
  assert(bytes > 5_000 && bytes <= BYTES_MAX, `${bytes} bytes`)
  assert.deepEqual(problems, [])
})

test('a wide screen offers the way on to a phone; a phone neither shows nor loads it', async () => {
  for (const [width, isOffered] of [
    [360, false],
    [1280, true],
  ] as const) {
    await using opened = await openScene('waiting', { width, height: 1_400 })
    const { page, sizes, problems } = opened
    await page.locator('.pulse').waitFor()
    if (isOffered) await untilTrue(page, 'document.querySelector(".scan img").naturalWidth > 0')
    const loaded = Object.entries(await sizes())
    const bytes = loaded.reduce((sum, [, size]) => sum + size, 0)

    assert.equal(await isVisible(page, '.scan'), isOffered)
    assert.equal(
      loaded.some(([path]) => path.endsWith('/qr.svg')),
      isOffered,
    )
    assert(bytes <= BYTES_MAX, `${bytes} bytes at ${width}`)
    assert.deepEqual(problems, [])
  }
})

test('the QR code disappears once the payment is paid', async () => {
  const { accountNumber, address } = await checkout.advice({}, '058')
  await using opened = await checkout.open(address, { width: 1280 })
  await opened.page.locator('.scan').waitFor()
  await simulate(bench, accountNumber, '6000')
  await opened.page.locator('.scan').waitFor({ state: 'detached' })
})

test('without a script the page is whole: logo, contact, what to send, “I’ve sent the money”', async () => {
  await using opened = await openScene('branded', { javaScriptEnabled: false })
  const { page } = opened
  await see(page, 'Need help? Contact Ada’s Shoes')
  assert(await isVisible(page, 'img.logo'))
  assert(await isVisible(page, '[role=timer]'))
  for (const button of await page.locator('.copy').all()) assert(!(await button.isVisible()))
  await page.getByRole('button', { name: 'I’ve sent the money' }).click()
  await see(page, 'We’re checking with the bank…')
})

test('if the bank cannot be queried, the page does not promise to check', async () => {
  await using mute = await startWithBanks([{ code: '058', settings: {}, ...RANGES }])
  const { adviceReference } = await createAdvice(mute)
  const { bankAccount } = await initiate(mute, adviceReference, '058')
  const address = await listenLocally(mute.service.app)
  await using opened = await checkout.open(`${address}/pay?adviceReference=${adviceReference}`)
  const { page, problems } = opened
  await page.getByRole('button', { name: 'I’ve sent the money' }).click()
  await see(page, 'Thank you. We’re waiting for the bank to confirm.')
  assert.equal(await page.getByText('checking with the bank').count(), 0)
  assert.deepEqual(await findAxeFaults(page), [])
  await simulate(mute, bankAccount, '6000')
  await see(page, 'Payment received')
  assert.deepEqual(problems, [])
})

test('on paper the receipt has what proves the payment, and nothing to press', async () => {
  await using opened = await openScene('branded-paid', { colorScheme: 'dark' })
  const { page } = opened
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })

  for (const selector of ['img.logo', 'h1', '.receipt', '.help', '.note']) {
    assert(await isVisible(page, selector), selector)
  }
  for (const selector of ['.actions', '.sign', '.toast']) {
    assert(!(await isVisible(page, selector)), selector)
  }
  await see(page, 'Paid from')
  await see(page, 'Zenith Bank')
  const colours = await page.evaluate(`[getComputedStyle(document.body).backgroundColor,
    getComputedStyle(document.querySelector('dd')).color]`)
  assert.deepEqual(colours, ['rgb(255, 255, 255)', 'rgb(0, 0, 0)'])
  const pages = (await page.pdf({ format: 'A4' })).toString('latin1').match(/\/Type \/Page\b/g)
  assert.equal(pages?.length, 1)
})
