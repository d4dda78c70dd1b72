// Reconciliation in a real browser: a statement is imported, its day proved, and differences are
// resolved, one by one and many at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { newBrowser } from '../support/people.ts'
import { dayPath, fileOf, importScene, writeStatement } from '../support/reconciliation-scenes.ts'

const browser = closeAfterTests(await openBrowser())

const startBench = async () => closeAfterTests(await startDashboardBench())
type Bench = Awaited<ReturnType<typeof startBench>>

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')
const proofOf = async (page: Page) =>
  (await page.locator('.proof table').innerText()).replaceAll(/\s+/g, ' ')

// Counts the differences by state.
async function statesOf({ db }: Bench): Promise<Record<string, number>> {
  const { rows } = await db.query<{ state: string; count: number }>(
    'select state, count(*)::int as count from differences group by state',
  )
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]))
}

test('the first statement is imported by keyboard alone, and its day shows how it adds up', async () => {
  const bench = await startBench()
  const { text } = await writeStatement(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  await waitForText(page, 'No statements yet')
  const choosing = page.waitForEvent('filechooser')
  await button(page, 'Import the first statement').focus()
  await page.keyboard.press('Enter')
  await (await choosing).setFiles(fileOf(text))
  await modalOf(page).getByLabel('Bank').selectOption('058')
  assert.equal(await modalOf(page).getByLabel('Format').inputValue(), 'csv')
  assert.equal(await modalOf(page).getByLabel('CSV profile').inputValue(), 'gtbank')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Import').last().focus()
  await page.keyboard.press('Enter')

  await waitForText(page, 'Statement imported')
  assert.deepEqual(await findAxeFaults(page), [])
  const facts = (await modalOf(page).locator('.facts').innerText()).replaceAll(/\s+/g, ' ')
  assert.match(facts, /Lines 4 New lines 4 Matched 1 .*Closing balance ₦60,747\.50/)
  await button(page, 'View the day').focus()
  await page.keyboard.press('Enter')
  await page.locator('.proof').waitFor()
  assert.match(
    await proofOf(page),
    /Ledger balance.*₦65,500\.00.*Timing differences.*₦0\.00.*Differences.*-₦4,752\.50.*₦60,747\.50/,
  )
  assert.deepEqual(problems, [])
})

test('an import is complete when it is answered, even if earlier status requests are open', async () => {
  const bench = await startBench()
  const { text } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  await waitForText(page, 'Banks by day')
  await dropFile(page, text)
  const held = Promise.withResolvers<Route>()
  let asks = 0 // The first call loads the data from before the import.
  await page.route('**/statement-imports?*', (route) =>
    ++asks === 1 ? route.continue() : held.resolve(route),
  )
  await page.route('**/operator/statements?*', async (route) => {
    await held.promise
    await route.continue()
  })
  await button(page, 'Import').last().click()

  await waitForText(page, 'This file was already imported. Nothing changed.')
  const late = await held.promise
  await late.fulfill({ response: await late.fetch() })
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))')
  await button(page, 'Done').click()
  await modalOf(page).waitFor({ state: 'detached' })
})

test('a file that is dropped is imported, and one that doesn’t add up names its line', async () => {
  const bench = await startBench()
  const { text } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  await waitForText(page, 'Banks by day')
  await dropFile(page, text.replace('45000.00', '45000.01'))
  await button(page, 'Import').last().click()

  await waitForText(page, 'Statement rejected')
  await waitForText(page, /^Line \d+: /)
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Done').click()
  await dropFile(page, text)
  await button(page, 'Import').last().click()
  await waitForText(page, 'This file was already imported. Nothing changed.')
  await button(page, 'Done').click()
  await page.getByRole('link', { name: 'Imports' }).click()
  await page.locator('table.list').getByText('Rejected').waitFor()
  assert.equal(await page.locator('table.list tbody tr').count(), 3)
  assert.deepEqual(
    problems.filter((problem) => !/status of 400/.test(problem)),
    [],
  )
})

// Drops a statement file on the page, and chooses its bank.
async function dropFile(page: Page, text: string): Promise<void> {
  // Creates, in the page, the data of a drop event with this file.
  const transfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer()
    data.items.add(new File([${JSON.stringify(text)}], 'gtb-20261115.csv', { type: 'text/csv' }))
    return data
  })()`)
  await page.locator('.drop').dispatchEvent('drop', { dataTransfer: transfer })
  await modalOf(page).getByLabel('Bank').selectOption('058')
}

test('a suggestion is confirmed, a transfer booked and the rest noted as reconciling items', async () => {
  const bench = await startBench()
  const { day } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${dayPath(day)}`)
  await button(page, 'Confirm match of ₦12,500.00').click()
  await waitForText(page, 'Match confirmed.')

  const missing = page.locator('table.list tr', { hasText: 'DAUDA IBRAHIM' })
  await missing.getByRole('link').click()
  await waitForText(page, 'The bank received it, and we never booked it.')
  await button(page, 'Resolve').click()
  await modalOf(page).getByLabel('Book it').check()
  await modalOf(page).getByLabel('Reason').fill('Reported by the bank on its statement')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Resolve').last().click()
  await waitForText(page, 'Difference resolved.')
  await page.keyboard.press('Escape')

  await page.getByLabel('Select all').check()
  await button(page, /^Resolve selected/).click()
  await modalOf(page).getByLabel('Note as a reconciling item').check()
  await modalOf(page).getByLabel('Reason').fill('Explained by the branch')
  await button(page, 'Resolve').last().click()
  await waitForText(page, /resolved or sent for approval/)
  await button(page, 'Done').click()
  await page.locator('.proof.reconciling_items').waitFor()
  const { open = 0 } = await statesOf(bench)
  assert.equal(open, 0)
  assert.deepEqual(problems, [])
})

test('suggestions are confirmed together, from the list of what is chosen', async () => {
  const bench = await startBench()
  const { day } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${dayPath(day)}`)
  const suggestions = page.locator('.suggestions')
  await suggestions.getByLabel('Select all').check()
  await button(page, 'Confirm selected (1)').click()
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Confirm' }).click()

  await waitForText(page, '1 difference resolved or sent for approval.')
  await button(page, 'Done').click()
  await suggestions.waitFor({ state: 'detached' })
  const { rows } = await bench.db.query(
    `select l.counterparty_name from statement_matches m
       join statement_lines l on l.id = m.line_id where m.rule = 'confirmed'`,
  )
  assert.deepEqual(rows, [{ counterpartyName: 'CHIAMAKA EZE' }])
  assert.deepEqual(problems, [])
})

test('under maker-checker another person approves, after the first was rejected', async () => {
  const bench = await startBench()
  const { day } = await importScene(bench)
  assert.equal((await setMakerChecker(await newBrowser(bench, 'owner'), true)).statusCode, 200)
  await using maker = await bench.openAs(browser, { role: 'operator' })
  await using checker = await bench.openAs(browser, { role: 'operator' })
  // Requests, as the maker, to note a line as a reconciling item.
  const requestNote = async (reason: string) => {
    const { page } = maker
    await page.goto(`${bench.url}/dashboard/${dayPath(day)}`)
    await page.locator('table.list tr', { hasText: 'DAUDA IBRAHIM' }).getByRole('link').click()
    await button(page, 'Resolve').click()
    await modalOf(page).getByLabel('Note as a reconciling item').check()
    await modalOf(page).getByLabel('Reason').fill(reason)
    await button(page, 'Resolve').last().click()
    await waitForText(page, 'Approval requested.')
    await waitForText(page, 'You requested this. Another user must approve it.')
  }
  await requestNote('A guess')
  await checker.page.goto(maker.page.url())
  await button(checker.page, 'Reject').click()
  await modalOf(checker.page).getByLabel('Reason').fill('Look again')
  await button(checker.page, 'Reject').last().click()
  await waitForText(checker.page, 'Rejected. The difference is open again.')

  await requestNote('The branch wrote')
  await checker.page.goto(maker.page.url())
  await button(checker.page, 'Approve').waitFor()
  assert.deepEqual(await findAxeFaults(checker.page), [])
  await button(checker.page, 'Approve').click()
  await button(checker.page, 'Approve').last().click()
  await waitForText(checker.page, 'Approved.')
  await checker.page.getByRole('list', { name: 'History' }).getByText('Look again').waitFor()
  assert.equal((await statesOf(bench)).resolved, 1)
  assert.deepEqual([...maker.problems, ...checker.problems], [])
})

test('both sides are filtered, and a difference shows its history', async () => {
  const bench = await startBench()
  const { day } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${dayPath(day)}&isMatched=false`)
  const sides = page.locator('.sides > section')
  await sides.first().getByText('SMS ALERT CHARGE').waitFor()
  await sides.last().getByText('EFE OGHENEKARO').waitFor()
  assert.equal(await page.locator('.sides').getByText('ADAEZE OKONKWO').count(), 0)

  await page.getByLabel('Bank’s type').selectOption('fee')
  await sides.first().getByText('DAUDA IBRAHIM').waitFor({ state: 'detached' })
  await sides.first().getByRole('link', { name: 'Resolve' }).click()
  await page.getByRole('list', { name: 'History' }).getByText('Found').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'All banks and days' }).click()
  await waitForText(page, 'Banks by day')
  assert.deepEqual(problems, [])
})

test('changing the filter clears the selection of differences', async () => {
  const bench = await startBench()
  await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation?tab=differences`)
  await page.getByLabel('Select all').check()
  await button(page, /^Resolve selected/).waitFor()
  await page.getByLabel('Type', { exact: true }).selectOption({ index: 1 })

  await button(page, /^Resolve selected/).waitFor({ state: 'detached' })
  await page.getByLabel('Type', { exact: true }).selectOption({ index: 0 })
  await page.getByLabel('Select all').waitFor()
  assert.equal(await page.getByRole('checkbox', { checked: true }).count(), 0)
})

test('the grid says what is red, and arrows move between days', async () => {
  const bench = await startBench()
  const { day } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  await page.locator('.day-alert.bad').waitFor()
  const cell = page.locator(`a.day-cell[href*="${day}"][href*="058"]`)
  assert.match(await cell.innerText(), /open|Differs/)
  await cell.focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')

  await page.locator('.proof.differences').waitFor()
  assert.deepEqual(problems, [])
})

test('reconciliation has no fault at 360 and 1280 pixels, in light and dark', async () => {
  const bench = await startBench()
  const { day } = await importScene(bench)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened

  const { rows } = await bench.db.query('select min(id)::int as id from differences')
  const tabs = ['differences', 'statements', 'imports'].map((tab) => `reconciliation?tab=${tab}`)
  for (const path of ['reconciliation', ...tabs, dayPath(day)]) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }
  await assertFaultlessThroughout(
    page,
    `${bench.url}/dashboard/reconciliation/${rows[0].id}?tab=differences`,
  )

  assert.deepEqual(problems, [])
})
