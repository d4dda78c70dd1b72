// Many suspended items are resolved at once in a real browser, by keyboard alone, on a wide and a narrow
// page. Failures are listed item by item and can be retried, and no money moves twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultless, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { newBrowser } from '../support/people.ts'
import { listItems, NOBODYS_NUMBER, SUSPENSE, suspend } from '../support/suspense-desk.ts'

const ITEMS = 20
const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const { accountNumber } = await createAccount(bench, { accountName: 'Chiamaka Eze' })

const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const dialogOf = (page: Page) => page.locator('dialog.modal')

// Sends money of one payer to an unknown number, several times.
async function suspendMany(payer: string, amount = '100.00'): Promise<void> {
  for (let at = 1; at <= ITEMS; at++) {
    await suspend(bench, NOBODYS_NUMBER, amount, { sourceAccountName: `${payer} ${at}` })
  }
}

const listOpenItems = (query = '') => listItems(bench, `&state=open${query}`)

// Presses Tab until the selector has the focus.
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(`document.activeElement?.matches(${JSON.stringify(selector)})`)) return
  }
  assert.fail(`${selector} cannot be reached by Tab`)
}

for (const [width, colorScheme] of [
  [1280, 'light'],
  [360, 'dark'],
] as const) {
  test(`twenty items are assigned by keyboard alone at ${width} pixels`, async () => {
    await suspendMany(`PAYER ${width}`)
    await using opened = await bench.openAs(browser, { role: 'operator', width, colorScheme })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/suspense`)
    await waitForText(page, `${ITEMS} items, ₦2,000.00`)
    assert.deepEqual(await findAxeFaults(page), [])

    await tabTo(page, 'th.at-choose input')
    await page.keyboard.press('Space')
    await waitForText(page, `${ITEMS} selected, ₦2,000.00`)
    assert.deepEqual(await findAxeFaults(page), [])
    // Moves the focus back over “Clear selection” and “Return” to “Assign”.
    for (let step = 0; step < 3; step++) await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByRole('searchbox').waitFor()
    await tabTo(page, 'dialog input[type=search]')
    await page.keyboard.type('chiam')
    await dialogOf(page)
      .getByRole('radio', { name: /Chiamaka Eze/ })
      .waitFor()
    await tabTo(page, 'dialog input[type=radio]')
    await page.keyboard.press('Space')
    await tabTo(page, 'dialog textarea')
    await page.keyboard.type('Confirmed with the payers.')
    assert.deepEqual(await findAxeFaults(page), [])
    assert.equal((await listOpenItems()).length, ITEMS, 'nothing moves before it is confirmed')
    await tabTo(page, 'dialog button[type=submit]')
    await page.keyboard.press('Enter')

    await waitForText(page, `${ITEMS} of ${ITEMS} done`)
    assert.deepEqual(await findAxeFaults(page), [])
    assert.equal((await listOpenItems()).length, 0)
    const assigned = (await listItems(bench, '&state=assigned')).slice(0, ITEMS)
    assert(assigned.every(({ assignedTo }) => assignedTo === accountNumber))
    await page.locator('dialog .button.primary:focus').waitFor()
    await page.keyboard.press('Enter')
    await dialogOf(page).waitFor({ state: 'detached' })
    await waitForText(page, 'No suspense items')
    assert.deepEqual(problems, [])
  })
}

test('a bulk assignment shows and retries each failure; finished items are not repeated', async () => {
  await suspendMany('LOST', '7.00')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/suspense`)
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Return…' }).click()
  await page.getByLabel('Reason (audit log)').fill('Not ours.')
  let calls = 0
  // Every third request reaches the service, but its answer is lost.
  await page.route(`**${SUSPENSE}/*/return`, async (route) => {
    if (++calls % 3 !== 0) return route.continue()
    await route.fetch()
    return route.abort()
  })
  await page.getByRole('button', { name: `Return ${ITEMS} (₦140.00)` }).click()
  await waitForText(page, /^14 of 20 done, 6 failed$/)
  assert.equal(await dialogOf(page).getByText('Can’t reach the service.').count(), 6)
  await page.unroute(`**${SUSPENSE}/*/return`)
  await page.getByRole('button', { name: 'Retry failed' }).click()

  await waitForText(page, `${ITEMS} of ${ITEMS} done`)
  assert.equal((await listItems(bench, '&state=returned')).length, ITEMS)
  const { rows } = await bench.db.query('select count(*)::int as returns from returns')
  assert.equal(rows[0].returns, ITEMS)
})

test('rows are picked one by one with x, and sums lead to what they are of', async () => {
  await suspendMany('PICKED', '3.00')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/suspense`)
  await page.locator('.row-link').first().focus()
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await waitForText(page, '2 selected, ₦6.00')
  await page.keyboard.press('x')
  await waitForText(page, '1 selected, ₦3.00')

  await page.getByRole('link', { name: '0–1 days' }).click()
  await waitForText(page, `${ITEMS} items, ₦60.00`)
  assert.match(page.url(), /age=0-1/)
  assert.equal(await page.getByText('selected').count(), 0, 'another list, another selection')
  await page.getByRole('button', { name: 'Add filter' }).click()
  await page.getByRole('button', { name: 'Minimum amount', exact: true }).click()
  await page.getByLabel('Minimum amount').fill('₦1,000')
  await page.getByLabel('Minimum amount').press('Enter')
  await waitForText(page, 'No results match these filters')
  await page.getByRole('link', { name: 'Clear filters' }).click()
  await page.getByLabel('Sort').selectOption('oldest')
  await page.locator('.row-link', { hasText: 'PICKED 1' }).first().waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export CSV' }).click(),
  ])
  assert.equal(download.suggestedFilename(), 'suspense.csv')
  assert.deepEqual(problems, [])
})

test('a decision on a further page removes the item there', async () => {
  const { id } = await suspend(bench, NOBODYS_NUMBER, '71.00', { sourceAccountName: 'UCHE OJO' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  // Answers with the same rows as two pages.
  await page.route(`**${SUSPENSE}?*`, async (route) => {
    const [listUrl, cursor] = route.request().url().split('&cursor=')
    const response = await route.fetch({ url: listUrl ?? '' })
    const more = cursor ? {} : { hasMore: true, nextCursor: 'next' }
    await route.fulfill({ response, json: { ...(await response.json()), ...more } })
  })
  await page.goto(`${bench.url}/dashboard/suspense`)
  await press('Older')
  await waitForText(page, 'Page 2')
  await page.getByRole('link', { name: 'UCHE OJO' }).click()
  await press('Return')
  await page.getByLabel('Reason (audit log)').fill('Not ours.')
  await press('Continue')
  await press('Return ₦71.00')

  await page.locator(`a.row-link[href*="/${id}"]`).waitFor({ state: 'detached' })
})

test('with maker-checker, each item becomes a request that somebody else approves', async () => {
  await using first = await bench.openAs(browser, { role: 'owner' })
  await first.page.goto(`${bench.url}/dashboard/suspense`)
  await first.page.getByRole('button', { name: 'Enable maker-checker' }).click()
  await waitForText(first.page, 'On. One user requests')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/suspense`)
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Return…' }).click()
  await page.getByLabel('Reason (audit log)').fill('Not ours.')
  await page.getByRole('button', { name: `Request ${ITEMS} approvals` }).click()
  await waitForText(page, `${ITEMS} of ${ITEMS} done`)

  assert.equal((await listOpenItems()).length, ITEMS, 'nothing has moved')
  const { rows } = await bench.db.query(
    `select count(*)::int as requests from suspense_requests where state = 'open'`,
  )
  assert.equal(rows[0].requests, ITEMS)
  assert.deepEqual(problems, [])
})

test('a user who may only read cannot select rows', async () => {
  await using opened = await bench.openAs(browser, { role: 'support' })
  const { page } = opened
  await assertFaultless(page, `${bench.url}/dashboard/suspense?state=open`)

  assert.equal(await page.locator('.at-choose').count(), 0)
  const support = await newBrowser(bench, 'support')
  const [item] = await listOpenItems()
  const refused = await support.call({ url: `${SUSPENSE}/${item.id}/return`, body: {} })
  assert.equal(refused.statusCode, 403)
})
