// The test clock and the reset of the sandbox in a real browser: what each role sees before, during
// and after.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { withTransaction } from '#db/transaction.ts'
import { beginSeed } from '#sandbox/seeds.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { ACCOUNTS, createAccount, dataOf, startPayment, verify } from '../support/fixtures.ts'
import { CROSSED, personAt } from '../support/pressing.ts'
import type { Bench, Call } from '../support/running-service.ts'
import { listener } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const quiet = closeAfterTests(await listener()) // Answers 200 to everything.

const CLOCK = '/sandbox/clock'
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
// A payment expires after 30 minutes and closes 5 minutes later.
const [DAY_MS, CLOSES_MS] = [24 * HOUR_MS, 35 * MINUTE_MS]

const cardOf = (page: Page) => page.getByRole('region', { name: 'Test clock' })
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const modalOf = (page: Page) => page.locator('dialog.modal')

// Creates a client and a bench that calls as it. Also resets the test clock, which all clients share.
async function newClient(clientId: string): Promise<Bench> {
  const token = await bench.newClient(clientId)
  await bench.call({ method: 'DELETE', url: CLOCK, token })
  return { ...bench, call: (call: Call) => bench.call({ ...call, token }) }
}

// Reads the client's test clock, and how far it is ahead of the real one.
async function readClock(of: Bench): Promise<{ isFrozen: boolean; aheadMs: number }> {
  const { now, isFrozen } = dataOf(await of.call({ url: CLOCK }))
  return { isFrozen, aheadMs: Date.parse(now) - bench.clock().getTime() }
}

for (const { width, by, colorScheme } of CROSSED) {
  test(`time is advanced and released again by ${by}, ${width} pixels wide`, async () => {
    const clientId = `CLOCK${width}`
    const client = await newClient(clientId)
    const { paymentReference } = await startPayment(client, { callBackUrl: quiet.url })
    await using opened = await bench.openAs(browser, {
      ...{ clientId, width, colorScheme, role: 'developer' },
    })
    const { page, problems } = opened
    const { press, tick } = personAt(page, by)
    const card = cardOf(page)
    await page.goto(`${bench.url}/dashboard/sandbox-bank`)
    await card.getByText('Real time', { exact: true }).waitFor()
    await card.getByText('Select an open payment').waitFor()
    assert.equal(await button(page, 'Return to real time').count(), 0)

    await tick(page.getByRole('radio', { name: /Ada Obi/ }))
    await press(button(page, 'Past the grace period of Ada Obi’s payment'))
    await card.getByText(/^Advanced to 15 Nov, /).waitFor()
    await card.getByText('1 payment expired').waitFor()
    await card.getByText('Frozen', { exact: true }).waitFor()
    assert.deepEqual(await readClock(client), { isFrozen: true, aheadMs: CLOSES_MS + 1_000 })
    assert.equal((await verify(client, paymentReference)).transactionStatus, 'Expired')
    assert.deepEqual(await findAxeFaults(page), [])

    await press(button(page, 'Expired'))
    await tick(page.getByRole('radio', { name: /Ada Obi/ }))
    await press(button(page, 'Send transfer'))
    await page.getByText('In suspense: ').waitFor()
    await press(button(page, '1 day'))
    await card.getByText(/^Advanced to 16 Nov, /).waitFor()
    await card.getByLabel('Advance to').fill('2026-12-01T08:30')
    await press(button(page, 'Advance'))
    await card.getByText('Advanced to 1 Dec, 08:30 WAT.').waitFor()
    assert.equal(dataOf(await client.call({ url: CLOCK })).now, '2026-12-01T08:30:00.000000+01:00')

    await press(button(page, 'Return to real time'))
    await modalOf(page).getByText('What is dated ahead keeps its dates').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await press(modalOf(page).getByRole('button', { name: 'Return to real time' }))
    await card.getByText('Real time', { exact: true }).waitFor()
    assert.deepEqual(await readClock(client), { isFrozen: false, aheadMs: 0 })
    assert.deepEqual(problems, [])
  })
}

test('while the clock advances, the page shows its time and starts nothing else', async () => {
  const opening = Promise.withResolvers<void>()
  await using slow = await listener((response) => void opening.promise.then(() => response.end()))
  const client = await newClient('CLOCKSLOW')
  const body = { now: bench.clock().toISOString() }
  await client.call({ method: 'PUT', url: CLOCK, body })
  await startPayment(client, { callBackUrl: slow.url })
  await using opened = await bench.openAs(browser, { clientId: 'CLOCKSLOW' })
  const { page, problems } = opened
  const card = cardOf(page)
  const questions: string[] = []
  page.on(
    'request',
    (request) => request.url().endsWith('/advance') && questions.push(request.url()),
  )
  await page.goto(`${bench.url}/dashboard/sandbox-bank`)

  await button(page, '1 day').click()

  await card.getByText(/^Advancing to 16 Nov, /).waitFor()
  await card.locator('.badge', { hasText: 'Advancing' }).waitFor()
  const closes = new Date(bench.clock().getTime() + CLOSES_MS)
  const time = closes.toLocaleTimeString('en-GB', { timeZone: 'Africa/Lagos' }).slice(0, 5)
  await card.locator('time', { hasText: time }).waitFor() // Its webhook is not answered yet.
  assert(Number(await card.getByRole('progressbar').getAttribute('value')) > 0)
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, '1 hour').click({ force: true })
  await button(page, 'Return to real time').click({ force: true })
  assert.equal(await modalOf(page).count(), 0)
  opening.resolve()
  await card.getByText(/^Advanced to 16 Nov, /).waitFor()
  await card.getByText('1 payment expired').waitFor()
  assert.equal(questions.length, 1)
  assert.deepEqual(await readClock(client), { isFrozen: true, aheadMs: DAY_MS })
  assert.deepEqual(problems, [])
})

// Makes the first two calls that move the clock stop after an hour, as the service does when there is too
// much work in between. `meanwhile` runs after each of them. Returns the times that the page requested.
// `isComplete: false` tells the page to call again.
async function moveClockInParts(
  page: Page,
  client: Bench,
  meanwhile: (calls: number) => Promise<unknown>,
) {
  const targets: string[] = []
  await page.route(`**${CLOCK}/advance`, async (route) => {
    targets.push(route.request().postDataJSON().to)
    if (targets.length > 2) return route.continue()
    const response = await route.fetch({ postData: { seconds: HOUR_MS / 1_000 } })
    const { data, ...rest } = await response.json()
    await meanwhile(targets.length)
    await route.fulfill({ response, json: { ...rest, data: { ...data, isComplete: false } } })
  })
  await page.goto(`${bench.url}/dashboard/sandbox-bank`)
  await button(page, '1 day').click()
  return { targets, read: () => readClock(client) }
}

test('a move that is too long for one call continues until the clock is there', async () => {
  const client = await newClient('CLOCKMORE')
  await using opened = await bench.openAs(browser, { clientId: 'CLOCKMORE' })
  const { page, problems } = opened

  const { targets, read } = await moveClockInParts(page, client, async () => {})

  await cardOf(page)
    .getByText(/^Advanced to 16 Nov, /)
    .waitFor()
  assert.equal(targets.length, 3)
  assert.equal(new Set(targets).size, 1)
  assert.deepEqual(await read(), { isFrozen: true, aheadMs: DAY_MS })
  assert.deepEqual(problems, [])
})

test('a stopped move goes no further, and neither does one whose clock was released meanwhile', async () => {
  const client = await newClient('CLOCKSTOP')
  await using opened = await bench.openAs(browser, { clientId: 'CLOCKSTOP', width: 360 })
  const { page } = opened
  const stopped = await moveClockInParts(page, client, () => button(page, 'Stop').click())
  await cardOf(page)
    .getByText(/^Stopped at 15 Nov, /)
    .waitFor()
  assert.equal(stopped.targets.length, 1)
  assert.deepEqual(await stopped.read(), { isFrozen: true, aheadMs: HOUR_MS })

  await page.unrouteAll()
  const releaseClock = () => client.call({ method: 'DELETE', url: CLOCK })
  const released = await moveClockInParts(page, client, releaseClock)
  await cardOf(page).getByText('Stopped: you’re back in real time').waitFor()
  await cardOf(page).getByText('Real time', { exact: true }).waitFor()
  assert.equal(released.targets.length, 1)
  assert.deepEqual(await released.read(), { isFrozen: false, aheadMs: 0 })
})

test('a time that is past or too far ahead is refused, and can be corrected', async () => {
  const client = await newClient('CLOCKWRONG')
  await using opened = await bench.openAs(browser, { clientId: 'CLOCKWRONG' })
  const { page } = opened
  const card = cardOf(page)
  await page.goto(`${bench.url}/dashboard/sandbox-bank`)
  await card.getByText('Real time', { exact: true }).waitFor()
  for (const [to, message] of [
    ['2020-01-01T00:00', 'A test clock only moves forward.'],
    ['2036-01-01T00:00', 'at most 400 days ahead'],
  ] as const) {
    await card.getByLabel('Advance to').fill(to)
    await button(page, 'Advance').click()
    await card.getByRole('alert').getByText(message).waitFor()
    assert.equal((await readClock(client)).isFrozen, false)
  }

  await button(page, '7 days').click()

  await card.getByText('Nothing fell due.').waitFor()
  assert.equal(await card.getByRole('alert').count(), 0)
  assert.deepEqual(await readClock(client), { isFrozen: true, aheadMs: 7 * DAY_MS })
})

test('a reset says what goes and what stays, is refused while a seed runs, and leaves nothing', async () => {
  const client = await newClient('RESETS1')
  await createAccount(client, { notificationUrl: quiet.url })
  await startPayment(client, { callBackUrl: quiet.url })
  const countAccounts = async () => (await client.call({ url: ACCOUNTS })).json().data.length
  await using opened = await bench.openAs(browser, { clientId: 'RESETS1', width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/sandbox-bank`)
  await page.getByRole('radio', { name: /Ada Obi/ }).check()
  await button(page, '1 hour').click()
  await cardOf(page).getByText('Frozen', { exact: true }).waitFor()

  await button(page, 'Reset sandbox').click()
  await modalOf(page).getByText('Refunds, payouts, settlements, subaccounts and splits').waitFor()
  await modalOf(page).getByText('Credentials, users and their sessions').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Cancel').click()
  assert.equal(await countAccounts(), 1)
  const clientId = await bench.clientId('RESETS1')
  const seed = { clientId, seed: 1, accounts: 1, days: 1, endsAt: bench.clock() }
  await withTransaction(bench.db, (tx) => beginSeed(tx, bench.clock(), seed))
  await button(page, 'Reset sandbox').click()
  const confirm = modalOf(page).getByRole('button', { name: 'Reset sandbox' })
  await confirm.click()
  await modalOf(page).getByRole('alert').waitFor()
  assert.equal(await countAccounts(), 1)
  await bench.db.query('update sandbox_seeds set done = steps, finished_at = $1', [bench.clock()])
  await confirm.click()

  await page.getByText('Sandbox reset.').waitFor()
  await page.getByText('No open payments.').waitFor()
  await cardOf(page).getByText('Frozen', { exact: true }).waitFor()
  assert.equal(await countAccounts(), 0)
  await createAccount(client, { notificationUrl: quiet.url })
  await button(page, 'Accounts').click()
  await page.getByRole('radio', { name: /Ada Obi/ }).check()
  await page.getByLabel('Amount (NGN)').fill('1000')
  await button(page, 'Send transfer').click()
  // The stream now shows events of the new client.
  await page.getByText('Event collection.received').waitFor()
})

test('a user who may not write payments has neither the clock nor the reset', async () => {
  for (const role of ['finance', 'support'] as const) {
    await using opened = await bench.openAs(browser, { role })
    await opened.page.goto(`${bench.url}/dashboard/sandbox-bank`)
    await opened.page.getByRole('heading', { name: 'Page not found' }).waitFor()
    assert.equal(await button(opened.page, 'Reset sandbox').count(), 0)
  }
})
