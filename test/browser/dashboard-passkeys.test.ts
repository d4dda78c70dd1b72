// Passkeys in a real browser, with a virtual authenticator: added, used to sign in alone and after a
// password, renamed and removed; and the page of a user without any.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { assertFaultless, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { makeUser, PASSWORD } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

// The service uses the name localhost, because browsers store no passkeys for an IP address.
const bench = closeAfterTests(await startTestService({ env: { PUBLIC_URL: 'http://localhost:0' } }))
const address = await listenLocally(bench.service.app)
const url = address.replace('127.0.0.1', 'localhost')
const profile = `${url}/dashboard/settings?tab=profile`
const browser = closeAfterTests(await openBrowser())
const openAs = openerOf(bench, url)

type Device = { cdp: CDPSession; authenticatorId: string }

// Adds a virtual authenticator to the browser, which confirms every request by itself. The authenticator is a
// fake of Chromium, controlled over its debugging protocol (CDP).
async function addVirtualAuthenticator(page: Page): Promise<Device> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

const modalOf = (page: Page) => page.locator('dialog.modal')
const todayOf = (page: Page) => page.getByRole('heading', { level: 1, name: 'Today' })

// Adds the user's first passkey. Returns the recovery codes that the page shows once.
async function addFirstPasskey(page: Page, name: string): Promise<string[]> {
  await page.goto(profile)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await modalOf(page).getByLabel('Name').fill(name)
  await modalOf(page).getByLabel('Confirm your password').fill(PASSWORD)
  await modalOf(page).getByRole('button', { name: 'Add passkey' }).click()
  await page.getByRole('button', { name: 'I’ve saved it' }).waitFor()
  const codes = await modalOf(page).locator('.secrets code').allInnerTexts()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  await page.getByText(name, { exact: true }).waitFor()
  return codes
}

const signOutOf = (page: Page) => page.getByRole('button', { name: 'Sign out', exact: true })

// Signs out, and waits for the sign-in page.
async function signOut(page: Page): Promise<void> {
  await signOutOf(page).click()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
}

for (const [width, colorScheme] of [
  [1280, 'light'],
  [360, 'dark'],
] as const) {
  test(`a passkey is added, signs in alone, is renamed and removed (${width} px)`, async () => {
    await using opened = await openAs(browser, { width, colorScheme })
    const { page, problems } = opened
    await addVirtualAuthenticator(page)

    assert.equal((await addFirstPasskey(page, 'Laptop')).length, 10)
    await assertFaultless(page, profile)
    await page.goto(`${url}/dashboard`)
    if (width < 1000) await page.context().clearCookies()
    if (width < 1000) await page.reload()
    else await signOut(page)
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await todayOf(page).waitFor()

    await page.goto(profile)
    await page.getByRole('button', { name: 'Rename Laptop' }).click()
    await modalOf(page).getByLabel('Name').fill('Office laptop')
    await modalOf(page).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove Office laptop' }).click()
    await page.getByText('You’ll be asked to confirm with one of your passkeys.').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await modalOf(page).getByRole('button', { name: 'Remove', exact: true }).press('Enter')
    await page.getByText('No passkeys yet.').waitFor()
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('401')),
      [],
    )
  })
}

test('after the password, a passkey is the second factor; a recovery code is, too', async () => {
  const email = await makeUser(bench)
  await using opened = await browser.newPage()
  const { page } = opened
  await addVirtualAuthenticator(page)
  const submitSignIn = async () => {
    await page.getByLabel('Email address').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  }
  await page.goto(`${url}/dashboard`)
  await submitSignIn()
  await todayOf(page).waitFor()
  const [code = ''] = await addFirstPasskey(page, 'Laptop')

  await signOut(page)
  await submitSignIn()
  await page.getByText('Use your passkey, or enter an authentication or recovery code.').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await signOutOf(page).waitFor()

  await signOut(page)
  await submitSignIn()
  await page.getByLabel('Authentication or recovery code').fill(code)
  await page.keyboard.press('Enter')
  await signOutOf(page).waitFor()
})

test('a second passkey is added with the first, but not on the same device', async () => {
  await using opened = await openAs(browser)
  const { page } = opened
  await addVirtualAuthenticator(page)
  await addFirstPasskey(page, 'Laptop')

  await page.getByRole('button', { name: 'Add passkey' }).click()
  assert.match(await modalOf(page).getByLabel('Name').inputValue(), /^Chrome on Linux$/)
  await modalOf(page).getByRole('button', { name: 'Add passkey' }).click()
  await page.getByText('This device already has a passkey for your account.').waitFor()
  await modalOf(page).getByRole('button', { name: 'Use your password instead' }).click()
  await modalOf(page).getByLabel('Recovery code').waitFor()
  await page.keyboard.press('Escape')

  await page.getByText('Laptop', { exact: true }).waitFor()
})

test('a device that declines, or does not know its user, signs nobody in', async () => {
  await using opened = await openAs(browser)
  const { page } = opened
  const { cdp, authenticatorId } = await addVirtualAuthenticator(page)
  await addFirstPasskey(page, 'Laptop')
  await page.goto(`${url}/dashboard`)
  await signOut(page)

  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()

  await page.getByText('No passkey was used. Try again, or use another way.').waitFor()
  await cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
  await todayOf(page).waitFor()
})

test('where the browser has no passkeys, none are offered', async () => {
  await using opened = await browser.newPage()
  const { page } = opened
  await page.goto(`${address}/dashboard`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  assert.equal(await page.getByText('Sign in with a passkey').count(), 0)

  await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'PublicKeyCredential'))
  await page.goto(`${url}/dashboard`)
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor()
  assert.equal(await page.getByText('Sign in with a passkey').count(), 0)
})
