// A person who uses a page with the mouse or only with the keyboard. With the keyboard, a step fails if Tab
// does not reach the target or Enter does not press it.

import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { patience } from './patience.ts'

const TABS_MAX = 80
const NARROW_MAX = 860 // The menu is folded up to this width.
const FOLLOWING = 4 // Node.DOCUMENT_POSITION_FOLLOWING

export type Person = ReturnType<typeof personAt>
type View = { name: string; letter: string }

// Returns the steps that a person can take on the page with this input device.
export function personAt(page: Page, by: 'mouse' | 'keyboard') {
  // Moves the focus to the target by Tab, or by Shift+Tab if the target comes before the focused element.
  const reach = async (target: Locator) => {
    await target.waitFor()
    const isBefore = await target.evaluate((element, following) => {
      const active = element.ownerDocument.activeElement ?? element
      return (element.compareDocumentPosition(active) & following) !== 0
    }, FOLLOWING)
    let element = await target.elementHandle()
    for (let tabs = 0; tabs < TABS_MAX; tabs++) {
      const state = await element?.evaluate(stateOf)
      if (state === 'focused') return
      // Finds the element once, and again only after it was redrawn: searching by name is slow.
      if (state === 'gone') element = await target.elementHandle()
      else await page.keyboard.press(isBefore ? 'Shift+Tab' : 'Tab')
    }
    assert.fail(`not reached by Tab: ${target}`)
  }
  return {
    async press(target: Locator): Promise<void> {
      if (by === 'mouse') return target.click()
      await reach(target)
      await page.keyboard.press('Enter')
    },
    // A checkbox or a radio button.
    async tick(target: Locator): Promise<void> {
      if (by === 'mouse') return target.check()
      await reach(target)
      await page.keyboard.press('Space')
    },
    async fill(target: Locator, text: string): Promise<void> {
      if (by === 'mouse') return target.fill(text)
      await reach(target)
      await page.keyboard.press('ControlOrMeta+A')
      await page.keyboard.type(text)
    },
    // Closes a dialog.
    async leave(target: Locator): Promise<void> {
      if (by === 'mouse') return target.getByRole('button', { name: 'Close' }).click()
      await page.keyboard.press('Escape')
    },
    // Opens a page of the dashboard: by the menu, or by g and the page's letter.
    async visit({ name, letter }: View): Promise<void> {
      if (by === 'keyboard') return goByLetter(page, { name, letter })
      const isNarrow = (page.viewportSize()?.width ?? 0) <= NARROW_MAX
      if (isNarrow) await page.getByRole('button', { name: 'Open menu' }).click()
      const menu = page.getByRole('navigation', { name: 'Main menu' })
      const link = menu.getByRole('link', { name, exact: true })
      await menu.getByRole('link').first().waitFor()
      const folded = menu.getByRole('button', { expanded: false })
      while ((await link.count()) === 0) await folded.first().click()
      await link.click()
      await headingOf(page, name).waitFor()
    },
  }
}

const headingOf = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name, exact: true })

// Opens a page by the shortcut g and its letter. Retries, because the letter counts only shortly after the g,
// which a busy machine may miss.
export async function goByLetter(page: Page, { name, letter }: View): Promise<void> {
  for (let triesLeft = 3; ; triesLeft--) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    try {
      await headingOf(page, name).waitFor({ timeout: patience(1_000) })
      return
    } catch (error) {
      if (triesLeft === 0) throw error
    }
  }
}

type Drawn = { isConnected: boolean; ownerDocument: { activeElement: unknown } }

// Runs in the page. An element is `gone` if a redraw has replaced it.
function stateOf(element: Drawn): 'focused' | 'elsewhere' | 'gone' {
  if (!element.isConnected) return 'gone'
  return element === element.ownerDocument.activeElement ? 'focused' : 'elsewhere'
}

// Each window width with each input device.
export const MEANS = ([360, 1280] as const).flatMap((width) =>
  (['mouse', 'keyboard'] as const).map((by) => ({
    width,
    by,
    colorScheme: by === 'mouse' ? ('light' as const) : ('dark' as const),
  })),
)

// Two of these combinations with each width and each device once, for slow journeys: other tests cover all
// combinations of the important steps.
export const CROSSED = MEANS.filter(({ width, by }) => width < 600 === (by === 'mouse'))
