// Messages in a real browser: the inbox of a sandbox, previews, the settings of who gets which message, and
// suppressed addresses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { simulate, startPayment } from '../support/fixtures.ts'
import { caught, follow, setNotices } from '../support/noticing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const url = (tab: string) => `${bench.url}/dashboard/messages?tab=${tab}`
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
// Returns the problems of the page itself. The frame of a mail blocks all scripts, also those that the
// tests add to every page, and the browser reports that.
const ownProblems = (problems: readonly string[]) =>
  problems.filter((text) => !/^Blocked script execution in 'about:srcdoc'/.test(text))
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

await setNotices(bench)
const { bankAccount } = await startPayment(bench)
await simulate(bench, bankAccount, '6000.00')
await follow(bench)
await caught(bench)

test('a sandbox shows the mails that it caught, as their readers see them', async () => {
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page, problems } = opened
  await page.goto(`${url('log')}&channel=email`)
  await waitForText(page, 'a•••@example.com · Email')
  await page
    .getByRole('cell', { name: /^Receipt/ })
    .first()
    .click()
  const mail = page.frameLocator('iframe.mail-frame')
  await mail.getByRole('heading', { name: 'Thank you. Your payment is complete.' }).waitFor()
  // The mail’s own styles apply in the preview.
  await mail.locator('table.card[style*="max-width: 600px"]').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(ownProblems(problems), [])
})

test('an owner previews a message, and chooses who gets what', async () => {
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page, problems } = opened
  await page.goto(url('previews'))
  await page.getByLabel('Message', { exact: true }).selectOption('Payment instructions')
  await waitForText(page, 'Pay NGN 25,000.00 by bank transfer')
  await page.goto(url('notices'))
  await page.getByLabel('WhatsApp').check()
  await page.getByLabel('Daily summary').check()
  await button(page, 'Save').click()
  await waitForText(page, 'Saved.')
  const { data } = (await bench.call({ url: '/api/v1/notice-settings' })).json()
  assert.deepEqual(data.payerChannels, ['email', 'sms', 'whatsapp'])
  assert.deepEqual(data.staffKinds, ['merchant.daily_summary'])
  assert.deepEqual(ownProblems(problems), [])
})

test('an owner suppresses an address, and sends to it again', async () => {
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page, problems } = opened
  await page.goto(url('suppressions'))
  await button(page, 'Suppress an address').click()
  const modal = page.locator('dialog.modal')
  await modal.getByLabel('Email address or phone number').fill('eve@example.com')
  await modal.getByRole('button', { name: 'Suppress an address' }).click()
  await waitForText(page, 'Address suppressed.')
  await waitForText(page, 'eve@example.com')
  await button(page, 'Send again: eve@example.com').click()
  await modal.getByRole('button', { name: 'Send again' }).click()
  await waitForText(page, 'No suppressed addresses')
  assert.deepEqual(ownProblems(problems), [])
})

for (const tab of ['log', 'previews', 'notices', 'suppressions']) {
  test(`${tab} of messages is faultless at every width, in light and dark`, async () => {
    await using opened = await bench.openAs(browser, { role: 'operator' })
    await assertFaultlessThroughout(opened.page, url(tab))
  })
}
