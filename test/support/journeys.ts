// Steps of a user's journey through the dashboard, all with the mouse or all with the keyboard.

import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { findAxeFaults } from './browser.ts'
import { type MEANS, personAt } from './pressing.ts'

export type Means = (typeof MEANS)[number]
export type Journey = ReturnType<typeof journeyAt>

// Returns the steps and page elements for a journey on this page; `by` is the input device.
export function journeyAt(page: Page, { by, width }: Means) {
  const modal = page.locator('dialog.modal').last()
  const drawer = page.locator('dialog.drawer')
  const person = personAt(page, by)
  return {
    page,
    by,
    isNarrow: width < 600,
    modal,
    drawer,
    ...person,
    button: (name: string) => page.getByRole('button', { name, exact: true }),
    link: (name: string) => page.getByRole('link', { name, exact: true }),
    see: (text: string | RegExp) => page.getByText(text).first().waitFor(),
    // Asserts that the page, as it is now, has no accessibility fault.
    faultless: async () => assert.deepEqual(await findAxeFaults(page), [], page.url()),
    async leaveDrawer(): Promise<void> {
      await person.leave(drawer)
      await drawer.waitFor({ state: 'detached' })
    },
    async search(text: string): Promise<void> {
      if (by === 'keyboard') await page.keyboard.press('Control+k')
      else await page.getByRole('combobox', { name: 'Search' }).click()
      await page.keyboard.type(text)
    },
  }
}
