// Webhooks in a real browser: an endpoint from its first event until it is deleted, every attempt with its
// request and response, resending to a real receiver, and the signature checker.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { listener, verifies } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const drawerOf = (page: Page) => page.locator('dialog.drawer')
const modalOf = (page: Page) => page.locator('dialog.modal')
const rowsOf = (page: Page) => page.locator('table.list tbody tr')

// Each test has its own client, so that none sees another's events.
let clients = 0
// Creates a client, so that each test sees only its own objects.
async function newClient() {
  const clientId = `HOOKS${++clients}`
  return { clientId, token: await bench.newClient(clientId) }
}

test('an endpoint is added, tested, changed, switched off and on, and deleted', async () => {
  await using hooks = await listener()
  const { clientId } = await newClient()
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks`)
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('URL').fill(`${hooks.url}/in`)
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Add endpoint' }).click()
  const secret = await modalOf(page).locator('code').innerText()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await rowsOf(page).getByRole('link').click()
  await drawerOf(page).getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Test event queued.').waitFor()
  await bench.run()
  assert.deepEqual(hooks.types(), ['endpoint.test'])
  assert(verifies(secret, hooks.received[0] as never))

  await drawerOf(page).getByLabel('Drop the next').fill('1')
  await drawerOf(page).getByRole('button', { name: 'Apply' }).click()
  await page.getByText('Chaos settings applied.').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  const queued = page.waitForResponse((response) => response.url().endsWith('/test'))
  await drawerOf(page).getByRole('button', { name: 'Send test event' }).click()
  await queued
  await bench.run()
  await page.reload()
  await drawerOf(page).getByText('dropped by your chaos settings').waitFor()
  await drawerOf(page).getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Chaos turned off.').waitFor()

  await drawerOf(page).getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Selected events').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Select at least one event.').waitFor()
  await page.getByLabel('payment.successful').check()
  await page.getByRole('button', { name: 'Save' }).click()
  await drawerOf(page).getByText('payment.successful').waitFor()

  await drawerOf(page).getByRole('button', { name: 'Disable' }).click()
  await modalOf(page).getByRole('button', { name: 'Cancel' }).click()
  await drawerOf(page).getByRole('button', { name: 'Disable' }).click()
  await modalOf(page).getByRole('button', { name: 'Disable' }).click()
  await drawerOf(page).getByText('Disabled: it was switched off.').waitFor()
  // The list behind the drawer shows it too.
  await rowsOf(page).getByText('Disabled', { exact: true }).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await drawerOf(page).getByRole('button', { name: 'Enable' }).click()
  await drawerOf(page).getByRole('button', { name: 'Disable' }).waitFor()

  await drawerOf(page).getByRole('button', { name: 'Delete' }).click()
  await modalOf(page).getByText('This can’t be undone.').waitFor()
  await modalOf(page).getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: 'No endpoints yet' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a rotated secret is shown, and signs from then on beside the old one', async () => {
  await using hooks = await listener()
  const { clientId } = await newClient()
  const { id } = await bench.addEndpoint(hooks.url, null, clientId)
  const old = await bench.secret(id, clientId)
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)

  await drawerOf(page).getByRole('button', { name: 'Rotate secret' }).click()
  await modalOf(page).getByRole('button', { name: 'Rotate secret' }).click()
  await modalOf(page).getByRole('heading', { name: 'New signing secret' }).waitFor()
  const fresh = await modalOf(page).locator('code').innerText()
  // The dialog with the secret ignores Escape, so nobody closes it by accident.
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await drawerOf(page).getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Test event queued.').waitFor()
  await bench.run()

  assert.notEqual(fresh, old)
  for (const secret of [old, fresh]) assert(verifies(secret, hooks.received[0] as never))
  await drawerOf(page).getByRole('button', { name: 'Reveal' }).click()
  await drawerOf(page).locator('.revealed code', { hasText: fresh }).waitFor()
  assert.deepEqual(problems, [])
})

test('a delivery that failed shows what was sent and answered, is sent again and arrives', async () => {
  let isWell = false
  await using hooks = await listener((response) =>
    response.writeHead(isWell ? 200 : 503).end(isWell ? 'thank you' : '<b>out of order</b>'),
  )
  const { clientId, token } = await newClient()
  const { id } = await bench.addEndpoint(`${hooks.url}/in`, null, clientId)
  await createAccount(bench, { notificationUrl: `${hooks.url}/in` }, { token })
  await bench.run()
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks`)
  await rowsOf(page).getByText('Failing').waitFor()
  await page.goto(`${bench.url}/dashboard/webhooks?tab=deliveries`)
  await page.getByLabel('Delivery').selectOption('false')
  await rowsOf(page).getByRole('link', { name: 'Account created' }).click()
  const drawer = drawerOf(page)
  await drawer.getByText('HTTP 503').click()
  await drawer.getByText('<b>out of order</b>').waitFor()
  const text = await drawer.locator('.attempt pre').first().innerText()
  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'user-agent']) {
    assert(text.includes(`${name}: ${hooks.received[0]?.headers[name]}`), name)
  }
  assert.deepEqual(await findAxeFaults(page), [])

  isWell = true
  await drawer.getByRole('button', { name: 'Resend' }).click()
  await page.getByText('Delivery queued.').waitFor()
  await bench.run()
  await drawer.getByText('HTTP 200').waitFor()
  await drawer.locator('.headline').getByText('Delivered').waitFor()

  assert.deepEqual(hooks.types(), ['account.created', 'account.created'])
  assert.equal(hooks.received[1]?.body, hooks.received[0]?.body)
  // The signature checker accepts the request as the page shows it, so the page shows every byte of it.
  await drawer.getByText('HTTP 200').click()
  await drawer.getByRole('button', { name: 'Check signature' }).last().click()
  await page.getByLabel('Signing secret').fill(await bench.secret(id, clientId))
  await page.getByRole('button', { name: 'Check', exact: true }).click()
  await page.getByText('The signature is valid').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('pending deliveries are followed until they end, though that makes no event', async () => {
  await using hooks = await listener()
  const { clientId, token } = await newClient()
  const { id } = await bench.addEndpoint(`${hooks.url}/in`, null, clientId)
  await createAccount(bench, { notificationUrl: `${hooks.url}/in` }, { token })
  await bench.dispatch()
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks?tab=deliveries`)
  await rowsOf(page).getByText('Pending').waitFor()

  await bench.run()
  await rowsOf(page).getByText('Delivered').waitFor()
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)
  await drawerOf(page).getByText('HTTP 200').waitFor()
  await drawerOf(page).getByRole('button', { name: 'Send test event' }).click()
  await page.getByText('Test event queued.').waitFor()
  await bench.run()

  await drawerOf(page).getByText('HTTP 200').nth(1).waitFor()
  assert.deepEqual(problems, [])
})

test('an endpoint that fails by itself is seen to, in the list', async () => {
  let isWell = true
  await using hooks = await listener((response) => response.writeHead(isWell ? 200 : 503).end())
  const { clientId, token } = await newClient()
  await bench.addEndpoint(`${hooks.url}/in`, null, clientId)
  await createAccount(bench, { notificationUrl: `${hooks.url}/in` }, { token })
  await bench.dispatch()
  await using opened = await bench.openAs(browser, { clientId })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/webhooks`)
  await rowsOf(page).getByText('Healthy').waitFor()
  isWell = false
  await bench.run()

  await page.clock.fastForward(10_000)

  await rowsOf(page).getByText('Failing').waitFor()
})

test('a range of time is replayed to an endpoint', async () => {
  await using hooks = await listener()
  const { clientId, token } = await newClient()
  await createAccount(bench, {}, { token })
  await createAccount(bench, {}, { token })
  await bench.run()
  const { id } = await bench.addEndpoint(hooks.url, null, clientId)
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)

  await drawerOf(page).getByRole('button', { name: 'Replay events' }).click()
  await modalOf(page).getByLabel('From').fill('2026-11-15T10:00')
  await modalOf(page).getByLabel('To', { exact: true }).fill('2026-11-15T08:00')
  await modalOf(page).getByRole('button', { name: 'Replay' }).click()
  await modalOf(page).getByText('The end must be after the start.').waitFor()
  await modalOf(page).getByLabel('From').fill('2026-11-15T08:00') // In Lagos: 07:00 UTC.
  await modalOf(page).getByLabel('To', { exact: true }).fill('2026-11-16T08:00')
  await modalOf(page).getByRole('button', { name: 'Replay' }).click()
  await page.getByText('2 events queued.').waitFor()
  await bench.run()

  assert.deepEqual(hooks.types(), ['account.created', 'account.created'])
  assert.deepEqual(problems, [])
})

test('support sees everything and changes nothing', async () => {
  const { clientId } = await newClient()
  const { id } = await bench.addEndpoint('https://shop.example/in', null, clientId)
  await using opened = await bench.openAs(browser, { clientId, role: 'support' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks/${id}`)
  await drawerOf(page).getByText('No recent attempts.').waitFor()

  assert.deepEqual(await drawerOf(page).getByRole('button').allInnerTexts(), [''])
  await page.keyboard.press('Escape')
  assert.equal(await page.getByRole('button', { name: 'Add endpoint' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('an address that is refused says why, in the form', async () => {
  const { clientId } = await newClient()
  await using opened = await bench.openAs(browser, { clientId })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/webhooks`)

  await page.getByRole('button', { name: 'Add endpoint' }).click()
  await page.getByLabel('URL').fill('ftp://shop.example/in')
  await page.keyboard.press('Enter')
  await modalOf(page).getByRole('alert').getByText('url:').waitFor()

  assert.deepEqual(await findAxeFaults(page), [])
})

test('all of it is done by keyboard', async () => {
  const { clientId } = await newClient()
  const { id } = await bench.addEndpoint('https://shop.example/in', null, clientId)
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks`)
  await rowsOf(page).getByRole('link').focus()

  await page.keyboard.press('Enter')
  await drawerOf(page).getByRole('button', { name: 'Disable' }).focus()
  await page.keyboard.press('Enter')
  await modalOf(page).waitFor()
  await page.keyboard.press('Escape') // The first Escape closes only the confirmation.
  await modalOf(page).waitFor({ state: 'detached' })
  const back = await page.locator(':focus').innerText()
  await page.keyboard.press('Escape') // The second Escape closes the drawer.
  await drawerOf(page).waitFor({ state: 'detached' })

  assert.equal(back, 'Disable')
  assert.match((await page.locator(':focus').getAttribute('href')) ?? '', new RegExp(id))
  assert.deepEqual(problems, [])
})
