// Requery in a real browser: the payer's “I’ve sent the money”, the button in a payment's drawer, and the
// banks' health.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertFaultless, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { openerOf } from '../support/dashboard-bench.ts'
import { listenLocally } from '../support/event-source.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { reportCredit } from '../support/rail.ts'
import { requeriesOf, startRequeryBench } from '../support/requery-bench.ts'

const bench = closeAfterTests(await startRequeryBench({ settings: { ratePerSecond: 100 } }))
const url = await listenLocally(bench.service.app)
const openAs = openerOf(bench, url)
const browser = closeAfterTests(await openBrowser())

test('a payer who has sent the money sees that the bank is asked, and then that it came', async () => {
  const { adviceReference, bankAccount } = await startPayment(bench)
  await using opened = await browser.newPage({ width: 360 })
  const { page, problems } = opened
  await page.goto(`${url}/pay?adviceReference=${adviceReference}`)

  const report = page.waitForResponse(/\/sent$/)
  await page.getByRole('button', { name: 'I’ve sent the money' }).click()
  await page.locator('.checking', { hasText: 'We’re checking with the bank…' }).waitFor()
  await report
  assert.deepEqual(await findAxeFaults(page), [])
  bench.transfer(bankAccount, '6000.00')
  await bench.ask()

  await page.getByRole('heading', { name: 'Payment received' }).waitFor()
  assert.deepEqual(problems, [])
})

test('a part payment that was found leaves the payer free to ask again', async () => {
  const { adviceReference, bankAccount } = await startPayment(bench, {
    amountPolicy: 'allow_under',
  })
  await using opened = await browser.newPage({ width: 360 })
  const { page, problems } = opened
  await page.goto(`${url}/pay?adviceReference=${adviceReference}`)
  const button = page.getByRole('button', { name: 'I’ve sent the money' })
  const report = page.waitForResponse(/\/sent$/)
  await button.click()
  await report
  await page.locator('.checking').waitFor()

  bench.transfer(bankAccount, '2000.00')
  await bench.ask()

  await page.getByText('₦2,000.00 of ₦6,000.00 received').first().waitFor()
  await button.waitFor()
  assert.deepEqual(problems, [])
})

test('without JavaScript the payer’s button works too', async () => {
  const { adviceReference } = await startPayment(bench)
  const before = await requeriesOf(bench, 'payer')
  await using opened = await browser.newPage({ javaScriptEnabled: false })
  const { page } = opened
  await page.goto(`${url}/pay?adviceReference=${adviceReference}`)

  await page.getByRole('button', { name: 'I’ve sent the money' }).click()

  await page.locator('.checking').waitFor()
  assert.equal((await requeriesOf(bench, 'payer')).length, before.length + 1)
})

test('a payment is requeried from its drawer, and its timeline says so', async () => {
  const { paymentReference } = await startPayment(bench)
  await using opened = await openAs(browser)
  const { page, problems } = opened
  await page.goto(`${url}/dashboard/payments/${paymentReference}`)

  await page.getByRole('button', { name: 'Requery' }).click()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Requery' }).last().click()
  await page.getByText('Requery started.').waitFor()
  await bench.ask()

  await page.getByText('queried (on demand): nothing new.').waitFor()
  assert.deepEqual(problems, [])
})

for (const [width, colorScheme] of [
  [360, 'dark'],
  [1280, 'light'],
] as const) {
  test(`operators see how each bank is doing, ${width} pixels wide and ${colorScheme}`, async () => {
    const { accountNumber } = await createAccount(bench)
    const transactionTime = bench.clock().toISOString()
    await reportCredit(bench, { accountNumber, amount: '5.00', transactionTime })
    await bench.service.writeMeasures()
    await using opened = await openAs(browser, { role: 'operator', width, colorScheme })
    const { page, problems } = opened

    await assertFaultless(page, `${url}/dashboard/banks`)
    const card = page.getByRole('list', { name: 'Banks' }).getByRole('listitem')
    await card.getByText('Healthy', { exact: true }).waitFor()
    await card.getByText('Found by requery').waitFor()
    await page.getByRole('link', { name: 'Bank 035' }).click()
    await page.getByText('Responding to queries.').waitFor()

    assert.deepEqual(await findAxeFaults(page), [])
    assert.deepEqual(problems, [])
  })
}
