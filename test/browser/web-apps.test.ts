// The service serves its web apps correctly, and the browser of the tests works.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const url = await listenLocally(bench.service.app)

test('the dashboard opens in a browser, calls no other host, and logs no problem', async () => {
  await using browser = await openBrowser()
  await using opened = await browser.newPage()
  const { page, problems, hosts, sizes } = opened

  await page.goto(`${url}/dashboard/anything`)
  await page.locator('h1').waitFor()

  assert.deepEqual(problems, [])
  assert.deepEqual(hosts(), [new URL(url).host])
  assert.deepEqual(await findAxeFaults(page), [])
  assert(Object.keys(await sizes()).some((path) => path.endsWith('.js')))
})
