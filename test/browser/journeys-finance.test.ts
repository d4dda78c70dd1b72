// A finance user's day in a real browser, by mouse and by keyboard alone, narrow and wide: what came in,
// what is in suspense, a refund, a colleague's request, and the day as a file.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { parseCsv } from '../support/csv.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { assertBooksBalance, createAccount, startPayment } from '../support/fixtures.ts'
import { asked } from '../support/maker-checker-desk.ts'
import { newBrowser } from '../support/people.ts'
import { MEANS, personAt } from '../support/pressing.ts'
import { PAYER, pay } from '../support/refunding.ts'
import { listItems, readItem, suspend } from '../support/suspense-desk.ts'

const ITEMS = 20
const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const { accountNumber } = await createAccount(bench, { accountName: 'Chiamaka Eze' })
const colleague = await newBrowser(bench, 'finance')

// A payment that was paid, and the number that its payer goes on sending to.
async function startDay(customer: string) {
  const { bankAccount, paymentReference } = await startPayment(bench, {
    amount: 9_000,
    customer: { customerFullName: customer },
  })
  await pay(bench, bankAccount, '9000.00')
  const again = () => suspend(bench, bankAccount, '150.00', PAYER)
  await Promise.all(Array.from({ length: ITEMS }, again))
  return { bankAccount: bankAccount as string, paymentReference: paymentReference as string }
}

const kobo = (text: string) => Number(text.replaceAll(/[^\d−-]/g, '').replace('−', '-'))

for (const { width, by, colorScheme } of MEANS) {
  test(`a day of a finance user by ${by}, ${width} pixels wide`, async () => {
    const customer = `Ngozi ${by} ${width}`
    const { bankAccount, paymentReference } = await startDay(customer)
    await using opened = await bench.openAs(browser, { role: 'finance', width, colorScheme })
    const { page, problems } = opened
    const { press, fill, tick, visit, leave } = personAt(page, by)
    const modal = page.locator('dialog.modal').last()
    const drawer = page.locator('dialog.drawer')
    const faultless = async () => assert.deepEqual(await findAxeFaults(page), [])
    const see = (text: string | RegExp) => page.getByText(text).first().waitFor()

    await page.goto(`${bench.url}/dashboard`)
    const sum = page.locator('.sums').first()
    await sum.waitFor()
    const amounts = (await sum.locator('dd').allTextContents()).map(kobo)
    assert.equal(
      amounts.slice(0, -1).reduce((left, amount) => left + amount, 0),
      amounts.at(-1),
      'today adds up',
    )
    await faultless()

    await visit({ name: 'Suspense', letter: 's' })
    await see(`${ITEMS} items, ₦3,000.00`)
    await tick(page.locator('th.at-choose input'))
    await see(`${ITEMS} selected, ₦3,000.00`)
    await press(page.getByRole('button', { name: 'Assign…' }))
    await fill(modal.getByRole('searchbox'), 'chiam')
    await tick(modal.getByRole('radio', { name: /Chiamaka Eze/ }))
    await fill(modal.getByLabel('Reason (audit log)'), 'Confirmed with the payer.')
    await faultless()
    await press(modal.getByRole('button', { name: `Assign ${ITEMS}` }))
    await see(`${ITEMS} of ${ITEMS} done`)
    await press(modal.getByRole('button', { name: 'Close' }))
    await see('No suspense items')
    assert.equal((await listItems(bench, '&state=open')).length, 0)

    await visit({ name: 'Payments', letter: 'p' })
    await page.getByRole('link', { name: customer }).waitFor()
    await faultless()
    await press(page.getByRole('link', { name: customer }))
    await press(drawer.getByRole('button', { name: 'Refund', exact: true }))
    await fill(modal.getByLabel('Amount'), '2,000.50')
    await fill(modal.getByLabel('Reason'), 'Wrong size')
    await press(modal.getByRole('button', { name: 'Continue' }))
    await faultless()
    await press(modal.getByRole('button', { name: 'Refund ₦2,000.50' }))
    await drawer.getByText('Queued').waitFor()
    await leave(drawer)

    const { id } = await suspend(bench, bankAccount, '75.00', PAYER)
    await asked(colleague, id)
    await visit({ name: 'Suspense', letter: 's' })
    await press(page.locator('.waiting-row'))
    await faultless()
    await press(drawer.getByRole('button', { name: 'Approve' }))
    await see(/^Approved/)
    await leave(drawer)
    await drawer.waitFor({ state: 'detached' })

    await visit({ name: 'Credits', letter: 'c' })
    if (width < 600) await press(page.getByRole('button', { name: 'Filters' }))
    await press(page.getByRole('button', { name: 'Today', exact: true }))
    await page.waitForURL(/from=/)
    const total = page.getByRole('status', { name: 'Total of the list' })
    await total.getByText('items').waitFor()
    await faultless()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      press(page.getByRole('link', { name: 'Export CSV' })),
    ])
    const moved = parseCsv(readFileSync(await download.path(), 'utf8'))
    const received = moved.filter(({ movement }) => movement === 'credit')
    assert.equal(await total.locator('span').textContent(), `${received.length} items`)
    const gross = moved.reduce((all, line) => all + kobo(line.gross ?? ''), 0)
    assert.equal(kobo((await total.locator('strong').textContent()) ?? ''), gross)

    const url = `/api/v1/payments/${paymentReference}`
    const payment = (await bench.call({ url })).json().data
    assert.equal(payment.status, 'Successful')
    assert.equal((await readItem(bench, id)).state, 'returning')
    const assigned = await listItems(bench, '&state=assigned')
    assert(assigned.every(({ assignedTo }) => assignedTo === accountNumber))
    await assertBooksBalance(bench)
    assert.deepEqual(problems, [])
  })
}
