// The API reference in a real browser: it works under its own strict policy, alone.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { startTestService } from '../support/running-service.ts'

test('the reference shows every family, asks nobody else, and breaks no rule of its policy', async () => {
  await using bench = await startTestService()
  const url = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })
  await using browser = await openBrowser()
  const { page, problems, hosts } = await browser.newPage()

  await page.goto(`${url}/docs`)

  await page.getByRole('heading', { name: 'Manilla' }).first().waitFor()
  for (const family of ['Collection accounts', 'Payments', 'Rails']) {
    await page.getByText(family, { exact: true }).first().waitFor()
  }
  assert.deepEqual(problems, [])
  assert.deepEqual(hosts(), [new URL(url).host])
})
