// A finance user's day in a real browser, by mouse and by keyboard alone, narrow and wide: today's money,
// suspense, a refund, a colleague's request, and the day's credits as a file.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { assertBooksBalance, createAccount, startPayment } from '../support/fixtures.ts'
import { type Journey, journeyAt } from '../support/journeys.ts'
import { requestResolution } from '../support/maker-checker-desk.ts'
import { newBrowser } from '../support/people.ts'
import { CROSSED } from '../support/pressing.ts'
import { PAYER, pay } from '../support/refunding.ts'
import { listItems, readItem, suspend } from '../support/suspense-desk.ts'

const ITEMS = 20
const SUSPENSE = { name: 'Suspense', letter: 's' }
const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const { accountNumber } = await createAccount(bench, { accountName: 'Chiamaka Eze' })
const colleague = await newBrowser(bench, 'finance')

for (const means of CROSSED) {
  test(`a day of a finance user by ${means.by}, ${means.width} pixels wide`, async () => {
    const customer = `Ngozi ${means.by} ${means.width}`
    const bankAccount = await startDay(customer)
    await using opened = await bench.openAs(browser, { role: 'finance', ...means })
    const { page, problems } = opened
    const journey = journeyAt(page, means)
    await page.goto(`${bench.url}/dashboard`)

    await checkToday(journey)
    await assignAllSuspended(journey)
    await refundInPart(journey, customer)
    await approveColleaguesRequest(journey, bankAccount)
    await exportDay(journey)

    const assigned = await listItems(bench, '&state=assigned')
    assert(assigned.every(({ assignedTo }) => assignedTo === accountNumber))
    await assertBooksBalance(bench)
    assert.deepEqual(problems, [])
  })
}

// Creates a paid payment whose payer sends more money, which is suspended. Returns the payment's account
// number.
async function startDay(customer: string): Promise<string> {
  const { bankAccount } = await startPayment(bench, {
    amount: 9_000,
    customer: { customerFullName: customer },
  })
  await pay(bench, bankAccount, '9000.00')
  const suspendMore = () => suspend(bench, bankAccount, '150.00', PAYER)
  await Promise.all(Array.from({ length: ITEMS }, suspendMore))
  return bankAccount
}

// Reads an amount on the page, such as −₦1,000.50, in kobo.
const koboOf = (text: string) => Number(text.replaceAll(/[^\d−-]/g, '').replace('−', '-'))

// Checks that the sums on Today add up to its net. `faultless` asserts that the page has no accessibility
// fault. The last amount of the list is the net.
async function checkToday({ page, faultless }: Journey): Promise<void> {
  const sum = page.locator('.sums').first()
  await sum.waitFor()
  const amounts = (await sum.locator('dd').allTextContents()).map(koboOf)
  const net = amounts.slice(0, -1).reduce((left, amount) => left + amount, 0)
  assert.equal(net, amounts.at(-1), 'today adds up')
  await faultless()
}

// Assigns all suspended items at once to one account. `faultless` asserts that the page has no accessibility
// fault.
async function assignAllSuspended(journey: Journey): Promise<void> {
  const { page, modal, press, tick, fill, visit, see, faultless } = journey
  await visit(SUSPENSE)
  await see(`${ITEMS} items, ₦3,000.00`)
  await tick(page.locator('th.at-choose input'))
  await see(`${ITEMS} selected, ₦3,000.00`)
  await press(page.getByRole('button', { name: 'Assign…' }))
  await fill(modal.getByRole('searchbox'), 'chiam')
  await tick(modal.getByRole('radio', { name: /Chiamaka Eze/ }))
  await fill(modal.getByLabel('Reason (audit log)'), 'Confirmed with the payer.')
  await faultless()
  await press(modal.getByRole('button', { name: `Assign ${ITEMS}` }))
  await modal.getByText(`${ITEMS} of ${ITEMS} done`).waitFor()
  await press(modal.getByRole('button', { name: 'Close' }))
  await see('No suspense items')
  assert.equal((await listItems(bench, '&state=open')).length, 0)
}

// Refunds 2,000.50 of the customer’s payment. `faultless` asserts that the page has no accessibility fault.
async function refundInPart(journey: Journey, customer: string): Promise<void> {
  const { modal, drawer, press, fill, visit, link, faultless, leaveDrawer } = journey
  await visit({ name: 'Payments', letter: 'p' })
  await link(customer).waitFor()
  await faultless()
  await press(link(customer))
  await press(drawer.getByRole('button', { name: 'Refund', exact: true }))
  await fill(modal.getByLabel('Amount'), '2,000.50')
  await fill(modal.getByLabel('Reason'), 'Wrong size')
  await press(modal.getByRole('button', { name: 'Continue' }))
  await faultless()
  await press(modal.getByRole('button', { name: 'Refund ₦2,000.50' }))
  await drawer.getByText('Queued').waitFor()
  await leaveDrawer()
}

// A colleague requests the return of a suspended item, and the user approves it. `faultless` asserts that the
// page has no accessibility fault.
async function approveColleaguesRequest(journey: Journey, bankAccount: string): Promise<void> {
  const { page, drawer, press, visit, see, faultless, leaveDrawer } = journey
  const { id } = await suspend(bench, bankAccount, '75.00', PAYER)
  await requestResolution(colleague, id)
  await visit(SUSPENSE)
  await press(page.locator('.waiting-row'))
  await faultless()
  await press(drawer.getByRole('button', { name: 'Approve' }))
  await see(/^Approved/)
  await leaveDrawer()
  assert.equal((await readItem(bench, id)).state, 'returned')
}

// Exports today's credits, and compares the file with the total above the list. `faultless` asserts that the
// page has no accessibility fault.
async function exportDay(journey: Journey): Promise<void> {
  const { page, isNarrow, press, visit, button, link, faultless } = journey
  await visit({ name: 'Credits', letter: 'c' })
  if (isNarrow) await press(button('Filters'))
  await press(button('Today'))
  await page.waitForURL(/from=/)
  const total = page.getByRole('status', { name: 'List total' })
  await total.getByText('items').waitFor()
  await faultless()
  const downloading = page.waitForEvent('download')
  await press(link('Export CSV'))
  const moved = parseCsv(readFileSync(await (await downloading).path(), 'utf8'))
  const received = moved.filter(({ movement }) => movement === 'credit')
  assert.equal(await total.locator('span').textContent(), `${received.length} items`)
  const gross = moved.reduce((all, line) => all + koboOf(line.gross ?? ''), 0)
  assert.equal(koboOf((await total.locator('strong').textContent()) ?? ''), gross)
}
