// Settlements in a real browser: a client sees the upcoming one, closes it and reads its lines and
// statement; a second user approves where required; and the schedule is set.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  assertFaultlessThroughout,
  findAxeFaults,
  openBrowser,
  untilTrue,
} from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount } from '../support/fixtures.ts'
import { addBankAccount, fund, makeDefault, SANDBOX_PREFIXES } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

const SETTLEMENTS = '/api/v1/settlements'
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')
const drawerOf = (page: Page) => page.locator('dialog.drawer')
const sumsOf = async (place: ReturnType<typeof drawerOf>) =>
  (await place.locator('.sums').innerText()).replaceAll(/\s+/g, ' ')

let clients = 0
// Creates a client, so that each test sees only its own objects.
async function newClient() {
  const clientId = `SETTLES${++clients}`
  return { clientId, token: await bench.newClient(clientId) }
}

// Sets that all payouts of the client need approval.
async function requireApprovals(token: string): Promise<void> {
  const body = { payoutApproval: 'all' }
  await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body, token })
}

test('a client sees what is upcoming, closes it, and reads its lines and statements', async () => {
  const { clientId, token } = await newClient()
  await createFeeRule(bench, { clientId })
  await addBankAccount(bench, { token })
  await using opened = await bench.openAs(browser, { clientId, role: 'finance' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settlements`)
  await waitForText(page, 'Nothing to settle yet.')
  await waitForText(page, 'No settlements yet')
  assert.equal(await button(page, 'Close now').count(), 0)
  const { accountNumber } = await createAccount(bench, {}, { token })
  for (let at = 0; at < 21; at++) await credit(bench, accountNumber, '20000.00')

  await button(page, 'Close now').click()
  await waitForText(page, 'Close settlement of ₦415,485.00 now?')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Close now').last().click()
  await waitForText(page, /STL\d+ closed\./)
  await drawerOf(page).getByText('Approved', { exact: true }).first().waitFor()
  assert.equal(
    await sumsOf(drawerOf(page)),
    'Credits settled ₦420,000.00 Fees on credits and payouts -₦4,200.00 ' +
      'VAT on these fees -₦315.00 Settlement amount ₦415,485.00',
  )
  await drawerOf(page).locator('.entries li').nth(19).waitFor()
  await button(page, 'Newer').click()
  await waitForText(page, 'Page 2')
  await untilTrue(page, `document.querySelectorAll('.entries li').length === 1`)

  const downloading = page.waitForEvent('download')
  await drawerOf(page).getByRole('link', { name: 'Export CSV' }).click()
  const csv = readFileSync(await (await downloading).path(), 'utf8')
  assert.equal(csv.trim().split('\n').length, 22)
  const printing = page.context().waitForEvent('page')
  await page.getByRole('link', { name: 'Printable statement' }).click()
  await (await printing).getByText('415,485.00', { exact: true }).first().waitFor()
  await drawerOf(page).getByRole('link', { name: /^PYT/ }).click()
  await waitForText(page, 'Held, waiting to be sent.')
  assert.deepEqual(problems, [])
})

test('if approval is needed, another user than the one who closed it approves by keyboard', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '1500', { token })
  await addBankAccount(bench, { token })
  await requireApprovals(token)
  await using maker = await bench.openAs(browser, { clientId })
  await using checker = await bench.openAs(browser, { clientId })
  await maker.page.goto(`${bench.url}/dashboard/settlements`)
  await button(maker.page, 'Close now').click()
  await button(maker.page, 'Close now').last().click()
  await waitForText(maker.page, 'You closed this settlement. Another user must approve it.')
  assert.equal(await button(maker.page, 'Approve').count(), 0)

  const { page, problems } = checker
  await page.goto(maker.page.url())
  await waitForText(page, 'Another user must approve this settlement before it’s paid out.')
  await button(page, 'Approve').focus()
  await page.keyboard.press('Enter')
  await waitForText(page, 'Approve settlement of ₦1,500.00?')
  await modalOf(page)
    .getByText(/^₦1,500\.00 to .+, .+ \S*\d{4}\.$/)
    .waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Approve' }).focus()
  await page.keyboard.press('Enter')

  await waitForText(page, /STL\d+ approved\./)
  await drawerOf(page).getByRole('link', { name: /^PYT/ }).waitFor()
  await button(page, 'Cancel settlement').waitFor({ state: 'detached' })
  assert.deepEqual([...problems, ...maker.problems], [])
})

test('the approver sees the bank account, and is told if another was chosen meanwhile', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '1500', { token })
  const account = await addBankAccount(bench, { token })
  await requireApprovals(token)
  const { reference } = (await bench.call({ url: SETTLEMENTS, body: {}, token })).json().data
  await using checker = await bench.openAs(browser, { clientId })
  const { page } = checker
  await page.goto(`${bench.url}/dashboard/settlements/${reference}`)
  await drawerOf(page).getByText(account.accountNumber).waitFor()
  assert.equal(await drawerOf(page).getByText('Made the default after').count(), 0)

  await button(page, 'Approve').click()
  await waitForText(page, 'Approve settlement of ₦1,500.00?')
  bench.advance(1_000)
  const other = await addBankAccount(bench, { token })
  await makeDefault({ call: (call) => bench.call({ ...call, token }) }, other.reference)
  await button(page, 'Approve').last().click()
  await waitForText(
    page,
    'It would now be paid to another bank account, or under another name, than you were shown.',
  )
  await modalOf(page).getByRole('button', { name: 'Cancel', exact: true }).click()
  await drawerOf(page).getByText(other.accountNumber).waitFor()
  await drawerOf(page).getByText('Made the default after').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Approve').click()
  await button(page, 'Approve').last().click()

  await waitForText(page, /STL\d+ approved\./)
})

test('the user who chose the bank account reads why they can’t approve a settlement to it', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '1500', { token })
  await requireApprovals(token)
  const by = await newBrowser(bench, 'owner', clientId)
  await makeDefault(by, (await addBankAccount(by)).reference)
  const { reference } = (await bench.call({ url: SETTLEMENTS, body: {}, token })).json().data
  await using chooser = await bench.openAs(browser, { clientId, email: by.user.email })
  const { page, problems } = chooser

  await page.goto(`${bench.url}/dashboard/settlements/${reference}`)
  const drawer = drawerOf(page)
  await drawer
    .getByText('You cannot approve this: you, or whoever gave you access, chose')
    .waitFor()

  assert.equal(await button(page, 'Approve').count(), 0)
  assert.equal(await button(page, 'Cancel settlement').count(), 1)
  await assertFaultlessThroughout(page, page.url())
  assert.deepEqual(problems, [])
})

test('if no bank confirmed the name, another user reads so and approves', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '1500', { token })
  await addBankAccount(bench, { token, prefix: SANDBOX_PREFIXES.silentAboutNames })
  await using maker = await bench.openAs(browser, { clientId })
  await using checker = await bench.openAs(browser, { clientId })
  await maker.page.goto(`${bench.url}/dashboard/settlements`)
  await button(maker.page, 'Close now').click()
  await button(maker.page, 'Close now').last().click()
  await waitForText(maker.page, 'You closed this settlement. Another user must approve it.')
  assert.equal(await button(maker.page, 'Approve').count(), 0)

  const { page, problems } = checker
  await page.goto(maker.page.url())
  await waitForText(
    page,
    /^No bank had confirmed the name of an account it’s paid to\. Until one has/,
  )
  await waitForText(page, 'Check it yourself before you approve.')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Approve').click()
  await modalOf(page).getByText('No bank has confirmed the name of an account').waitFor()
  await modalOf(page).getByRole('button', { name: 'Approve' }).click()

  await waitForText(page, /STL\d+ approved\./)
  assert.deepEqual([...problems, ...maker.problems], [])
})

test('a settlement without a bank account says so, and can be cancelled', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '800', { token })
  const { reference } = (await bench.call({ url: SETTLEMENTS, body: {}, token })).json().data
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settlements/${reference}`)
  await waitForText(page, 'There’s no default bank account. Add one, then approve.')
  await drawerOf(page).getByRole('link', { name: 'Bank accounts' }).waitFor()

  await button(page, 'Cancel settlement').click()
  await waitForText(page, 'Cancel settlement of ₦800.00?')
  await button(page, 'Cancel settlement').last().click()

  await waitForText(page, `${reference} cancelled.`)
  await drawerOf(page).getByText('No lines.').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('.upcoming').getByText('₦800.00').first().waitFor()
  assert.deepEqual(problems, [])
})

test('the schedule and the need for approval are set, and a refusal says why', async () => {
  const { clientId } = await newClient()
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/settlements?tab=settings`)
  await page.getByLabel('Frequency').selectOption('weekly')
  await page.getByLabel('Day', { exact: true }).selectOption('Wed')
  await page.getByLabel('Time').fill('16:30')
  await page.getByLabel('Minimum amount').fill('5,000')
  await page.getByLabel('Reserve (%)').fill('5')
  await button(page, 'Save').click()
  await waitForText(page, 'Set both reservePercent and reserveDays, or neither.')
  await page.getByLabel('Reserve period (days)').fill('7')
  await button(page, 'Save').click()
  await waitForText(page, 'Saved.')
  await waitForText(page, /Next closing: 18 Nov, 16:30/)

  await page.getByLabel('Approval needed').selectOption('above')
  await page.getByLabel('Above', { exact: true }).fill('10,000')
  await button(page, 'Save approval').click()
  await waitForText(page, 'Above ₦10,000.00')
  assert.equal(await page.locator('option[value="none"]').count(), 0)
  const { rows } = await bench.db.query(
    `select schedule, minimum_kobo::int as minimum, reserve_bps as bps, reserve_days as days
       from settlement_settings where client_id = (select id from clients where client_id = $1)`,
    [clientId],
  )
  assert.deepEqual(rows, [{ schedule: 'weekly@Wed@16:30', minimum: 500_000, bps: 500, days: 7 }])
  await page.reload()
  assert.equal(await page.getByLabel('Day', { exact: true }).inputValue(), 'Wed')
  assert.equal(problems.length, 1) // Browsers report the refused request.
})

test('a user who may only read sees settlements and settings, but no buttons', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '300', { token })
  const { reference } = (await bench.call({ url: SETTLEMENTS, body: {}, token })).json().data
  await fund(bench, '200', { token })
  await using opened = await bench.openAs(browser, { clientId, role: 'support' })
  const { page, problems } = opened

  await page.goto(`${bench.url}/dashboard/settlements/${reference}`)
  await drawerOf(page).getByText('Settlement amount', { exact: true }).waitFor()
  for (const name of ['Close now', 'Approve', 'Cancel settlement']) {
    assert.equal(await button(page, name).count(), 0, name)
  }
  await page.goto(`${bench.url}/dashboard/settlements?tab=settings`)
  await waitForText(page, 'Manual')
  assert.equal(await page.getByRole('button', { name: /^Save/ }).count(), 0)
  assert.deepEqual(problems, [])
})

test('settlements have no fault at 360 and 1280 pixels, in light and dark', async () => {
  const { clientId, token } = await newClient()
  await fund(bench, '1000000000', { token })
  const { reference } = (await bench.call({ url: SETTLEMENTS, body: {}, token })).json().data
  await fund(bench, '1000000000', { token })
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened

  for (const path of ['settlements', `settlements/${reference}`, 'settlements?tab=settings']) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }

  assert.deepEqual(problems, [])
})
