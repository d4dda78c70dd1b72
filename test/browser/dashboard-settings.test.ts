// Developers and Settings in a real browser: secrets, users, the user's own sign-in, branding, the
// limits and the audit log; each role sees what it may.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { makeUser, PASSWORD, SESSION_URL, signIn } from '../support/people.ts'

const run = promisify(execFile)
const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')
// Reads the secret that the dialog shows once, and closes the dialog.
const readSecret = async (page: Page) => {
  const text = await modalOf(page).locator('.secrets code').last().innerText()
  await page.getByRole('button', { name: 'I’ve saved it' }).click()
  return text
}

test('a new client secret is shown once, and logs in beside the old one', async () => {
  await bench.newClient('DEVS1')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS1', role: 'developer' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/developers`)
  await page.getByRole('button', { name: 'Rotate client secret' }).click()
  await page.getByLabel('Current secret expires').selectOption('0')
  await modalOf(page).getByText('stop working immediately').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByLabel('Current secret expires').selectOption('604800')
  await modalOf(page).getByRole('button', { name: 'Rotate client secret' }).click()
  const secret = await readSecret(page)

  await page.getByText(`${secret.split('.')[0]}.…`).waitFor()
  assert(await bench.login('DEVS1', secret))
  assert(await bench.login('DEVS1', 's3cret'))
  assert(!(await page.content()).includes(secret))
  assert.deepEqual(problems, [])
})

test('the signing secret is loaded only on request, and can be rotated', async () => {
  await bench.newClient('DEVS2')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS2' })
  const { page, problems } = opened
  const urls: string[] = []
  page.on('request', (request) => urls.push(new URL(request.url()).pathname))
  await page.goto(`${bench.url}/dashboard/developers`)
  await page.getByRole('button', { name: 'Reveal secret' }).waitFor()
  assert(!urls.includes('/api/v1/webhook-secret'))
  await page.getByRole('button', { name: 'Reveal secret' }).click()
  const newSecret = await page.locator('.secrets code').innerText()
  assert.equal(newSecret, await bench.secret(null, 'DEVS2'))

  await page.getByRole('button', { name: 'Rotate signing secret' }).click()
  await modalOf(page).getByRole('button', { name: 'Rotate secret' }).click()
  const fresh = await readSecret(page)

  assert.notEqual(fresh, newSecret)
  assert.equal(fresh, await bench.secret(null, 'DEVS2'))
  await page.getByRole('button', { name: 'Reveal secret' }).waitFor()
  for (const secret of [newSecret, fresh]) assert(!(await page.content()).includes(secret))
  assert.deepEqual(problems, [])
})

test('the quick start runs as it is pasted', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/developers`)
  const steps = page.locator('.steps pre')
  await steps.first().waitFor()

  const script = (await steps.allInnerTexts()).join('\n')
  const { stdout } = await run('sh', ['-c', script])

  assert.match(stdout, /"status":"Successful"/)
  assert.match(stdout, /"accountNumber":"\d{10}"/)
})

test('a user is invited, gets another role, is disabled, reset and removed', async () => {
  await bench.newClient('DEVS3')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS3' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings`)
  await page.getByRole('button', { name: 'Invite user' }).click()
  await page.getByLabel('Email address').fill('grace@people.example')
  await modalOf(page).getByRole('button', { name: 'Invite user' }).click()
  assert.match(await readSecret(page), /\/dashboard\/invitation#[\w-]{43}$/)
  await page.getByRole('link', { name: 'grace@people.example' }).click()
  const drawer = drawerOf(page)
  await drawer.getByText('Temporary password').waitFor()
  await drawer.getByLabel('Role').selectOption('finance')
  await drawer.getByRole('button', { name: 'Change role' }).click()
  await drawer.locator('.facts').getByText('Finance').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await drawer.getByRole('button', { name: 'Disable' }).click()
  await modalOf(page).getByRole('button', { name: 'Disable' }).click()
  await drawer.getByText('Disabled').waitFor()
  await drawer.getByRole('button', { name: 'Enable' }).click()
  await drawer.getByRole('button', { name: 'Disable' }).waitFor()
  await drawer.getByRole('button', { name: 'Reset password' }).click()
  await modalOf(page).getByRole('button', { name: 'Reset password' }).click()
  await readSecret(page)
  await drawer.getByRole('button', { name: 'Remove' }).click()
  await modalOf(page).getByRole('button', { name: 'Remove' }).click()
  await page.getByText('User removed.').waitFor()
  await page.getByRole('link', { name: 'grace@people.example' }).waitFor({ state: 'detached' })

  await page.goto(`${bench.url}/dashboard/settings?tab=auditLog`)
  for (const action of ['user.create', 'user.remove']) {
    await page.getByRole('link', { name: action, exact: true }).waitFor()
  }
  await page.getByLabel('Action').fill('user.remove')
  await page.getByLabel('Action').press('Enter')
  await page.getByRole('link', { name: 'user.create' }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'user.remove' }).click()
  await drawerOf(page).getByText('user/grace@people.example').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('a second factor is set up with its first code, and removed with another', async () => {
  await bench.newClient('DEVS4')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS4', role: 'support' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings`)
  await page.getByRole('button', { name: 'Set up' }).click()
  await page.getByLabel('Confirm your password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Continue' }).click()
  await modalOf(page).locator('.secrets code').first().waitFor()
  const secret = await modalOf(page).locator('.secrets code').innerText()
  const uri = (await modalOf(page).getByRole('link').getAttribute('href')) ?? ''
  assert.match(uri, /^otpauth:\/\/totp\//)
  assert(uri.includes(secret))
  await modalOf(page).getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  const codeAt = (ms: number) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })
  await page.getByLabel('6-digit code').fill(codeAt(bench.clock().getTime()))
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.getByRole('button', { name: 'I’ve saved it' }).waitFor()
  assert.equal(await modalOf(page).locator('.secrets code').count(), 10)
  await page.getByRole('button', { name: 'I’ve saved it' }).click()

  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByLabel('Confirm your password').fill(PASSWORD)
  await page.getByLabel(/or recovery code/).fill(codeAt(bench.clock().getTime() + 30_000))
  await modalOf(page).getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('button', { name: 'Set up' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a password is changed, and the page keeps working; a wrong one is refused', async () => {
  await bench.newClient('DEVS5')
  await using opened = await bench.openAs(browser, { clientId: 'DEVS5' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=profile`)
  await page.getByLabel('Current password').fill('not the right one at all')
  await page.getByLabel('New password').fill('a staple of correct horse batteries')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').getByText('password').first().waitFor()
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('All your other sessions have ended.').waitFor()
  assert.equal(await page.getByLabel('New password').inputValue(), '')

  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await modalOf(page).getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a session elsewhere is ended from here, and only that one', async () => {
  await bench.newClient('DEVS7')
  const email = await makeUser(bench, { clientId: 'DEVS7' })
  const elsewhere = await signIn(bench, email)
  await using opened = await browser.newPage()
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=profile`)
  await page.getByLabel('Email address').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('Session revoked.').waitFor()

  await page.getByRole('button', { name: 'Revoke' }).waitFor({ state: 'detached' })
  assert.equal((await elsewhere.call({ url: SESSION_URL })).statusCode, 401)
  await page.reload()
  await page.getByRole('heading', { name: 'Active sessions' }).waitFor()
  assert.deepEqual(problems, [])
})

test('each role sees its own parts of the settings', async () => {
  const seen: Record<string, string[]> = {}
  for (const role of ['owner', 'developer', 'finance', 'support'] as const) {
    await using opened = await bench.openAs(browser, { role })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/settings`)
    await page.locator('.tabs a').first().waitFor()
    seen[role] = await page.locator('.tabs a').allInnerTexts()
    const menu = await page.locator('.side nav a').allInnerTexts()
    assert.equal(menu.includes('API keys'), role === 'owner' || role === 'developer', role)
    assert.deepEqual(problems, [])
  }
  const limits = ['Limits', 'Limit profiles', 'Fees']
  const all = [
    'Profile',
    'Branding',
    ...limits,
    'Subaccounts',
    'Splits',
    'Approvals',
    'Scheduled reports',
  ]
  assert.deepEqual(seen, {
    owner: ['Users', ...all, 'Audit log'],
    developer: all,
    finance: [...all, 'Audit log'],
    support: [...all, 'Audit log'],
  })
})

const SIGHTS = [
  '/webhooks',
  '/webhooks?tab=deliveries',
  '/webhooks?tab=checker',
  '/developers',
  ...['users', 'profile', 'branding', 'limits', 'limitProfiles', 'fees', 'auditLog'].map(
    (tab) => `/settings?tab=${tab}`,
  ),
]

test('axe-core finds nothing, and nothing sticks out, at 360 and 1280 px, light and dark', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  for (const path of SIGHTS) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard${path}`)
  }
  assert.deepEqual(problems, [])
})
