// An operator adds a client in a real browser, with clicks counted and time measured: the client, its owner
// and its fee. It ends when the bank reports the first payment, which the client's own program requested
// with its secret.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countTotalsRound } from '#reports/workers.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { countClicks } from '../support/click-counter.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAdvice, initiate } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { reportCredit } from '../support/rail.ts'

const CLICKS_MAX = 15
const JOURNEY_MS = patience(30_000)
const ID = 'ADAS-SHOP'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())

test('an operator takes a client to its first payment in at most fifteen clicks', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/clients`)
  const button = (name: string) => page.getByRole('button', { name, exact: true }).last()
  const link = (name: string) => page.getByRole('link', { name, exact: true })
  const modal = page.locator('dialog.modal').last()
  const steps = page.getByRole('region', { name: 'Next steps' })
  await button('Create client').waitFor()
  const { click, assertWithin } = countClicks()

  await click(button('Create client'))
  await modal.getByLabel('Name', { exact: true }).fill('Ada’s Shop')
  await modal.getByLabel('Client ID').fill(ID)
  await click(button('Create client'))
  const secret = await modal.locator('.secrets code').last().innerText()
  await click(button('I’ve saved it'))
  await steps.getByText('0 of 5 done').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])

  await click(link('Invite its first owner'))
  await modal.getByLabel('Email').fill('ada@shop.example')
  await click(modal.getByRole('button', { name: 'Invite', exact: false }))
  await modal.locator('.secrets code').last().waitFor()
  await click(button('I’ve saved it'))
  await click(link('Back to the client'))
  await steps.getByText('1 of 5 done').waitFor()

  await click(link('Set its fee'))
  assert.equal(await modal.getByLabel('Client').inputValue(), ID)
  await modal.getByLabel('Code', { exact: true }).fill('standard')
  await modal.getByLabel('Rate').fill('1.5')
  await modal.getByText('Of ₦10,000.00, the fee is ₦150.00').waitFor()
  await click(modal.getByRole('button', { name: 'Add fee rule' }))
  await link('standard').waitFor()

  const token = await bench.login(ID, secret)
  const { adviceReference } = await createAdvice(bench, { amount: '10000.00' }, { token })
  const { bankAccount } = await initiate(bench, adviceReference)
  await reportCredit(bench, { accountNumber: bankAccount, amount: '10000.00' })
  const count = countTotalsRound({ db: bench.db, clock: bench.clock } as never)
  while ((await count(new AbortController().signal)).more);

  await click(link('Clients'))
  await click(link('Ada’s Shop'))
  await steps.getByText('3 of 5 done').waitFor()
  await steps.locator('li[data-done=true]').getByText('First payment', { exact: true }).waitFor()

  assertWithin({ clicks: CLICKS_MAX, ms: JOURNEY_MS })
  const { rows } = await bench.db.query(
    `select p.status from payments p join clients c on c.id = p.client_id where c.client_id = $1`,
    [ID],
  )
  assert.deepEqual(rows, [{ status: 'Successful' }])
  assert.deepEqual(problems, [])
})
