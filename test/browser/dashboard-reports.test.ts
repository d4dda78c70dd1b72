// Scheduled reports and the operators' chat in a real browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { runSchedulesRound } from '#schedules/workers.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { startPayment } from '../support/fixtures.ts'
import { noticingOf } from '../support/noticing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

test('a report is scheduled beside the export of its list, opened by its link and deleted', async () => {
  await startPayment(bench)
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments?status=Expired`)
  await button(page, 'Schedule…').click()
  await waitForText(page, 'Filters: Expired')
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByLabel('Name').fill('Expired payments')
  await page.getByLabel('How often').selectOption('weekly')
  await button(page, 'Schedule').click()
  await waitForText(page, 'Scheduled')

  const { rows } = await bench.db.query('select next_due_at from report_schedules')
  await bench.db.query('update report_schedules set next_due_at = $1, next_from = $2', [
    bench.clock(),
    '2026-11-02',
  ])
  assert.equal(rows.length, 1)
  await runSchedulesRound(noticingOf(bench))(new AbortController().signal)
  const { rows: runs } = await bench.db.query('select reference from report_runs')
  await page.goto(`${bench.url}/dashboard/reports/${runs[0].reference}`)
  await waitForText(page, 'Link works until')
  assert.deepEqual(await findAxeFaults(page), [])
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download CSV' }).click()
  assert.equal((await download).suggestedFilename(), 'payments-2026-11-02-to-2026-11-08.csv')

  await page.getByRole('link', { name: 'All scheduled reports' }).click()
  await page.getByRole('cell', { name: 'Expired payments' }).click()
  await button(page, 'Delete').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).last().click()
  await waitForText(page, 'No scheduled reports')
  assert.deepEqual(problems, [])
})

test('an operator sets, views and removes the chat', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened // The service answers 404 until a chat is set.
  await page.goto(`${bench.url}/dashboard/settings?tab=chat`)
  await page.getByLabel('Address of the webhook').fill('https://chat.example.com/hooks/s3cr3t')
  await page.getByLabel('Alerts from this severity on').selectOption('critical')
  await button(page, 'Save').click()
  await waitForText(page, 'chat.example.com')
  assert.equal(await page.getByText('s3cr3t').count(), 0)
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Remove').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await waitForText(page, 'Set the operators’ chat')
})
