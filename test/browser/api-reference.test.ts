// The API reference in a real browser loads quickly, calls no other host, and works by keyboard, on a phone
// and in dark mode.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { patience } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'

const SCRIPT_BYTES_MAX = 300_000
const INTERACTIVE_MS = 1_000 // The limit on an idle machine.

const bench = closeAfterTests(await startTestService())
const url = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })
const browser = closeAfterTests(await openBrowser())

test('the reference loads little script, is interactive at once, and calls no other host', async (t) => {
  const { page, problems, hosts, sizes } = await browser.newPage()
  const figures: string[] = []
  await page.goto(`${url}/docs`)
  await page.locator('html[data-ready]').waitFor()
  const loaded = Object.entries(await sizes())
  for (const path of ['/docs', '/docs/payments', '/docs/operator']) {
    // The first request renders and compresses the page, and the process caches it.
    await page.goto(url + path)
    await page.reload()
    await page.locator('html[data-ready]').waitFor()
    const ready = await page.evaluate<number>(
      `performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`,
    )
    figures.push(`${path} ${Math.round(ready)} ms`)
    assert(ready <= patience(INTERACTIVE_MS), figures.join(', '))
  }

  const bytes = loaded
    .filter(([path]) => path.endsWith('.js'))
    .reduce((sum, [, size]) => sum + size, 0)
  t.diagnostic(`script ${bytes} bytes, interactive after: ${figures.join(', ')}`)
  assert(bytes > 0 && bytes <= SCRIPT_BYTES_MAX, `${bytes} bytes`)
  assert.deepEqual(problems, [])
  assert.deepEqual(hosts(), [new URL(url).host])
})

for (const [width, colorScheme] of [
  [1280, 'light'],
  [360, 'dark'],
] as const) {
  test(`the reference is accessible at ${width} pixels, ${colorScheme}`, async () => {
    const { page, problems } = await browser.newPage({ width, colorScheme })
    for (const path of ['/docs', '/docs/refunds', '/docs/webhook-events']) {
      await page.goto(url + path)
      await page.locator('html[data-ready]').waitFor()
      assert.deepEqual(await findAxeFaults(page), [], path)
      const overflow = await page.evaluate<number>(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      )
      assert.equal(overflow, 0, path)
    }
    assert.deepEqual(problems, [])
  })
}

test('the keyboard alone finds an operation, and a form runs its example in the sandbox', async () => {
  const { page, problems } = await browser.newPage()
  await page.goto(`${url}/docs`)
  await page.locator('html[data-ready]').waitFor()

  await page.keyboard.press('/')
  await page.keyboard.type('create payment advice')
  await page.getByRole('option', { name: /^Create a payment advice/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/payments#createAdvice')
  const operation = page.locator('#createAdvice')
  await operation.getByText('Try it').focus()
  await page.keyboard.press('Enter')
  await operation.getByRole('button', { name: 'Send' }).focus()
  await page.keyboard.press('Enter')
  await operation.getByText(/^200 OK/).waitFor()
  assert.match(
    await operation.getByRole('region', { name: 'Response', exact: true }).innerText(),
    /"Pending"/,
  )
  assert.match((await operation.locator('[data-token]').first().textContent()) ?? '', /^eyJ/)
  assert.deepEqual(problems, [])
})

test('the choice between curl and the SDK stays', async () => {
  const { page } = await browser.newPage()
  await page.goto(`${url}/docs/payments`)
  const operation = page.locator('#createAdvice')

  await operation.getByRole('button', { name: 'SDK', exact: true }).click()
  await page.goto(`${url}/docs/splits`)

  await page.locator('#createSubaccount').getByText('manilla.request').waitFor()
  assert.equal(await page.locator('#createSubaccount').getByText('curl -').count(), 0)
})
