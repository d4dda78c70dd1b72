// For pictures and tests of reconciliation in the dashboard: books and a bank's statement that disagree, and
// the pages that show them.

import type { Page } from 'playwright-core'
import { watDay } from '#clock.ts'
import { newSessionId } from './rail.ts'
import type { Bench } from './running-service.ts'
import { BANK, gtbankCsv, imported } from './statement-files.ts'
import { NOBODYS_NUMBER, suspend } from './suspense-desk.ts'

const DAY_MS = 86_400_000
const WINDOW_DAYS = 4 // After this, an item that is missing is a difference: no transfer takes longer.

const inward = (sessionId: string, name: string) =>
  `NIBSS Instant Payment Inward ${sessionId} FROM ${name} TO ${NOBODYS_NUMBER}`

export type Scene = Awaited<ReturnType<typeof writeStatement>>

// Books three credits and writes the bank's statement. The statement has the first credit, has the second
// with another session id and on the day before, lacks the third, and has a transfer and a charge that the
// books do not have.
export async function writeStatement(bench: Bench) {
  const day = watDay(bench.clock())
  const before = watDay(new Date(bench.clock().getTime() - DAY_MS))
  const bookCredit = (amount: string, sourceAccountName: string) =>
    suspend(bench, NOBODYS_NUMBER, amount, { bank: BANK, sourceAccountName })
  const { sessionId } = await bookCredit('45000.00', 'ADAEZE OKONKWO')
  await bookCredit('12500.00', 'CHIAMAKA EZE')
  await bookCredit('8000.00', 'EFE OGHENEKARO')
  const lines = [
    { day: before, kobo: 1_250_000n, narration: inward(newSessionId(), 'CHIAMAKA EZE') },
    { day, kobo: 4_500_000n, narration: inward(sessionId, 'ADAEZE OKONKWO') },
    { day, kobo: 330_000n, narration: inward(newSessionId(), 'DAUDA IBRAHIM') },
    { day, kobo: -5_250n, narration: 'SMS ALERT CHARGE NOV 2026' },
  ]
  bench.advance(WINDOW_DAYS * DAY_MS)
  return { day, before, text: gtbankCsv({ lines }) }
}

// Books the credits, writes the statement (writeStatement) and imports it.
export async function importScene(bench: Bench): Promise<Scene> {
  const scene = await writeStatement(bench)
  await imported(bench, scene.text)
  return scene
}

// A CSV file as Playwright's setInputFiles takes it.
export function fileOf(text: string, name = 'gtb-20261115.csv') {
  return { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
}

export const dayPath = (day: string) => `reconciliation?bankCode=${BANK}&day=${day}&currency=NGN`

const openFirstRow = (page: Page) => page.locator('.row-link').first().click()
const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click()

export type OfficeSight = {
  path: string
  role: 'operator'
  act?: (page: Page) => Promise<unknown>
}

// The operator's pages for reconciliation and accounting by name, with the step that opens the part to show.
export function officeSights({ day }: Pick<Scene, 'day'>): Record<string, OfficeSight> {
  const proofOfDay = `/${dayPath(day)}`
  const sightAt = (path: string, act?: OfficeSight['act']): OfficeSight => {
    return { path, role: 'operator', ...(act ? { act } : {}) }
  }
  const chooseFile = (page: Page) => page.locator('input[type=file]').setInputFiles(fileOf('a,b\n'))
  return {
    reconciliation: sightAt('/reconciliation'),
    'reconciliation-import': sightAt('/reconciliation', chooseFile),
    'reconciliation-day': sightAt(proofOfDay),
    'reconciliation-close': sightAt(proofOfDay, press('Close day')),
    'reconciliation-difference': sightAt(proofOfDay, openFirstRow),
    differences: sightAt('/reconciliation?tab=differences'),
    statements: sightAt('/reconciliation?tab=statements'),
    statement: sightAt('/reconciliation?tab=statements', openFirstRow),
    imports: sightAt('/reconciliation?tab=imports'),
    import: sightAt('/reconciliation?tab=imports', openFirstRow),
    journal: sightAt(`/accounting?day=${day}`),
    'trial-balance': sightAt(`/accounting?tab=trialBalance&day=${day}`),
    vat: sightAt('/accounting?tab=vat'),
    balances: sightAt(`/accounting?tab=balances&day=${day}`),
    'suspense-ageing': sightAt('/accounting?tab=suspense'),
    'accounting-days': sightAt('/accounting?tab=days'),
    'accounting-day': sightAt('/accounting?tab=days', openFirstRow),
  }
}
