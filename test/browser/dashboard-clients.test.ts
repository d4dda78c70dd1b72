// Clients in a real browser: an operator finds them, creates one whose secret is shown once, changes,
// suspends and resumes it, and invites its first owner; nobody else sees any of it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, createAdvice } from '../support/fixtures.ts'
import { trySignIn } from '../support/people.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const { make, read, canLogIn } = registerOf(bench)

const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')
const rowsOf = (page: Page) => page.locator('#content tbody tr')
const press = (page: Page, name: string) =>
  page.getByRole('button', { name, exact: true }).last().click()
// Reads the secret that the dialog shows once, and closes the dialog.
const readSecret = async (page: Page) => {
  const text = await modalOf(page).locator('.secrets code').last().innerText()
  await press(page, 'I’ve saved it')
  return text
}

// Returns the details of the audit log's entries about a client.
async function auditDetailsOf(action: string, clientId: string): Promise<object[]> {
  const { rows } = await bench.db.query(
    'select detail from audit_log where action = $1 and subject = $2 order by id',
    [action, `client/${clientId}`],
  )
  return rows.map(({ detail }) => detail)
}

for (const [width, colorScheme] of [
  [360, 'dark'],
  [1280, 'light'],
] as const) {
  test(`a client is created, and its secret shown once, at ${width} pixels`, async () => {
    const id = `MADE-${width}`
    await using opened = await bench.openAs(browser, { role: 'operator', width, colorScheme })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/clients`)
    await press(page, 'Create client')
    const form = modalOf(page)
    await form.getByLabel('Name', { exact: true }).fill('Ada’s Shop')
    await form.getByLabel('Client ID').fill(id)
    await form.getByLabel('suspense:write').uncheck()
    await form.getByLabel('Merchant codes').fill('SHOP\n\n SHOP \nKIOSK')
    assert.equal(await form.getByLabel('returns:read').count(), 0)
    await form.getByLabel('Operates the service').check()
    await form.getByLabel('returns:read').waitFor()
    await form.getByLabel('Operates the service').uncheck()
    assert.deepEqual(await findAxeFaults(page), [])
    await press(page, 'Create client')
    await form.getByText('You won’t be able to see it again.').waitFor()
    await page.keyboard.press('Escape') // The secret is never shown again.
    assert.deepEqual(await findAxeFaults(page), [])
    const secret = await readSecret(page)

    await drawerOf(page)
      .getByText(`${secret.split('.')[0]}.…`)
      .waitFor()
    assert(!(await page.content()).includes(secret))
    assert(await canLogIn(id, secret))
    const client = await read(id)
    assert.deepEqual([client.isOperator, client.merchantCodes], [false, ['SHOP', 'KIOSK']])
    assert.equal(client.scopes.length, 12)
    assert(!client.scopes.includes('suspense:write'))
    await page.keyboard.press('Escape')
    await page.getByRole('row').filter({ hasText: id }).waitFor()
    assert.deepEqual(problems, [])
  })
}

test('a client id that is taken is told, and nothing typed is lost', async () => {
  await make({ clientId: 'TAKEN' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/clients`)
  await press(page, 'Create client')
  await modalOf(page).getByLabel('Name', { exact: true }).fill('Twin')
  await modalOf(page).getByLabel('Client ID').fill('TAKEN')
  await modalOf(page).getByLabel('Allowed IP addresses').fill('10.1.2.3/8')
  await press(page, 'Create client')
  const fault = modalOf(page).locator('.fault') // At the field.
  await fault.getByText(/Must be an IP address/).waitFor()
  await modalOf(page).getByLabel('Allowed IP addresses').fill('10.0.0.0/8')
  await press(page, 'Create client')

  await modalOf(page).getByRole('alert').getByText('already taken').waitFor()
  assert.equal(await modalOf(page).getByLabel('Name', { exact: true }).inputValue(), 'Twin')
})

test('a client is suspended and resumed with a note, and no operator’s own', async () => {
  const { secret } = await make({ clientId: 'SUSPENDED', name: 'Bola’s Kiosk' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/clients/SUSPENDED`)
  await press(page, 'Suspend')
  await modalOf(page).getByRole('heading', { name: 'Suspend Bola’s Kiosk?' }).waitFor()
  await modalOf(page).getByLabel('Reason').fill('Complaints')
  assert.deepEqual(await findAxeFaults(page), [])
  assert(await canLogIn('SUSPENDED', secret))
  await press(page, 'Suspend')
  await page.getByText('Client suspended.').waitFor()
  await drawerOf(page).getByText('Suspended', { exact: true }).waitFor()
  assert.equal(await canLogIn('SUSPENDED', secret), false)
  assert.deepEqual(await auditDetailsOf('client.suspend', 'SUSPENDED'), [{ note: 'Complaints' }])

  await press(page, 'Resume')
  await modalOf(page).getByRole('heading', { name: 'Resume Bola’s Kiosk?' }).waitFor()
  await press(page, 'Resume')
  await page.getByText('Client resumed.').waitFor()
  await drawerOf(page).getByText('Active', { exact: true }).first().waitFor()
  assert(await canLogIn('SUSPENDED', secret))

  await page.goto(`${bench.url}/dashboard/clients/MAN0000001`)
  await drawerOf(page).getByRole('button', { name: 'Edit', exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Suspend' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('only what is another is changed, and the operator’s own client stays an operator', async () => {
  const made = { clientId: 'EDITED', name: 'Before', scopes: ['credits:read', 'accounts:read'] }
  await make({ ...made, merchantCodes: ['B', 'A'] })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/clients/EDITED`)
  await press(page, 'Edit')
  await modalOf(page).getByLabel('Name', { exact: true }).fill('After')
  await modalOf(page).getByLabel('Allowed IP addresses').fill('127.0.0.1\n10.0.0.0/8')
  await press(page, 'Save')
  await drawerOf(page).getByText('127.0.0.1/32, 10.0.0.0/8').waitFor()
  await press(page, 'Edit')
  await modalOf(page).getByLabel('Merchant codes').fill('')
  await modalOf(page).getByLabel('credits:read').uncheck()
  await press(page, 'Save')
  await drawerOf(page).locator('.facts').getByText('All', { exact: true }).waitFor()
  await press(page, 'Edit')
  await press(page, 'Save')
  await modalOf(page).waitFor({ state: 'detached' })

  assert.deepEqual(await auditDetailsOf('client.update', 'EDITED'), [
    { name: 'After', allowedAddresses: ['127.0.0.1', '10.0.0.0/8'] },
    { scopes: ['accounts:read'], merchantCodes: null },
  ])
  await page.goto(`${bench.url}/dashboard/clients/MAN0000001`)
  await press(page, 'Edit')
  await modalOf(page).getByLabel('Operates the service').uncheck()
  await press(page, 'Save')
  await modalOf(page).getByRole('alert').getByText('their own client').waitFor()
  assert((await read('MAN0000001')).isOperator)
})

test('a secret is rotated for a client, and shown once', async () => {
  const { secret } = await make({ clientId: 'ROTATED' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/clients/ROTATED`)
  await press(page, 'Rotate client secret')
  await page.getByLabel('Current secret expires').selectOption('0')
  await press(page, 'Rotate client secret')
  const fresh = await readSecret(page)

  await drawerOf(page)
    .getByText(`${fresh.split('.')[0]}.…`)
    .waitFor()
  assert(!(await page.content()).includes(fresh))
  assert(await canLogIn('ROTATED', fresh))
  assert.equal(await canLogIn('ROTATED', secret), false)
  assert.deepEqual(problems, [])
})

test('an operator invites the first owner of a client, who signs in to it', async () => {
  await make({ clientId: 'OWNED', name: 'Efe’s Stall' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/clients/OWNED`)
  await drawerOf(page).getByRole('link', { name: 'Users' }).click()
  await page.getByRole('heading', { name: 'Users of Efe’s Stall' }).waitFor()
  await page.getByText('No users yet').waitFor()
  await press(page, 'Invite user')
  const role = modalOf(page).getByLabel('Role')
  assert.equal(await role.inputValue(), 'owner')
  assert.equal(await role.locator('option[value=operator]').count(), 0)
  await modalOf(page).getByLabel('Email address').fill('efe@stall.example')
  assert.deepEqual(await findAxeFaults(page), [])
  await press(page, 'Invite user')
  const link = await readSecret(page)

  await page.getByRole('link', { name: 'efe@stall.example' }).click()
  await drawerOf(page).getByText('Temporary password').waitFor()
  const chosen = 'seven words that nobody else would choose'
  const body = { token: new URL(link).hash.slice(1).replace(/^.*=/, ''), password: chosen }
  const accept = '/dashboard/api/invitation/accept'
  assert.equal((await bench.call({ url: accept, body, token: null })).statusCode, 200)
  const signedIn = await trySignIn(bench, { email: 'efe@stall.example', password: chosen })
  const session = signedIn.json().data
  assert.deepEqual([session.client.clientId, session.role], ['OWNED', 'owner'])
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Back to the client' }).click()
  await drawerOf(page).getByText('Efe’s Stall').waitFor()
  await page.goto(`${bench.url}/dashboard/settings`)
  await page
    .getByRole('link', { name: /people\.example/ })
    .first()
    .waitFor()
  assert.equal(await page.getByRole('link', { name: 'efe@stall.example' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('clients are searched, filtered and paged, with what each took today', async () => {
  await bench.db.query(
    `insert into clients (client_id, name, is_active, created_at)
     select 'PAGED-' || at, 'Paged ' || at, at <> 30, $1 from generate_series(1, 30) at`,
    [bench.clock()],
  )
  const token = await bench.newClient('TRADES')
  const { accountNumber } = await createAccount(bench, {}, { token })
  await createAdvice(bench, {}, { token })
  await credit(bench, accountNumber, '250.50')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/clients`)
  // Searches the list of clients for this id or name.
  const search = async (text: string) => {
    await page.getByLabel('Client ID or name').fill(text)
    await page.getByLabel('Client ID or name').press('Enter')
  }
  await search('paged')
  await page.getByRole('link', { name: 'Paged 25', exact: true }).waitFor()
  assert.equal(await rowsOf(page).count(), 25)
  await press(page, 'Newer')
  await page.getByRole('link', { name: 'Paged 30', exact: true }).waitFor()
  assert.equal(await rowsOf(page).count(), 5)
  await page.getByLabel('Status').selectOption('false')
  await page.getByRole('link', { name: 'Paged 1', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('row').filter({ hasText: 'PAGED-30' }).getByText('Suspended').waitFor()
  assert.equal(await rowsOf(page).count(), 1)

  await page.goto(`${bench.url}/dashboard/clients?search=TRADES`)
  await rowsOf(page).getByText('1 credit · ₦250.50').waitFor()
  await rowsOf(page).getByRole('link').click()
  await drawerOf(page).getByText('1 payment request · 1 new account').waitFor()
  await drawerOf(page).getByText('₦250.50').waitFor()
  assert.deepEqual(problems, [])
})

test('a client is chosen for a fee rule by part of its name', async () => {
  await make({ clientId: 'CHOSEN-1', name: 'Hauwa Textiles' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=fees`)
  await press(page, 'Add fee rule')
  const field = modalOf(page).getByLabel('Client')
  await field.fill('textile')
  await modalOf(page).locator('datalist option[value="CHOSEN-1"]').waitFor({ state: 'attached' })
  assert.equal(await modalOf(page).locator('datalist option').count(), 1)
  await field.fill('CHOSEN-1')

  await modalOf(page).locator('.field p', { hasText: 'Hauwa Textiles' }).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('nobody but an operator sees clients, nor asks for them', async () => {
  for (const role of ['owner', 'developer', 'finance', 'support'] as const) {
    await using opened = await bench.openAs(browser, { role })
    const { page, problems } = opened
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await page.goto(`${bench.url}/dashboard/clients`)
    await page.getByText('your role can’t view it').waitFor()

    assert.equal(await page.getByRole('link', { name: 'Clients' }).count(), 0)
    assert(!urls.some((url) => url.includes('/operator/')))
    assert.deepEqual(problems, [])
  }
})

test('the view has no fault at 360 and 1280 pixels, in light and dark', async () => {
  await make({
    clientId: 'LONG-NAMES',
    name: 'Oluwafunmilayo Adesuwa Oghenekaro-Balogun & Daughters Supermarkets of Surulere',
    merchantCodes: ['IKEJA', 'SURULERE', 'X'.repeat(64)],
    allowedAddresses: ['2001:db8:aaaa:bbbb:cccc:dddd:eeee:0/112'],
  })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened

  for (const path of ['clients', 'clients/LONG-NAMES', 'clients?usersOf=LONG-NAMES']) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }

  assert.deepEqual(problems, [])
})
