// Fees in a real browser: an operator adds a rule, tries terms out, withdraws a rule before it
// begins, and sets the rule for payouts; a client sees its own rules and charges; a payer who bears
// the fee sees the parts of the amount.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, createAdvice, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')

test('an operator writes terms in percent, and reads at once what they mean', async () => {
  await bench.newClient('FEES1')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=fees`)
  await page.getByRole('button', { name: 'Add fee rule' }).first().click()
  const modal = modalOf(page)
  await modal.getByLabel('Client').fill('FEES1')
  await modal.getByLabel('Code', { exact: true }).fill('standard')
  await modal.getByLabel('Rate').fill('1.25')
  await modal.getByLabel('Cap').fill('300')
  const example = modal.getByRole('status')
  const waitForExample = (text: string) => example.getByText(text, { exact: true }).waitFor()
  await waitForExample(
    'Of ₦10,000.00, the fee is ₦125.00 and its VAT ₦9.38. The merchant gets ₦9,865.62.',
  )
  await modal.getByLabel('Example amount').fill('100,000')
  await waitForExample(
    'Of ₦100,000.00, the fee is ₦300.00 and its VAT ₦22.50. The merchant gets ₦99,677.50.',
  )
  await modal.getByLabel('Rate').fill('1')
  await modal.getByLabel('Example amount').fill('20,000')
  await modal.getByLabel('Borne by').selectOption('customer')
  await waitForExample('The customer pays ₦20,217.34: ₦20,000.00, and ₦217.34 of fee and VAT.')
  assert.deepEqual(await findAxeFaults(page), [])
  await modal.getByRole('button', { name: 'Add fee rule' }).click()
  await page.getByRole('link', { name: 'standard' }).click()

  for (const fact of ['FEES1', '1%', '₦300.00', '7.5%', 'Customer']) {
    await drawerOf(page).getByText(fact, { exact: true }).first().waitFor()
  }
  assert.deepEqual(problems, [])
})

test('a fee rule begins at midnight in Lagos of the chosen day', async () => {
  await bench.newClient('FEES6')
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=fees`)
  await page.getByRole('button', { name: 'Add fee rule' }).first().click()
  const modal = modalOf(page)
  await modal.getByLabel('Client').fill('FEES6')
  await modal.getByLabel('Code', { exact: true }).fill('later')
  await modal.getByLabel('Rate').fill('0.5')
  await modal.getByLabel('From').fill('2031-02-03')
  await modal.getByRole('button', { name: 'Add fee rule' }).click()
  await page.getByRole('link', { name: 'later' }).waitFor()

  const { rows } = await bench.db.query(
    `select bps, effective_from from fee_rules where code = 'later'`,
  )
  assert.deepEqual(rows, [{ bps: 50, effectiveFrom: new Date('2031-02-02T23:00:00Z') }])
})

test('an operator withdraws a rule and a tariff before they take effect, and only then', async () => {
  await bench.newClient('FEES5')
  const effectiveFrom = new Date(bench.clock().getTime() + 3_600_000).toISOString()
  const createRule = (code: string, more: object) =>
    createFeeRule(bench, { clientId: 'FEES5', code, ...more })
  dataOf(await createRule('in-force', {}))
  dataOf(await createRule('mistake', { effectiveFrom }))
  const body = { bankCode: '044', bands: [{ upTo: null, fee: 7 }], effectiveFrom }
  dataOf(await bench.call({ url: '/api/v1/operator/payout-tariffs', body }))
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page, problems } = opened
  // Opens the rule or tariff, withdraws it, and waits until the list has it no more.
  const withdraw = async (name: string) => {
    await page.getByRole('link', { name }).click()
    await drawerOf(page).getByRole('button', { name: 'Withdraw' }).click()
    await modalOf(page).getByText('It won’t take effect.').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await modalOf(page).getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('link', { name }).waitFor({ state: 'detached' })
  }

  await page.goto(`${bench.url}/dashboard/settings?tab=fees`)
  await withdraw('mistake')
  await page.getByRole('link', { name: 'in-force' }).click()
  await drawerOf(page).getByText('FEES5').waitFor()
  assert.equal(await drawerOf(page).getByRole('button', { name: 'Withdraw' }).count(), 0)
  await page.goto(`${bench.url}/dashboard/settings?tab=payoutRules`)
  await withdraw('044')
  await page.getByRole('link', { name: 'All other banks' }).click()
  await drawerOf(page).getByText('₦10.00 up to').waitFor()
  assert.equal(await drawerOf(page).getByRole('button', { name: 'Withdraw' }).count(), 0)
  assert.deepEqual(problems, [])
})

test('a client sees its own rules, without the calculator, and the fee on a credit', async () => {
  const token = await bench.newClient('FEES2')
  dataOf(await createFeeRule(bench, { clientId: 'FEES2', code: 'own-rule' }))
  const { accountNumber } = await createAccount(bench, {}, { token })
  const sessionId = await credit(bench, accountNumber, '20000.00')
  await using opened = await bench.openAs(browser, { clientId: 'FEES2' })
  const { page, problems } = opened

  await page.goto(`${bench.url}/dashboard/settings?tab=fees`)
  await page.getByRole('link', { name: 'own-rule' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Fee calculator' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: 'Add fee rule' }).count(), 0)
  await page.goto(`${bench.url}/dashboard/credits/${sessionId}`)

  for (const line of ['₦200.00', '₦15.00', '₦19,785.00']) {
    await drawerOf(page).getByText(line, { exact: true }).first().waitFor()
  }
  assert.deepEqual(problems, [])
})

test('a payer who bears the fee sees what the amount is made of', async () => {
  const token = await bench.newClient('FEES3')
  dataOf(await createFeeRule(bench, { clientId: 'FEES3', bearer: 'customer' }))
  const { adviceReference } = await createAdvice(bench, { amount: 20_000 }, { token })
  await using opened = await browser.newPage()
  const { page, problems } = opened
  await page.goto(`${bench.url}/pay?adviceReference=${adviceReference}`)

  const lines = await page.locator('.fees > div').allInnerTexts()

  assert.deepEqual(
    lines.map((line) => line.replace(/\s+/g, ' ')),
    [
      'Amount ₦20,000.00',
      'Fee ₦202.17',
      'VAT on fee ₦15.16',
      'Rounding ₦0.01',
      'Total to send ₦20,217.34',
    ],
  )
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('an operator sets holidays, a client’s payout limits, and what a bank charges', async () => {
  await bench.newClient('FEES4')
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settings?tab=payoutRules`)
  const read = async (url: string) => dataOf(await bench.call({ url }))
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const holidays = '/api/v1/operator/holidays?year=2027'
  const listOf = async (url: string) => (await bench.call({ url })).json().data
  const names = async () => (await listOf(holidays)).map(({ name }: { name: string }) => name)
  const supplied = await names()

  await page.getByLabel('Date').fill('2027-06-14')
  await page.getByLabel('Holiday', { exact: true }).fill('Democracy Day, observed')
  await page.getByLabel('Source').fill('Ministry of Interior')
  await button('Add holiday').click()
  await page.getByText('Democracy Day, observed').waitFor()
  await button('Remove Christmas Day').click()
  await button('Remove Christmas Day').waitFor({ state: 'detached' })
  await button('Confirm Eid-ul-Maulud').click()
  await button('Confirm Eid-ul-Maulud').waitFor({ state: 'detached' })
  assert.deepEqual(
    (await names()).toSorted(),
    [
      ...supplied.filter((name: string) => name !== 'Christmas Day'),
      'Democracy Day, observed',
    ].toSorted(),
  )
  const confirmed = (await listOf(holidays)).filter(
    ({ name, status }: Record<string, string>) =>
      name === 'Eid-ul-Maulud' && status === 'confirmed',
  )
  assert.equal(confirmed.length, 1)

  await page.getByLabel('Client ID').fill('FEES4')
  await button('Find').click()
  await page.getByLabel('Approval', { exact: true }).selectOption('above')
  await page.getByLabel('Approval above').fill('50,000')
  await page.getByLabel('Per day').fill('1000000')
  await page.getByLabel('Minimum reserve of settlements').fill('12.5')
  await page.getByLabel('Minimum days it’s held back').fill('30')
  assert.deepEqual(await findAxeFaults(page), [])
  const saved = page.waitForResponse(/payout-settings/)
  await button('Save').click()
  assert.equal((await saved).status(), 200)
  assert.deepEqual(await read('/api/v1/operator/clients/FEES4/payout-settings'), {
    ...{ payoutApproval: 'above', approvalAbove: 50_000, twoApproversAbove: null },
    ...{ perPayoutLimit: null, dailyLimit: 1_000_000 },
    ...{ reserveFloorPercent: 12.5, reserveFloorDays: 30 },
  })

  await button('Add tariff').click()
  await modalOf(page).getByLabel('Bank').fill('058')
  await modalOf(page).getByLabel('Fees').fill('5000 10')
  await modalOf(page).getByRole('button', { name: 'Add tariff' }).click()
  await modalOf(page).getByText('two numbers per line').waitFor()
  await modalOf(page).getByLabel('Fees').fill('5,000 10\n50,000 25\n₦50')
  await modalOf(page).getByRole('button', { name: 'Add tariff' }).click()
  await page
    .getByText('₦10.00 up to ₦5,000.00, ₦25.00 up to ₦50,000.00, ₦50.00 above')
    .first()
    .waitFor()
  assert.deepEqual(problems, [])
})
