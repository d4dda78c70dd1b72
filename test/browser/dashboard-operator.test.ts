// Returns, alerts and rejected messages in a real browser: an operator reveals a payer's number on
// purpose, confirms and fails returns after a confirmation, cannot send by hand a return that a
// connector sends, and acknowledges alerts, which the menu counts.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeOf } from '#short-codes.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { actionsOf } from '../support/people.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { storedId } from '../support/shown-ids.ts'
import { NOBODYS_NUMBER, pendingReturnOf, readItem, suspend } from '../support/suspense-desk.ts'
import { openDesk } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const desk = await openDesk(bench)

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()

// Creates a suspended item and starts its return. In live mode the operator sends it; in the sandbox the
// simulated bank sends it, and has not received it yet.
async function startReturn(sourceAccountName: string, mode: 'live' | 'sandbox' = 'live') {
  const payer = { sourceAccountName, sourceAccountNumber: '2093566866' }
  const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, '75.00', payer)
  await desk.giveBack(sessionId, { mode })
  const reference = await pendingReturnOf(bench.db, storedId('suspense', id))
  return { id, sessionId: sessionId as string, reference }
}

// Reports one session id twice with different amounts, which raises an alert.
async function raiseAlert(): Promise<string> {
  const { accountNumber, bankCode } = await createAccount(bench)
  const sessionId = newSessionId()
  for (const amount of ['10', '11']) {
    await postRail(bench, `${bankCode}/credits`, { sessionId, accountNumber, amount })
  }
  return sessionId
}

test('a return is confirmed by keyboard alone, after its payer’s number was revealed', async () => {
  const { id, reference } = await startReturn('DAUDA IBRAHIM')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/returns?status=pending`)
  await page.getByRole('link', { name: 'DAUDA IBRAHIM' }).focus()
  await page.keyboard.press('Enter')
  await waitForText(page, '******6866')
  assert.deepEqual(await actionsOf(bench, `return/${reference}`), [])

  await button(page, 'Reveal account number').focus()
  await page.keyboard.press('Enter')
  await waitForText(page, '2093566866')
  await button(page, 'Confirm return').focus()
  await page.keyboard.press('Enter')
  await waitForText(page, 'Confirm return of ₦75.00 to DAUDA IBRAHIM?')
  assert.equal((await readItem(bench, id)).state, 'returning')
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByLabel('Bank reference').focus()
  await page.keyboard.type('WEMA/9')
  await page.keyboard.press('Enter')

  await waitForText(page, `${reference} confirmed.`)
  await page.getByRole('dialog').getByText('Confirmed', { exact: true }).first().waitFor()
  const item = await readItem(bench, id)
  assert.deepEqual([item.state, item.bankReference], ['returned', 'WEMA/9'])
  const actions = await actionsOf(bench, `return/${reference}`)
  assert.deepEqual(actions, ['return.reveal', 'return.confirm'])
  assert.deepEqual(problems, [])
})

test('a return that failed says why, here and at the suspense desk', async () => {
  const { id, reference } = await startReturn('EFE OBI')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/returns/${reference}`)
  await button(page, 'Mark as failed').click()
  await waitForText(page, 'Mark return of ₦75.00 to EFE OBI as failed?')
  await page.getByLabel('Reason').fill('Account closed')
  await page.getByRole('button', { name: 'Mark as failed' }).last().click()

  await waitForText(page, `${reference} failed. The funds are back in suspense.`)
  await waitForText(page, 'Account closed')
  await page.goto(`${bench.url}/dashboard/suspense/${id}`)
  await waitForText(page, 'Return failure reason')
  await waitForText(page, 'Account closed')
  assert.deepEqual(problems, [])
})

test('a payout that a connector sends says so, and operators cannot send it by hand', async () => {
  const { reference } = await startReturn('FEMI ADE', 'sandbox')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/returns?status=pending`)
  const row = page.getByRole('row').filter({ hasText: codeOf(reference) })
  await row.getByText('Connector', { exact: true }).waitFor()
  await row.getByRole('link').first().click()

  await waitForText(page, 'The bank’s connector sends this return. Don’t send it by hand.')
  for (const name of ['Reveal account number', 'Confirm return', 'Mark as failed']) {
    assert.equal(await button(page, name).count(), 0, name)
  }
  await bench.db.query(
    `update payouts set status = 'sending', sending_at = $2 where reference = $1`,
    [reference, bench.clock()],
  )
  await bench.db.query(`update payouts set status = 'unknown' where reference = $1`, [reference])
  await page.reload()
  await waitForText(page, /The bank hasn’t answered and may have sent it/)
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('link', { name: 'View payout' }).click()
  await button(page, 'Confirm payout').waitFor()
  assert.deepEqual(problems, [])
})

test('a user who may only read sees masked numbers and no buttons', async () => {
  const { reference } = await startReturn('ADA OBI')
  await using opened = await bench.openAs(browser, { role: 'support' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard/returns/${reference}`)
  await waitForText(page, '******6866')

  assert.equal(await button(page, 'Reveal account number').count(), 0)
  assert.equal(await button(page, 'Confirm return').count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Alerts' }).count(), 0)
})

test('the menu counts open alerts as they arrive, and not acknowledged ones', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/alerts?open=true`)
  await waitForText(page, /No alerts|No results match/)
  const sessionId = await raiseAlert()
  await page.getByRole('link', { name: 'Alerts 1 open' }).waitFor()

  await page
    .getByRole('link', { name: 'A bank reused an identifier with different details' })
    .click()
  await waitForText(
    page,
    'The second message was rejected. Ask the bank which of the two is correct.',
  )
  await waitForText(page, new RegExp(`, session ${sessionId}$`))
  assert.equal(await page.locator('dialog pre').count(), 0, 'facts, and no JSON')
  await waitForText(page, '₦11.00')
  await button(page, 'Acknowledge').click()
  await waitForText(page, 'Alert acknowledged.')
  assert.deepEqual(await findAxeFaults(page), [])
  await button(page, 'Undo').click()
  await waitForText(page, 'Undone.')
  await page.getByRole('link', { name: 'Alerts 1 open' }).waitFor()
  await button(page, 'Acknowledge').click()
  await waitForText(page, 'Alert acknowledged.')
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Alerts', exact: true }).waitFor()
  const { rows } = await bench.db.query('select acknowledged_by is not null as is_done from alerts')
  assert.deepEqual(rows, [{ isDone: true }])
  assert.deepEqual(problems, [])
})

test('rejected messages tell a reversal that is awaited from one that was taken', async () => {
  const { accountNumber, bankCode } = await createAccount(bench)
  const [sessionId, originalSessionId] = [newSessionId(), newSessionId()]
  const reversal = { sessionId, originalSessionId, amount: '10' }
  const credit = { sessionId: originalSessionId, accountNumber, amount: '10' }
  await postRail(bench, `${bankCode}/reversals`, reversal)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const row = page.getByRole('row').filter({ hasText: sessionId })
  await page.goto(`${bench.url}/dashboard/rail-items?outcome=awaited`)
  await row.getByText('Waiting').waitFor()
  await row.getByRole('link').first().click()
  await page.getByRole('dialog').getByText('03', { exact: true }).waitFor()

  await postRail(bench, `${bankCode}/credits`, credit)
  await postRail(bench, `${bankCode}/reversals`, reversal)
  await page.goto(`${bench.url}/dashboard/rail-items`)

  await row.getByText('Applied').waitFor()
  await row.getByRole('link').first().click()
  await page.getByRole('dialog').getByText('Reversal applied').waitFor()
  assert.deepEqual(problems, [])
})

test('a return of reversed money is not sent, and can only be marked as failed', async () => {
  const { id, sessionId, reference } = await startReturn('GBENGA OJO', 'sandbox')
  const reversal = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '75.00' }
  const { bankCode } = (await bench.call({ url: `/api/v1/operator/returns/${reference}` })).json()
    .data
  await postRail(bench, `${bankCode}/reversals`, reversal)
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/returns/${reference}`)
  await waitForText(page, /The bank reversed the credit, so the payer has the money/)
  assert.equal(await button(page, 'Reveal account number').count(), 0)
  assert.equal(await button(page, 'Confirm return').count(), 0)
  assert.deepEqual(await findAxeFaults(page), [])

  await button(page, 'Mark as failed').click()
  await page.getByLabel('Reason').fill('Reversed by the bank')
  await page.getByRole('button', { name: 'Mark as failed' }).last().click()

  await page.getByRole('dialog').getByText('Failed', { exact: true }).first().waitFor()
  assert.equal((await readItem(bench, id)).state, 'reversed')
  assert.deepEqual(problems, [])
})

test('these views have no fault at 360 and 1280 pixels, in light and dark', async () => {
  const { reference } = await startReturn('OLUWAFUNMILAYO ADESUWA OGHENEKARO-BALOGUN')
  const { reference: sent } = await startReturn('ADA OBI', 'sandbox')
  await raiseAlert()
  const { rows } = await bench.db.query('select max(id)::int as id from alerts')
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened

  const ofReturns = ['returns', `returns/${reference}`, `returns/${sent}`]
  for (const path of [...ofReturns, 'alerts', `alerts/${rows[0].id}`, 'rail-items']) {
    await assertFaultlessThroughout(page, `${bench.url}/dashboard/${path}`)
  }

  assert.deepEqual(problems, [])
})

test('an idle page that cannot load shows no error until somebody uses it', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  // Waits for the page's next poll of the alerts. Returns the poll's header `x-idle`: '1' if nobody uses the
  // page, else undefined.
  const idleOf = async () => {
    const counting = await page.waitForRequest(/operator\/alerts/)
    return counting.headers()['x-idle']
  }

  const [atFirst] = await Promise.all([idleOf(), page.goto(`${bench.url}/dashboard`)])
  await page.clock.setFixedTime(bench.clock().getTime() + 61_000)
  await idleOf() // A request may still be under way.
  const later = await idleOf()
  await page.keyboard.press('Shift')
  const pressed = await idleOf()
  await page.clock.setFixedTime(bench.clock().getTime() + 122_000)
  await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
  const back = await idleOf()

  assert.deepEqual([atFirst, later, pressed, back], [undefined, '1', undefined, undefined])
})
