// Every sight of the dashboard: where it is, and what is done there before one looks.

import type { Page } from 'playwright-core'
import { type DashboardBench, fillDays } from './dashboard-bench.ts'
import { DESK_SIGHTS, setDeskScene } from './desk-scenes.ts'
import { startPayment } from './fixtures.ts'
import { credit } from './tracing.ts'
import { listener } from './webhook-bench.ts'

export type Sight = { path: string; act?: (page: Page) => Promise<unknown> }

const choose = (name: string) => (page: Page) => page.getByText(name, { exact: true }).click()

const openAttempt = async (page: Page) => {
  await page.locator('.row-link').first().click()
  await page.locator('.attempt summary').first().click()
}

export const DASHBOARD_SIGHTS: Record<string, Sight> = {
  today: { path: '' },
  'today-days': { path: '', act: choose('30 days') },
  'today-table': { path: '', act: choose('As a table') },
  payments: { path: '/payments' },
  payment: { path: '/payments/ORDER-1051' },
  accounts: { path: '/accounts' },
  account: { path: '/accounts', act: (page) => page.locator('.row-link').first().click() },
  credits: { path: '/credits' },
  credit: { path: '/credits', act: (page) => page.locator('.row-link').first().click() },
  'nothing-fits': { path: '/credits?outcome=returned' },
  webhooks: { path: '/webhooks' },
  endpoint: { path: '/webhooks', act: (page) => page.locator('.row-link').first().click() },
  'endpoint-new': { path: '/webhooks', act: choose('Add an endpoint') },
  deliveries: { path: '/webhooks?tab=deliveries' },
  delivery: { path: '/webhooks?tab=deliveries&delivered=true', act: openAttempt },
  checker: { path: '/webhooks?tab=checker', act: choose('Check') },
  developers: { path: '/developers' },
  'secret-new': { path: '/developers', act: choose('Make a new secret') },
  people: { path: '/settings?tab=people' },
  'own-sign-in': { path: '/settings?tab=you' },
  branding: { path: '/settings?tab=branding' },
  limits: { path: '/settings?tab=limits' },
  record: { path: '/settings?tab=record' },
  search: { path: '', act: (page) => page.getByLabel('Search by any reference').fill('ada') },
  ...DESK_SIGHTS,
}

// A month of trade, and one more payment whose webhook arrived.
export async function setDashboardScene(bench: DashboardBench): Promise<void> {
  await using hooks = await listener()
  await fillDays(bench)
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
  await setDeskScene(bench)
}
