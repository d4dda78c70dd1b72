// The refund state of payments in a real browser: its view, filter and column, the texts of a confirmation
// and a timeline, definitions on hover and focus, and a printed drawer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { pay, refund } from '../support/refunding.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const [whole, part, none] = await createPayments()

const drawerOf = (page: Page) => page.locator('dialog.drawer')
const modalOf = (page: Page) => page.locator('dialog.modal').last()
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

// Creates three payments: refunded in full, refunded in part, and not refunded.
async function createPayments() {
  // Starts a payment of 1,000 naira, and pays it in full.
  const createPaidPayment = async (merchantRef: string) => {
    const payment = await startPayment(bench, { amount: 1000, merchantRef })
    const { sessionId } = await pay(bench, payment.bankAccount, '1000')
    return { ...payment, sessionId, paymentReference: payment.paymentReference as string }
  }
  const payments = [
    await createPaidPayment('WHOLE'),
    await createPaidPayment('PART'),
    await createPaidPayment('NONE'),
  ] as const
  await refund(bench, payments[0], '1000')
  await refund(bench, payments[1], '300')
  await settleAll(bench, CONFIRMED)
  await pay(bench, (await createAccount(bench)).accountNumber, '5000')
  return payments
}

test('payments are filtered by refund, and say how much was refunded', async () => {
  // Returns the merchant references of the payments that a filter selects.
  const referencesOf = async (query: string) => {
    const { data } = (await bench.call({ url: `/api/v1/payments?${query}` })).json()
    return data.map(({ merchantRef }: { merchantRef: string }) => merchantRef)
  }
  assert.deepEqual(await referencesOf('refund=refunded'), ['WHOLE'])
  assert.deepEqual(await referencesOf('refund=part_refunded'), ['PART'])
  assert.deepEqual(await referencesOf('refund=part_refunded&status=Expired'), [])
  const refused = await bench.call({ url: '/api/v1/payments?refund=some' })
  assert.equal(refused.statusCode, 400)

  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/payments?refund=part_refunded`
  await page.goto(url)
  await page.locator('td .badge', { hasText: 'Partly refunded' }).waitFor()
  assert.equal(await page.locator('#content .row-link').count(), 1)
  await page.getByRole('cell', { name: '₦300.00' }).waitFor()
  await assertFaultlessThroughout(page, url)
  assert.deepEqual(problems, [])
})

test('the view of refunds lists them, and leads to what was refunded', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/refunds`)
  await page.locator('.row-link').nth(1).waitFor()
  assert.deepEqual(await page.locator('td.at-state .badge').allInnerTexts(), [
    'Confirmed',
    'Confirmed',
  ])
  await page.locator('.row-link').first().press('Enter')
  await drawerOf(page).getByText('ADA OBI, ******6789').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await drawerOf(page).getByRole('link', { name: 'Open the payment' }).click()
  await drawerOf(page).getByText('PART').first().waitFor()
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/refunds`)
  assert.deepEqual(problems, [])
})

test('a client without refunds reads how to make one', async () => {
  await bench.newClient('NOREFUNDS')
  await using opened = await bench.openAs(browser, { clientId: 'NOREFUNDS' })
  await opened.page.goto(`${bench.url}/dashboard/refunds`)
  await opened.page.getByText('No refunds yet').waitFor()
  await opened.page.getByText('12,500 yesterday').waitFor()
})

test('a payment opens with its payer, session id, bank and time; a refund names its requester', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments/${whole.paymentReference}`)
  await drawerOf(page).locator('.facts dt').first().waitFor()
  const names = await drawerOf(page).locator('.facts dt').allInnerTexts()
  assert.deepEqual(names.slice(0, 4), ['Payer', 'Session ID', 'Bank', 'Paid at'])
  const values = await drawerOf(page).locator('.facts dd').allInnerTexts()
  assert.equal(values[0], 'ADA OBI')
  assert.match(values[1] ?? '', new RegExp(whole.sessionId))
  await drawerOf(page).getByText('Refund requested by MAN0000001.').waitFor()
  await page.emulateMedia({ media: 'print' })
  assert.equal(await page.getByRole('navigation', { name: 'Main menu' }).isVisible(), false)
  assert.equal(await page.locator('#content .listing').isVisible(), false)
  assert(await drawerOf(page).isVisible())
  assert.deepEqual(problems, [])
})

test('a confirmation names amount and payer, and says whether another user must approve', async () => {
  const url = '/api/v1/operator/clients/MAN0000001/payout-settings'
  const body = { payoutApproval: 'above', approvalAbove: 500 }
  dataOf(await bench.call({ method: 'PATCH', url, body }))
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments/${none.paymentReference}`)
  for (const [amount, consequence] of [
    ['500', 'It’s sent to the bank at once.'],
    ['500.01', 'It’s sent once another user approves it.'],
  ] as const) {
    await button(page, 'Refund').click()
    await modalOf(page).getByLabel('Amount').fill(amount)
    await modalOf(page).getByLabel('Reason').fill('Sent twice')
    await button(page, 'Continue').click()
    await modalOf(page)
      .getByRole('heading', { name: `Refund ₦${amount.padEnd(6, '.00')} to ADA OBI?` })
      .waitFor()
    await modalOf(page).getByText(consequence).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.locator('dialog.modal').waitFor({ state: 'detached' })
  }
  assert.equal(part.paymentReference.length, 36)
  assert.deepEqual(problems, [])
})

for (const width of [360, 1280]) {
  test(`a figure says what it means on hover and focus, ${width} pixels wide`, async () => {
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard`)
    const term = page.getByRole('button', { name: 'Net today' })
    const definition = page.locator('.stat.main [role=tooltip]')
    await term.waitFor()
    assert.equal(await definition.isVisible(), false)

    await term.focus()
    await definition.getByText(/^Gross less what was reversed/).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    const box = await definition.boundingBox()
    assert(box && box.x >= 0 && box.x + box.width <= width)
    await page.keyboard.press('Escape')
    await definition.waitFor({ state: 'hidden' })
    await term.blur()
    await term.hover()
    await definition.waitFor()
    assert.deepEqual(problems, [])
  })
}
