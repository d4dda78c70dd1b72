// “Needs you” on Today in a real browser: the newest waiting items, each with its action.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultlessThroughout, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { addBankAccount, createPayout, fund } from '../support/payouts.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('a payout is approved from Today, where at most three of those that wait are shown', async () => {
  const clientId = 'NEEDSYOU1'
  const token = await bench.newClient(clientId)
  await fund(bench, '9000', { token })
  const { reference: bankAccount } = await addBankAccount(bench, { token })
  const body = { payoutApproval: 'all' }
  await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body, token })
  const references: string[] = []
  for (const amount of [1100, 1200, 1300, 1400]) {
    const { reference } = await createPayout(bench, { amount, bankAccount }, { token })
    references.push(reference)
  }
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  const today = `${bench.url}/dashboard`
  await page.goto(today)
  const card = page.getByRole('region', { name: 'Needs you' })
  const items = card.locator('.needs-you-items > li')
  await items.getByRole('button', { name: 'Approve', exact: true }).nth(2).waitFor()
  assert.equal(await items.count(), 3)
  assert.match(await items.first().innerText(), /1,400\.00/)
  await assertFaultlessThroughout(page, today)

  await items.first().getByRole('button', { name: 'Approve', exact: true }).click()
  const dialog = page.locator('dialog.modal')
  await dialog.getByText(/^Approve payout of ₦1,400\.00 to \S.*\?$/).waitFor()
  await dialog.getByRole('button', { name: 'Approve' }).click()

  await page.getByText(/PYT\d+ approved\./).waitFor()
  await items.filter({ hasText: '1,400.00' }).waitFor({ state: 'detached' })
  await items.filter({ hasText: '1,100.00' }).waitFor()
  await card.locator('.count', { hasText: '3' }).waitFor()
  const approvals = await Promise.all(
    references.map(async (reference) => {
      const answer = await bench.call({ url: `/api/v1/payouts/${reference}`, token })
      return answer.json().data.approval
    }),
  )
  assert.deepEqual(approvals, ['needed', 'needed', 'needed', 'approved'])
  assert.deepEqual(problems, [])
})
