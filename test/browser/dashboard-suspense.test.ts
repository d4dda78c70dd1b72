// Suspense, ledger and sandbox bank in a real browser: money is assigned and returned with a reason, by one
// user or by two; the ledger shows whether the books balance; and a simulated transfer arrives.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultless, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { sendTooMuch, setDeskScene } from '../support/desk-scenes.ts'
import { actionsOf } from '../support/people.ts'
import { readItem, SUSPENSE, suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startDashboardBench())
const scene = await setDeskScene(bench)
const browser = closeAfterTests(await openBrowser())

const drawerOf = (page: Page) => page.getByRole('dialog')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

// Opens a suspense item by its address, and waits until the drawer shows it.
async function openItem(page: Page, id: number): Promise<void> {
  await page.goto(`${bench.url}/dashboard/suspense/${id}`)
  await drawerOf(page).getByText('Suspense reason').waitFor()
}

test('money in suspense is assigned to an account found by search, after a confirmation', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/suspense`)
  await page.getByRole('link', { name: 'DAUDA IBRAHIM' }).click()
  await waitForText(page, 'Unrecognised account number')

  await button(page, 'Continue').click()
  await waitForText(page, 'Select an account or payment.')
  await page.getByRole('searchbox').fill('chiam')
  await page.getByRole('radio', { name: /Chiamaka Eze/ }).check()
  await button(page, 'Continue').click()
  await waitForText(page, 'Enter a reason.')
  await page.getByLabel('Reason (audit log)').fill('She wrote a wrong number.')
  await button(page, 'Continue').click()
  await waitForText(page, 'Assign ₦4,200.00 to Chiamaka Eze?')
  assert.deepEqual(await findAxeFaults(page), [])
  assert.equal((await readItem(bench, scene.stray.id)).state, 'open')
  await button(page, 'Assign ₦4,200.00').click()

  await waitForText(page, '₦4,200.00 assigned.')
  assert.equal((await readItem(bench, scene.stray.id)).assignedTo, scene.accountNumber)
  assert.deepEqual(await actionsOf(bench, `suspense/${scene.stray.id}`), ['suspense.assign'])
  await drawerOf(page).getByText('Assigned', { exact: true }).first().waitFor()
  assert.deepEqual(problems, [])
})

test('a request of one user is approved by another: both see what they may do', async () => {
  await using first = await bench.openAs(browser, { role: 'owner' })
  await first.page.goto(`${bench.url}/dashboard/suspense`)
  await button(first.page, 'Enable maker-checker').click()
  await waitForText(first.page, 'On. One user requests')
  const { id } = await suspend(bench, '0123456789', '90.00', { sourceAccountName: 'EFE OBI' })
  await using asking = await bench.openAs(browser, { role: 'operator' })
  await openItem(asking.page, id)
  await button(asking.page, 'Return').click()
  await asking.page.getByLabel('Reason (audit log)').fill('Not ours.')
  await button(asking.page, 'Continue').click()
  await waitForText(asking.page, 'Another user must approve this before funds move.')
  await button(asking.page, 'Request approval').click()
  await waitForText(asking.page, 'You requested this. Another user must approve it.')
  assert.equal(await button(asking.page, 'Approve').count(), 0)
  assert.equal((await readItem(bench, id)).state, 'open')

  await using second = await bench.openAs(browser, { role: 'operator' })
  await second.page.goto(`${bench.url}/dashboard/suspense`)
  await second.page.locator('.waiting-row', { hasText: 'Not ours.' }).click()
  assert.deepEqual(await findAxeFaults(second.page), [])
  await button(second.page, 'Approve').click()

  await waitForText(second.page, 'Request approved.')
  assert.equal((await readItem(bench, id)).state, 'returned')
  await second.page.goto(`${bench.url}/dashboard/suspense?state=returned`)
  await second.page.getByRole('link', { name: 'EFE OBI' }).waitFor()
  assert.deepEqual([...first.problems, ...asking.problems, ...second.problems], [])
})

test('switching maker-checker off needs approval; a user who cannot approve reads why', async () => {
  await using first = await bench.openAs(browser, { role: 'owner' })
  await first.page.goto(`${bench.url}/dashboard/suspense`)
  await button(first.page, 'Disable maker-checker').click()
  await first.page.getByLabel('Reason for disabling maker-checker').fill('We are few.')
  assert.deepEqual(await findAxeFaults(first.page), [])
  await button(first.page, 'Request approval').click()
  await waitForText(first.page, 'You requested this. Another user must approve it.')

  await using second = await bench.openAs(browser, { role: 'owner' })
  const session = await second.page.request.get(`${bench.url}/dashboard/api/session`)
  const checker = (await session.json()).data.user.id
  const { rows } = await bench.db.query<{ maker: string }>(
    `select requested_by_user as maker from suspense_requests
      where state = 'open' and item_id is null`,
  )
  const maker = rows[0]?.maker
  await bench.db.query(
    `insert into access_grants (client_id, user_id, granted_by, granted_at)
     select client_id, id, $2, created_at from users where id = $1`,
    [checker, maker],
  )
  await second.page.goto(`${bench.url}/dashboard/suspense`)
  await waitForText(second.page, 'approver_not_independent')
  assert.equal(await button(second.page, 'Approve').count(), 0)
  assert.deepEqual(await findAxeFaults(second.page), [])
  await bench.db.query('delete from access_grants where user_id = $1', [checker])
  await second.page.reload()
  await button(second.page, 'Approve').click()

  await waitForText(second.page, 'Off. One user can assign or return funds.')
  assert.deepEqual([...first.problems, ...second.problems], [])
})

test('a request is rejected with a reason, by keyboard alone', async () => {
  await using opened = await bench.openAs(browser, { role: 'finance' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/suspense`)
  await page.locator('.waiting-row').first().focus()
  await page.keyboard.press('Enter')
  await button(page, 'Reject').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('Rejection reason').waitFor()
  await page.keyboard.type('Call her first.')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')

  await waitForText(page, /^Rejected by .*: Call her first\.$/)
  await page.keyboard.press('Escape')
  await drawerOf(page).waitFor({ state: 'detached' })
  assert.equal((await readItem(bench, scene.excess.id)).state, 'open')
})

test('a user who may only read sees no way to move money', async () => {
  await using opened = await bench.openAs(browser, { role: 'support' })
  const { page } = opened
  await openItem(page, scene.excess.id)

  assert.equal(await button(page, 'Continue').count(), 0)
  assert.equal(await button(page, 'Enable maker-checker').count(), 0)
})

test('if the settings do not load, the page says so, and a retry opens the pressed action', async () => {
  const { id } = await suspend(bench, '0123456789', '70.00', { sourceAccountName: 'IFE ALABI' })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  await page.route('**/events/stream*', () => {}) // An open stream would retry by itself.
  await page.route(`**${SUSPENSE}/settings`, (route) => route.abort())
  await page.goto(`${bench.url}/dashboard/suspense/${id}`)
  await button(page, 'Try again').waitFor()
  await page.unroute(`**${SUSPENSE}/settings`)

  await button(page, 'Try again').click()

  await drawerOf(page).getByText('Suspense reason').waitFor()
})

test('a refusal appears where the user pressed, and no input is lost', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await openItem(page, scene.excess.id)
  await button(page, 'Return').click()
  await page.getByLabel('Reason (audit log)').fill('Twice.')
  await button(page, 'Continue').click()
  await page.route(`**${SUSPENSE}/*/return`, (route) => route.abort())
  await button(page, 'Return ₦750.00').click()
  await waitForText(page, 'Can’t reach the service.')
  await page.unroute(`**${SUSPENSE}/*/return`)
  await button(page, 'Return ₦750.00').click()

  await waitForText(page, 'Return of ₦750.00 started.')
})

test('the ledger: a green line, the chart, an account and its transfers; red when it is', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/ledger`)
  await page.getByRole('heading', { name: 'The books balance' }).waitFor()
  await page.getByText('View checks').click()
  await waitForText(page, 'Balances equal their transfers')
  await page.getByRole('link', { name: 'Chiamaka Eze' }).click()
  await drawerOf(page).getByText('Credit received').waitFor()
  await drawerOf(page).locator('.entries td:nth-child(3)', { hasText: '₦12,500.00' }).waitFor()
  const sums = await drawerOf(page).locator('.sums').innerText()
  assert.deepEqual(sums.split(/\n+/), [
    ...['Opening balance', '₦0.00', 'Debits', '₦0.00'],
    ...['Credits', '₦16,700.00', 'Closing balance', '₦16,700.00'],
  ])
  await drawerOf(page).getByLabel('To').fill('2020-01-01')
  await drawerOf(page).getByText('No transfers in this period.').waitFor()
  await drawerOf(page).getByLabel('To').fill('')
  await drawerOf(page)
    .getByRole('link', { name: /^against held at bank, [A-Z]/ })
    .first()
    .click()
  await drawerOf(page)
    .getByText(/^Held at bank, [A-Z][a-z]+/)
    .waitFor()
  assert.deepEqual(problems, [])

  await bench.db.query(
    `insert into integrity_checks (started_at, finished_at, findings, ok) values ($1, $1, $2, false)`,
    [
      bench.clock(),
      JSON.stringify([
        { check: 'nothing_is_overdrawn', subject: 'account 1', expected: '0', found: '-1' },
      ]),
    ],
  )
  await page.goto(`${bench.url}/dashboard/ledger`)
  await page.getByRole('heading', { name: 'The books don’t balance' }).waitFor()
  await waitForText(page, /^1 of \d+ checks failed\./)
  await waitForText(page, 'expected 0, found -1')
  assert.deepEqual(await findAxeFaults(page), [])
  await bench.db.query('delete from integrity_checks where not ok')
})

test('the sandbox bank: a transfer is sent, explained, and its event arrives by itself', async () => {
  await using opened = await bench.openAs(browser, { role: 'developer' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/sandbox-bank`)
  await sendTooMuch(page)
  await waitForText(page, 'Event payment.successful')

  await button(page, 'Accounts').click()
  await page.getByRole('radio', { name: /Chiamaka Eze/ }).check()
  await page.getByRole('radio', { name: /Reversal/ }).check()
  await button(page, 'Send transfer').click()
  await waitForText(page, 'Enter an amount.')
  await page.getByLabel('Amount (NGN)').fill('1000')
  await button(page, 'Send transfer').click()
  await waitForText(page, 'Transfer reversed')
  await page.getByRole('radio', { name: /Delayed/ }).check()
  await page.getByLabel('Report after (seconds)').fill('3600')
  await button(page, 'Send transfer').click()
  await waitForText(page, /The bank reports it at/)
  await button(page, 'Expired').click()
  await waitForText(page, 'advance the test clock past its grace period')
  assert.deepEqual(problems, [])
})

for (const [width, colorScheme] of [
  [1280, 'dark'],
  [360, 'light'],
] as const) {
  test(`these views have no fault at ${width} pixels in ${colorScheme}`, async () => {
    await using opened = await bench.openAs(browser, { width, colorScheme })
    const { page, problems } = opened
    for (const path of [
      '/suspense',
      `/suspense/${scene.excess.id}`,
      '/suspense?state=assigned',
      '/ledger',
      '/sandbox-bank',
    ]) {
      await assertFaultless(page, `${bench.url}/dashboard${path}`)
    }
    assert.deepEqual(problems, [])
  })
}

test('a user without payments or accounts sees what to do next', async () => {
  await bench.newClient('EMPTYDESK1')
  await using opened = await bench.openAs(browser, { clientId: 'EMPTYDESK1', width: 360 })
  const { page, problems } = opened
  for (const [path, hint] of [
    ['/suspense', 'No suspense items'],
    ['/ledger', 'The ledger is empty'],
    ['/sandbox-bank', 'No open payments.'],
  ] as const) {
    await page.goto(`${bench.url}/dashboard${path}`)
    await waitForText(page, hint)
    assert.deepEqual(await findAxeFaults(page), [], path)
  }
  assert.deepEqual(problems, [])
})
