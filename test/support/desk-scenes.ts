// Data and steps for pictures and tests of three dashboard pages (suspense, ledger, the sandbox's bank):
// suspended money, an approval request for it, audited books.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { checkIntegrityRound } from '#integrity/workers.ts'
import { createLogger } from '#log.ts'
import { createAccount, startPayment } from './fixtures.ts'
import { newBrowser } from './people.ts'
import type { Bench } from './running-service.ts'
import { NOBODYS_NUMBER, SUSPENSE, suspend } from './suspense-desk.ts'
import { credit } from './tracing.ts'

const openFirstRow = (page: Page) => page.locator('.row-link').first().click()

// The pages by name: where they are, and the step that opens the part to show.
export const DESK_SIGHTS = {
  suspense: { path: '/suspense' },
  'suspense-item': { path: '/suspense', act: openFirstRow },
  'suspense-request': {
    path: '/suspense',
    act: (page: Page) => page.locator('.waiting-row').first().click(),
  },
  ledger: { path: '/ledger' },
  'ledger-checks': {
    path: '/ledger',
    act: (page: Page) => page.getByText('View checks').click(),
  },
  'ledger-account': { path: '/ledger', act: openFirstRow },
  'sandbox-bank': { path: '/sandbox-bank' },
  'sandbox-bank-sent': { path: '/sandbox-bank', act: sendTooMuch },
}

// Sends an overpayment on the page of the sandbox's bank, and waits for its result.
export async function sendTooMuch(page: Page): Promise<void> {
  await page.locator('input[name=destination]').first().check()
  await page.getByLabel('Overpayment').check()
  await page.getByRole('button', { name: 'Send transfer' }).click()
  await page.getByText('is in suspense').waitFor()
  await page.getByText('Event payment.successful').waitFor()
}

// Runs the round of the worker that checks the integrity of the books.
export async function checkIntegrityNow({ db, clock }: Bench): Promise<void> {
  const log = createLogger({ level: 'silent' })
  await checkIntegrityRound({ db, clock, log })(new AbortController().signal)
}

// Fills the books for these pages. Returns the suspended excess of a payment, with a request to return it,
// and a credit to an unknown number.
export async function setDeskScene(bench: Bench) {
  const { accountNumber } = await createAccount(bench, { accountName: 'Chiamaka Eze' })
  await credit(bench, accountNumber, '12500.00', { sourceAccountName: 'CHIAMAKA EZE' })
  const { bankAccount } = await startPayment(bench, { amount: 6_000, merchantRef: 'DESK-1' })
  await credit(bench, bankAccount, '6000.00', { sourceAccountName: 'ADA OBI' })
  const excess = await suspend(bench, bankAccount, '750.00', {
    bank: '035',
    sourceAccountName: 'ADA OBI',
    sourceAccountNumber: '0123456789',
    sourceBankCode: '044',
    narration: 'Shoes, again',
  })
  const stray = await suspend(bench, NOBODYS_NUMBER, '4200.00', {
    sourceAccountName: 'DAUDA IBRAHIM',
  })
  for (const amount of [3_000, 4_500, 18_000, 2_250, 9_900]) await startPayment(bench, { amount })
  const maker = await newBrowser(bench, 'finance')
  const answer = await maker.call({
    url: `${SUSPENSE}/${excess.id}/requests`,
    body: { action: 'return', reason: 'She paid twice, and called about it.' },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  await checkIntegrityNow(bench)
  return { accountNumber, excess, stray, requestId: answer.json().data.id as number }
}
