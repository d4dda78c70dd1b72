// Reconciliation shows only what is known about days: a bank without statements, entries that only
// one side has yet, obstacles to closing a day, and the possible meaning of a debit.

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { watDay } from '#clock.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { newSessionId } from '../support/rail.ts'
import { dayPath } from '../support/reconciliation-scenes.ts'
import { BANK, gtbankCsv, imported } from '../support/statement-files.ts'
import { NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'

const DAY_MS = 86_400_000
const browser = closeAfterTests(await openBrowser())
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

// Returns the narration of a statement line for a NIP transfer that arrived.
const inward = (sessionId: string) =>
  `NIBSS Instant Payment Inward ${sessionId} FROM ADA OBI TO ${NOBODYS_NUMBER}`

// Starts a dashboard with a credit at each of two banks. GTBank's statement of the day before has its
// credit and the lines of `more`; the other bank never sent a statement.
async function startWithOneStatement(
  more: (sessionId: string) => { kobo: bigint; narration: string }[] = () => [],
) {
  const bench = closeAfterTests(await startDashboardBench())
  const day = watDay(bench.clock())
  const { sessionId } = await suspend(bench, NOBODYS_NUMBER, '15000.00', { bank: BANK })
  await suspend(bench, NOBODYS_NUMBER, '700.00', { bank: '035' })
  bench.advance(1.5 * DAY_MS) // The statement of the day is due by noon.
  const lines = [{ kobo: 1_500_000n, narration: inward(sessionId) }, ...more(sessionId)]
  await imported(bench, gtbankCsv({ lines: lines.map((line) => ({ day, ...line })) }))
  return { bench, day }
}

const SHOTS = process.env.SHOTS
// Takes screenshots in both colour schemes and two widths, if the variable for them is set.
async function takeScreenshots(page: Page, name: string): Promise<void> {
  if (!SHOTS) return
  mkdirSync(SHOTS, { recursive: true })
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [360, 1280]) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize({ width, height: 900 })
      await page.screenshot({
        path: `${SHOTS}/${name}-${width}-${colorScheme}.png`,
        fullPage: true,
      })
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
}

test('a bank that never had a statement is not taken for balanced', async () => {
  const { bench } = await startWithOneStatement()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/reconciliation`
  await page.goto(url)
  await waitForText(page, 'Banks by day')
  const alert = await page.locator('.day-alert').innerText()
  assert.match(alert, /0 of 1 Wema Bank statement\. The days with a statement balance\./)
  assert.equal(await page.locator('.day-alert.good').count(), 0)
  assert.equal(await page.getByText('Every statement is in').count(), 0)
  await takeScreenshots(page, 'never')
  await assertFaultlessThroughout(page, url)
  assert.deepEqual(problems, [])
})

test('one-sided items are not in transit, and count equally in the cell and on the page', async () => {
  const unknown = { kobo: 432_100n, narration: inward(newSessionId()) }
  const { bench, day } = await startWithOneStatement(() => [unknown])
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  const cell = page.locator(`a.day-cell[href*="${day}"][href*="${BANK}"]`)
  await cell.waitFor()
  assert.match(await cell.innerText(), /1 unmatched/)
  assert.match((await cell.getAttribute('class')) ?? '', /calm/)
  await cell.focus()
  await page.keyboard.press('Enter')

  await page.locator('.proof.waiting').waitFor()
  await waitForText(page, 'Balanced except for 1 difference not matched yet (₦4,321.00).')
  const proof = (await page.locator('.proof table').innerText()).replaceAll(/\s+/g, ' ')
  assert.match(proof, /Timing differences.*₦0\.00.*Not matched yet.*₦4,321\.00/)
  assert.equal(await page.locator('#differences').innerText(), 'Differences: 1 not matched yet')
  assert.equal(await page.getByText('The statement and the ledger agree').count(), 0)
  await takeScreenshots(page, 'waiting')
  await assertFaultlessThroughout(page, page.url())
  assert.deepEqual(problems, [])
})

test('closing a day lists each bank with what it lacks, and leads there', async () => {
  const { bench, day } = await startWithOneStatement(() => [
    { kobo: -5_250n, narration: 'UNKNOWN DEBIT' },
  ])
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${dayPath(day)}`)
  await page.getByRole('button', { name: 'Close day' }).click()
  const list = modalOf(page).getByRole('list', { name: '2 banks are not balanced on this day' })
  await list.waitFor()
  const items = (await list.innerText()).split('\n').sort()
  assert.deepEqual(items, ['Guaranty Trust Bank: 1 open difference', 'Wema Bank: no statement'])
  assert.deepEqual(await findAxeFaults(page), [])
  await takeScreenshots(page, 'close')
  await modalOf(page).getByRole('button', { name: 'Close day' }).click()
  await modalOf(page).getByRole('alert').waitFor()
  assert.doesNotMatch(await modalOf(page).innerText(), /request id/i)
  await modalOf(page).getByRole('link', { name: 'Wema Bank' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Wema Bank' }).waitFor()
  assert.deepEqual(
    problems.filter((problem) => !/status of 409/.test(problem)),
    [],
  )
})

test('a debit smaller than its credit is booked as what the user says it is', async () => {
  const { bench, day } = await startWithOneStatement((sessionId) => [
    { kobo: -5_000n, narration: `DEBIT ${sessionId}` },
  ])
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${dayPath(day)}`)
  await page.locator('.row-link').first().click()
  await page.getByRole('button', { name: 'Resolve', exact: true }).click()
  const modal = modalOf(page)
  const charge = modal.getByLabel('A charge of ₦50.00')
  const reversal = modal.getByLabel('A partial reversal of ₦50.00 of the ₦15,000.00 credit')
  assert.deepEqual([await charge.isChecked(), await reversal.isChecked()], [false, false])
  assert.deepEqual(await findAxeFaults(page), [])
  await takeScreenshots(page, 'readings')
  await modal.getByLabel('Note', { exact: false }).first().check()
  assert.equal(await charge.count(), 0)
  await modal.getByLabel('Book', { exact: false }).first().check()
  await modal.locator('textarea').fill('EMTL, as the bank’s paper says')
  await modal.getByRole('button', { name: 'Resolve' }).click()
  assert.equal(await modal.count(), 1, 'neither reading is chosen')
  await charge.focus()
  await page.keyboard.press('Space')
  await modal.getByRole('button', { name: 'Resolve' }).click()
  await modal.waitFor({ state: 'detached' })

  const { rows } = await bench.db.query(
    `select t.reason, t.amount_kobo::int as kobo, (select count(*)::int from reversals) as reversals
       from transfers t where t.difference_id is not null`,
  )
  assert.deepEqual(rows, [{ reason: 'bank_charge', kobo: 5_000, reversals: 0 }])
  assert.deepEqual(problems, [])
})
