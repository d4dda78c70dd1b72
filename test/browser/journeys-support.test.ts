// A support user on the phone with a payer, in a real browser and timed: "I sent 12,500 yesterday" is
// enough to find the payment, and its refund takes at most four clicks. This user may refund, as finance
// users do.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { countClicks } from '../support/click-counter.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { patience } from '../support/patience.ts'
import { pay } from '../support/refunding.ts'

const CLICKS_MAX = 4
const DAY_MS = 86_400_000
const JOURNEY_MS = patience(15_000)

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('support finds a payment by “12,500 yesterday” and refunds it in at most four clicks', async () => {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '90000')
  const payment = await startPayment(bench, { amount: '12500.00', merchantRef: 'ORDER-9' })
  await pay(bench, payment.bankAccount, '12500.00')
  bench.advance(DAY_MS)
  const other = await startPayment(bench, { amount: '12500.00', merchantRef: 'ORDER-10' })
  await pay(bench, other.bankAccount, '12500.00')
  await using opened = await bench.openAs(browser, { role: 'finance' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.feed li').first().waitFor()
  const { click, assertWithin } = countClicks()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('12,500 yesterday')
  const found = page.getByRole('group', { name: 'Payments', exact: true }).getByRole('option')
  await found.first().waitFor()
  assert.equal(await found.count(), 1, 'today’s payment of the same amount is not found')
  await click(found)
  const drawer = page.locator('dialog.drawer')
  await drawer.getByText('ORDER-9').first().waitFor()
  await click(drawer.getByRole('button', { name: 'Refund', exact: true }))
  const modal = page.locator('dialog.modal').last()
  await modal.getByLabel('Reason').fill('Sent twice')
  await click(modal.getByRole('button', { name: 'Continue' }))
  await click(page.getByRole('button', { name: 'Refund ₦12,500.00', exact: true }))
  await page.getByText(/^Refund RFD[0-9]+ requested\.$/).waitFor()

  assertWithin({ clicks: CLICKS_MAX, ms: JOURNEY_MS })
  const { rows } = await bench.db.query('select amount_kobo, reason from refunds')
  assert.deepEqual(rows, [{ amountKobo: 1_250_000n, reason: 'Sent twice' }])
  assert.deepEqual(problems, [])
})
