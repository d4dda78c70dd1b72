// A finance user's end of day in a real browser, with clicks counted and time measured: the bank's
// statement is imported, its difference resolved, and the day closed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watDay } from '#clock.ts'
import { openBrowser } from '../support/browser.ts'
import { countClicks } from '../support/click-counter.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { patience } from '../support/patience.ts'
import { fileOf } from '../support/reconciliation-scenes.ts'
import { BANK, gtbankCsv } from '../support/statement-files.ts'
import { NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'

const CLICKS_MAX = 10
const DAY_MS = 86_400_000
const JOURNEY_MS = patience(30_000)

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('finance imports a statement, resolves its difference and closes the day in ten clicks', async () => {
  const day = watDay(bench.clock())
  const credit = { bank: BANK, sourceAccountName: 'ADAEZE OKONKWO' }
  const { sessionId } = await suspend(bench, NOBODYS_NUMBER, '45000.00', credit)
  bench.advance(DAY_MS)
  const inward = `NIBSS Instant Payment Inward ${sessionId} FROM ADAEZE OKONKWO TO ${NOBODYS_NUMBER}`
  const text = gtbankCsv({
    lines: [
      { day, kobo: 4_500_000n, narration: inward },
      { day, kobo: -5_250n, narration: 'SMS ALERT CHARGE NOV 2026' },
    ],
  })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  await page.getByText('No statements yet').waitFor()
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const modal = page.locator('dialog.modal').last()
  const { click, assertWithin } = countClicks()

  const choosing = page.waitForEvent('filechooser')
  await click(button('Import the first statement'))
  await (await choosing).setFiles(fileOf(text))
  await modal.getByLabel('Bank').selectOption(BANK)
  await click(modal.getByRole('button', { name: 'Import', exact: true }))
  await page.getByText('Statement imported').waitFor()
  await click(button('View the day'))
  await click(page.locator('table.list .row-link').first())
  await click(button('Resolve'))
  await click(modal.getByLabel('Note as a reconciling item'))
  await modal.getByLabel('Reason').fill('Charge of the bank, to be booked by month end')
  await click(modal.getByRole('button', { name: 'Resolve' }))
  await page.getByText('Difference resolved.').first().waitFor()
  await page.keyboard.press('Escape')
  await click(button('Close day'))
  await modal.getByText('Guaranty Trust Bank: reconciling items').waitFor()
  await modal.getByLabel('Reason').fill('The other banks had no movement')
  await click(modal.getByRole('button', { name: 'Close day' }))
  await page.locator('.day-title').getByText('Closed').waitFor()

  assertWithin({ clicks: CLICKS_MAX, ms: JOURNEY_MS })
  const { rows } = await bench.db.query('select day::text from closed_days')
  assert.deepEqual(rows, [{ day }])
  assert.deepEqual(problems, [])
})
