// A statement line that contradicts a payout, in a real browser: it says so, links to the payout, and is
// booked correctly.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { FAILED, settleAll } from '../support/money-out.ts'
import { recordMovements } from '../support/movements.ts'
import { debit, givenBack, statement } from '../support/payout-lines.ts'
import { createPayout, fund } from '../support/payouts.ts'

const browser = closeAfterTests(await openBrowser())

const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const openKind = (page: Page, kind: string) =>
  page.locator('.row-link', { hasText: kind }).first().click()

test('a failed payout that was paid is booked as owed; one given back, with its debit', async () => {
  const bench = closeAfterTests(await startDashboardBench())
  await fund(bench, '5000')
  const { reference } = await createPayout(bench, { amount: 1000 })
  const { reference: other } = await createPayout(bench, { amount: 1000 })
  assert.equal(await settleAll(bench, FAILED), 2)
  await statement(bench, [
    debit(reference),
    debit(other, { bankReference: 'FT5' }),
    givenBack(other),
  ])
  const { moves } = await recordMovements(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation?tab=differences`)
  await openKind(page, 'Payout returned by the bank')
  await waitForText(page, 'The bank gave back the money of a payout.')
  await waitForText(
    page,
    'Books both lines, this and the one with the same amount. They cancel out.',
  )
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  await page.getByLabel('Reason').fill('The bank bounced it.')
  await page.locator('dialog.modal').getByRole('button', { name: 'Resolve' }).click()
  await waitForText(page, 'Difference resolved.')
  await page.keyboard.press('Escape')
  await page.goto(`${bench.url}/dashboard/reconciliation?tab=differences`)
  await openKind(page, 'Payout paid at the bank')
  await waitForText(page, 'The client, who got the money back, owes it.')
  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  await page.getByLabel('Reason').fill('On the statement.')
  await page.locator('dialog.modal').getByRole('button', { name: 'Resolve' }).click()
  await waitForText(page, 'Difference resolved.')

  const link = page.getByRole('link', { name: reference })
  await link.click()
  await waitForText(page, 'Paid, as the bank’s statement shows')
  assert.deepEqual(await moves(), [
    'paid: shortfall 035 → bank 035 1000.00',
    'paid: bank 035 → shortfall 035 1000.00',
    'paid: receivable → bank 035 1000.00',
  ])
  assert.deepEqual(problems, [])
})
