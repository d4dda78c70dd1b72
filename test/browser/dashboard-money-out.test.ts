// Users handle refunds, subaccounts, splits, balances and adjustments in a real browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { CONFIRMED, payOut, settleAll } from '../support/money-out.ts'
import { reverse } from '../support/movements.ts'
import { bankAccountNumber, SANDBOX_PREFIXES } from '../support/payouts.ts'
import { pay } from '../support/refunding.ts'
import { createSplit, SUBACCOUNTS, subaccountBody } from '../support/splits.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal').last()
const drawerOf = (page: Page) => page.locator('dialog.drawer')
const factOf = (page: Page, name: string) =>
  drawerOf(page).locator('.facts > div').filter({ hasText: name }).locator('dd').innerText()

test('a payment is refunded from its drawer, in part; the rest is cancelled before it is sent', async () => {
  const { bankAccount, paymentReference } = await startPayment(bench, { amount: 1000 })
  await pay(bench, bankAccount, '1000')
  await using opened = await bench.openAs(browser, { role: 'finance' })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/payments/${paymentReference}`
  await page.goto(url)

  await button(page, 'Refund').press('Enter')
  assert.equal(await modalOf(page).getByLabel('Amount').inputValue(), '1000')
  await modalOf(page).getByLabel('Amount').fill('400.50')
  await modalOf(page).getByLabel('Reason').fill('Wrong size')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByLabel('Amount').press('Enter')
  await modalOf(page).getByText('can’t be undone').waitFor()
  await button(page, 'Refund ₦400.50').press('Enter')
  await drawerOf(page).getByText('Queued').waitFor()
  await settleAll(bench, CONFIRMED)
  await page.reload()

  await drawerOf(page).getByText('Confirmed').first().waitFor()
  assert.equal(await factOf(page, 'Refunded'), '₦400.50')
  assert.equal(await drawerOf(page).locator('.headline .badge').innerText(), 'Partly refunded')
  await waitForText(page, 'To ADA OBI, ******6789')
  await button(page, 'Refund').click()
  assert.equal(await modalOf(page).getByLabel('Amount').inputValue(), '599.5')
  await modalOf(page).getByLabel('Reason').fill('All of it')
  await button(page, 'Continue').press('Enter')
  await button(page, 'Refund ₦599.50').press('Enter')
  await button(page, 'Cancel refund').press('Enter')
  await modalOf(page).getByLabel('Reason').fill('She keeps them')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Cancel refund' }).press('Enter')
  await drawerOf(page).locator('.badge', { hasText: 'Cancelled' }).waitFor()
  await modalOf(page).waitFor({ state: 'detached' })
  assert.equal(await button(page, 'Cancel refund').count(), 0)
  assert.equal(await factOf(page, 'Refunded'), '₦400.50')
  await button(page, 'Refund').waitFor() // The rest can be refunded again.
  assert.deepEqual(problems, [])
})

test('the rest of a partly reversed payment can be refunded; a reversed one cannot', async () => {
  const [part, whole] = [
    await startPayment(bench, { amount: 1000 }),
    await startPayment(bench, { amount: 500 }),
  ]
  const { sessionId } = await pay(bench, part.bankAccount, '1000')
  await reverse(bench, sessionId, '300.25')
  const gone = await pay(bench, whole.bankAccount, '500')
  await reverse(bench, gone.sessionId, '500')
  await using opened = await bench.openAs(browser, { role: 'finance', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments/${part.paymentReference}`)

  await button(page, 'Refund').click()
  await modalOf(page).getByText('Up to ₦699.75').waitFor()
  assert.equal(await modalOf(page).getByLabel('Amount').inputValue(), '699.75')
  await modalOf(page).getByLabel('Reason').fill('Returned')
  await button(page, 'Continue').click()
  await button(page, 'Refund ₦699.75').click()

  await drawerOf(page).getByText('Queued').waitFor()
  await button(page, 'Refund').waitFor({ state: 'detached' })
  await page.goto(`${bench.url}/dashboard/payments/${whole.paymentReference}`)
  await drawerOf(page).locator('.badge', { hasText: 'Reversed' }).first().waitFor()
  await page.waitForLoadState('networkidle')
  assert.equal(await button(page, 'Refund').count(), 0)
  assert.deepEqual(problems, [])
})

test('a user who may not refund has no button', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '70')
  await using opened = await bench.openAs(browser, { role: 'support' })
  const { page, problems } = opened

  await page.goto(`${bench.url}/dashboard/credits/${sessionId}`)
  await drawerOf(page).locator('.timeline, .facts').first().waitFor()
  await page.waitForLoadState('networkidle')

  assert.equal(await button(page, 'Refund').count(), 0)
  assert.deepEqual(problems, [])
})

test('a credit without a payer is not refunded, and the drawer says why', async () => {
  const { accountNumber } = await createAccount(bench)
  const sessionId = await credit(bench, accountNumber, '80', {
    sourceAccountNumber: undefined,
    sourceBankCode: undefined,
  })
  await using opened = await bench.openAs(browser, { role: 'owner' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/credits/${sessionId}`)

  await button(page, 'Refund').click()
  await modalOf(page).getByLabel('Reason').fill('Sent twice')
  await button(page, 'Continue').click()
  await button(page, 'Refund ₦80.00').click()

  await waitForText(page, 'The bank didn’t report which account this came from')
})

test('a client adds a subaccount and a split, and deactivates both', async () => {
  const clientId = 'SPLITS1'
  await bench.newClient(clientId)
  await using opened = await bench.openAs(browser, { clientId, role: 'finance' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=subaccounts`)
  await button(page, 'Add subaccount').click()
  await modalOf(page).getByLabel('Name', { exact: true }).fill('Ada’s Kitchen')
  await modalOf(page).getByLabel('Code').fill('ADA')
  await modalOf(page).getByLabel('Bank', { exact: true }).selectOption('058')
  await modalOf(page).getByLabel('Account number').fill(bankAccountNumber())
  await modalOf(page).getByLabel('Account name').fill('Ada Vendor')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Add subaccount' }).click()
  await page.getByRole('link', { name: 'Ada’s Kitchen' }).waitFor()

  await page.goto(`${bench.url}/dashboard/settings?tab=splits`)
  await button(page, 'Add split').click()
  await modalOf(page).getByLabel('Name', { exact: true }).fill('Kitchen share')
  await modalOf(page).getByLabel('Code').fill('KITCHEN')
  await modalOf(page).getByLabel('Subaccount').selectOption('ADA')
  await modalOf(page).getByLabel('Percent').fill('80')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Add split' }).click()
  await page.getByRole('link', { name: 'Kitchen share' }).click()
  await drawerOf(page).getByRole('link', { name: '80%' }).waitFor()
  await button(page, 'Deactivate').click()
  await modalOf(page).getByRole('button', { name: 'Deactivate' }).click()
  await drawerOf(page).getByText('Inactive').waitFor()

  await page.goto(`${bench.url}/dashboard/settings/ADA?tab=subaccounts`)
  await button(page, 'Deactivate').click()
  await modalOf(page).getByRole('button', { name: 'Deactivate' }).click()
  await button(page, 'Activate').waitFor()
  assert.deepEqual(problems, [])
})

test('a subaccount is given another bank account by keyboard, on a phone', async () => {
  const clientId = 'SPLITS2'
  const token = await bench.newClient(clientId)
  const body = subaccountBody('ADA', { accountNumber: bankAccountNumber() })
  const made = (await bench.call({ url: SUBACCOUNTS, body, token })).json().data
  const url = `/api/v1/bank-accounts/${made.bankAccountReference}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false }, token })
  await using opened = await bench.openAs(browser, { clientId, role: 'finance' })
  const { page, problems } = opened
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${bench.url}/dashboard/settings/ADA?tab=subaccounts`)
  await waitForText(page, /Its bank account is inactive/)

  const number = bankAccountNumber()
  await button(page, 'Change bank account').press('Enter')
  await modalOf(page).getByText('Change the bank account of Vendor ADA').waitFor()
  assert.equal(await modalOf(page).getByLabel('Account name').inputValue(), 'Ada Vendor')
  await modalOf(page).getByLabel('Bank', { exact: true }).selectOption('058')
  await modalOf(page)
    .getByLabel('Account number')
    .fill(bankAccountNumber(SANDBOX_PREFIXES.otherCustomer))
  assert.deepEqual(await findAxeFaults(page), [])
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
  await page.keyboard.press('Enter')
  await modalOf(page).getByRole('alert').getByText('another name').waitFor()
  await modalOf(page).getByLabel('Account number').fill(number)
  await page.keyboard.press('Enter')

  await waitForText(page, 'Bank account changed.')
  await modalOf(page).waitFor({ state: 'detached' })
  await drawerOf(page)
    .getByText(`******${number.slice(-4)}`)
    .waitFor()
  assert.equal(await page.getByText(/Its bank account is inactive/).count(), 0)
  assert.equal(
    await page.evaluate('document.activeElement?.textContent'),
    'Change bank account', // The focus has returned to the button that opened the dialog.
  )
  assert.deepEqual(
    problems.filter((problem) => !problem.includes('409')),
    [],
  )
})

test('a credit shows its shares, and an account its split', async () => {
  await createSplit(bench)
  const { accountNumber } = await createAccount(bench, { splitCode: 'AB' })
  const { sessionId } = await pay(bench, accountNumber, '1000')
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened

  await page.goto(`${bench.url}/dashboard/credits/${sessionId}`)
  await waitForText(page, 'Share of A')
  assert.equal(await factOf(page, 'Share of A'), '₦800.00')
  assert.equal(await factOf(page, 'Share of B'), '₦200.00')
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
  await drawerOf(page).getByRole('link', { name: 'AB', exact: true }).waitFor()
  const csv = await drawerOf(page).getByRole('link', { name: 'Export CSV' }).getAttribute('href')

  assert.equal(csv, `/api/v1/accounts/static/${accountNumber}/statement.csv?for=spreadsheet`)
  assert.deepEqual(problems, [])
})

test('balances are those of the chosen day', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/ledger`)
  const available = page.locator('.stat', { hasText: 'Available' }).locator('.stat-value')
  await available.waitFor()
  assert.notEqual(await available.innerText(), '₦0.00')

  await page.getByLabel('As of the end of').fill('2020-01-31')
  await page.getByText('₦0.00').first().waitFor()

  assert.match(page.url(), /at=2020-01-31/)
  assert.equal(await available.innerText(), '₦0.00')
  assert.deepEqual(problems, [])
})

test('one operator asks for a write-off, and another approves it', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '5000')
  const { rows } = await bench.db.query(`select sum(credits_kobo - debits_kobo) as kobo
    from ledger_accounts where kind in ('collection', 'available')`)
  await payOut(bench, Number(rows[0].kobo) / 100)
  await reverse(bench, sessionId, '5000')
  await using maker = await bench.openAs(browser, { role: 'operator' })
  await maker.page.goto(`${bench.url}/dashboard/adjustments?tab=receivable`)
  await maker.page.getByRole('link', { name: 'MAN0000001' }).click()
  await button(maker.page, 'Write off').click()
  await modalOf(maker.page).getByLabel('Amount').fill('4000')
  await modalOf(maker.page).getByLabel('Reason').fill('Closed business')
  assert.deepEqual(await findAxeFaults(maker.page), [])
  await button(maker.page, 'Request approval').click()
  await waitForText(maker.page, 'You requested this. Another user must approve it.')
  assert.equal(await button(maker.page, 'Approve').count(), 0)
  const reference = maker.page.url().split('/').at(-1)

  await using checker = await bench.openAs(browser, { role: 'operator' })
  await checker.page.goto(`${bench.url}/dashboard/adjustments/${reference}`)
  await button(checker.page, 'Approve').click()
  await modalOf(checker.page).getByRole('button', { name: 'Approve' }).click()

  await drawerOf(checker.page).getByText('Approved', { exact: true }).waitFor()
  assert.deepEqual([...maker.problems, ...checker.problems], [])
})

test('debts do not count as money to pay out', async () => {
  const { accountNumber } = await createAccount(bench)
  await pay(bench, accountNumber, '3000') // 1,000 are still owed.
  await using opened = await bench.openAs(browser)
  await opened.page.goto(`${bench.url}/dashboard/ledger`)

  await waitForText(opened.page, 'Owed by you')
  await waitForText(opened.page, '₦2,000.00 to pay out or refund')
  assert.deepEqual(opened.problems, [])
})

test('the pages have no faults at 360 and 1280 pixels, in light and dark', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const views = ['', '/ledger', '/settings?tab=subaccounts', '/settings?tab=splits']
  for (const view of [...views, '/adjustments', '/adjustments?tab=receivable']) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard${view}`)
  }
  assert.deepEqual(problems, [])
})
