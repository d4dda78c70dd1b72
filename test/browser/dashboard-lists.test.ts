// Lists in a real browser: saved views are the same on every device, files contain the rows and columns
// that the list shows, and actions on many rows show a result for each.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertFaultlessThroughout, findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import {
  createAccount,
  createAdvice,
  dataOf,
  initiate,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { makeUser, signIn } from '../support/people.ts'
import { askRefund, pay, refund } from '../support/refunding.ts'
import { listener } from '../support/webhook-bench.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
await createPayments()

const VIEWS = '/dashboard/api/saved-views'
const PAYMENTS = `${bench.url}/dashboard/payments`
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })
const modalOf = (page: Page) => page.locator('dialog.modal').last()
const rowsOf = (page: Page) => page.locator('#content table.list tbody tr')

// Creates payments of 1,000 to 4,000 naira. One is refunded in part, and one in full.
async function createPayments() {
  await pay(bench, (await createAccount(bench)).accountNumber, '90000')
  for (const thousands of [1, 2, 3, 4]) {
    const amount = thousands * 1000
    bench.advance(1) // Payments of the same millisecond have a random order.
    // The first has a name that a spreadsheet would read as a formula.
    const hostile = { customer: { customerFirstName: '=1+1', customerLastName: '2;-3' } }
    const terms = { amount, merchantRef: `ORDER-${thousands}`, ...(thousands === 1 && hostile) }
    const payment = await startPayment(bench, terms)
    await pay(bench, payment.bankAccount, `${amount}`)
    const paid = { paymentReference: payment.paymentReference as string }
    if (thousands === 2) await refund(bench, paid, '500')
    if (thousands === 1) await refund(bench, paid, '1000')
  }
  await settleAll(bench, CONFIRMED)
}

// Creates a payment of another client.
async function startPaymentOf(amount: number, token: string) {
  bench.advance(1) // Payments of the same millisecond have a random order.
  const { adviceReference } = await createAdvice(bench, { amount }, { token })
  return initiate(bench, adviceReference)
}

// Presses a button that downloads a file, and returns the file's text.
async function saveCsv(page: Page, press: () => Promise<void>) {
  const downloading = page.waitForEvent('download')
  await press()
  return readFileSync(await (await downloading).path(), 'utf8')
}

// Returns the titles of the list's columns, without the column of checkboxes (`at-choose`).
async function visibleColumns(page: Page) {
  await rowsOf(page).first().waitFor()
  return page.locator('#content table.list thead th:not(.at-choose)').allInnerTexts()
}

test('a view saved by keyboard is there on another device, and opens the list as its default', async () => {
  const email = await makeUser(bench)
  {
    await using opened = await bench.openAs(browser, { email })
    const { page, problems } = opened
    await page.goto(`${PAYMENTS}?minAmount=2000&order=oldest`)
    await rowsOf(page).nth(2).waitFor()
    await button(page, 'Columns').press('Enter')
    await page.getByLabel('Paid', { exact: true }).press('Space')
    await page.keyboard.press('Escape')
    await button(page, 'Views').press('Enter')
    assert.deepEqual(await findAxeFaults(page), [])
    await button(page, 'Save this view…').press('Enter')
    await modalOf(page).getByLabel('Name').fill('Large first')
    assert.deepEqual(await findAxeFaults(page), [])
    await page.keyboard.press('Enter')
    await page.getByText('View “Large first” saved.').waitFor()
    await button(page, 'Large first').waitFor()
    assert.deepEqual(problems, [])
  }
  await using other = await bench.openAs(browser, { email })
  const { page, problems } = other
  await page.goto(PAYMENTS)
  assert((await visibleColumns(page)).includes('Paid'))
  await button(page, 'Views').press('Enter')
  await button(page, 'Large first').press('Enter')
  await page.waitForURL(`${PAYMENTS}?minAmount=2000&order=oldest`)
  assert(!(await visibleColumns(page)).includes('Paid'))

  await button(page, 'Large first').press('Enter')
  await button(page, 'Manage views…').press('Enter')
  await button(page, 'Make default: Large first').press('Enter')
  await page.getByText('The list opens with “Large first”.').waitFor()
  const renames: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') renames.push(request.postData() ?? '')
  })
  await modalOf(page).getByLabel('Name').fill('Larger')
  await page.keyboard.press('Enter')
  await page.getByText('Name changed.').waitFor()
  await modalOf(page).getByLabel('Name').blur()
  assert.deepEqual(renames, ['{"name":"Larger"}']) // Enter is a key, a change, and then a blur.
  assert.deepEqual(await findAxeFaults(page), [])
  await page.goto(PAYMENTS)
  await page.waitForURL(`${PAYMENTS}?minAmount=2000&order=oldest`)
  await button(page, 'Larger').waitFor()
  await button(page, 'Clear').click()
  await rowsOf(page).nth(3).waitFor()

  await button(page, 'Views').press('Enter')
  await button(page, 'Manage views…').press('Enter')
  await button(page, 'Delete: Larger').press('Enter')
  await page.getByText('View “Larger” deleted.').waitFor()
  assert.deepEqual(problems, [])
})

test('a saved view with a filter that no longer exists leaves it out, and says so', async () => {
  const email = await makeUser(bench)
  const user = await signIn(bench, email)
  const body = {
    ...{ list: '/api/v1/payments', name: 'Old', hiddenColumns: ['Gone'], isDefault: true },
    query: { channel: 'card', status: 'Bounced', minAmount: '3000' },
  }
  assert.equal((await user.call({ url: VIEWS, body })).statusCode, 200)
  await using opened = await bench.openAs(browser, { email, width: 360 })
  const { page, problems } = opened
  await page.goto(PAYMENTS)
  await page.waitForURL(`${PAYMENTS}?minAmount=3000`)
  await page.getByText(/^“Old” also names channel, Status, which this list does not have/).waitFor()
  await rowsOf(page).nth(1).waitFor()
  assert.equal(await rowsOf(page).count(), 2)
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('a file has the filters, the order and the columns that the list shows', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${PAYMENTS}?maxAmount=3000&order=oldest`)
  await rowsOf(page).nth(2).waitFor()
  await button(page, 'Columns').press('Enter')
  await page.getByLabel('Account number', { exact: true }).press('Space')
  await page.keyboard.press('Escape')
  const seen = await page.locator('td.at-amount').allInnerTexts()
  const text = await saveCsv(page, () => page.getByRole('link', { name: 'Export CSV' }).click())
  const rows = parseCsv(text)
  assert.deepEqual(Object.keys(rows[0] ?? {}), [
    ...['customerName', 'amount', 'currency', 'amountPaid', 'refundedAmount', 'status'],
    ...['merchantRef', 'paymentReference', 'createdAt'],
  ])
  assert.deepEqual(
    rows.map(({ amount }) => amount),
    seen.map((amount) => amount.replaceAll(/[₦,]/g, '')),
  )
  await button(page, 'Columns').press('Enter')
  const whole = await saveCsv(page, () =>
    page.getByRole('link', { name: 'All columns as CSV' }).click(),
  )
  assert('sessionIds' in (parseCsv(whole)[0] ?? {}))
  assert.deepEqual(problems, [])
})

test('the file of each list has columns that the service knows', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page } = opened
  for (const path of [
    ...['payments', 'refunds', 'payouts', 'payouts?tab=all', 'settlements', 'accounts'],
    ...['reconciliation?tab=differences', 'reconciliation?tab=reconciling'],
    'accounting?tab=vatInvoices',
  ]) {
    await page.goto(`${bench.url}/dashboard/${path}`)
    const link = page.getByRole('link', { name: 'Export CSV' })
    const href = await link.getAttribute('href')
    assert.match(href ?? '', /columns=/, path)
    const answer = await page.request.get(`${bench.url}${href}`)
    assert.equal(answer.status(), 200, `${path}: ${await answer.text()}`)
  }
})

test('selected rows are saved with the columns of the list', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  await page.goto(`${PAYMENTS}?order=oldest`)
  await rowsOf(page).nth(3).waitFor()
  const all = await saveCsv(page, () => page.getByRole('link', { name: 'Export CSV' }).click())
  await page.locator('.row-link').first().focus()
  await page.keyboard.press('x')
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await page.getByText('2 selected, ₦3,000.00').waitFor()
  const some = await saveCsv(page, () => button(page, 'Export selected').press('Enter'))
  const [head, ...lines] = all.split(/(?<=\r\n)/)
  assert.equal(some, [head, ...lines.slice(0, 2)].join('')) // The same bytes as in the service's file.
  assert.match(some, /'=1\+1/)
  await button(page, 'Clear selection').press('Enter')
  await button(page, 'Export selected').waitFor({ state: 'detached' })

  await page.goto(`${bench.url}/dashboard/refunds`)
  await rowsOf(page).nth(1).waitFor()
  const refunds = await saveCsv(page, () => page.getByRole('link', { name: 'Export CSV' }).click())
  await page.getByLabel('Select all').press('Space')
  const selected = await saveCsv(page, () => button(page, 'Export selected').press('Enter'))
  assert.equal(selected, refunds)
  assert.deepEqual(problems, [])
})

for (const width of [360, 1280]) {
  test(`many payments are refunded after one confirmation, ${width} pixels wide`, async () => {
    const clientId = `MANY${width}`
    const token = await bench.newClient(clientId)
    await pay(bench, (await createAccount(bench, {}, { token })).accountNumber, '90000')
    for (const amount of [600, 700, 800, 900]) {
      const payment = await startPaymentOf(amount, token)
      if (amount < 900) await pay(bench, payment.bankAccount, `${amount}`)
      if (amount === 600) {
        const { paymentReference } = payment
        dataOf(await askRefund(bench, { paymentReference }, { amount: '600', token }))
      }
    }
    const url = `/api/v1/operator/clients/${clientId}/payout-settings`
    const rule = { payoutApproval: 'above', approvalAbove: 750 }
    dataOf(await bench.call({ method: 'PATCH', url, body: rule }))
    await using opened = await bench.openAs(browser, { clientId, width })
    const { page, problems } = opened
    await page.goto(`${PAYMENTS}?order=oldest`)
    await rowsOf(page).nth(3).waitFor()
    await page.getByLabel('Select all').press('Space')
    await page.getByText('4 selected, ₦3,000.00').waitFor()
    assert.deepEqual(await findAxeFaults(page), [])
    await button(page, 'Refund…').press('Enter')

    await modalOf(page)
      .getByRole('heading', { name: 'Refund 2 payments, ₦1,500.00 in all?' })
      .waitFor()
    const recipients = modalOf(page).getByRole('list', { name: 'Recipients' })
    assert.deepEqual(await recipients.locator('li').allInnerTexts(), [
      'ADA OBI\n₦700.00',
      'ADA OBI\n₦800.00',
    ])
    await modalOf(page).getByText('1 of 2 are sent once another user approves them').waitFor()
    const others = modalOf(page).getByRole('list', { name: 'Left out' }).locator('li')
    assert.deepEqual(await others.locator('.small').allInnerTexts(), [
      'Nothing is left to refund.',
      'It isn’t paid in full.',
    ])
    await modalOf(page).getByLabel('Reason').fill('Event cancelled')
    assert.deepEqual(await findAxeFaults(page), [])
    await button(page, 'Refund 2 (₦1,500.00)').press('Enter')
    await page.getByText('2 of 2 done').waitFor()
    const results = modalOf(page).getByRole('list', { name: 'Results' }).locator('.badge')
    assert.deepEqual(await results.allInnerTexts(), ['Queued', 'Awaiting approval'])
    assert.deepEqual(await findAxeFaults(page), [])
    await modalOf(page).getByRole('button', { name: 'Close' }).press('Enter')
    await page.locator('.bulk-bar').waitFor({ state: 'detached' })
    const { rows } = await bench.db.query(
      `select r.amount_kobo, r.reason from refunds r join clients c on c.id = r.client_id
        where c.client_id = $1 order by r.amount_kobo`,
      [clientId],
    )
    assert.deepEqual(rows, [
      { amountKobo: 60_000n, reason: 'Wrong size' },
      { amountKobo: 70_000n, reason: 'Event cancelled' },
      { amountKobo: 80_000n, reason: 'Event cancelled' },
    ])
    assert.deepEqual(problems, [])
  })
}

test('a refused refund says why, and a retry sends only that one', async () => {
  const clientId = 'REFUSED'
  const token = await bench.newClient(clientId)
  for (const amount of [300, 400]) {
    const payment = await startPaymentOf(amount, token)
    await pay(bench, payment.bankAccount, `${amount}`)
  }
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  let refused = 0
  await page.route('**/api/v1/payments/*/refunds', async (route) => {
    if (route.request().method() !== 'POST' || refused++ > 0) return route.continue()
    const refusal = { code: 'insufficient_balance', message: 'Too little is available.' }
    await route.fulfill({ status: 409, json: { isSuccessful: false, ...refusal } })
  })
  await page.goto(PAYMENTS)
  await rowsOf(page).nth(1).waitFor()
  await page.getByLabel('Select all').press('Space')
  await button(page, 'Refund…').press('Enter')
  await modalOf(page).getByLabel('Reason').fill('Sent twice')
  await button(page, 'Refund 2 (₦700.00)').press('Enter')
  await page.getByText('1 of 2 done, 1 failed').waitFor()
  await modalOf(page).locator('.fault', { hasText: 'Your available balance' }).waitFor()
  await button(page, 'Retry failed').press('Enter')
  await page.getByText('2 of 2 done').waitFor()
  const { rows } = await bench.db.query(
    `select count(*)::int as count from refunds r join clients c on c.id = r.client_id
      where c.client_id = $1`,
    [clientId],
  )
  assert.deepEqual(rows, [{ count: 2 }])
  assert.deepEqual(
    problems.filter((text) => !text.includes('409')),
    [],
  )
})

test('many events are sent again, each with its own result', async () => {
  await using receiver = await listener()
  const clientId = 'RESEND'
  const token = await bench.newClient(clientId)
  const { accountNumber } = await createAccount(bench, {}, { token })
  await pay(bench, accountNumber, '10')
  await bench.addEndpoint(receiver.url, null, clientId)
  await pay(bench, accountNumber, '20')
  await using opened = await bench.openAs(browser, { clientId })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard/webhooks?tab=deliveries`)
  await rowsOf(page).nth(1).waitFor()
  const eventCount = await rowsOf(page).count()
  await page.getByLabel('Select all').press('Space')
  await button(page, 'Resend…').press('Enter')
  assert.deepEqual(await findAxeFaults(page), [])
  await modalOf(page).getByRole('button', { name: 'Resend' }).press('Enter')
  await page.getByText(/^(\d) of \1 done$/).waitFor()
  const results = modalOf(page).getByRole('list', { name: 'Results' }).locator('.badge')
  const both = '2 deliveries queued.' // One delivery to the account's own address, and one to the endpoint.
  assert.deepEqual(await results.allInnerTexts(), Array(eventCount).fill(both))
  await assertFaultlessThroughout(page, `${bench.url}/dashboard/webhooks?tab=deliveries`)
  assert.deepEqual(problems, [])
})

test('the list of refunds is filtered by state, amount and period', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const url = `${bench.url}/dashboard/refunds?status=confirmed&minAmount=600&from=2026-11-01`
  await page.goto(url)
  await page.getByRole('cell', { name: '₦1,000.00' }).first().waitFor()
  assert.equal(await rowsOf(page).count(), 1)
  await assertFaultlessThroughout(page, url)
  await page.goto(`${bench.url}/dashboard/refunds?status=awaiting_approval`)
  await page.getByText('No results match these filters').waitFor()
  assert.deepEqual(problems, [])
})

for (const width of [360, 1280]) {
  test(`two periods are compared, and none known is not zero, ${width} pixels wide`, async () => {
    bench.advance(60 * MINUTE_MS) // Figures count up to the last full hour.
    await using opened = await bench.openAs(browser, { width })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard?period=custom&from=2026-11-15&to=2026-11-16&with=year`)
    const card = page.getByRole('region', { name: 'Compare periods' })
    const cellsOf = (name: string) =>
      card.getByRole('row', { name: new RegExp(`^${name} `) }).locator('td')
    await cellsOf('Gross').first().waitFor()
    assert.deepEqual(await cellsOf('Refunded').allInnerTexts(), ['₦1,500.00', 'No data', '–'])
    assert.match(await card.innerText(), /No data is known for it\./)
    await card.getByLabel('Compared with').selectOption('custom')
    await card.getByText('Choose the first and the last day').waitFor()
    await card.getByLabel('Compared from').fill('2026-11-15')
    await card.getByLabel('Compared to').fill('2026-11-16')
    await cellsOf('Refunded').nth(2).getByText('Same').waitFor()
    await assertFaultlessThroughout(page, page.url())
    assert.deepEqual(problems, [])
  })
}
