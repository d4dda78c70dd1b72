// Erasing personal data in a real browser, of a closed account and of a finished payment. It always takes a
// confirmation that says which data stay.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { switchAccount } from '../support/account-calls.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { erase, PERSON } from '../support/erasing.ts'
import { createAccount, readAccount, simulate, startPayment } from '../support/fixtures.ts'
import { MEANS, personAt } from '../support/pressing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const OPEN = 'Erase personal data'
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')
const actionsOf = (page: Page) => page.getByRole('region', { name: 'Actions' }).locator('.button')

// Creates an account with a credit and switches it off.
async function closedAccount(): Promise<string> {
  const { accountNumber } = await createAccount(bench, PERSON)
  await simulate(bench, accountNumber, '1500.00')
  await switchAccount(bench, accountNumber, 'deactivate')
  return accountNumber
}

for (const { width, by, colorScheme } of MEANS) {
  test(`a closed account is erased by ${by}, ${width} pixels wide`, async () => {
    const accountNumber = await closedAccount()
    await using opened = await bench.openAs(browser, { role: 'developer', width, colorScheme })
    const { page, problems } = opened
    const { press, fill } = personAt(page, by)
    const modal = modalOf(page)
    const confirm = modal.getByRole('button', { name: 'Erase' })
    await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)

    await press(button(page, OPEN))
    await modal.getByText('Balance, credits, transfers and references').waitFor()
    await fill(modal.getByLabel('Reason'), 'Ticket 4711')
    assert(await confirm.isDisabled())
    await fill(modal.getByLabel(`Type ${accountNumber} to confirm`), accountNumber.slice(1))
    assert(await confirm.isDisabled())
    assert.equal((await readAccount(bench, accountNumber)).accountName, PERSON.accountName)
    await fill(modal.getByLabel(`Type ${accountNumber} to confirm`), accountNumber)
    assert.deepEqual(await findAxeFaults(page), [])
    await press(confirm)

    await page.getByText(/^Personal data erased\./).waitFor()
    await drawerOf(page).getByText('It stays closed.').waitFor()
    await drawerOf(page).getByText('₦1,500.00').first().waitFor()
    const { accountName, email, isActive } = await readAccount(bench, accountNumber)
    assert.deepEqual([accountName, email, isActive], ['Erased', '', false])
    // An erased account allows no other action.
    assert.deepEqual(await actionsOf(page).allTextContents(), [OPEN])
    assert.equal(await drawerOf(page).getByText(PERSON.email).count(), 0)
    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(problems, [])
  })
}

test('only a closed account can be erased, and not with a reason that names the person', async () => {
  const { accountNumber } = await createAccount(bench, PERSON)
  await using opened = await bench.openAs(browser)
  const { page } = opened
  const modal = modalOf(page)
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
  await button(page, 'Deactivate').waitFor()
  assert.equal(await button(page, OPEN).count(), 0)
  await button(page, 'Deactivate').click()

  await button(page, OPEN).click()
  await modal.getByLabel('Reason').fill(`${PERSON.accountName} asked`)
  await modal.getByLabel(/^Type/).fill(accountNumber)
  await modal.getByRole('button', { name: 'Erase' }).click()

  await modal.locator('.fault').getByText('Must not hold the personal data').waitFor() // At the field.
  assert.equal((await readAccount(bench, accountNumber)).accountName, PERSON.accountName)
  await modal.getByLabel('Reason').fill('Ticket 4712')
  await modal.getByRole('button', { name: 'Erase' }).click()
  await drawerOf(page).getByText('It stays closed.').waitFor()
})

test('money in suspense must be resolved first, and the form says so', async () => {
  const accountNumber = await closedAccount()
  await erase(bench, accountNumber)
  await simulate(bench, accountNumber, '70.00') // Suspended, because the account is closed.
  await using opened = await bench.openAs(browser, { width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)

  await button(page, OPEN).click() // Erases the data that arrived since the first erasure.
  await modalOf(page).getByLabel('Reason').fill('Ticket 4713')
  await modalOf(page).getByLabel(/^Type/).fill(accountNumber)
  await modalOf(page).getByRole('button', { name: 'Erase' }).click()

  await modalOf(page)
    .getByRole('alert')
    .getByText(/suspense/)
    .waitFor()
})

test('a paid request’s customer can be erased, that of a payable one cannot', async () => {
  const open = await startPayment(bench)
  const paid = await startPayment(bench, {
    customer: { customerFirstName: 'Ngozi', customerLastName: 'Adichie' },
  })
  await simulate(bench, paid.bankAccount, '6000.00')
  await using opened = await bench.openAs(browser, { role: 'developer', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/payments/${open.paymentReference}`)
  await button(page, 'Cancel request').waitFor()
  assert.equal(await button(page, OPEN).count(), 0)
  await page.goto(`${bench.url}/dashboard/payments/${paid.paymentReference}`)
  await drawerOf(page).getByText('From Ngozi Adichie', { exact: true }).waitFor()

  await button(page, OPEN).click()
  await modalOf(page).getByText('Amounts, statuses, credits and references').waitFor()
  await modalOf(page).getByLabel('Reason').fill('Ticket 4714')
  await modalOf(page).getByLabel('Type ERASE to confirm').fill('ERASE')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Erase' }).click()

  await page.getByText(/^Personal data erased\./).waitFor()
  await drawerOf(page).getByText('From Erased', { exact: true }).waitFor()
  await drawerOf(page).getByText('₦6,000.00').first().waitFor()
  assert.deepEqual(problems, [])
})

test('a user who may only read cannot erase anything', async () => {
  const accountNumber = await closedAccount()
  const { paymentReference, bankAccount } = await startPayment(bench)
  await simulate(bench, bankAccount, '6000.00')
  for (const role of ['finance', 'support'] as const) {
    await using opened = await bench.openAs(browser, { role })
    const { page } = opened
    await page.goto(`${bench.url}/dashboard/accounts/${accountNumber}`)
    await page.getByRole('region', { name: 'Statement' }).waitFor()
    assert.equal(await button(page, OPEN).count(), 0)
    assert.equal(await button(page, 'Add a number').count(), 0)
    await page.goto(`${bench.url}/dashboard/payments/${paymentReference}`)
    await page.getByRole('link', { name: 'View receipt' }).waitFor()
    assert.equal(await button(page, OPEN).count(), 0)
  }
})
