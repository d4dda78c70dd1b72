// The scenes of the dashboard for `npm run screenshots`: the address of each, the steps that lead to it, and
// the data that the pages show.

import type { Page } from 'playwright-core'
import { registerOf } from '../test/support/clients.ts'
import { type DashboardBench, fillDays } from '../test/support/dashboard-bench.ts'
import { DESK_SIGHTS, setDeskScene } from '../test/support/desk-scenes.ts'
import { createAccount, createAdvice, startPayment } from '../test/support/fixtures.ts'
import { LIMIT_PROFILES, profileBody } from '../test/support/limit-profiles.ts'
import { addBankAccount, createPayout, fund } from '../test/support/payouts.ts'
import { newSessionId, postRail } from '../test/support/rail.ts'
import { askRefund, pay } from '../test/support/refunding.ts'
import { closeSettlement } from '../test/support/settlements.ts'
import { NOBODYS_NUMBER, suspend } from '../test/support/suspense-desk.ts'
import { credit, openDesk } from '../test/support/tracing.ts'
import { listener } from '../test/support/webhook-bench.ts'

// A picture of the dashboard: the page, the role of the user (default: owner), and the step that comes before
// the picture is taken.
export type Sight = { path: string; role?: 'operator'; act?: (page: Page) => Promise<unknown> }

const openFirstRow = (page: Page) => page.locator('.row-link').first().click()

const clickText = (name: string) => (page: Page) => page.getByText(name, { exact: true }).click()

// Opens the first row, and presses a button in its drawer.
const pressInFirstRow = (name: string) => async (page: Page) => {
  await openFirstRow(page)
  await page.locator('dialog.drawer').getByRole('button', { name }).click()
}

// Opens the link of the payment request that is still unpaid.
const shareOpenRequest = async (page: Page) => {
  await page.locator('.row-link', { hasText: 'Ngozi' }).first().click()
  await page.getByRole('button', { name: 'Share link' }).click()
}

const pressButton = (name: string) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click()

// Unfolds the filters, which are folded only on a narrow page.
const openFilters = async (page: Page) => {
  const fold = page.locator('.filters-fold')
  if (await fold.isVisible()) await fold.click()
}

// Opens the menu, which is folded only on a narrow page.
const openMenu = async (page: Page) => {
  const menu = page.getByRole('button', { name: 'Open menu' })
  if (await menu.isVisible()) await menu.click()
}

// A file of collection accounts; the second row has faults.
const FILE = `accountName,bvn,email,phoneNumber,merchantId,merchantCode,notificationUrl
Ada Obi,22212345654,ada@example.com,+2348012345678,SHOP-1,SHOP,https://shop.example/hooks
Chidi Eze,2221234565,chidi@example,+2348012345678,SHOP-1,SHOP,https://shop.example/hooks
Efe Udoh,22212345656,efe@example.com,+2348012345679,SHOP-2,SHOP,https://shop.example/hooks
`

// Uploads the file of collection accounts, and opens its preview.
const previewFile = async (page: Page) => {
  const buffer = Buffer.from(FILE)
  const field = page.locator('input[type=file]')
  await field.setInputFiles({ name: 'accounts.csv', mimeType: 'text/csv', buffer })
  await page.getByRole('button', { name: 'Preview' }).click()
}

// Selects all rows of the list of suspense items, which shows the buttons for the selection.
const selectAll = async (page: Page) => {
  await page.getByLabel('Select all').check()
  await page.getByRole('button', { name: 'Return…' }).waitFor()
}

// Opens the form that returns all suspense items of the page.
const returnAll = async (page: Page) => {
  await selectAll(page)
  await page.getByRole('button', { name: 'Return…' }).click()
}

// Opens the first delivery, and unfolds its first attempt.
const openAttempt = async (page: Page) => {
  await page.locator('.row-link').first().click()
  await page.locator('.attempt summary').first().click()
}

export const DASHBOARD_SIGHTS: Record<string, Sight> = {
  today: { path: '' },
  'today-days': { path: '', act: clickText('30 days') },
  'today-table': { path: '', act: clickText('Show as table') },
  payments: { path: '/payments' },
  payment: { path: '/payments/ORDER-1051' },
  'payment-requests': { path: '/payments?tab=requests' },
  'payment-request': { path: '/payments?tab=requests', act: openFirstRow },
  'payment-request-new': { path: '/payments?new=request' },
  'payment-request-share': { path: '/payments?tab=requests', act: shareOpenRequest },
  accounts: { path: '/accounts' },
  account: { path: '/accounts', act: openFirstRow },
  'account-new': { path: '/accounts?new=account' },
  'account-limits': { path: '/accounts', act: pressInFirstRow('Limits') },
  'account-rules': { path: '/accounts', act: pressInFirstRow('Payer rules') },
  'account-deactivated': { path: '/accounts?active=true', act: pressInFirstRow('Deactivate') },
  'accounts-upload': { path: '/accounts?new=upload' },
  'accounts-preview': { path: '/accounts?new=upload', act: previewFile },
  credits: { path: '/credits' },
  credit: { path: '/credits', act: openFirstRow },
  'nothing-fits': { path: '/credits?outcome=returned' },
  webhooks: { path: '/webhooks' },
  endpoint: { path: '/webhooks', act: openFirstRow },
  'endpoint-new': { path: '/webhooks', act: clickText('Add endpoint') },
  deliveries: { path: '/webhooks?tab=deliveries' },
  delivery: { path: '/webhooks?tab=deliveries&delivered=true', act: openAttempt },
  checker: { path: '/webhooks?tab=checker', act: clickText('Check') },
  developers: { path: '/developers', role: 'operator' },
  'secret-new': { path: '/developers', role: 'operator', act: clickText('Rotate client secret') },
  users: { path: '/settings?tab=users' },
  profile: { path: '/settings?tab=profile' },
  branding: { path: '/settings?tab=branding' },
  limits: { path: '/settings?tab=limits' },
  'limit-profiles': { path: '/settings?tab=limitProfiles' },
  'limit-profile': { path: '/settings?tab=limitProfiles', act: openFirstRow },
  'audit-log': { path: '/settings?tab=auditLog' },
  search: { path: '', act: (page) => page.getByRole('combobox', { name: 'Search' }).fill('ada') },
  'search-none': {
    path: '',
    act: (page) => page.getByRole('combobox', { name: 'Search' }).fill('nothing like it'),
  },
  shortcuts: { path: '/payments', act: (page) => page.keyboard.press('?') },
  'payments-filtered': { path: '/payments?minAmount=5000&status=Successful', act: openFilters },
  menu: { path: '', act: openMenu },
  refund: { path: '/payments/ORDER-1052' },
  'refund-new': { path: '/payments/ORDER-1052', act: pressButton('Refund') },
  'suspense-bulk': { path: '/suspense', act: selectAll },
  'suspense-bulk-form': { path: '/suspense', act: returnAll },
  settlements: { path: '/settlements' },
  settlement: { path: '/settlements', act: openFirstRow },
  'settlement-settings': { path: '/settlements?tab=settings' },
  payouts: { path: '/payouts' },
  payout: { path: '/payouts', act: openFirstRow },
  'payout-new': { path: '/payouts', act: pressButton('New payout') },
  'bank-accounts': { path: '/payouts?tab=bankAccounts' },
  fees: { path: '/settings?tab=fees' },
  banks: { path: '/banks', role: 'operator' },
  clients: { path: '/clients', role: 'operator' },
  client: { path: '/clients', role: 'operator', act: openFirstRow },
  'client-new': { path: '/clients', role: 'operator', act: pressButton('Create client') },
  'client-suspend': { path: '/clients/KIOSK-2', role: 'operator', act: pressButton('Suspend') },
  'client-users': { path: '/clients?usersOf=KIOSK-2', role: 'operator' },
  adjustments: { path: '/adjustments', role: 'operator' },
  ...DESK_SIGHTS,
  returns: { path: '/returns', role: 'operator' },
  return: { path: '/returns', role: 'operator', act: openFirstRow },
  alerts: { path: '/alerts', role: 'operator' },
  alert: { path: '/alerts', role: 'operator', act: openFirstRow },
  'rail-items': { path: '/rail-items', role: 'operator' },
  'rail-item': { path: '/rail-items', role: 'operator', act: openFirstRow },
}

// Fills the books for all scenes: a month of trade, a payment whose webhook was delivered, an unpaid payment
// request, and the data of the operator's pages.
export async function setDashboardScene(bench: DashboardBench): Promise<void> {
  await using hooks = await listener()
  await fillDays(bench)
  await bench.call({ url: LIMIT_PROFILES, body: profileBody({ tiers: [1] }) })
  await bench.addEndpoint(`${hooks.url}/webhooks`)
  const { bankAccount } = await startPayment(bench, {
    amount: 48_500,
    merchantRef: 'ORDER-1051',
    narration: 'Two tickets, Lagos to Abuja',
    callBackUrl: `${hooks.url}/thanks`,
  })
  bench.advance(41_000)
  await credit(bench, bankAccount, '48500.00', { sourceAccountName: 'ADA OBI' })
  await bench.dispatch()
  await bench.deliver(bench.newDeliverer())
  await createAdvice(bench, {
    amount: 125_000,
    narration: 'Deposit, 3 nights',
    customer: { customerFullName: 'Ngozi Balogun' },
  })
  await setDeskScene(bench)
  await setOperatorScene(bench)
  await setMoneyOutScene(bench)
}

// Makes a partial refund, a settlement of everything received so far, and a payout of money that came
// afterwards.
async function setMoneyOutScene(bench: DashboardBench): Promise<void> {
  const { paymentReference, bankAccount } = await startPayment(bench, {
    amount: 22_000,
    merchantRef: 'ORDER-1052',
    customer: { customerFullName: 'Hauwa Suleiman' },
  })
  await pay(bench, bankAccount, '22000.00')
  await askRefund(bench, { paymentReference }, { amount: 4_500 })
  await addBankAccount(bench, { accountName: 'Sandbox Merchant Ltd' })
  await closeSettlement(bench)
  await fund(bench, '45000.00') // The account's limit profile accepts 50,000 a day.
  await createPayout(bench, { amount: 35_000, narration: 'Rent, December' })
}

// Creates two more clients, a pending return, and an alert: a session id that a bank reported twice with
// different amounts.
async function setOperatorScene(bench: DashboardBench): Promise<void> {
  const clients = registerOf(bench)
  await clients.make({ clientId: 'KIOSK-1', name: 'Bola’s Kiosk' })
  await clients.act('KIOSK-1', 'suspend')
  await clients.make({
    clientId: 'KIOSK-2',
    name: 'Oluwafunmilayo & Daughters Supermarkets',
    scopes: ['accounts:read', 'payments:read', 'payments:write', 'credits:read'],
    merchantCodes: ['IKEJA', 'SURULERE'],
    allowedAddresses: ['102.89.0.0/16'],
  })
  const payer = { sourceAccountName: 'EFE OBI', sourceAccountNumber: '2093566866' }
  const { sessionId } = await suspend(bench, NOBODYS_NUMBER, '75.00', payer)
  await (await openDesk(bench)).giveBack(sessionId)
  const { accountNumber, bankCode } = await createAccount(bench)
  const reused = newSessionId()
  for (const amount of ['10', '11']) {
    await postRail(bench, `${bankCode}/credits`, { sessionId: reused, accountNumber, amount })
  }
}
