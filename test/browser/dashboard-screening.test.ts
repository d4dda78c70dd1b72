// Screening in a real browser: a rule is tested on earlier credits and activated by two people, a credit
// that it held is shown, and a held payout is released.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { screenCreditsRound, screenPayoutsRound } from '#screening/workers.ts'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { addBankAccount, fund, payoutRounds } from '../support/payouts.ts'
import { pay } from '../support/refunding.ts'

const bench = closeAfterTests(await startDashboardBench())
const payouts = closeAfterTests(await payoutRounds(bench))
const browser = closeAfterTests(await openBrowser())

const SCREENING = '/api/v1/operator/screening'
const SECOND_MINUTE_MS = 61_000
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const waitForText = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const modalOf = (page: Page) => page.locator('dialog.modal')

// Runs the worker's screening rounds until all credits and payouts are screened.
async function runScreening(): Promise<void> {
  const { signal } = new AbortController()
  for (const round of [screenCreditsRound(payouts), screenPayoutsRound(payouts)]) {
    while ((await round(signal)).more);
  }
}

// Creates a rule that is not active yet, and returns its reference.
async function draftRule(body: object): Promise<string> {
  return dataOf(await bench.call({ url: `${SCREENING}/rules`, body })).reference as string
}

// Requests an action on the open page, which another user must approve.
async function requestAction(page: Page, name: string, reason: string): Promise<void> {
  await button(page, name).click()
  await modalOf(page).getByLabel('Reason').fill(reason)
  await modalOf(page).getByRole('button', { name }).click()
  await waitForText(page, 'Requested. Another user must approve.')
}

// Approves the newest request as another operator, on a narrow screen.
async function approveNewest(): Promise<void> {
  await using opened = await bench.openAs(browser, { role: 'operator', width: 360 })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/screening?tab=requests`)
  await page.getByText('open', { exact: false }).first().click()
  await button(page, 'Approve').click()
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Approve' }).click()
  await waitForText(page, 'Approved.')
  assert.deepEqual(problems, [])
}

test('a rule is tested on history, activated by two people, and what it held is shown', async () => {
  const { accountNumber } = await createAccount(bench)
  for (let count = 0; count < 4; count++) await pay(bench, accountNumber as string, '150')
  const rule = { name: 'Four in an hour', subject: 'credit', outcome: 'hold', kind: 'velocity' }
  const reference = await draftRule({ ...rule, count: 4, minutes: 60 })

  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/screening/${reference}?tab=rules`
  await page.goto(url)
  await button(page, 'Test on history').click()
  await modalOf(page).getByLabel('From').fill('2026-11-01')
  await modalOf(page).getByLabel('To').fill('2026-12-01')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Test on history' }).click()
  await waitForText(page, 'Would have held 1 of 4.')
  await requestAction(page, 'Request activation', 'As the policy says')
  await approveNewest()
  bench.advance(SECOND_MINUTE_MS)
  const held = await pay(bench, accountNumber as string, '150')
  await runScreening()

  await page.goto(`${bench.url}/dashboard/screening`)
  await page.getByText(held.sessionId).first().click()
  await waitForText(page, 'Velocity')
  const link = page.getByRole('link', { name: 'View credit' })
  assert.equal(await link.getAttribute('href'), `/dashboard/credits/${held.sessionId}`)
  await waitForText(page, /^HLD\d{15}$/)
  assert.deepEqual(await findAxeFaults(page), [])
  await assertFaultlessThroughout(page, page.url())
  await assertFaultlessThroughout(page, url)
  assert.deepEqual(problems, [])
})

test('a held payout is released by two people, and lists show their versions', async () => {
  const headers = { 'content-type': 'text/csv' }
  const list = 'id,name\n7,Musa Example Bello\n'
  await bench.call({ url: `${SCREENING}/lists?name=own&format=csv`, body: list, headers })
  const listsUrl = `${bench.url}/dashboard/screening?tab=lists`
  {
    await using opened = await bench.openAs(browser, { role: 'operator' })
    await opened.page.goto(listsUrl)
    await opened.page.getByText(/^own/).first().click()
    assert.deepEqual(await findAxeFaults(opened.page), [])
    await requestAction(opened.page, 'Request activation', 'As published today')
  }
  await approveNewest()
  const rule = { name: 'Own list', subject: 'payout', outcome: 'hold', kind: 'list', list: 'own' }
  const reference = await draftRule({ ...rule, score: 90 })
  const period = { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' }
  await bench.call({ url: `${SCREENING}/rules/test`, body: { rule: reference, ...period } })
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/screening/${reference}?tab=rules`)
  await requestAction(page, 'Request activation', 'As the policy says')
  await approveNewest()
  bench.advance(SECOND_MINUTE_MS)

  await fund(bench, '1000')
  const { reference: bankAccount } = await addBankAccount(bench, { accountName: 'Musa Bello' })
  const body = { amount: 10, narration: 'Rent', bankAccount }
  const payout = dataOf(await bench.call({ url: '/api/v1/payouts', body }))
  await runScreening()
  await page.goto(`${bench.url}/dashboard/screening?subject=payout`)
  await page
    .getByText(payout.reference as string)
    .first()
    .click()
  await waitForText(page, 'Musa Example Bello')
  await requestAction(page, 'Request release', 'Another person of that name')
  await approveNewest()
  await payouts.send()
  const sent = await bench.call({ url: `/api/v1/payouts/${payout.reference}` })
  assert.equal(sent.json().data.status, 'confirmed')

  await page.goto(listsUrl)
  await waitForText(page, /^own/)
  await assertFaultlessThroughout(page, listsUrl)
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/screening?tab=requests`)
  assert.deepEqual(problems, [])
})
