// Limit profiles in a real browser: they are added, changed and deleted, and shown on an account.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { patchAccount } from '../support/account-calls.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')

test('a limit profile is added and changed, and an account shows its KYC and its limits', async () => {
  const token = await bench.newClient('DEVS7')
  const kyc = { kycTier: 1, nin: '33398765432', verifiedName: 'ADA N. OBI' }
  const { accountNumber } = await createAccount(bench, kyc, { token })
  await using opened = await bench.openAs(browser, { clientId: 'DEVS7' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=limitProfiles`)
  await page.getByRole('button', { name: 'Add limit profile' }).click()
  await modalOf(page).getByLabel('Code').fill('tier-1')
  await modalOf(page).getByLabel('Name').fill('Tier one')
  await modalOf(page).getByLabel('Per day').fill('50,000')
  await modalOf(page).getByLabel('Tier 1').check()
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Add limit profile' }).click()
  await page.getByRole('link', { name: 'Tier one' }).click()
  await modalOf(page).getByLabel('Maximum balance').fill('300000.50')
  await modalOf(page).getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name: '₦300,000.50' }).waitFor()
  assert(await page.locator('.zone-note').isHidden())
  await page.setViewportSize({ width: 360, height: 800 })
  for (const name of ['Per day', 'Maximum balance']) {
    assert(await page.locator(`td[data-name="${name}"]`).isVisible(), name)
  }
  await page.setViewportSize({ width: 1280, height: 800 })

  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)

  const facts = drawerOf(page).locator('.facts').first()
  for (const fact of ['333*****432', 'ADA N. OBI', '₦50,000.00', '₦300,000.50']) {
    await facts.getByText(fact).waitFor()
  }
  assert.deepEqual(problems, [])
})

test('a limit profile is deleted once no account uses it', async () => {
  const token = await bench.newClient('DEVS8')
  const body = { code: 'vip', name: 'VIP', perDay: '1000' }
  dataOf(await bench.call({ url: '/api/v1/limit-profiles', body, token }))
  const { accountNumber } = await createAccount(bench, {}, { token })
  // Sets the limit profile of the account, or none.
  const setProfile = async (limitProfile: string | null) =>
    dataOf(await patchAccount(bench, accountNumber, { limitProfile }, { token }))
  await setProfile('vip')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS8' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/settings/vip?tab=limitProfiles`)
  await modalOf(page).getByRole('button', { name: 'Delete' }).click()
  const question = modalOf(page).filter({ hasText: 'Delete VIP?' })
  await question.getByRole('button', { name: 'Delete' }).click()
  await question.getByText('Collection accounts still use this limit profile.').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await setProfile(null)
  await question.getByRole('button', { name: 'Delete' }).click()

  await page.getByText('Limit profile deleted.').waitFor()
  await page.getByText('No limit profiles yet').waitFor()
})
