// A person at a page, with a mouse or with nothing but a keyboard: what cannot be reached with Tab, or
// pressed with Enter, fails.

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

const TABS_MAX = 80

export type Person = ReturnType<typeof personAt>

export function personAt(page: Page, by: 'mouse' | 'keyboard') {
  const reach = async (target: Locator) => {
    await target.waitFor()
    let element = await target.elementHandle()
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      const state = await element?.evaluate(stateOf)
      if (state === 'focused') return
      // Looked for once, and again only when it was drawn anew: names are slow to find.
      if (state === 'gone') element = await target.elementHandle()
      else await page.keyboard.press('Tab')
    }
    assert.fail(`not reached by Tab: ${target}`)
  }
  return {
    async press(target: Locator): Promise<void> {
      if (by === 'mouse') return target.click()
      await reach(target)
      await page.keyboard.press('Enter')
    },
    async fill(target: Locator, text: string): Promise<void> {
      if (by === 'mouse') return target.fill(text)
      await reach(target)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    async leave(target: Locator): Promise<void> {
      if (by === 'mouse') return target.getByRole('button', { name: 'Close' }).click()
      await page.keyboard.press('Escape')
    },
  }
}

type Drawn = { isConnected: boolean; ownerDocument: { activeElement: unknown } }

function stateOf(element: Drawn): 'focused' | 'elsewhere' | 'gone' {
  if (!element.isConnected) return 'gone'
  return element === element.ownerDocument.activeElement ? 'focused' : 'elsewhere'
}

// Every width by each means.
export const MEANS = ([360, 1280] as const).flatMap((width) =>
  (['mouse', 'keyboard'] as const).map((by) => ({
    width,
    by,
    colorScheme: by === 'mouse' ? ('light' as const) : ('dark' as const),
  })),
)
