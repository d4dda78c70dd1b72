// For tests of the checkout page: a listening service, a browser, and the payer's actions.

import type { Page } from 'playwright-core'
import { openBrowser, type PageOptions } from './browser.ts'
import { listenLocally } from './event-source.ts'
import { createAdvice, initiate } from './fixtures.ts'
import { startTestService } from './running-service.ts'

// Starts the service and the browser, with the actions of a client and a payer.
export async function startCheckout() {
  const bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  const browser = await openBrowser()
  return {
    bench,
    url,
    // Creates an advice and returns the address of its checkout page. With a bank code, the payer has already
    // chosen that bank, and the account number is returned too.
    async advice(changes: Record<string, unknown> = {}, bankCode?: string) {
      const { adviceReference } = await createAdvice(bench, changes)
      const number = bankCode ? await initiate(bench, adviceReference, bankCode) : undefined
      const address = `${url}/pay?adviceReference=${adviceReference}`
      const accountNumber: string = number?.bankAccount ?? ''
      return { adviceReference: adviceReference as string, accountNumber, address }
    },
    async open(address: string, options: PageOptions = {}) {
      const watchedPage = await browser.newPage({ width: 360, height: 740, ...options })
      await watchedPage.page.goto(address)
      return watchedPage
    },
    // How many account numbers the payments of an advice have leased.
    async numbersOf(adviceReference: string): Promise<number> {
      const { rows } = await bench.db.query<{ count: number }>(
        `select count(*)::int as count from payment_numbers n join payments p on p.id = n.payment_id
          where p.advice_id = $1`,
        [adviceReference],
      )
      return rows[0]?.count as number
    },
    async [Symbol.asyncDispose]() {
      await browser[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
}

// The account number on the page, without its spaces.
export function shownNumber(page: Page): Promise<string> {
  return page
    .locator('.number')
    .innerText()
    .then((text) => text.replace(/\D/g, ''))
}

// Waits until the text is visible.
export function see(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor()
}
