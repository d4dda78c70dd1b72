// A bank's day to reconcile: the books, the bank's statement, and the views in the dashboard.

import type { Page } from 'playwright-core'
import { watDay } from '#clock.ts'
import { newSessionId } from './rail.ts'
import type { Bench } from './running-service.ts'
import { BANK, gtbankCsv, imported } from './statement-files.ts'
import { NOBODYS_NUMBER, suspend } from './suspense-desk.ts'

const DAY_MS = 86_400_000
const WINDOW_DAYS = 4 // Longer than any transit time.

const inward = (sessionId: string, name: string) =>
  `NIBSS Instant Payment Inward ${sessionId} FROM ${name} TO ${NOBODYS_NUMBER}`

export type Scene = Awaited<ReturnType<typeof writeStatement>>

// The books have three credits. The statement has the first; the second with another session id and on
// the day before; not the third; and a transfer and a charge that the books do not have.
export async function writeStatement(bench: Bench) {
  const day = watDay(bench.clock())
  const before = watDay(new Date(bench.clock().getTime() - DAY_MS))
  const take = (amount: string, sourceAccountName: string) =>
    suspend(bench, NOBODYS_NUMBER, amount, { bank: BANK, sourceAccountName })
  const { sessionId } = await take('45000.00', 'ADAEZE OKONKWO')
  await take('12500.00', 'CHIAMAKA EZE')
  await take('8000.00', 'EFE OGHENEKARO')
  const lines = [
    { day: before, kobo: 1_250_000n, narration: inward(newSessionId(), 'CHIAMAKA EZE') },
    { day, kobo: 4_500_000n, narration: inward(sessionId, 'ADAEZE OKONKWO') },
    { day, kobo: 330_000n, narration: inward(newSessionId(), 'DAUDA IBRAHIM') },
    { day, kobo: -5_250n, narration: 'SMS ALERT CHARGE NOV 2026' },
  ]
  bench.advance(WINDOW_DAYS * DAY_MS)
  return { day, before, text: gtbankCsv({ lines }) }
}

export async function importScene(bench: Bench): Promise<Scene> {
  const scene = await writeStatement(bench)
  await imported(bench, scene.text)
  return scene
}

export function fileOf(text: string, name = 'gtb-20261115.csv') {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
}

export const dayPath = (day: string) => `reconciliation?bankCode=${BANK}&day=${day}&currency=NGN`

const firstRow = (page: Page) => page.locator('.row-link').first().click()
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

export type OfficeSight = {
  path: string
  role: 'operator'
  act?: (page: Page) => Promise<unknown>
}

// All views, by the imported day.
export function officeSights({ day }: Pick<Scene, 'day'>): Record<string, OfficeSight> {
  const ofDay = `/${dayPath(day)}`
  const at = (path: string, act?: OfficeSight['act']): OfficeSight => {
    return { path, role: 'operator', ...(act ? { act } : {}) }
  }
  const choose = (page: Page) => page.locator('input[type=file]').setInputFiles(fileOf('a,b\n'))
  return {
    reconciliation: at('/reconciliation'),
    'reconciliation-import': at('/reconciliation', choose),
    'reconciliation-day': at(ofDay),
    'reconciliation-close': at(ofDay, press('Close day')),
    'reconciliation-difference': at(ofDay, firstRow),
    differences: at('/reconciliation?tab=differences'),
    statements: at('/reconciliation?tab=statements'),
    statement: at('/reconciliation?tab=statements', firstRow),
    imports: at('/reconciliation?tab=imports'),
    import: at('/reconciliation?tab=imports', firstRow),
    journal: at(`/accounting?day=${day}`),
    'trial-balance': at(`/accounting?tab=trialBalance&day=${day}`),
    vat: at('/accounting?tab=vat'),
    balances: at(`/accounting?tab=balances&day=${day}`),
    'suspense-ageing': at('/accounting?tab=suspense'),
    'accounting-days': at('/accounting?tab=days'),
    'accounting-day': at('/accounting?tab=days', firstRow),
  }
}
