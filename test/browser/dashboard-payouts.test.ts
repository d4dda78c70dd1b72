// Payouts and bank accounts in a real browser: a client adds a bank account, pays out and cancels;
// two people approve; an operator settles payouts whose bank does not answer.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { approveOpenFailures } from '../support/failing.ts'
import { dataOf } from '../support/fixtures.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  bankAccountNumber,
  createPayout,
  fund,
  getPayout,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { requestClosing } from '../support/settlements.ts'

const bench = closeAfterTests(await startDashboardBench())
const rounds = closeAfterTests(await payoutRounds(bench))
const browser = closeAfterTests(await openBrowser())

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')

let clients = 0
// Creates a client, so that each test sees only its own objects.
async function newClient() {
  const clientId = `PAYS${++clients}`
  return { clientId, token: await bench.newClient(clientId) }
}

// Creates a payout to an account number with a prefix for which the simulated bank never answers. So the
// payout's result is unknown.
async function createUnknownPayout(amount: string): Promise<string> {
  await fund(bench, amount)
  const { reference: bankAccount } = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.neverAnswers,
  })
  const { reference } = await createPayout(bench, { amount, bankAccount })
  await rounds.send()
  assert.equal((await getPayout(bench, reference)).status, 'unknown')
  return reference
}

// Adds a bank account at bank 058 through the page's dialog.
async function addAccount(page: Page, { number, name }: { number: string; name: string }) {
  await button(page, 'Add bank account').first().click()
  await modalOf(page).getByLabel('Bank', { exact: true }).selectOption('058')
  await modalOf(page).getByLabel('Account number').fill(number)
  await modalOf(page).getByLabel('Account name').fill(name)
  await modalOf(page).getByRole('button', { name: 'Add bank account' }).click()
}

test('a client adds bank accounts, and sees which the bank confirms', async () => {
  const { clientId } = await newClient()
  await using opened = await bench.openAs(browser, { clientId, role: 'finance' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts?tab=bankAccounts`)
  await waitForText(page, 'No bank accounts yet')

  await addAccount(page, { number: bankAccountNumber(), name: 'Ada Obi' })
  await drawerOf(page).getByText('Default', { exact: true }).waitFor()
  await drawerOf(page).getByText('ADA OBI', { exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await addAccount(page, {
    number: bankAccountNumber(SANDBOX_PREFIXES.otherCustomer),
    name: 'Bola Ade',
  })
  await waitForText(page, 'nothing can be paid to it')
  assert.equal(await button(page, 'Make default').count(), 0)
  await page.keyboard.press('Escape')
  await addAccount(page, { number: bankAccountNumber(), name: 'Chidi Eze' })
  await button(page, 'Make default').click()
  await waitForText(page, 'Default bank account changed.')
  await button(page, 'Deactivate').click()
  await waitForText(page, 'Deactivate Chidi Eze?')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Deactivate').last().click()
  await waitForText(page, 'Bank account deactivated.')
  await drawerOf(page).getByText('Inactive', { exact: true }).waitFor()

  await page.keyboard.press('Escape')
  const deactivated = page.locator('table.list tr', { hasText: 'Chidi Eze' })
  await deactivated.getByText('Inactive').waitFor()
  const rows = await page.locator('table.list tbody tr').allInnerTexts()
  assert.match(
    rows.join('\n'),
    /Chidi Eze[\s\S]*Inactive[\s\S]*Mismatch[\s\S]*Ada Obi[\s\S]*Active/,
  )
  assert.deepEqual(problems, [])
})

test('a client pays out by keyboard alone, and sees the money arrive', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '50000', { token })
  await addBankAccount(bench, { token })
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts`)
  await waitForText(page, 'No payouts yet')
  await button(page, 'New payout').focus()
  await page.keyboard.press('Enter')
  await modalOf(page).getByLabel('Bank account').waitFor()
  await modalOf(page).getByLabel('Amount').focus()
  await page.keyboard.type('20,000')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Weekly payout')
  assert.deepEqual(await findAxeFaults(page), [])
  await page.keyboard.press('Enter')

  await waitForText(page, 'Held, waiting to be sent.')
  await rounds.send()
  await drawerOf(page).getByText('Paid to the recipient.').waitFor()
  await drawerOf(page).getByText('Confirmed by the bank').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('table.list').getByText('Confirmed').waitFor()
  assert.deepEqual(problems, [])
})

test('a queued payout is cancelled after a confirmation', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '900', { token })
  await addBankAccount(bench, { token })
  const { reference } = await createPayout(bench, { amount: '900' }, { token })
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts/${reference}`)

  await button(page, 'Cancel payout').click()
  await waitForText(page, /^Cancel payout of ₦900\.00 to \S.*\?$/)
  await waitForText(page, 'Held, waiting to be sent.')
  await button(page, 'Cancel payout').last().click()

  await waitForText(page, `${reference} cancelled.`)
  await waitForText(page, 'Not sent. It’s available again.')
  assert.equal(await button(page, 'Cancel payout').count(), 0)
  assert.deepEqual(problems, [])
})

test('a settlement’s payout is cancelled only while its bank account is inactive', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '700', { token })
  const { reference: account } = await addBankAccount(bench, { token })
  const [{ reference }] = dataOf(await requestClosing(bench, { token })).payouts
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts/${reference}`)
  await waitForText(page, 'Held, waiting to be sent.')
  assert.equal(await button(page, 'Cancel payout').count(), 0)
  const url = `${BANK_ACCOUNTS}/${account}`
  await bench.call({ method: 'PATCH', url, body: { isActive: false }, token })

  await page.reload()
  await waitForText(page, 'Not sent: its bank account is inactive.')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Cancel payout').click()
  await button(page, 'Cancel payout').last().click()

  await waitForText(page, `${reference} cancelled.`)
  await waitForText(page, 'Not sent. It’s available again.')
  assert.deepEqual(problems, [])
})

test('the user who created a payout can’t approve it, and another user approves or rejects it', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '5000', { token })
  await addBankAccount(bench, { token })
  const body = { payoutApproval: 'all' }
  await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body, token })
  await using maker = await bench.openAs(browser, { clientId })
  await using checker = await bench.openAs(browser, { clientId })

  for (const amount of ['1500', '2500']) {
    await maker.page.goto(`${bench.url}/dashboard/payouts`)
    await button(maker.page, 'New payout').click()
    await modalOf(maker.page).getByLabel('Amount').fill(amount)
    await modalOf(maker.page).getByLabel('Narration').fill('Rent')
    await modalOf(maker.page).getByLabel('Bank account').waitFor()
    await modalOf(maker.page).getByRole('button', { name: 'Pay out' }).click()
    await waitForText(maker.page, 'You created this payout. Another user must approve it.')
    assert.equal(await button(maker.page, 'Approve').count(), 0)
  }
  await checker.page.goto(`${bench.url}/dashboard/payouts`)
  await checker.page.locator('.waiting-row').nth(1).click()
  await button(checker.page, 'Approve').click()
  await waitForText(checker.page, /^Approve payout of ₦1,500\.00 to \S.*\?$/)
  await button(checker.page, 'Approve').last().click()
  await waitForText(checker.page, /PYT\d+ approved\./)
  await checker.page.keyboard.press('Escape')
  await checker.page.locator('.waiting-row').nth(1).waitFor({ state: 'detached' })
  await checker.page.locator('.waiting-row').click()
  await button(checker.page, 'Reject').click()
  await modalOf(checker.page).getByLabel('Reason').fill('Paid last week')
  assert.deepEqual(await findAxeFaults(checker.page), [])
  await button(checker.page, 'Reject').last().click()
  await waitForText(checker.page, /PYT\d+ rejected\./)
  await drawerOf(checker.page).getByText('Paid last week').first().waitFor()
  await rounds.send()

  await checker.page.keyboard.press('Escape')
  await checker.page.locator('.waiting').waitFor({ state: 'detached' })
  const { rows } = await bench.db.query(
    `select amount_kobo::int as kobo, status, approval from payouts
      where client_id = (select id from clients where client_id = $1) order by id`,
    [clientId],
  )
  assert.deepEqual(rows, [
    { kobo: 150_000, status: 'confirmed', approval: 'approved' },
    { kobo: 250_000, status: 'cancelled', approval: 'rejected' },
  ])
  assert.deepEqual([...maker.problems, ...checker.problems], [])
})

test('the user who added a bank account reads why they can’t approve the first payout to it', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '5000', { token })
  const body = { payoutApproval: 'all' }
  await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body, token })
  await using opened = await bench.openAs(browser, { clientId, role: 'finance' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payouts?tab=bankAccounts`)
  await addAccount(page, { number: bankAccountNumber(), name: 'Ada Obi' })
  await drawerOf(page).getByText('Default', { exact: true }).waitFor()
  const { reference, bankAccount: to } = await createPayout(bench, { amount: 1500 }, { token })

  await page.goto(`${bench.url}/dashboard/payouts/${reference}`)
  await waitForText(page, 'You cannot approve this: you, or whoever gave you access, chose')
  assert.deepEqual(await findAxeFaults(page), [])
  await bench.db.query("update bank_accounts set status = 'mismatch' where reference = $1", [to])
  await page.reload()

  // The only notice is about the other name.
  assert.match(await drawerOf(page).locator('.notice').innerText(), /another name/)
  assert.deepEqual(await drawerOf(page).locator('.actions').allInnerTexts(), ['Reject'])
})

test('an operator confirms one unknown payout and fails another', async () => {
  const [paid, unpaid] = [await createUnknownPayout('750'), await createUnknownPayout('650')]
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payouts?tab=all`)
  await waitForText(page, 'Unknown: check with the bank')
  await page.locator('.waiting-row').filter({ hasText: '₦750.00' }).click()
  await waitForText(page, `Look for ${paid} in the bank’s statement`)
  await button(page, 'Confirm payout').click()
  await waitForText(page, /^Confirm payout of ₦750\.00 to \S.*\?$/)
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByLabel('Bank reference').fill('WEMA/9')
  await button(page, 'Confirm payout').last().click()
  await waitForText(page, `${paid} confirmed.`)
  await drawerOf(page).getByText('Paid to the recipient.').waitFor()
  await page.goto(`${bench.url}/dashboard/payouts/${unpaid}?tab=all`)
  await button(page, 'Request failure').click()
  await modalOf(page).getByLabel('What the bank said').fill('Ticket 4711')
  await modalOf(page).getByLabel('Reason').fill('Not on the statement')
  await button(page, 'Request failure').last().click()
  await waitForText(page, `Requested that ${unpaid} fails. Another user must approve.`)
  await approveOpenFailures(bench)
  await page.reload()
  await drawerOf(page).getByText('Not paid. It’s available again.').waitFor()
  const [first, second] = [await getPayout(bench, paid), await getPayout(bench, unpaid)]
  assert.deepEqual([first.status, first.bankReference], ['confirmed', 'WEMA/9'])
  assert.deepEqual([second.status, second.failureReason], ['failed', 'Not on the statement'])
  assert.deepEqual(problems, [])
})

test('a user who may only read sees masked numbers, no buttons and no other clients’ data', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '100', { token })
  const account = await addBankAccount(bench, { token })
  const { reference } = await createPayout(bench, { amount: '100' }, { token })
  await using opened = await bench.openAs(browser, { clientId, role: 'support' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/payouts/${reference}`)
  await drawerOf(page).getByText(account.accountNumberMasked).waitFor()
  assert.equal(await page.getByText(account.accountNumber).count(), 0)
  assert.equal(await button(page, 'Cancel payout').count(), 0)
  await page.goto(`${bench.url}/dashboard/payouts?tab=all`)
  await page.getByRole('link', { name: 'Ada Obi' }).waitFor()
  assert.equal(await button(page, 'New payout').count(), 0)
  assert.equal(await page.getByRole('link', { name: 'All clients' }).count(), 0)
})

test('payouts and bank accounts have no fault at 360 and 1280 pixels, in light and dark', async () => {
  const reference = await createUnknownPayout('1000000')
  const accountName = 'Oluwafunmilayo Adesuwa Oghenekaro-Balogun and Daughters Enterprises'
  const account = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.otherCustomer,
    accountName,
  })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  for (const path of [
    'payouts',
    `payouts/${reference}`,
    'payouts?tab=all',
    `payouts/${reference}?tab=all`,
    'payouts?tab=bankAccounts',
    `payouts/${account.reference}?tab=bankAccounts`,
  ]) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }
  assert.deepEqual(problems, [])
})
