// A developer's first hour in a real browser, by mouse and by keyboard alone, narrow and wide: from the
// sign-in page to a payment whose webhook failed, was fixed, and arrived.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { shownNumber } from '../support/checkout-page.ts'
import { closeAfterTests } from '../support/closing.ts'
import { type DashboardBench, skipEvents, startDashboardBench } from '../support/dashboard-bench.ts'
import { type Journey, journeyAt } from '../support/journeys.ts'
import { CROSSED, personAt } from '../support/pressing.ts'
import { listener } from '../support/webhook-bench.ts'

const WEBHOOKS = { name: 'Webhooks', letter: 'w' }
const browser = closeAfterTests(await openBrowser())

for (const means of CROSSED) {
  test(`the first hour of a developer by ${means.by}, ${means.width} pixels wide`, async () => {
    await using bench = await startDashboardBench()
    await using broken = await listener((response) => {
      response.statusCode = 500
      response.end('no such table: orders')
    })
    await using working = await listener()
    await using opened = await browser.newPage({ ...means, timezoneId: 'Africa/Lagos' })
    const { page, problems } = opened
    await page.clock.setFixedTime(bench.clock())
    const journey = journeyAt(page, means)
    await page.goto(bench.url)

    await signInAndAddSamples(journey)
    await skipEvents(bench)
    await addEndpoint(journey, `${broken.url}/hooks`)
    const path = await askForPayment(journey, `${working.url}/thanks`)
    await payAsPayer(journey, `${bench.url}${path}`)
    const deliver = await startDelivering(bench)
    await openFailedAttempt(journey)
    await fixEndpoint(journey, `${working.url}/hooks`)
    await resend(journey, deliver)
    assert(working.types().includes('payment.successful'))
    await findPayment(journey)

    assert.deepEqual(problems, [])
  })
}

// Signs in to the sandbox and adds sample data. `faultless` asserts that the page has no accessibility fault.
async function signInAndAddSamples(journey: Journey): Promise<void> {
  const { page, press, visit, button, link, see, faultless } = journey
  await see('This is a sandbox: the demo user is filled in.')
  await faultless()
  await press(button('Sign in'))
  await page.getByRole('heading', { name: 'No credits yet' }).waitFor()
  await link('New payment request').waitFor()
  await visit({ name: 'Collection accounts', letter: 'a' })
  await link('New account').waitFor()
  await press(button('Add sample data'))
  await see('Sample data added')
  await page.locator('.row-link').first().waitFor()
  await faultless()
}

// Adds a webhook endpoint, whose signing secret is shown once. `faultless` asserts that the page has no
// accessibility fault.
async function addEndpoint(journey: Journey, url: string): Promise<void> {
  const { modal, press, fill, visit, button, see, faultless } = journey
  await visit(WEBHOOKS)
  await press(button('Add endpoint'))
  await fill(modal.getByLabel('URL'), url)
  await press(modal.getByRole('button', { name: 'Add endpoint' }))
  await see('Signing secret')
  await faultless()
  await press(button('I’ve saved it'))
}

// Creates a payment request, and returns the path of its payment link. `faultless` asserts that the page has
// no accessibility fault.
async function askForPayment(journey: Journey, returnPage: string): Promise<string> {
  const { modal, press, fill, visit, button, link, faultless } = journey
  await visit({ name: 'Payments', letter: 'p' })
  await press(link('New payment request'))
  await fill(modal.getByLabel('Amount in naira'), '2,500.50')
  await fill(modal.getByLabel('Customer name'), 'Chidi Eze')
  await press(modal.getByText('More options'))
  await fill(modal.getByLabel('Return page'), returnPage)
  await press(button('Create request'))
  await modal.getByRole('img', { name: 'QR code of the payment link' }).waitFor()
  await faultless()
  const { pathname, search } = new URL((await modal.locator('code').textContent()) ?? '')
  await press(button('Done'))
  return `${pathname}${search}`
}

// Opens the payment link as the payer to get an account number, and pays to it from the sandbox bank.
// `faultless` asserts that the page has no accessibility fault.
async function payAsPayer(
  { page, by, press, tick, visit, button, see, faultless }: Journey,
  url: string,
) {
  const payer = await page.context().newPage()
  await payer.goto(url)
  await personAt(payer, by).press(payer.getByRole('button', { name: 'Wema Bank' }))
  await payer.getByText('Waiting for your transfer').first().waitFor()
  const number = await shownNumber(payer)
  await visit({ name: 'Sandbox bank', letter: 'x' })
  await tick(page.getByRole('radio', { name: number }))
  await press(button('Send transfer'))
  // Waits for this first, because the message soon disappears.
  await payer.getByText('Payment received').first().waitFor()
  await payer.close()
  await see('Event payment.successful')
  await faultless()
}

// Delivers the first webhooks, and returns a function that delivers the next ones.
async function startDelivering(bench: DashboardBench): Promise<() => Promise<void>> {
  const deliverer = bench.newDeliverer()
  const deliver = () => bench.deliver(deliverer)
  await bench.dispatch()
  await deliver()
  return deliver
}

// Opens the delivery of the event that reports the payment. `press` clicks, or uses the keyboard in a journey
// by keyboard.
async function openDelivery({ press, link, page }: Journey): Promise<void> {
  await press(link('Deliveries'))
  await press(page.getByRole('link', { name: 'Payment successful' }).first())
}

// Opens the failed delivery and its attempt. The response, which is that of the test's broken receiver, says
// why the delivery failed. `faultless` asserts that the page has no accessibility fault.
async function openFailedAttempt(journey: Journey): Promise<void> {
  const { drawer, press, visit, faultless, leaveDrawer } = journey
  await visit(WEBHOOKS)
  await openDelivery(journey)
  const failed = drawer.locator('.attempt', { hasText: 'HTTP 500' })
  await press(failed.locator('summary'))
  await failed.getByText('no such table: orders').waitFor()
  await faultless()
  await leaveDrawer()
}

// Changes the address of the endpoint to one that answers.
async function fixEndpoint(journey: Journey, url: string): Promise<void> {
  const { page, modal, drawer, press, fill, link, leaveDrawer } = journey
  await press(link('Endpoints'))
  await press(page.locator('.row-link'))
  await press(drawer.getByRole('button', { name: 'Edit' }))
  await fill(modal.getByLabel('URL'), url)
  await press(modal.getByRole('button', { name: 'Save' }))
  await drawer.getByText(url).waitFor()
  await leaveDrawer()
}

// Sends the failed delivery again, which now arrives. `deliver` sends the webhooks that are due.
async function resend(journey: Journey, deliver: () => Promise<void>): Promise<void> {
  const { drawer, press, see, leaveDrawer } = journey
  await openDelivery(journey)
  await press(drawer.getByRole('button', { name: 'Resend' }))
  await see(/queued/i)
  await deliver()
  await drawer.getByText('HTTP 200').first().waitFor()
  await leaveDrawer()
}

// Finds the payment by the customer’s name. `faultless` asserts that the page has no accessibility fault.
async function findPayment({ page, by, drawer, search, faultless }: Journey): Promise<void> {
  await search('chidi')
  const found = page.getByRole('group', { name: 'Payments' }).getByRole('option').first()
  await found.waitFor()
  if (by === 'keyboard') await page.keyboard.press('Enter')
  else await found.click()
  await drawer.getByText('From Chidi Eze', { exact: true }).waitFor()
  await drawer.getByText('Successful').first().waitFor()
  await drawer.locator('.skeleton').first().waitFor({ state: 'detached' })
  await faultless()
}
