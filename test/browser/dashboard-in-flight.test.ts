// Requests that have no answer yet: a user cannot leave them by accident, and sending again changes nothing
// twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { until } from '../support/embedded-bench.ts'
import { addBankAccount, fund, PAYOUTS } from '../support/payouts.ts'
import { importScene } from '../support/reconciliation-scenes.ts'
import { NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { readList } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const ANSWER_MAX_MS = 30_000

const drawerOf = (page: Page) => page.locator('dialog.drawer')
const modalOf = (page: Page) => page.locator('dialog.modal')
const keyOf = (route: Route) => route.request().headers()['idempotency-key']
const bodyOf = (route: Route) => route.request().postDataJSON()

// Tries to leave a dialog by Escape and by the Back button. Then asserts that the page is where it was: at
// its entry 1 in the browser's history.
async function assertCannotLeave(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await page.evaluate('history.back()')
  await until('it is where it was', async () => page.evaluate('history.state.at === 1'))
}

test('a payout that nobody knows the outcome of stays open, and sent again it is made once', async () => {
  const token = await bench.newClient('FLIGHT1')
  await fund(bench, '5000', { token })
  await addBankAccount(bench, { token })
  await using opened = await bench.openAs(browser, { clientId: 'FLIGHT1', role: 'finance' })
  const { page } = opened
  const sent: Route[] = []
  await page.route(`**${PAYOUTS}`, async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    sent.push(route)
    if (sent.length > 1) return route.continue()
    await route.fetch() // The service carries the request out, but its answer is lost.
  })
  await page.goto(`${bench.url}/dashboard`)
  await page.getByRole('link', { name: 'Payouts' }).click()
  await page.getByRole('button', { name: 'New payout' }).click()
  await modalOf(page).getByLabel('Amount').fill('1500')
  await modalOf(page).getByLabel('Narration').fill('October')
  const submit = modalOf(page).getByRole('button', { name: 'Pay out' })
  await submit.click()
  await until('it is sent', () => sent.length === 1)
  await assertCannotLeave(page)
  assert(await modalOf(page).getByRole('button', { name: 'Cancel' }).isDisabled())
  assert(await modalOf(page).isVisible())
  assert.match(page.url(), /payouts$/)

  await page.clock.fastForward(ANSWER_MAX_MS)
  await modalOf(page).getByText('Can’t reach the service.').waitFor()
  await submit.click()
  await drawerOf(page).waitFor()

  assert.equal(new Set(sent.map(keyOf)).size, 1)
  assert.equal((await readList(bench, PAYOUTS, token)).data.length, 1)
})

test('a suspense item on its way keeps its drawer, and the key with it', async () => {
  const { id } = await suspend(bench, NOBODYS_NUMBER, '75.00')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  const sent: Route[] = []
  let isDone = false
  await page.route('**/api/v1/suspense/*/return', async (route) => {
    sent.push(route)
    if (sent.length > 1) return route.continue()
    await route.fetch()
    isDone = true
  })
  await page.goto(`${bench.url}/dashboard/suspense`)
  await page.locator('.row-link').first().click()
  await drawerOf(page).getByRole('button', { name: 'Return', exact: true }).click()
  await drawerOf(page).getByLabel('Reason').fill('Not ours')
  await drawerOf(page).getByRole('button', { name: 'Continue' }).click()
  const submit = drawerOf(page).locator('.sure').getByRole('button').first()
  await submit.click()
  await until('it is sent', () => sent.length === 1)
  await assertCannotLeave(page)
  await drawerOf(page).getByRole('button', { name: 'Close' }).click()
  assert(await drawerOf(page).isVisible())

  await page.clock.fastForward(ANSWER_MAX_MS)
  await drawerOf(page).getByText('Can’t reach the service.').waitFor()
  await submit.click()
  await until('it is sent again, and the first is done', () => sent.length === 2 && isDone)

  assert.equal(keyOf(sent[0] as Route), keyOf(sent[1] as Route))
  assert(sent.every((route) => route.request().url().includes(`/${id}/`)))
})

const REPLAY = '**/webhook-endpoints/*/replay'

test('an interrupted request for a replay is repeated with its key, and its progress is shown', async () => {
  await bench.newClient('FLIGHT2')
  const { id } = await bench.addEndpoint('https://shop.example/in', null, 'FLIGHT2')
  await using opened = await bench.openAs(browser, { clientId: 'FLIGHT2' })
  const { page } = opened
  const [sent, looks]: [Route[], Route[]] = [[], []]
  const running = { status: 'running', progress: 98, queued: 500, nextFrom: null }
  await page.route(REPLAY, (route) => {
    if (route.request().method() === 'POST') {
      return sent.push(route) === 1 ? route.abort() : route.fulfill({ json: { data: running } })
    }
    looks.push(route)
    if (looks.length === 1) return route.abort()
    return route.fulfill({ json: { data: { ...running, status: 'done', queued: 507 } } })
  })
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)
  await drawerOf(page).getByRole('button', { name: 'Replay events' }).click()
  await modalOf(page).getByLabel('From').fill('2026-11-15T08:00')
  await modalOf(page).getByLabel('To', { exact: true }).fill('2026-11-16T08:00')
  await modalOf(page).getByRole('button', { name: 'Replay' }).click()
  await modalOf(page).getByText('Can’t reach the service.').waitFor()

  await modalOf(page).getByRole('button', { name: 'Replay' }).click()
  await modalOf(page).getByText('500 events queued so far (98%)').waitFor()
  await page.clock.fastForward(1_000)
  await until('the page looked', () => looks.length === 1)
  await page.clock.fastForward(1_000)
  await page.getByText('507 events queued.').waitFor()

  const [first, second] = sent.map(keyOf)
  assert.equal(second, first)
})

test('an interrupted bulk action continues, and still lists what was refused before', async () => {
  await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  let lists = 0
  let listed: { data: object[] } | undefined
  await page.route('**/operator/reconciliation/differences?*', async (route) => {
    lists++
    listed ??= await (await route.fetch()).json()
    const data = Array.from({ length: 25 }, (_, at) => ({ ...listed?.data[0], id: 1000 + at }))
    await route.fulfill({ json: { ...listed, data } })
  })
  const sent: Route[] = []
  await page.route('**/api/v1/operator/reconciliation/resolve', (route) => {
    const { ids } = bodyOf(route) as { ids: number[] }
    const data = ids.map((id) => ({ id, ok: id !== 1003, message: 'Not this one.' }))
    return sent.push(route) === 2 ? route.abort() : route.fulfill({ json: { data } })
  })
  await page.goto(`${bench.url}/dashboard/reconciliation?tab=differences`)
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: /^Resolve selected/ }).click()
  await modalOf(page).getByLabel('Note as a reconciling item').check()
  await modalOf(page).getByLabel('Reason').fill('Explained by the branch')
  const before = lists
  await modalOf(page).getByRole('button', { name: 'Resolve' }).click()
  await modalOf(page).getByText('Can’t reach the service.').waitFor()
  await modalOf(page).getByText('#1003: Not this one.').waitFor()
  await until('the list is loaded again', () => lists > before)

  await modalOf(page).getByRole('button', { name: 'Resolve' }).click()
  await modalOf(page).getByText('24 differences resolved or sent for approval.').waitFor()

  await modalOf(page).getByText('#1003: Not this one.').waitFor()
  assert.deepEqual(
    sent.map((route) => bodyOf(route).ids[0]),
    [1000, 1020, 1020],
  )
  const [first, second, third] = sent.map(keyOf)
  assert.equal(third, second)
  assert.notEqual(second, first)
})
