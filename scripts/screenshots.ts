// `npm run screenshots`: takes the pictures of docs/screenshots/ of a real service in a real browser. With a
// folder, it takes pictures of all states of the pages instead, at 360 and 1280 pixels, light and dark:
//
//   npm run screenshots -- <folder> [<pattern>]

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { openBrowser } from '../test/support/browser.ts'
import { CHECKOUT_SCENES, type Scene } from '../test/support/checkout-scenes.ts'
import { closeEverything } from '../test/support/closing.ts'
import { type DashboardBench, startDashboardBench } from '../test/support/dashboard-bench.ts'
import { listenLocally } from '../test/support/event-source.ts'
import { importScene, officeSights } from '../test/support/reconciliation-scenes.ts'
import { type Bench, startTestService } from '../test/support/running-service.ts'
import { startTestServer } from '../test/support/server.ts'
import { buildWeb } from './build-web.ts'
import { DASHBOARD_SIGHTS, type Sight, setDashboardScene } from './dashboard-scenes.ts'

type Picture = { name: string; scene: string; width: number; colorScheme: 'light' | 'dark' }

const DOCS = join(import.meta.dirname, '../docs/screenshots')

const CHECKOUT_IN_DOCS: readonly Picture[] = [
  { name: 'payer-waiting', scene: 'waiting', width: 360, colorScheme: 'light' },
  { name: 'payer-paid', scene: 'paid', width: 360, colorScheme: 'dark' },
]

const DASHBOARD_IN_DOCS: readonly Picture[] = [
  { name: 'dashboard-today', scene: 'today', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-payment', scene: 'payment', width: 1280, colorScheme: 'dark' },
  { name: 'dashboard-phone', scene: 'today', width: 360, colorScheme: 'dark' },
  { name: 'dashboard-accounts', scene: 'accounts', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-credits', scene: 'credits', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-suspense', scene: 'suspense-request', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-suspense-bulk', scene: 'suspense-bulk', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-settlements', scene: 'settlement', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-ledger', scene: 'ledger-checks', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-sandbox-bank', scene: 'sandbox-bank-sent', width: 1280, colorScheme: 'dark' },
  { name: 'dashboard-webhooks', scene: 'delivery', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-developers', scene: 'developers', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-settings', scene: 'users', width: 1280, colorScheme: 'light' },
]

const OFFICE_IN_DOCS: readonly Picture[] = [
  { name: 'dashboard-reconciliation', scene: 'reconciliation', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-accounting', scene: 'trial-balance', width: 1280, colorScheme: 'light' },
  { name: 'dashboard-proof', scene: 'reconciliation-day', width: 1280, colorScheme: 'light' },
]

const folder = process.argv[2] ?? DOCS
const pattern = new RegExp(process.argv[3] ?? '')
const isWanted = ({ name }: Picture) => pattern.test(name)
const isForDocs = folder === DOCS
const checkoutPictures = isForDocs ? CHECKOUT_IN_DOCS : allPictures(CHECKOUT_SCENES, '')
const dashboardPictures = isForDocs
  ? DASHBOARD_IN_DOCS
  : allPictures(DASHBOARD_SIGHTS, 'dashboard-')
await buildWeb()
mkdirSync(folder, { recursive: true })
const server = await startTestServer()
process.env.TEST_DATABASE_URL = server.templateUrl
try {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  await using browser = await openBrowser()
  for (const picture of checkoutPictures.filter(isWanted)) {
    await takeCheckoutPicture(bench, url, browser, picture)
  }
  await using desk = await startDashboardBench()
  await setDashboardScene(desk)
  for (const picture of dashboardPictures.filter(isWanted)) {
    await takeDashboardPicture({ bench: desk, browser, sights: DASHBOARD_SIGHTS }, picture)
  }
  await using office = await startDashboardBench()
  const sights = officeSights(await importScene(office))
  const officePictures = isForDocs ? OFFICE_IN_DOCS : allPictures(sights, 'office-')
  for (const picture of officePictures.filter(isWanted)) {
    await takeDashboardPicture({ bench: office, browser, sights }, picture)
  }
} finally {
  await closeEverything()
  await server.stop()
}

type Browser = Awaited<ReturnType<typeof openBrowser>>

// Sets a scene, opens its checkout page, and takes a picture of the whole page.
async function takeCheckoutPicture(
  bench: Bench,
  url: string,
  browser: Browser,
  picture: Picture,
): Promise<void> {
  const { name, scene, width, colorScheme } = picture
  const height = width < 600 ? 740 : 800
  const deviceScaleFactor = isForDocs && width < 600 ? 1.5 : 1 // Phones have high-resolution screens.
  await using opened = await browser.newPage({ width, height, colorScheme, deviceScaleFactor })
  const path = await (CHECKOUT_SCENES[scene] as Scene)(bench)
  await opened.page.goto(url + path)
  await save(opened.page, name, { fullPage: true })
}

type DashboardPages = {
  bench: DashboardBench
  browser: Browser
  sights: Readonly<Record<string, Sight>>
}

// Opens a scene of the dashboard as a signed-in user, waits until its skeletons are replaced, and takes the
// picture.
async function takeDashboardPicture(
  { bench, browser, sights }: DashboardPages,
  { name, scene, width, colorScheme }: Picture,
): Promise<void> {
  const sight = sights[scene] as Sight
  const height = width < 600 ? 740 : 860
  await using opened = await bench.openAs(browser, {
    width,
    height,
    colorScheme,
    ...(sight.role ? { role: sight.role } : {}),
  })
  const { page } = opened
  await page.goto(`${bench.url}/dashboard${sight.path}`)
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  // The step may send a request, whose response the picture shows; some steps send none, so this gives up.
  const answered = page.waitForResponse(/\/api\/v1\//, { timeout: 2_000 }).catch(() => undefined)
  try {
    await sight.act?.(page)
  } catch (error) {
    // The other scenes are still pictured, but the exit code reports the failure.
    console.error(`${name}: ${error}`)
    process.exitCode = 1
    return
  }
  if (sight.act) await answered
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  await save(page, name)
}

// Takes the picture, and stores it as a PNG file in the output folder.
async function save(page: Page, name: string, options = {}): Promise<void> {
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', ...options })
  console.log(`${name}.png`)
}

// A picture of each scene in each width and theme.
function allPictures(scenes: object, prefix: string): Picture[] {
  return Object.keys(scenes).flatMap((scene) =>
    [360, 1280].flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({
        name: `${prefix}${scene}-${width}-${colorScheme}`,
        ...{ scene, width, colorScheme },
      })),
    ),
  )
}
