// The payer searches the list of banks by any name or code, also by keyboard, and screen readers announce
// the results. Without JavaScript there is no search.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults } from '../support/browser.ts'
import { see, startCheckout } from '../support/checkout-page.ts'
import { closeAfterTests } from '../support/closing.ts'

const ALL = 15
const checkout = closeAfterTests(await startCheckout())

const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search banks' })
const banksOf = (page: Page) => page.locator('.bank:visible').allInnerTexts()

test('banks are found by a part of a name, a short name or a code, whatever the case and marks', async () => {
  const { address } = await checkout.advice()
  await using opened = await checkout.open(address)
  const { page, problems } = opened
  assert.equal((await banksOf(page)).length, ALL)
  // Types a search and returns the names of the banks that the list shows.
  const searchBanks = async (text: string) => {
    await searchField(page).fill(text)
    return await banksOf(page)
  }
  assert.deepEqual(await searchBanks('zEn'), ['Zenith Bank'])
  assert.deepEqual(await searchBanks('gtbank'), ['Guaranty Trust Bank'])
  assert.deepEqual(await searchBanks('UBA'), ['United Bank for Africa'])
  assert.deepEqual(await searchBanks(' Wẹ́ma '), ['Wema Bank'])
  assert.deepEqual(await searchBanks('502'), ['Kuda Microfinance Bank'])
  assert.deepEqual(await searchBanks('zzz'), [])
  await see(page, 'No bank matches.')
  assert.equal((await searchBanks('  ')).length, ALL)
  assert.deepEqual(problems, [])
})

test('the search is announced, and a bank is chosen by keyboard alone, never by accident', async () => {
  const { address, adviceReference } = await checkout.advice()
  await using opened = await checkout.open(address)
  const { page, problems } = opened
  await searchField(page).focus()
  await page.keyboard.type('fcmb')
  await page.getByRole('status').filter({ hasText: '1 bank found' }).waitFor({ state: 'attached' })
  const sent: string[] = []
  page.on('request', (request) => sent.push(request.url()))
  await page.keyboard.press('Enter')
  const focused = await page.evaluate('document.activeElement.textContent')
  assert.equal(focused, 'First City Monument Bank')
  await page.evaluate('new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))')
  assert.deepEqual(sent, [], 'Enter in the field chooses nothing')
  assert.equal(await checkout.numbersOf(adviceReference), 0)
  await page.keyboard.press('Enter')
  await see(page, 'Waiting for your transfer')
  assert.equal(await checkout.numbersOf(adviceReference), 1)

  // The list of the other banks has its own search, and starts empty.
  await page.getByText('Use another bank').click()
  assert.equal(await searchField(page).inputValue(), '')
  assert.equal((await banksOf(page)).length, ALL - 1)
  await searchField(page).fill('access')
  await page.getByRole('button', { name: 'Access Bank' }).click()
  await see(page, /^Access Bank$/)
  assert.deepEqual(problems, [])
})

test('text typed before the script arrives is searched for', async () => {
  const { address } = await checkout.advice()
  await using opened = await checkout.open('about:blank')
  const { page } = opened
  let letGo = () => {}
  const held = new Promise<void>((resolve) => {
    letGo = resolve
  })
  await page.route('**/*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(address, { waitUntil: 'commit' })
  await searchField(page).fill('kuda')
  assert.equal((await banksOf(page)).length, ALL)
  letGo()
  await page.locator('.bank:visible').nth(1).waitFor({ state: 'hidden' })
  assert.deepEqual(await banksOf(page), ['Kuda Microfinance Bank'])
  assert.equal(await searchField(page).inputValue(), 'kuda')
})

test('without JavaScript there is no search, and every bank can be chosen', async () => {
  const { address, adviceReference } = await checkout.advice()
  await using opened = await checkout.open(address, { javaScriptEnabled: false })
  const { page } = opened
  assert.equal(await searchField(page).count(), 0)
  assert.equal((await banksOf(page)).length, ALL)
  await page.getByRole('button', { name: 'Kuda Microfinance Bank' }).click()
  await see(page, 'Kuda Microfinance Bank')
  assert.equal(await checkout.numbersOf(adviceReference), 1)
})

test('axe-core finds nothing while somebody searches, and nothing overflows or jumps', async () => {
  const { address } = await checkout.advice()
  await using opened = await checkout.open(address)
  const { page } = opened
  for (const text of ['bank', 'zzz']) {
    await searchField(page).fill(text)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      assert.deepEqual(await findAxeFaults(page), [])
    }
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 900 })
      const over = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
      assert(Number(over) <= 0, `${over} pixels too wide at ${width}`)
    }
  }
})
