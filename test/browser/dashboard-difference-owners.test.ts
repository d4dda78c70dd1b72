// The owner of a difference in a real browser: users claim one by keyboard, assign one or many, and filter
// by owner.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { assign } from '../support/differences.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { dayPath, importScene } from '../support/reconciliation-scenes.ts'

const browser = closeAfterTests(await openBrowser())

// Starts a dashboard with imported statements. Returns the id of one difference, and another operator.
async function setup() {
  const bench = closeAfterTests(await startDashboardBench())
  const { day } = await importScene(bench)
  const { rows } = await bench.db.query<{ id: number }>(
    `select d.id::int as id from differences d join statement_lines l on l.id = d.line_id
      where l.counterparty_name = 'DAUDA IBRAHIM'`,
  )
  const ada = await newBrowser(bench, 'operator')
  return { ...bench, day, id: rows[0]?.id as number, ada }
}

const LIST = 'reconciliation?tab=differences'
const DIFFERENCES = '/api/v1/operator/reconciliation/differences'
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')
const rowOf = (page: Page, text: string) => page.locator('table.list tbody tr', { hasText: text })

// Returns the email address of the user who owns a difference, or undefined.
async function ownerOf(by: Browser, id: number): Promise<string | undefined> {
  const url = `/api/v1/operator/reconciliation/${id}`
  return (await by.call({ method: 'GET', url })).json().data.owner?.email
}

test('a difference is taken and released by keyboard, and found among one’s own', async () => {
  const bench = await setup()
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${LIST}`)
  await rowOf(page, 'DAUDA IBRAHIM').getByText('Nobody').waitFor()
  await rowOf(page, 'DAUDA IBRAHIM').getByRole('link').focus()
  await page.keyboard.press('Enter')
  await button(page, 'Take it').focus()
  await page.keyboard.press('Enter')
  await waitForText(page, 'You’re the owner now.')
  await button(page, 'Release').waitFor()
  await page.getByRole('list', { name: 'History' }).getByText('Assigned', { exact: true }).waitFor()
  assert.equal(await page.locator('button:focus').innerText(), 'Release')
  assert.deepEqual(await findAxeFaults(page), [])
  const email = await ownerOf(bench.ada, bench.id)
  const file = await page.request.get(`${bench.url}${DIFFERENCES}.csv`)
  const row = parseCsv(await file.text()).find(({ id }) => id === `${bench.id}`)
  assert.deepEqual(
    [row?.counterparty, row?.owner, row?.kind, row?.amount],
    ['DAUDA IBRAHIM', email, 'missing_in_books', '3300.00'],
  )
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('button', { name: 'Owner', exact: true }).click()
  await page.getByLabel('Owner', { exact: true }).selectOption('me')
  await rowOf(page, 'DAUDA IBRAHIM')
    .getByText(email as string)
    .waitFor()
  await rowOf(page, 'SMS ALERT').waitFor({ state: 'detached' })
  await page.getByLabel('Owner', { exact: true }).selectOption('nobody')
  await rowOf(page, 'SMS ALERT').waitFor()
  await rowOf(page, 'DAUDA IBRAHIM').waitFor({ state: 'detached' })

  await page.goto(`${bench.url}/dashboard/reconciliation/${bench.id}?tab=differences`)
  await button(page, 'Release').press('Enter')
  await waitForText(page, 'Assigned to nobody.')
  await button(page, 'Take it').waitFor()
  assert.equal(await ownerOf(bench.ada, bench.id), undefined)
  assert.deepEqual(problems, [])
})

test('a difference shows its owner, and others can still resolve and assign it', async () => {
  const bench = await setup()
  const { ada } = bench
  await assign(ada, bench.id, 'me')
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page, problems } = opened
  const notice = `${ada.user.email} is working on this. You can still resolve it.`
  await page.goto(`${bench.url}/dashboard/reconciliation/${bench.id}?tab=differences`)
  await waitForText(page, notice)
  await button(page, 'Assign').click()
  assert.equal(await modalOf(page).getByLabel('Assign to').inputValue(), ada.user.id)
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByLabel('Assign to').selectOption({ label: 'Nobody' })
  await modalOf(page).getByRole('button', { name: 'Assign' }).click()
  await waitForText(page, 'Assigned to nobody.')
  await page.getByText(notice).waitFor({ state: 'detached' })

  await assign(ada, bench.id, 'me')
  await button(page, 'Take it').click()
  await waitForText(page, 'The owner of this difference has changed.')
  await waitForText(page, notice)
  await button(page, 'Resolve').click()
  await modalOf(page).getByText(notice).waitFor()
  await modalOf(page).getByLabel('Note as a reconciling item').check()
  await modalOf(page).getByLabel('Reason').fill('Explained by the branch')
  await button(page, 'Resolve').last().click()
  await waitForText(page, 'Difference resolved.')
  await button(page, 'Take it').waitFor({ state: 'detached' })
  assert.equal(await ownerOf(ada, bench.id), ada.user.email)
  assert.deepEqual(
    problems.filter((problem) => !/status of 409/.test(problem)),
    [],
  )
})

test('many differences are assigned at once, and those settled meanwhile are listed', async () => {
  const bench = await setup()
  const { ada } = bench
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/${dayPath(bench.day)}`)
  await page.locator('table.list').getByLabel('Select all').check()
  await button(page, /^Assign selected/).click()
  await modalOf(page).getByLabel('Assign to').selectOption({ label: ada.user.email })
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Assign' }).click()
  await waitForText(page, /^\d differences assigned\.$/)
  await rowOf(page, 'DAUDA IBRAHIM').getByText(ada.user.email).waitFor()
  await page.locator('.suggestions').getByText(`Owner: ${ada.user.email}`).waitFor()

  await page.goto(`${bench.url}/dashboard/${LIST}&owner=${ada.user.id}`)
  await page.getByLabel('Select all').check()
  await button(page, /^Assign selected/).click()
  await bench.db.query(`update differences set state = 'cleared' where id = $1`, [bench.id])
  await modalOf(page).getByRole('button', { name: 'Assign' }).click()
  await waitForText(page, '1 difference not assigned:')
  await waitForText(page, `#${bench.id}: This difference is already resolved, or has cleared.`)
  await button(page, 'Done').click()
  await waitForText(page, 'No results match these filters')
  assert.deepEqual(problems, [])
})

test('the ageing links to differences without an owner; the pages have no fault at any width', async () => {
  const bench = await setup()
  await assign(bench.ada, bench.id, 'me')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/reconciliation`)
  await page.getByRole('link', { name: /differences without an owner$/ }).click()
  await rowOf(page, 'SMS ALERT').waitFor()
  assert.equal(await rowOf(page, 'DAUDA IBRAHIM').count(), 0)

  const long = `${'a'.repeat(60)}@${'b'.repeat(60)}.example`
  await bench.db.query('update users set email = $2, is_active = false where id = $1', [
    bench.ada.user.id,
    long,
  ])
  for (const path of [LIST, `reconciliation/${bench.id}?tab=differences`, dayPath(bench.day)]) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }
  assert.deepEqual(problems, [])
})
