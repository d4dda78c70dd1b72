// The dashboard's live data stay current: it notices a connection that is silently dead, and says so when
// figures could not be reloaded.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const SILENCE_MAX_MS = 40_000
const STREAMS = `{
  window.streams = []
  window.EventSource = class extends EventSource {
    constructor(url) {
      super(url)
      window.streams.push(this)
    }
  }
}`
const BEAT = `streams.at(-1).dispatchEvent(new MessageEvent('beat', { data: '{}' }))`

const failuresOf = (page: Page) => page.locator('main .failed')
const pressRetry = (page: Page) => failuresOf(page).first().getByRole('button').click()

test('a stream that is silent for too long is reopened, and all data are reloaded', async () => {
  const { accountNumber } = await createAccount(bench)
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.addInitScript({ content: STREAMS })
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.live.on').waitFor()
  for (let beats = 0; beats < 2; beats++) {
    await page.clock.fastForward(SILENCE_MAX_MS - 1_000)
    await page.evaluate(BEAT)
  }
  assert.equal(await page.evaluate('streams.length'), 1)
  const held: Route[] = []
  await page.route('**/events/stream*', (route) => held.push(route))

  await page.clock.fastForward(SILENCE_MAX_MS)
  await page.locator('.live:not(.on)').waitFor()
  await page.locator('.connection').getByText('Live updates are disconnected').waitFor()
  await until('it is opened again', () => held.length === 1)
  assert.equal(await page.evaluate('streams[0].readyState'), 2)
  await credit(bench, accountNumber, '80.00', { sourceAccountName: 'UNHEARD OF' })
  await held[0]?.continue()

  await page.locator('.live.on').waitFor()
  await page.locator('.feed').getByText('UNHEARD OF').waitFor()
})

test('figures of today that could not be loaded again stay, and say so', async () => {
  const { accountNumber } = await createAccount(bench)
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.live.on').waitFor()
  await page.locator('#balances').waitFor()
  const parts = ['overview', 'overview/breakdown', 'balances', 'credits?*']
  for (const part of parts) await page.route(`**/api/v1/${part}`, (route) => route.abort())

  await credit(bench, accountNumber, '81.00', { sourceAccountName: 'TOO LATE' })
  await failuresOf(page)
    .nth(parts.length - 1)
    .waitFor()
  await page.locator('.live:not(.on)').waitFor()
  assert(await page.locator('dl.stats').first().isVisible())
  assert(await page.locator('.feed li').first().isVisible())
  for (const part of parts) await page.unroute(`**/api/v1/${part}`)
  await pressRetry(page)
  await credit(bench, accountNumber, '81.50')

  await page.locator('.feed').getByText('TOO LATE').waitFor()
  await page.locator('.live.on').waitFor()
  await until('nothing is old', async () => (await failuresOf(page).count()) === 0)
})

test('the sum of a list that could not be counted again stays, and says so', async () => {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '82.00')
  await using opened = await bench.openAs(browser)
  const { page } = opened
  const streaming = page.waitForResponse(/events\/stream/)
  await page.goto(`${bench.url}/dashboard/credits`)
  await streaming
  const sum = page.getByRole('status', { name: 'List total' })
  await sum.getByText('items').waitFor()
  const before = await sum.innerText()
  await page.route('**/api/v1/credits/summary*', (route) => route.abort())

  await credit(bench, accountNumber, '83.00')
  await failuresOf(page).waitFor()
  assert.equal(await sum.innerText(), before)
  await page.unroute('**/api/v1/credits/summary*')
  await pressRetry(page)

  await failuresOf(page).waitFor({ state: 'detached' })
  assert.notEqual(await sum.innerText(), before)
})
