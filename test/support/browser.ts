// Opens pages in a real browser, which all test files of a process share. A page records its console errors,
// the hosts that it contacts and the bytes that it loads.
//
//   await using browser = await openBrowser()
//   const { page, problems } = await browser.newPage({ width: 360 })

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type {
  Browser,
  BrowserContext,
  BrowserContextOptions,
  Page,
  Response,
} from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { closeAtEnd } from './closing.ts'
import { until } from './embedded-bench.ts'
import { patience } from './patience.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PATIENCE_MS = patience(5_000)
const [WIDE, NARROW, HEIGHT] = [1280, 360, 800]

export type PageOptions = Omit<BrowserContextOptions, 'viewport'> & {
  width?: number
  height?: number
}

let launched: Promise<Browser> | undefined

// Launches the browser, which is closed at the end of the process.
async function launch(): Promise<Browser> {
  const browser = await launchChromium()
  closeAtEnd({ [Symbol.asyncDispose]: () => browser.close() })
  return browser
}

// Opens the shared browser. Disposing the result closes its pages, not the browser.
export async function openBrowser() {
  launched ??= launch()
  const browser = await launched
  const contexts: BrowserContext[] = []
  return {
    // Each page has its own context, so pages do not share cookies. Open further tabs of the same person by
    // `page.context().newPage()`. Motion is reduced because animations redraw sixty times a second.
    async newPage({ width = WIDE, height = HEIGHT, ...options }: PageOptions = {}) {
      const viewport = { width, height }
      const usual = { viewport, reducedMotion: 'reduce', locale: 'en-NG' } as const
      const context = await browser.newContext({ ...usual, ...options })
      contexts.push(context)
      context.setDefaultTimeout(PATIENCE_MS)
      return watchedPage(await context.newPage())
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(contexts.map((context) => context.close()))
    },
  }
}

// Adds to a page the records that tests assert on: problems, hosts, sizes.
async function watchedPage(page: Page) {
  const problems: string[] = []
  const responses: Response[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('response', (response) => responses.push(response))
  return {
    page,
    problems, // Console errors and warnings, uncaught errors.
    // The contacted hosts.
    hosts: () => [...new Set(responses.map((response) => new URL(response.url()).host))],
    // The compressed size of each response body, by path. Leaves out event streams, which never end.
    async sizes(): Promise<Record<string, number>> {
      const ended = responses.filter((response) => !isStream(response))
      const sized = ended.map(async (response) => {
        const { responseBodySize } = await response.request().sizes()
        return [new URL(response.url()).pathname, responseBodySize] as const
      })
      return Object.fromEntries(await Promise.all(sized))
    },
    async [Symbol.asyncDispose]() {
      // A request that a test holds back may be pending.
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.context().close()
    },
  }
}

function isStream(response: Response): boolean {
  return response.headers()['content-type']?.startsWith('text/event-stream') ?? false
}

type AxeResult = { id: string; help: string; nodes: { target: string[] }[] }

// Waits for animations to end, because the colours of a fading element differ until then.
const SETTLED = `Promise.all(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished.catch(() => {})))`

// The accessibility faults that axe-core finds on the page, including its best practices, one text each.
export async function findAxeFaults(page: Page, options: object = {}): Promise<string[]> {
  await page.evaluate(SETTLED)
  // Playwright injects the script, because the page's content security policy allows none.
  if (!(await page.evaluate<boolean>(`'axe' in window`))) await page.evaluate(AXE)
  const run = JSON.stringify({ resultTypes: ['violations'], ...options })
  const results = await page.evaluate<AxeResult[]>(
    `axe.run(document, ${run}).then(({ violations }) => violations)`,
  )
  return results.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map(({ target }) => target).join(', ')})`,
  )
}

const TOO_WIDE = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

// Loads a dashboard page and asserts that it has no accessibility fault and needs no horizontal scrolling.
export async function assertFaultless(page: Page, url: string): Promise<void> {
  await load(page, url)
  await assertNoFault(page, url)
}

// Loads a dashboard page; resolves when its title and data have replaced the skeleton.
async function load(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.locator('h1').waitFor()
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
}

// Asserts that the loaded page has no accessibility fault and is not wider than the window. `what` names the
// page in messages.
async function assertNoFault(page: Page, what: string): Promise<void> {
  assert.deepEqual(await findAxeFaults(page), [], what)
  const overflow = await page.evaluate<number>(TOO_WIDE)
  assert(overflow <= 0, `${what} is ${overflow} pixels too wide`)
}

// The axe-core rules about colours, the only ones whose result depends on the theme.
const COLOUR_RULES = { runOnly: ['color-contrast', 'link-in-text-block'] }

// Asserts that a dashboard page has no accessibility fault and needs no horizontal scrolling, in a wide and a
// narrow window, in the light and the dark theme. The page loads only once, because a theme changes only
// colours, and a window that was narrowed looks like one that opened narrow.
export async function assertFaultlessThroughout(page: Page, url: string): Promise<void> {
  const show = async (colorScheme: 'light' | 'dark') => {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor()
  }
  await page.setViewportSize({ width: WIDE, height: HEIGHT })
  await page.emulateMedia({ colorScheme: 'light' })
  await load(page, url)
  await assertNoFault(page, url)
  await show('dark')
  assert.deepEqual(await findAxeFaults(page, COLOUR_RULES), [], `${url} in dark`)
  await page.setViewportSize({ width: NARROW, height: HEIGHT })
  await assertNoFault(page, `${url}, narrow`)
  await show('light')
  assert.deepEqual(await findAxeFaults(page, COLOUR_RULES), [], `${url}, narrow, in light`)
}

// Waits until an expression is true in the page. Polls from the test, because `waitForFunction` evaluates
// text in the page from the second try on, which the content security policy forbids.
export function untilTrue(page: Page, expression: string): Promise<void> {
  return until(expression, () => page.evaluate<boolean>(`Boolean(${expression})`))
}
