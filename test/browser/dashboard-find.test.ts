// Search in a real browser, from anywhere and by keyboard: every kind of object is found by any of its
// identifiers, and opens in its own list.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { codeOf, codeOfId } from '#short-codes.ts'
import { mt940 } from '../support/bank-statements.ts'
import { findAxeFaults, openBrowser } from '../support/browser.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startDashboardBench } from '../support/dashboard-bench.ts'
import { createAccount, createAdvice, dataOf, startPayment } from '../support/fixtures.ts'
import { addBankAccount, createPayout } from '../support/payouts.ts'
import { askRefund, pay } from '../support/refunding.ts'
import { closeSettlement } from '../support/settlements.ts'
import { BANK, imported } from '../support/statement-files.ts'
import { giveBack, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { readList } from '../support/tracing.ts'

const bench = closeAfterTests(await startDashboardBench())
const browser = closeAfterTests(await openBrowser())
const known = await createOneOfEachKind()

const fieldOf = (page: Page) => page.getByRole('combobox', { name: 'Search' })
const listOf = (page: Page) => page.getByRole('listbox', { name: 'Search results' })
const optionsOf = (page: Page) => listOf(page).getByRole('option')
const chosenOf = (page: Page) => listOf(page).getByRole('option', { selected: true })
const drawerOf = (page: Page) => page.locator('dialog.drawer')
const untilSearchFocused = (page: Page) => page.locator('#search:focus').waitFor()

// Creates one object of every kind that search finds, and returns their identifiers.
async function createOneOfEachKind() {
  const { accountNumber } = await createAccount(bench, { accountName: 'Zainab Bello' })
  const paid = await startPayment(bench, { merchantRef: 'INV-7701', amount: '6543.21' })
  const { sessionId } = await pay(bench, paid.bankAccount, '6543.21')
  const { adviceReference } = await createAdvice(bench, {
    merchantRef: 'INV-7802',
    customer: { customerFullName: 'Ngozi Asking' },
  })
  const refund = dataOf(await askRefund(bench, paid, { amount: 43.21 }))
  await addBankAccount(bench)
  const payout = await createPayout(bench, { amount: 1500.5 })
  const settlement = await closeSettlement(bench)
  const stray = await suspend(bench, NOBODYS_NUMBER, '75.00', {
    ...{ sourceAccountName: 'EFE OBI', sourceAccountNumber: '2093566866', sourceBankCode: '058' },
  })
  assert.equal((await giveBack(bench, stray.id, { note: 'Not ours.' })).statusCode, 200)
  const returns = await readList(bench, '/api/v1/operator/returns')
  const day = { day: '2026-11-14', sequence: 1, openingKobo: 0n, lines: [{ kobo: 120_000n }] }
  await imported(bench, mt940(day), { query: `bankCode=${BANK}&format=mt940` })
  const events = await readList(bench, '/api/v1/events?type=payment.successful')
  return {
    ...{ accountNumber, sessionId, adviceReference, settlement, payout, refund },
    payment: paid.paymentReference as string,
    returned: returns.data[0].reference as string,
    event: events.data[0].id as string,
  }
}

test('⌘K finds whatever somebody has of a thing, and Enter opens it', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.feed li').first().waitFor()
  const cases: [typed: string, group: string, result: string][] = [
    ['INV-77', 'Payments', known.payment],
    [known.payment.slice(0, 13), 'Payments', known.payment],
    [codeOfId('PAY', known.payment), 'Payments', codeOfId('PAY', known.payment)],
    ['₦6,543.21', 'Payments', known.payment],
    ['INV-78', 'Payment requests', known.adviceReference],
    ['zainab', 'Collection accounts', known.accountNumber],
    [known.accountNumber.slice(0, 7), 'Collection accounts', known.accountNumber],
    [known.sessionId, 'Credits', known.sessionId],
    ['ADA OBI', 'Credits', known.sessionId],
    [known.event, 'Events', 'payment.successful'],
    [known.payout.reference.slice(0, 8), 'Payouts', known.payout.reference],
    ['1,500.50', 'Payouts', known.payout.reference],
    [known.settlement.reference, 'Settlements', known.settlement.reference],
    [known.refund.reference, 'Refunds', codeOf(known.refund.reference)],
    [codeOf(known.payout.reference).toLowerCase(), 'Payouts', known.payout.reference],
    [known.returned, 'Returns', known.returned],
    ['STATE', 'Bank statements', 'STATEMENT'],
  ]
  for (const [at, [typed, group, result]] of cases.entries()) {
    await page.keyboard.press(at % 2 === 0 ? 'Meta+k' : 'Control+k')
    await untilSearchFocused(page)
    await Promise.all([
      page.waitForResponse((answer) => new URL(answer.url()).searchParams.get('q') === typed),
      page.keyboard.type(typed),
    ])
    const groups = page.getByRole('group', { name: group, exact: true })
    await groups.getByRole('option').first().waitFor()
    for (let presses = 0; presses < 12; presses++) {
      if ((await groups.getByRole('option', { selected: true }).count()) > 0) break
      await page.keyboard.press('ArrowDown')
    }
    await page.keyboard.press('Enter')
    await drawerOf(page)
      .getByText(result)
      .first()
      .waitFor()
      .catch(async (cause) => {
        const seen = await page.locator('body').innerText()
        throw new Error(`${typed} opened ${page.url()}: ${seen}`, { cause })
      })
    assert.equal(await drawerOf(page).getByRole('alert').count(), 0, typed)
    await page.keyboard.press('Escape')
    await drawerOf(page).waitFor({ state: 'detached' })
  }
  assert.deepEqual(problems, [])
})

for (const [width, colorScheme] of [
  [1280, 'dark'],
  [360, 'light'],
] as const) {
  test(`results are walked with arrows, and folded with Escape, at ${width} pixels`, async () => {
    await using opened = await bench.openAs(browser, { role: 'operator', width, colorScheme })
    const { page, problems } = opened
    await page.goto(`${bench.url}/dashboard/payments`)
    await page.locator('.row-link').first().waitFor()
    await page.keyboard.press('/')
    await untilSearchFocused(page)
    await page.keyboard.type('obi')
    await optionsOf(page).nth(1).waitFor()
    const count = await optionsOf(page).count()
    assert.equal(await chosenOf(page).count(), 1)
    const first = await fieldOf(page).getAttribute('aria-activedescendant')
    await page.keyboard.press('ArrowUp') // Wraps around from the first result to the last.
    const last = await fieldOf(page).getAttribute('aria-activedescendant')
    assert.deepEqual([first, last], ['hit-0', `hit-${count - 1}`])
    assert.deepEqual(await findAxeFaults(page), [])
    const box = await page.locator('.hits').boundingBox()
    assert(box && box.x >= 0 && box.x + box.width <= width, 'the results stay on the page')

    await page.keyboard.press('Escape') // The first Escape closes the results.
    assert.equal(await chosenOf(page).isVisible(), false)
    assert.equal(await fieldOf(page).inputValue(), 'obi')
    await page.keyboard.press('Escape') // The second clears the text.
    assert.equal(await fieldOf(page).inputValue(), '')
    await page.keyboard.press('Escape') // The third leaves the field.
    await page.locator('#search:not(:focus)').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('nobody has this')
    await page.getByText(/^No results\./).waitFor()
    assert.deepEqual(problems, [])
  })
}

test('Enter right after the last letter opens the first result when it comes', async () => {
  await using opened = await bench.openAs(browser, { role: 'operator' })
  const { page, problems } = opened
  await page.goto(`${bench.url}/dashboard`)
  await fieldOf(page).click()
  await page.keyboard.type('INV-7701')
  await page.keyboard.press('Enter')

  await drawerOf(page).getByText(known.payment).first().waitFor()
  await page.keyboard.press('Control+k') // The shortcut also works while a drawer is open.
  await drawerOf(page).waitFor({ state: 'detached' })
  await untilSearchFocused(page)
  await page.getByRole('group', { name: 'Recent searches' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('group', { name: 'Payments' }).getByRole('option').first().click()
  await drawerOf(page).getByText(known.payment).first().waitFor()
  assert.deepEqual(problems, [])
})

test('a failed search says so, and the next one works', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)
  await page.route('**/api/v1/search*', (route) => route.abort())
  await fieldOf(page).fill('INV-7701')
  await page.locator('.hits').getByText('Can’t reach the service.').waitFor()
  await page.unroute('**/api/v1/search*')

  await fieldOf(page).fill('INV-770')
  await optionsOf(page).first().waitFor()
})

test('the palette says that a code is mistyped', async () => {
  await using opened = await bench.openAs(browser)
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)
  const code = codeOfId('PAY', known.payment)
  await fieldOf(page).fill(code.slice(0, -1) + (code.endsWith('7') ? '8' : '7'))
  await page.locator('.hits').getByText('This code is mistyped').waitFor()
})

test('the palette goes to views, starts actions, and understands a day', async () => {
  await using opened = await bench.openAs(browser)
  const { page, problems } = opened
  const commands = page.getByRole('group', { name: 'Go to' }).getByRole('option')
  // Opens search by keyboard.
  const openSearch = async () => {
    await page.keyboard.press('Control+k')
    await page.locator(':focus[role=combobox], :focus[type=search]').waitFor()
  }
  // Runs the command with this name, after typing a part of it.
  const runCommand = async (typed: string, name: string) => {
    await openSearch()
    await page.keyboard.type(typed)
    await commands.getByText(name, { exact: true }).waitFor()
    await page.keyboard.press('Enter')
  }
  await page.goto(`${bench.url}/dashboard`)
  await page.locator('.feed li').first().waitFor()
  await page.keyboard.press('Control+k')
  await commands.first().waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  await page.keyboard.press('Escape')

  await runCommand('ledg', 'Ledger')
  await page.getByRole('heading', { level: 1, name: 'Ledger' }).waitFor()
  await runCommand('invite', 'Invite a user…')
  await page.locator('dialog.modal').getByLabel('Email').waitFor()
  await page.keyboard.press('Escape')
  await page.locator('dialog.modal').waitFor({ state: 'hidden' })
  for (const [typed, name, label] of [
    ['new payout', 'New payout…', 'Amount'],
    ['webhook end', 'Add a webhook endpoint…', 'URL'],
  ] as const) {
    await runCommand(typed, name)
    await page.locator('dialog.modal').getByLabel(label).first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog.modal').waitFor({ state: 'hidden' })
  }
  await runCommand('refund a', 'Refund a payment…')
  await page.getByRole('heading', { level: 1, name: 'Payments' }).waitFor()

  await openSearch()
  await page.keyboard.type('6,543.21 today')
  const payments = page.getByRole('group', { name: 'Payments', exact: true })
  await payments.getByRole('option').first().waitFor()
  await payments.getByRole('option').first().locator('time').waitFor()
  await payments.getByRole('option').first().locator('.badge').waitFor()
  assert.deepEqual(await findAxeFaults(page), [])
  assert.deepEqual(problems, [])
})

test('nobody is offered what their role cannot do', async () => {
  await using opened = await bench.openAs(browser, { role: 'support' })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard`)
  for (const typed of ['refund a', 'invite', 'new payout', 'api keys']) {
    await fieldOf(page).fill(typed)
    await page.waitForResponse((answer) => answer.url().includes('/api/v1/search'))
    assert.equal(await page.getByRole('group', { name: 'Go to' }).count(), 0, typed)
  }
})
