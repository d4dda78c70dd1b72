// The list “Needs you” on Today in a real browser shows the newest items that wait for the user, each with
// its action.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultlessThroughout, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { HOLDS, placeHold } from '../support/holding.ts'
import { credit } from '../support/movements.ts'
import { addBankAccount, createPayout, fund } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { importScene } from '../support/reconciliation-scenes.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('a payout is approved from Today, where at most three of those that wait are shown', async () => {
  const clientId = 'NEEDSYOU1'
  const token = await bench.newClient(clientId)
  await fund(bench, '9000', { token })
  const { reference: bankAccount } = await addBankAccount(bench, { token })
  const body = { payoutApproval: 'all' }
  await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body, token })
  const references: string[] = []
  for (const amount of [1100, 1200, 1300, 1400]) {
    const { reference } = await createPayout(bench, { amount, bankAccount }, { token })
    references.push(reference)
  }
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  const today = `${bench.url}/dashboard`
  await page.goto(today)
  const card = page.getByRole('region', { name: 'Needs you' })
  const items = card.locator('.needs-you-items > li')
  await items.getByRole('button', { name: 'Approve', exact: true }).nth(2).waitFor()
  assert.equal(await items.count(), 3)
  assert.match(await items.first().innerText(), /1,400\.00/)
  await assertFaultlessThroughout(page, today)

  await items.first().getByRole('button', { name: 'Approve', exact: true }).click()
  const dialog = page.locator('dialog.modal')
  await dialog.getByText(/^Approve payout of ₦1,400\.00 to \S.*\?$/).waitFor()
  await dialog.getByRole('button', { name: 'Approve' }).click()

  await page.getByText(/PYT\d+ approved\./).waitFor()
  await items.filter({ hasText: '1,400.00' }).waitFor({ state: 'detached' })
  await items.filter({ hasText: '1,100.00' }).waitFor()
  await card.locator('.count', { hasText: '3' }).waitFor()
  const approvals = await Promise.all(
    references.map(async (reference) => {
      const answer = await bench.call({ url: `/api/v1/payouts/${reference}`, token })
      return answer.json().data.approval
    }),
  )
  assert.deepEqual(approvals, ['needed', 'needed', 'needed', 'approved'])
  assert.deepEqual(problems, [])
})

// Places a hold on an account and requests its release, as another operator than the test's user.
async function requestRelease(accountNumber: string): Promise<void> {
  const maker = await newBrowser(bench, 'operator')
  const { reference } = await placeHold(
    { maker },
    { target: 'account', accountNumber, amount: 15000 },
  )
  const body = { reason: 'The payer withdrew the report' }
  const answer = await maker.call({ url: `${HOLDS}/${reference}/release`, body })
  assert.equal(answer.statusCode, 200, answer.body)
}

// Reports one session id twice with different amounts, which raises an alert.
async function reportTwice(accountNumber: string, bankCode: string): Promise<void> {
  const sessionId = newSessionId()
  for (const amount of ['10', '11']) {
    await postRail(bench, `${bankCode}/credits`, { sessionId, accountNumber, amount })
  }
}

test('an operator handles a hold, a difference, an alert and a paused endpoint from Today', async () => {
  await importScene(bench)
  const { accountNumber, bankCode } = await createAccount(bench)
  await credit(bench, accountNumber, '20000')
  await requestRelease(accountNumber)
  await reportTwice(accountNumber, bankCode)
  const { id } = await bench.addEndpoint('https://shop.example/hooks')
  await bench.db.query(
    `update destinations
        set failing_since = $2, disabled_at = $2, disabled_why = 'its receiver answered 410 Gone'
      where endpoint_id = $1`,
    [id, bench.clock()],
  )
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const today = `${bench.url}/dashboard`
  await page.goto(today)
  const card = page.getByRole('region', { name: 'Needs you' })
  const button = (name: string) => card.getByRole('button', { name, exact: true }).first()
  for (const name of ['Approve', 'Take it', 'Acknowledge', 'Enable']) await button(name).waitFor()
  await assertFaultlessThroughout(page, today)

  await button('Approve').click()
  await page.locator('dialog.modal').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Released.', { exact: true }).waitFor()
  await button('Take it').click()
  await page.getByText('You’re the owner now.').waitFor()
  await button('Acknowledge').click()
  await page.getByText('Alert acknowledged.').waitFor()
  await button('Enable').click()
  await page.getByText('Endpoint enabled. Pending deliveries are being sent.').waitFor()
  await button('Enable').waitFor({ state: 'detached' })

  const { rows } = await bench.db.query(
    `select (select count(*) from holds where state = 'released')::int as released,
            (select count(*) from differences where owner_id is not null)::int as taken_over,
            (select count(*) from alerts where acknowledged_by is not null)::int as acknowledged,
            (select disabled_at is null from destinations where endpoint_id = $1) as is_enabled`,
    [id],
  )
  assert.deepEqual(rows, [{ released: 1, takenOver: 1, acknowledged: 1, isEnabled: true }])
  assert.deepEqual(problems, [])
})
