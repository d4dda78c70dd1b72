// The main menu in a real browser: groups can be folded, all views are visible at 1280 by 800, a phone has
// its own menu, and statements and approvals are where users look for them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Role } from '#access/permissions.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
await bench.newClient('MENU')
const browser = closeAfterTests(await openBrowser())

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main menu' })
const groupOf = (page: Page, name: string) => menuOf(page).getByRole('button', { name })
const itemOf = (page: Page, name: string) => menuOf(page).getByRole('link', { name, exact: true })

const ROLES: readonly [Role, string | undefined][] = [
  ['operator', undefined],
  ['finance', undefined],
  ['owner', 'MENU'],
  ['developer', 'MENU'],
  ['finance', 'MENU'],
  ['support', 'MENU'],
]

for (const [role, clientId] of ROLES) {
  test(`the menu of ${role}${clientId ? '' : ' at the operator'} fits 1280 by 800`, async () => {
    const options = { role, ...(clientId ? { clientId } : {}) }
    await using opened = await bench.openAs(browser, options)
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/settings?tab=profile`)
    await itemOf(page, 'Settings').waitFor()

    const over = `(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)`
    assert((await page.evaluate<number>(`${over}(document.querySelector('.side nav'))`)) <= 0)
    assert((await page.evaluate<number>(`${over}(document.querySelector('.side'))`)) <= 0)
    const heights = await menuOf(page)
      .locator('a, button')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().height))
    assert(
      heights.every((height) => height >= 24),
      `targets of ${heights.join()} pixels`,
    )
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(problems, [])
  })
}

test('a group folds by keyboard and stays folded, but never hides the view that is open', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts`)
  await itemOf(page, 'Settlements').waitFor()

  await groupOf(page, 'Money out').press('Enter')
  await groupOf(page, 'Books').press('Space')

  await itemOf(page, 'Settlements').waitFor({ state: 'detached' })
  assert.equal(await itemOf(page, 'Payouts').count(), 1)
  assert.equal(await groupOf(page, 'Money out').getAttribute('aria-expanded'), 'false')
  await page.reload()
  await itemOf(page, 'Payments').click()
  await itemOf(page, 'Payouts').waitFor({ state: 'detached' })
  assert.equal(await itemOf(page, 'Ledger').count(), 0)
  assert.deepEqual(await findAxeFaults(page), [])

  await groupOf(page, 'Money out').click()
  await itemOf(page, 'Settlements').waitFor()
  assert.deepEqual(problems, [])
})

test('a folded group counts what waits in it', async () => {
  await bench.db.query(
    `insert into alerts (kind, subject, raised_at, detail)
     values ('numbers_exhausted', '035', now(), '{}')`,
  )
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payments`)
  await menuOf(page)
    .getByRole('link', { name: /^Alerts/ })
    .waitFor()
  await groupOf(page, 'Operate').click()

  await groupOf(page, 'Operate').locator('.count').waitFor()
})

test('on a phone the menu opens with every group, and closes after a choice', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments`)
  await page.getByRole('button', { name: 'Open menu' }).click()
  for (const name of ['Money in', 'Exceptions', 'Money out', 'Books', 'Operate', 'Developers']) {
    await groupOf(page, name).waitFor()
  }
  assert.deepEqual(await findAxeFaults(page), [])

  await groupOf(page, 'Books').click()
  await itemOf(page, 'Ledger').click()

  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor()
  await menuOf(page).waitFor({ state: 'hidden' })
  assert.deepEqual(problems, [])
})

test('statements are in the menu, and maker-checker is among the settings', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/statements`)
  await page.getByRole('heading', { name: 'Your balance' }).waitFor()
  assert.equal(
    await page.getByRole('link', { name: 'Print' }).getAttribute('href'),
    '/api/v1/balances/statement.html',
  )
  await page.getByRole('link', { name: 'Of a collection account' }).waitFor()
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/statements`)

  await page.setViewportSize({ width: 1280, height: 800 })
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/settings?tab=approvals`)
  await page.getByRole('button', { name: 'Enable maker-checker' }).click()
  await page.getByText('Maker-checker enabled.').waitFor()
  await page.getByRole('button', { name: 'Disable maker-checker' }).waitFor()
  assert.deepEqual(problems, [])
})
