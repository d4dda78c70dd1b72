// Users sign in to the dashboard in a real browser: the form asks for what it needs, explains refusals, and
// users sign out.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser, untilTrue } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { signIn as enter, makeUser, PASSWORD } from '../support/people.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

// Fills in the sign-in form and submits it, without waiting for the answer.
async function signIn(page: Page, email: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

const menuOf = (page: Page) => page.getByRole('navigation', { name: 'Main menu' }).getByRole('link')

test('somebody signs in, stays signed in over a reload, and signs out for good', async () => {
  await using opened = await browser.newPage()
  const { page, problems } = opened
  const email = await makeUser(bench)
  await page.goto(`${bench.url}/dashboard/credits`)
  await page.locator('h1').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await signIn(page, email)
  await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor()
  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor()
  assert.match(await page.locator('.user-menu').innerText(), new RegExp(`${email}\\s+Owner`))
  await page.getByRole('button', { name: 'Sign out' }).click()

  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
  assert.deepEqual(problems, [])
  const cookies = await page.context().cookies()
  assert.deepEqual(
    cookies.map(({ name }) => name),
    ['manilla_device'],
  )
})

test('in a sandbox the demo user is filled in: one press, and one is in', async () => {
  await using opened = await browser.newPage()
  const { page, problems } = opened
  await page.goto(bench.url)
  await page.getByText('This is a sandbox: the demo user is filled in.').waitFor()

  await page.getByRole('button', { name: 'Sign in' }).press('Enter')

  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a wrong password is told, and enough of them lock the door for a while', async () => {
  await using opened = await browser.newPage()
  const { page } = opened
  const email = await makeUser(bench)
  await page.goto(`${bench.url}/dashboard`)

  await signIn(page, email, 'not the password')
  await page.getByText('Incorrect email address or password.').waitFor()
  const tooMany = page.getByText('Too many failed attempts. Try again later.')
  for (let tries = 0; tries < 10 && !(await tooMany.isVisible()); tries++) {
    const answered = page.waitForResponse(/\/dashboard\/api\/session$/)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await answered
  }

  await tooMany.waitFor()
  await page.getByText(/^Try again in \d+ minutes\.$/).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
})

test('a user with a second factor is asked for its code', async () => {
  const email = await makeUser(bench)
  const secret = await setUpTotp(email)
  await using opened = await browser.newPage()
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)

  await signIn(page, email)
  const code = page.getByLabel('Authentication code')
  await code.waitFor()
  await untilTrue(page, `document.activeElement.name === 'code'`)
  assert.deepEqual(await findAxeFaults(page), [])
  bench.advance(30_000) // Each code works only once.
  const now = codeAt(secret, bench.clock())
  await code.fill(now)
  await page.getByRole('button', { name: 'Sign in' }).click()

  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
})

function codeAt(secret: string, at: Date): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at.getTime() })
}

// Adds an authenticator app to a user, and returns its secret.
async function setUpTotp(email: string): Promise<string> {
  const person = await enter(bench, email)
  const begun = await person.call({ url: '/dashboard/api/totp', body: { password: PASSWORD } })
  const { secret } = begun.json().data
  const code = codeAt(secret, bench.clock())
  const confirmed = await person.call({ url: '/dashboard/api/totp/confirm', body: { code } })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  return secret
}

test('a user with a temporary password chooses one before anything else', async () => {
  const email = await makeUser(bench)
  await bench.db.query('update users set is_password_temporary = true where email = $1', [email])
  await using opened = await browser.newPage()
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)

  await signIn(page, email)
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByLabel('Temporary password').fill(PASSWORD)
  await page.getByLabel(/^New password/).fill('a much better one, really')
  await page.getByRole('button', { name: 'Change password' }).click()

  await page.getByRole('heading', { level: 1, name: 'Today' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a role sees its views and no others, by menu or by address', async () => {
  await bench.db.query(
    `update clients set scopes = array_remove(scopes, 'payments:read') where client_id = 'MAN0000001'`,
  )
  await using opened = await bench.openAs(browser)
  const { page } = opened

  await page.goto(`${bench.url}/dashboard/payments`)
  await page.getByText('This page doesn’t exist, or your role can’t view it.').waitFor()
  const names = await menuOf(page).allInnerTexts()

  assert(!names.includes('Payments'), names.join())
  assert(names.includes('Credits'))
  await bench.db.query(
    `update clients set scopes = array_append(scopes, 'payments:read') where client_id = 'MAN0000001'`,
  )
})

test('a user whose session ends signs in again and goes on where they were', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  const email = await makeUser(bench)
  // The stream gets no answer, so only the click shows that the session has ended.
  await page.route('**/events/stream*', () => {})
  await page.goto(`${bench.url}/dashboard/accounts`)
  await page.getByRole('heading', { name: 'No collection accounts yet' }).waitFor()
  await bench.db.query('delete from sessions')

  await menuOf(page).filter({ hasText: 'Credits' }).click()
  await page.getByText('Your session has expired. Sign in again.').waitFor()
  await signIn(page, email)

  await page.getByRole('heading', { level: 1, name: 'Credits' }).waitFor()
})

test('a user whose cookie is gone learns it with the next request', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.route('**/events/stream*', () => {})
  await page.goto(`${bench.url}/dashboard/accounts`)
  await page.getByRole('heading', { name: 'No collection accounts yet' }).waitFor()
  await page.context().clearCookies()

  await menuOf(page).filter({ hasText: 'Credits' }).click()

  await page.getByText('Your session has expired. Sign in again.').waitFor()
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor()
})

test('a refused event stream tells a user that the session ended, without another request', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.route('**/events/stream*', async (route) => {
    await page.getByRole('heading', { name: 'No credits yet' }).waitFor()
    await page.context().clearCookies()
    await route.fulfill({ status: 401 })
  })

  await page.goto(`${bench.url}/dashboard/credits`)

  await page.getByText('Your session has expired. Sign in again.').waitFor()
})

test('the theme is the machine’s until somebody chooses, and the choice stays', async () => {
  await using opened = await bench.openAs(browser, { colorScheme: 'dark' })
  const { page } = opened
  const readTheme = () => page.evaluate(`document.documentElement.dataset.theme`)
  await page.goto(`${bench.url}/dashboard/credits`)
  await page.getByRole('button', { name: 'System' }).click()

  assert.equal(await readTheme(), 'light')
  await page.reload()
  await page.getByRole('button', { name: 'Light' }).waitFor()
  assert.equal(await readTheme(), 'light')
  await page.getByRole('button', { name: 'Light' }).click()
  await page.getByRole('button', { name: 'Dark' }).click()
  assert.equal(await readTheme(), 'dark') // The machine's theme.
})
