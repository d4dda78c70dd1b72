// Every drawer has the same order: the headline, then the facts. In each row of buttons the primary one is
// first and the destructive one last. A confirmation names the amount and the recipient.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { addBankAccount, createPayout } from '../support/payouts.ts'
import { pay, refund } from '../support/refunding.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
await createRowForEachList()

// Creates a row for each list, so that its drawer can be opened. The money in suspense came to a closed
// account.
async function createRowForEachList() {
  const { accountNumber } = await createAccount(bench)
  await pay(bench, accountNumber, '90000')
  const url = `/api/v1/accounts/static/${(await createAccount(bench)).accountNumber}`
  await bench.call({ url: `${url}/deactivate`, body: {} })
  await pay(bench, url.split('/').at(-1) as string, '700')
  const payment = await startPayment(bench, { amount: 1000 })
  await pay(bench, payment.bankAccount, '1000')
  await refund(bench, { paymentReference: payment.paymentReference as string }, '250')
  await addBankAccount(bench)
  await createPayout(bench, { amount: '900' })
}

// The drawers: the view, the text of a destructive button, and the text of the confirmation that it opens.
const DRAWERS = [
  ['payments', undefined, undefined],
  ['credits', undefined, undefined],
  ['accounts', undefined, undefined],
  ['suspense', undefined, undefined],
  ['refunds', 'Cancel refund', 'Cancel the refund of ₦250.00 to ADA OBI, ******6789?'],
  ['payouts', 'Cancel payout', /^Cancel payout of ₦900\.00 to \S.*\?$/],
] as const

// A script that returns the class names of the drawer's headline and facts, in the order on the page.
const PLACES = `[...document.querySelectorAll('dialog.drawer .headline, dialog.drawer .facts')]
  .map((each) => each.className.split(' ')[0])`
// A script that returns the rows of buttons. Each row is a list of the buttons' tones, in the order on the
// page.
const ROWS = `[...document.querySelectorAll('dialog.drawer :is(.actions, .buttons)')].map((row) =>
  [...row.querySelectorAll(':scope > .button')]
    .map((button) => [button, button.getBoundingClientRect()])
    .sort(([, one], [, other]) => one.top - other.top || one.left - other.left)
    .map(([button]) => ['primary', 'danger-text'].find((tone) => button.matches('.' + tone)) ?? ''))`

// Returns the place of a button's tone: the main button comes first, a destructive one last.
const rankOf = (tone: string) => ['primary', '', 'danger-text'].indexOf(tone)

// Asserts that the open drawer begins with its headline, and that in each row of buttons a main button comes
// first and a destructive one last.
async function assertInOrder(page: Page, name: string): Promise<void> {
  const [first] = await page.evaluate<string[]>(PLACES)
  assert.equal(first, 'headline', name)
  for (const row of await page.evaluate<string[][]>(ROWS)) {
    const ranks = row.map(rankOf)
    assert.deepEqual(ranks, ranks.toSorted(), `${name}: ${row.join(', ')}`)
  }
}

// A script that returns, for each button at the end of a dialog, whether it is destructive (`danger`).
const TONES = `[...document.querySelectorAll('dialog.modal .form-end .button')]
  .map((button) => (button.matches('.danger') ? 'danger' : ''))`

for (const width of [360, 1280]) {
  for (const [name, action, question] of DRAWERS) {
    test(`the drawer of ${name} is in order, ${width} pixels wide`, async () => {
      await using opened = await bench.openAs(browser, { width })
      const { page, problems } = opened
      await page.goto(`${bench.url}/dashboard/${name}`)
      await page.locator('#content .row-link').first().press('Enter')
      const drawer = page.locator('dialog.drawer')
      await drawer.locator('.facts dt').first().waitFor()
      await drawer.locator('.skeleton').first().waitFor({ state: 'detached' })
      await assertInOrder(page, name)
      if (question) {
        await drawer.getByRole('button', { name: action, exact: true }).press('Enter')
        const modal = page.locator('dialog.modal')
        await modal.getByRole('heading', { name: question }).waitFor()
        assert.deepEqual(await page.evaluate<string[]>(TONES), ['', 'danger'])
        assert.deepEqual(await findAxeFaults(page), [])
      }
      assert.deepEqual(problems, [])
    })
  }
}
