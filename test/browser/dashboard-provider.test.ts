// Signing in with the client's sign-in provider in a real browser: an operator sets it up; a user signs in
// at the provider, comes back signed in, and later confirms their identity there.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultless, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { PROVIDER_CLIENT, startIdentityProvider } from '../support/identity-provider.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

// The provider sends the browser back to PUBLIC_URL. The sign-in's cookie must be on the same address.
const env = { PUBLIC_URL: 'http://127.0.0.1:0' }
const bench = closeAfterTests(await startTestService({ env }))
const url = await listenLocally(bench.service.app)
const idp = closeAfterTests(await startIdentityProvider(bench.clock))
const browser = closeAfterTests(await openBrowser())
const openAs = openerOf(bench, url)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const modalOf = (page: Page) => page.locator('dialog.modal')
const settings = `${url}/dashboard/settings?tab=signIn`

// Fills in the dialog for the sign-in provider and saves it.
async function setProvider(page: Page): Promise<void> {
  await page.goto(settings)
  await page.getByText('Users sign in with a password or a passkey.').waitFor()
  await button(page, 'Set up').click()
  const modal = modalOf(page)
  await modal.getByLabel('Issuer').fill(idp.issuer)
  await modal.getByLabel('Client ID at the provider').fill(PROVIDER_CLIENT.id)
  await modal.getByLabel('Client secret').fill(PROVIDER_CLIENT.secret)
  await modal.getByLabel('Claim with the role').fill('groups')
  await modal.getByLabel('Roles by value of the claim').fill('treasury = finance\nboard = operator')
  await modal.getByLabel('Add users whom nobody invited').check()
  await modal.getByLabel('Confirm your password').fill(PASSWORD)
  assert.deepEqual(await findAxeFaults(page), [])
  await modal.getByRole('button', { name: 'Set up' }).click()
  await page.getByText('groups: treasury = finance, board = operator').waitFor()
}

for (const [width, colorScheme] of [
  [1280, 'light'],
  [360, 'dark'],
] as const) {
  test(`an operator sets the provider, and a user signs in with it (${width} px)`, async () => {
    await using owner = await openAs(browser, { role: 'operator', width, colorScheme })
    await setProvider(owner.page)
    await assertFaultless(owner.page, settings)

    const email = await makeUser(bench, { role: 'finance' })
    idp.user = { sub: email, email, email_verified: true, groups: ['treasury'] }
    await using opened = await browser.newPage({ width, colorScheme })
    const { page } = opened
    await page.goto(`${url}/dashboard`)
    await button(page, 'Use your organisation’s sign-in').click()
    await page.getByLabel('Client ID of your organisation').fill('NOBODY')
    await button(page, 'Use your organisation’s sign-in').click()
    await page.getByText('No sign-in provider is set up for this client.').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await page.getByLabel('Client ID of your organisation').fill('MAN0000001')
    await button(page, 'Use your organisation’s sign-in').press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard')
    assert.equal(new URL(page.url()).search, '')

    await page.goto(`${url}/dashboard/settings?tab=profile`)
    await button(page, 'Set up').click()
    await button(page, 'Confirm with your organisation').click()
    await page.waitForURL(/settings\?tab=profile/)
    await button(page, 'Set up').click()
    await page.getByText('You have just confirmed with your organisation who you are.').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await modalOf(page).getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Scan').first().waitFor()
    await page.keyboard.press('Escape')

    // A callback for a sign-in that this browser did not begin.
    await page.goto(`${url}/dashboard/provider?code=x&state=y`)
    await page.getByText('This sign-in is over').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await button(page, 'Back to sign-in').click()

    await owner.page.goto(settings)
    await button(owner.page, 'Remove').click()
    await modalOf(owner.page).getByLabel('Confirm your password').fill(PASSWORD)
    await modalOf(owner.page).getByRole('button', { name: 'Remove' }).click()
    await owner.page.getByText('Users sign in with a password or a passkey.').waitFor()
    assert.deepEqual(owner.problems, [])
  })
}
