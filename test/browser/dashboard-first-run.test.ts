// The first minutes in an empty sandbox: every empty view offers what to do first, and sample data that
// comes through the API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { MEANS, personAt } from '../support/pressing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

async function countAll(token: string): Promise<number[]> {
  const lists = ['accounts/static', 'payments', 'advices', 'credits']
  const counted = lists.map(async (list) => {
    const { data } = (await bench.call({ url: `/api/v1/${list}`, token })).json()
    return data.length
  })
  return Promise.all(counted)
}

for (const { width, by, colorScheme } of MEANS) {
  test(`sample data fills an empty sandbox by ${by}, ${width} pixels wide`, async () => {
    const clientId = `FIRST${width}${by}`
    const token = await bench.newClient(clientId)
    await using opened = await bench.openAs(browser, { clientId, width, colorScheme })
    const { page, problems } = opened
    const { press } = personAt(page, by)
    await page.goto(`${bench.url}/dashboard`)
    await page.getByRole('heading', { name: 'No credits yet' }).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])

    await press(page.getByRole('button', { name: 'Add sample data' }))

    await page.getByText('Sample data added').waitFor()
    await page.locator('.feed li').nth(1).waitFor()
    assert.deepEqual(await countAll(token), [1, 1, 1, 2])
    await page.goto(`${bench.url}/dashboard/payments`)
    await page.locator('td .badge', { hasText: 'Successful' }).waitFor()
    assert.deepEqual(problems, [])
  })
}

test('sample data whose answer is lost half way is finished, and nothing is made twice', async () => {
  const token = await bench.newClient('FIRSTLOST')
  await using opened = await bench.openAs(browser, { clientId: 'FIRSTLOST' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts`)
  let isLost = false
  await page.route('**/sandbox/seed', async (route) => {
    if (isLost) return route.continue()
    isLost = true
    await route.fetch()
    await route.abort()
  })
  await page.getByRole('button', { name: 'Add sample data' }).click()

  await page.getByText('Sample data added').waitFor()
  assert(isLost)
  assert.deepEqual(await countAll(token), [1, 1, 1, 2])
})

test('the first action of an empty view opens its form', async () => {
  await bench.newClient('FIRSTLINK')
  await using opened = await bench.openAs(browser, { clientId: 'FIRSTLINK' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/credits`)

  await page.getByRole('link', { name: 'New account' }).click()
  await page.getByRole('heading', { name: 'New collection account' }).waitFor()
  await page.goBack()
  await page.getByRole('link', { name: 'New payment request' }).click()

  await page.locator('dialog.modal').getByLabel('Amount in naira').waitFor()
})

test('whoever may not write is offered nothing to make', async () => {
  await bench.newClient('FIRSTREAD')
  await using opened = await bench.openAs(browser, { clientId: 'FIRSTREAD', role: 'support' })
  const { page } = opened
  for (const view of ['', '/payments', '/payments?tab=requests', '/accounts', '/credits']) {
    await page.goto(`${bench.url}/dashboard${view}`)
    await page.locator('.empty').waitFor()
    assert.equal(await page.locator('.empty').getByRole('button').count(), 0, view)
    assert.equal(await page.locator('.empty .button').count(), 0, view)
  }
})
