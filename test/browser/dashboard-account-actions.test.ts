// Actions on collection accounts in a real browser, by mouse and by keyboard, narrow and wide: a user
// uploads many, creates one, edits, limits and switches it, undoes a change, and adds a number.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { ACCOUNTS, createAccount } from '../support/fixtures.ts'
import { CROSSED, personAt } from '../support/pressing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const modalOf = (page: Page) => page.locator('dialog.modal')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const HEADER = 'accountName,bvn,email,phoneNumber,merchantId,merchantCode,notificationUrl'
const csvRow = (name: string, bvn = '22212345654') =>
  `${name},${bvn},a@example.com,+2348012345678,M-1,SHOP,https://shop.example/hooks`
const csvFile = (...rows: string[]) => ({
  name: 'accounts.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from([HEADER, ...rows].join('\r\n')),
})

// Returns the names of a client's accounts, sorted.
async function namesOf(token: string): Promise<string[]> {
  const { data } = (await bench.call({ url: `${ACCOUNTS}?limit=100`, token })).json()
  return data.map(({ accountName }: { accountName: string }) => accountName).sort()
}

for (const { width, by, colorScheme } of CROSSED) {
  test(`a file of accounts is previewed, then created, by ${by}, ${width} pixels wide`, async () => {
    const clientId = `LOAD${width}${by}`
    const token = await bench.newClient(clientId)
    await using opened = await bench.openAs(browser, { clientId, width, colorScheme })
    const { page, problems } = opened
    const { press } = personAt(page, by)
    await page.goto(`${bench.url}/dashboard/accounts`)
    await page.getByRole('heading', { name: 'No collection accounts yet' }).waitFor()
    assert.deepEqual(await findAxeFaults(page), [])

    await press(page.getByRole('link', { name: 'Upload CSV' }))
    assert.deepEqual(await findAxeFaults(page), [])
    const file = csvFile(csvRow('Ada Obi'), csvRow('Bad Bvn', '1'), csvRow('Chidi Eze'))
    await page.getByLabel('CSV file', { exact: true }).setInputFiles(file)
    await press(button(page, 'Preview'))
    await page.getByText('2 ready to create, 1 with errors.').waitFor()
    await page.getByText('Line 3: Bad Bvn').waitFor()
    await page.getByText('bvn: Must be 11 digits.').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(await namesOf(token), [])
    await press(button(page, 'Create 2 accounts'))

    await page.getByText('2 created, 1 not created.').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(await namesOf(token), ['Ada Obi', 'Chidi Eze'])
    const results = await modalOf(page)
      .getByRole('link', { name: 'Download results' })
      .getAttribute('href')
    const lines = decodeURIComponent(results ?? '').split('\r\n')
    assert.match(lines[1] ?? '', /"Ada Obi".*"\d{10}",""$/)
    assert.match(lines[2] ?? '', /"Bad Bvn".*"","bvn: Must be 11 digits\."$/)
    await press(button(page, 'Done'))
    await page.getByRole('link', { name: 'Chidi Eze' }).waitFor()
    assert.deepEqual(problems, [])
  })

  test(`an account is edited, limited and switched, and back, by ${by}, ${width} pixels wide`, async () => {
    const clientId = `EDIT${width}${by}`
    const token = await bench.newClient(clientId)
    const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' }, { token })
    const read = async () =>
      (await bench.call({ url: `${ACCOUNTS}/${accountNumber}/details`, token })).json().data
    await using opened = await bench.openAs(browser, { clientId, width, colorScheme })
    const { page, problems } = opened
    const { press, fill } = personAt(page, by)
    const modal = modalOf(page)
    const pressSave = () => press(modal.getByRole('button', { name: 'Save' }))
    // Undoes the last action, and waits until the notice is gone.
    const undo = async () => {
      await press(button(page, 'Undo'))
      await page.getByText('Undone.').waitFor()
      await page.getByText('Undone.').waitFor({ state: 'detached' })
    }
    await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)

    await press(button(page, 'Edit'))
    assert.deepEqual(await findAxeFaults(page), [])
    await fill(modal.getByLabel('Name', { exact: true }), 'Ada N. Obi')
    await pressSave()
    await page.locator('dialog.drawer').getByText('Ada N. Obi').first().waitFor()
    assert.equal((await read()).accountName, 'Ada N. Obi')
    assert.equal((await read()).kycTierSet, 3) // The form includes the tier, so saving keeps it.
    await undo()
    assert.equal((await read()).accountName, 'Ada Obi')

    await press(button(page, 'Limits'))
    await fill(modal.getByLabel('Limit per day'), '50,000')
    assert.deepEqual(await findAxeFaults(page), [])
    await pressSave()
    await page.locator('.facts').getByText('₦50,000.00').waitFor()
    await undo()
    assert.deepEqual((await read()).ownLimits, { perCredit: null, perDay: null, balanceMax: null })

    await press(button(page, 'Deactivate'))
    await page.locator('dialog.drawer .badge', { hasText: 'Inactive' }).waitFor()
    assert.equal((await read()).isActive, false)
    await undo()
    assert.equal((await read()).isActive, true)

    await press(button(page, 'Make default'))
    await press(modal.getByRole('button', { name: 'Make default' }))
    await page.getByText('This is now the default account.').waitFor()
    assert.equal((await read()).isDefault, true)
    await press(button(page, 'Deactivate'))
    await page.locator('dialog.drawer .badge', { hasText: 'Inactive' }).waitFor()
    await undo()
    assert.equal((await read()).isDefault, true)
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(problems, [])
  })
}

test('a lost response is requested again, and no account is created twice', async () => {
  const token = await bench.newClient('LOADLOST')
  await using opened = await bench.openAs(browser, { clientId: 'LOADLOST' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts?new=upload`)
  const names = Array.from({ length: 150 }, (_, at) => `Customer ${at}`)
  await page
    .getByLabel('CSV file', { exact: true })
    .setInputFiles(csvFile(...names.map((name) => csvRow(name))))
  await button(page, 'Preview').click()
  await page.getByText('150 ready to create.').waitFor()
  let calls = 0
  await page.route('**/static/bulk', async (route) => {
    calls += 1
    await route.fetch() // The service creates the accounts, but its answer is lost.
    if (calls === 2) await route.abort()
    else await route.continue()
  })

  await button(page, 'Create 150 accounts').click()
  await page.getByText('Accounts created so far are kept.').waitFor()
  assert.equal((await namesOf(token)).length, 100) // The list returns at most 100 of the 150 accounts.
  await button(page, 'Create 50 accounts').click()

  await page.getByText('150 created.').waitFor()
  const { rows } = await bench.db.query(
    `select count(*)::int as count from collection_accounts a join clients c on c.id = a.client_id
      where c.client_id = 'LOADLOST'`,
  )
  assert.equal(rows[0].count, 150)
})

test('a file that is wrong as a whole is refused with the reason, and another can be chosen', async () => {
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts?new=upload`)
  // Chooses a CSV file and opens its preview.
  const previewCsv = async (buffer: Buffer) => {
    await page
      .getByLabel('CSV file', { exact: true })
      .setInputFiles({ name: 'x.csv', mimeType: 'text/csv', buffer })
    await button(page, 'Preview').click()
  }
  await previewCsv(Buffer.from('name,bvn\nAda,1'))
  await page.getByText('Missing columns: accountName, email').waitFor()
  await previewCsv(Buffer.from([0xff, 0xfe, 0x41, 0x00]))
  await page.getByText('The file isn’t UTF-8 text.').waitFor()
  await previewCsv(Buffer.alloc(4_000_001, 'a'))
  await page.getByText('The file is too large.').waitFor()

  await previewCsv(csvFile(csvRow('Ada', '1')).buffer)

  await page.getByText('No row can be created.').waitFor()
  assert.equal(await page.getByRole('button', { name: /^Create/ }).count(), 0)
  await button(page, 'Choose another file').click()
  await page.getByLabel('CSV file', { exact: true }).waitFor()
})

test('one account is created, and its payer rules set, replaced and removed', async () => {
  const clientId = 'RULES1'
  await bench.newClient(clientId)
  await using opened = await bench.openAs(browser, { clientId, width: 360 })
  const { page, problems } = opened
  const modal = modalOf(page)
  await page.goto(`${bench.url}/dashboard/accounts?new=account`)
  await modal.getByLabel('Name', { exact: true }).fill('Ada Obi')
  await modal.getByLabel('Email').fill('ada@example.com')
  await modal.getByLabel('Phone').fill('+2348012345678')
  await modal.getByLabel('BVN').fill('22212345654')
  await modal.getByLabel('Merchant ID').fill('M-1')
  assert.equal(await modal.getByLabel('Merchant code').inputValue(), clientId)
  await modal.getByLabel('Webhook URL').fill('https://shop.example/hooks')
  assert.deepEqual(await findAxeFaults(page), [])
  await modal.getByRole('button', { name: 'Create account' }).click()
  await page.getByText(/Account \d{10} created/).waitFor()

  await button(page, 'Payer rules').click()
  await modal.getByLabel('Minimum per transfer').fill('1,000')
  await modal.getByLabel('Payer names').fill('Ada Obi\nChidi Eze')
  await modal.getByLabel('Payer accounts').fill('123 058')
  await modal.getByRole('button', { name: 'Save' }).click()
  await modal.locator('.field').getByText('“123 058” isn’t a 10-digit account number').waitFor()
  await modal.getByLabel('Payer accounts').fill('0123456789 058')
  await modal.getByRole('button', { name: 'Save' }).click()

  const facts = page.locator('dialog.drawer .facts').first()
  await facts.getByText('Ada Obi, Chidi Eze').waitFor()
  await facts.getByText('₦1,000.00').waitFor()
  await button(page, 'Payer rules').click()
  await modal.getByText(/Now allowed: .*\(058\)/).waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Remove rules').click()
  await modal.last().getByRole('button', { name: 'Remove rules' }).click()
  await page.getByText('Payer rules removed.').waitFor()
  await facts.getByText('Ada Obi, Chidi Eze').waitFor({ state: 'detached' })
  assert.deepEqual(problems, [])
})

test('an account gets a number at each bank that issues them, and each once', async () => {
  const { accountNumber } = await createAccount(bench)
  const url = `${ACCOUNTS}/${accountNumber}/numbers`
  const read = async () =>
    (await bench.call({ url: `${ACCOUNTS}/${accountNumber}/details` })).json().data.accounts
  await using opened = await bench.openAs(browser, { role: 'developer', width: 360 })
  const { page, problems } = opened
  const modal = modalOf(page)
  const choice = modal.getByLabel('Bank', { exact: true })
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
  await button(page, 'Add a number').click()
  await choice.waitFor()
  // The account has a number at this bank.
  assert.equal(await choice.locator('option[value="035"]').count(), 0)
  assert.equal(await choice.locator('option[value="032"]').count(), 0) // This bank issues no numbers.
  await choice.selectOption('058')
  assert.deepEqual(await findAxeFaults(page), [])

  await modal.getByRole('button', { name: 'Add number' }).click()

  await page.getByText(/^Number \d{10} at Guaranty Trust Bank added\.$/).waitFor()
  const [, added] = await read()
  assert.equal(added.bankCode, '058')
  const facts = page.locator('dialog.drawer .facts').first()
  await facts.getByText('Account number at Guaranty Trust Bank').waitFor()
  await facts.getByText(added.accountNumber).waitFor()
  await button(page, 'Add a number').click()
  const left = choice.locator('option:not([value=""])')
  await left.first().waitFor({ state: 'attached' })
  const codes = await left.evaluateAll((options) =>
    options.map((option) => option.getAttribute('value') ?? ''),
  )
  assert(codes.length > 0 && !codes.includes('058'))
  await button(page, 'Cancel').click()
  for (const bankCode of codes) await bench.call({ url, body: { bankCode } })
  await page.reload()
  await button(page, 'Add a number').click()
  await modal.getByText('has a number at every bank').waitFor()
  assert(await modal.getByRole('button', { name: 'Add number' }).isDisabled())
  assert.deepEqual(problems, [])
})

test('another user’s change in between is not overwritten', async () => {
  const { accountNumber } = await createAccount(bench)
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
  await button(page, 'Edit').click()
  await modalOf(page).getByLabel('Name', { exact: true }).fill('Mine')
  const url = `${ACCOUNTS}/${accountNumber}`
  const again = page.waitForResponse(new RegExp(`${accountNumber}/details$`))
  await bench.call({ method: 'PATCH', url, body: { email: 'theirs@example.com' } })
  await again // The page loads the changed account while the form is open.

  await modalOf(page).getByRole('button', { name: 'Save' }).click()

  await modalOf(page).getByText('The account has changed since you read it.').waitFor()
})

test('a user who may not write sees accounts and statements, and no action', async () => {
  const { accountNumber } = await createAccount(bench)
  await using opened = await bench.openAs(browser, { role: 'finance' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}?new=account`)

  await page.getByRole('region', { name: 'Statement' }).waitFor()

  assert.equal(await page.getByRole('region', { name: 'Actions' }).count(), 0)
  assert.equal(await page.locator('dialog.modal').count(), 0)
  assert.equal(await page.getByText('New account').count(), 0)
})
