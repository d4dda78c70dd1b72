// A payer at the checkout: a listening service, a browser, and the payer's actions.

import type { Page } from 'playwright-core'
import { openBrowser, type PageOptions } from './browser.ts'
import { listenLocally } from './event-source.ts'
import { createAdvice, initiate } from './fixtures.ts'
import { startTestService } from './running-service.ts'

export async function startCheckout() {
  const bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  const browser = await openBrowser()
  return {
    bench,
    url,
    // An advice, with a bank also its number; and the page's address.
    async advice(changes: Record<string, unknown> = {}, bankCode?: string) {
      const { adviceReference } = await createAdvice(bench, changes)
      const number = bankCode ? await initiate(bench, adviceReference, bankCode) : undefined
      const address = `${url}/pay?adviceReference=${adviceReference}`
      const accountNumber: string = number?.bankAccount ?? ''
      return { adviceReference: adviceReference as string, accountNumber, address }
    },
    async open(address: string, options: PageOptions = {}) {
      const opened = await browser.newPage({ width: 360, height: 740, ...options })
      await opened.page.goto(address)
      return opened
    },
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

export function shownNumber(page: Page): Promise<string> {
  return page
    .locator('.number')
    .innerText()
    .then((text) => text.replace(/\D/g, ''))
}

export function see(page: Page, text: string | RegExp): Promise<void> {
  return page.getByText(text).first().waitFor()
}
