// Identity and ceilings in a real browser: which data of an account's customer were verified, and the
// operator's ceilings.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { verifyAll } from '../support/verified.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')
const badge = (page: Page, tone: string, text: string) =>
  drawerOf(page).locator(`.badge.${tone}`).getByText(text, { exact: true }).first()

test('an account shows what is verified, and what nobody has checked in grey', async () => {
  const { accountNumber } = await createAccount(bench, { bvn: '99902000001', nin: '33398765432' })
  const url = `${bench.url}/dashboard/accounts/${accountNumber}`
  await bench.db.query(`delete from identity_checks where identifier = 'nin'`)
  await verifyAll(bench)
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page, problems } = opened
  await page.goto(url)

  await badge(page, 'warn', 'Name mismatch').waitFor()
  await badge(page, 'calm', 'Not checked').waitFor()
  await drawerOf(page).getByText('1 (tier 3 needs a verified BVN and NIN)').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  bench.advance(60_000)
  await drawerOf(page).getByRole('button', { name: 'Verify identity' }).click()
  await modalOf(page).getByRole('button', { name: 'Verify identity' }).click()
  await page.getByText('Verification requested.').waitFor()
  await badge(page, 'calm', 'Queued').waitFor()
  await verifyAll(bench)
  await page.reload()
  await badge(page, 'good', 'Verified').waitFor()
  await assertFaultlessThroughout(page, url)
  assert.deepEqual(problems, [])
})

test('an operator sets ceilings, which the client reads and cannot change', async () => {
  const token = await bench.newClient('CEILED01')
  const url = `${bench.url}/dashboard/settings?tab=limitProfiles`
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(url)
  const panel = page.getByRole('region', { name: 'Ceilings of a client' })
  await panel.getByLabel('Client ID').fill('CEILED01')
  await panel.getByRole('button', { name: 'Find' }).click()
  await panel.getByLabel('Tier 1: per credit').fill('50,000')
  await panel.getByLabel('Tier 1: maximum balance').fill('300000')
  assert.deepEqual(await findAxeFaults(page), [])
  await panel.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.').waitFor()
  const own = await bench.call({ url: '/api/v1/collection-ceilings', token })
  assert.deepEqual(dataOf(own).tiers[0], {
    ...{ tier: 1, perCredit: 50_000, perDay: null, balanceMax: 300_000 },
  })
  await assertFaultlessThroughout(page, url)

  await using client = await bench.openAs(browser, { clientId: 'CEILED01' })
  await client.page.goto(url)
  const ceilings = client.page.getByRole('region', { name: 'Set by the operator' })
  await ceilings.getByText('₦300,000.00').waitFor()
  assert.equal(await ceilings.getByRole('button').count(), 0)
  await assertFaultlessThroughout(client.page, url)
  assert.deepEqual([...problems, ...client.problems], [])
})
