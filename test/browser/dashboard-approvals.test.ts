// In a real browser, an invited user accepts by the link, and a user approves that a payout is marked as
// failed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { requestFailure } from '../support/failing.ts'
import { createFile, queuePayouts, startFileService, statusesOf } from '../support/payout-desk.ts'
import { newBrowser, USERS_URL } from '../support/people.ts'

const bench = closeAfterTests(await startFileService())
const url = await listenLocally(bench.service.app)
const openAs = openerOf(bench, url)
const browser = closeAfterTests(await openBrowser())

const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('an invited user chooses a password by keyboard, and is led to a second factor', async () => {
  const owner = await newBrowser(bench, 'operator')
  const body = { email: 'new@people.example', role: 'finance' }
  const { invitationLink } = (await owner.call({ url: USERS_URL, body })).json().data
  const link = `${url}/dashboard/invitation#${invitationLink.split('#')[1]}`
  await using opened = await browser.newPage()
  const { page, problems } = opened
  await page.goto(link)
  await waitForText(page, /Choose a password for new@people.example/)
  assert.equal(new URL(page.url()).hash, '')
  await assertFaultlessThroughout(page, link)
  await page.getByLabel(/^Password/).focus()
  await page.keyboard.type('four words that are long')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/dashboard/settings?tab=profile')
  await waitForText(page, 'Two-factor authentication')
  assert.deepEqual(problems, [])

  await using again = await browser.newPage()
  await again.page.goto(link)
  await waitForText(again.page, /This link is not valid/)
  assert.deepEqual(await findAxeFaults(again.page), [])
  await again.page.getByRole('button', { name: 'Go to sign-in' }).click()
  await again.page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('the approver is told on Today and in the menu, and fails the payout', async () => {
  const [reference = ''] = await queuePayouts(bench)
  await createFile(bench)
  await requestFailure(bench, reference)
  await using opened = await openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${url}/dashboard`)
  await page.getByRole('heading', { name: 'Needs you' }).waitFor()
  await page
    .locator('nav')
    .getByText(/things? needs? you/)
    .first()
    .waitFor({ state: 'attached' })
  await page.locator('nav').getByText('1 to approve').first().waitFor({ state: 'attached' })
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('link', { name: 'Review: Payouts to fail' }).click()
  const payout = `${url}/dashboard/payouts/${reference}?tab=all`
  await page.goto(payout)
  await waitForText(page, 'Requested to fail')
  await waitForText(page, 'Desk officer, by telephone, ticket 4711')
  await assertFaultlessThroughout(page, payout)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.locator('dialog.modal').getByRole('button', { name: 'Approve' }).click()
  await waitForText(page, 'Failed. The money is available again.')
  await page.locator('nav').getByText('1 to approve').first().waitFor({ state: 'detached' })
  assert.deepEqual(await statusesOf(bench, [reference]), ['failed'])
  assert.deepEqual(problems, [])
})
