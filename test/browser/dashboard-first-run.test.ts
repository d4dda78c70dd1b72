// The dashboard of an empty sandbox in a real browser: every empty view offers a first action, and a user
// can add sample data, which the page creates through the API.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { MEANS, personAt } from '../support/pressing.ts'
import { pay } from '../support/refunding.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

// Returns the number of the client's accounts, payments, advices and credits.
async function countAll(token: string): Promise<number[]> {
  const lists = ['accounts/static', 'payments', 'advices', 'credits']
  // Counts the rows on the first page of each list.
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

test('sample data whose response is lost is completed, and no object is created twice', async () => {
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

test('a user who may not write is offered no way to create objects', async () => {
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

test('a month of sample data fills Today, and the checklist stays until it is dismissed', async () => {
  await bench.newClient('FIRSTMONTH')
  await using opened = await bench.openAs(browser, { clientId: 'FIRSTMONTH', role: 'developer' })
  const { page, problems } = opened
  await assertFaultlessThroughout(page, `${bench.url}/dashboard`)
  await page.getByRole('heading', { name: 'Set up' }).waitFor()
  await page.getByText('1 of 5 done').waitFor() // One step is done: the client’s token was used.
  assert.equal(await page.locator('.stat').count(), 0, 'figures that are all zero')

  await page.getByRole('button', { name: 'Load 30 days of sample data' }).press('Enter')

  await page.getByText('30 days of sample data loaded.').waitFor()
  await page.locator('.stat').first().waitFor()
  const folded = page.locator('details.setup')
  await folded
    .locator('summary')
    .getByText(/^Set up [1-4] of 5 done$/)
    .waitFor()
  await assertFaultlessThroughout(page, `${bench.url}/dashboard`)
  await folded.locator('summary').press('Enter')
  for (const step of ['Send a sandbox transfer', 'Request a payment']) {
    await folded.locator('li[data-done=true]').getByText(step).waitFor()
  }
  await folded.locator('li[data-done=false]').getByText('Add a webhook endpoint').waitFor()
  await folded.getByRole('button', { name: 'Hide these steps on this device' }).press('Enter')
  await folded.waitFor({ state: 'detached' })
  await page.reload()
  await page.locator('.stat').first().waitFor()
  assert.equal(await page.locator('.setup').count(), 0)
  assert.deepEqual(problems, [])
})

const STEPS = {
  operator: ['Check your banks', 'Create a client', 'Set your fees', 'Import a bank statement'],
  owner: ['Invite your colleagues', 'Add your bank account', 'Make checkout yours'],
  developer: ['Copy your API keys', 'Send a sandbox transfer', 'Add a webhook endpoint'],
} as const

for (const role of ['operator', 'owner', 'developer'] as const) {
  test(`the checklist of ${role} ticks off what is there`, async () => {
    const clientId = role === 'operator' ? undefined : 'FIRSTSTEPS'
    if (role === 'owner') await bench.newClient('FIRSTSTEPS')
    const options = { role, ...(clientId ? { clientId } : {}) }
    await using opened = await bench.openAs(browser, options)
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard`)
    const steps = page.locator('.setup li')
    for (const step of STEPS[role]) await steps.getByRole('link', { name: step }).waitFor()

    if (role === 'operator') {
      const done = page.locator('.setup li[data-done=true]')
      await done.getByText('Create a client').waitFor()
      assert.equal(await done.count(), 1)
    }
    assert.deepEqual(problems, [])
  })
}

test('an owner who does every step finishes the checklist', async () => {
  const clientId = 'FIRSTALL'
  const token = await bench.newClient(clientId)
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  const setUp = page.locator('.setup')
  await page.goto(`${bench.url}/dashboard`)
  await setUp.locator('li[data-done=true]').getByText('Copy your API keys').waitFor()
  for (const step of ['Invite your colleagues', 'Make checkout yours']) {
    await setUp.locator('li[data-done=false]').getByText(step).waitFor()
  }

  await newBrowser(bench, 'finance', clientId)
  const body = { name: 'Own Name', colour: null }
  const branded = await bench.call({ method: 'PUT', url: '/api/v1/branding', body, token })
  assert.equal(branded.statusCode, 200, branded.body)
  await page.reload()

  for (const step of ['Invite your colleagues', 'Make checkout yours']) {
    await setUp.locator('li[data-done=true]').getByText(step).waitFor()
  }
  assert.deepEqual(problems, [])
})

test('in its first hour, a sandbox compares what is known: that today is not counted yet', async () => {
  const clientId = 'FIRSTHOUR'
  const token = await bench.newClient(clientId)
  await pay(bench, (await createAccount(bench, {}, { token })).accountNumber, '600')
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)
  const card = page.getByRole('region', { name: 'Compare periods' })
  const cells = card.getByRole('row', { name: /^Gross / }).locator('td')
  await cells.first().waitFor()

  assert.deepEqual(await cells.allInnerTexts(), ['Not yet', 'No data', '–'])
  assert.match(
    await card.innerText(),
    /The data begins at .+: it counts here once that hour is over\./,
  )
  assert.deepEqual(problems, [])
})
