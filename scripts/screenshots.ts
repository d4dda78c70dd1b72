// `npm run screenshots`: pictures of the pages for docs/screenshots/, taken of a real service in a
// real browser.
//
//   npm run screenshots -- <folder> [<pattern>]   every state, at 360 and 1280 pixels, light and dark

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../test/support/browser.ts'
import { CHECKOUT_SCENES, type Scene } from '../test/support/checkout-scenes.ts'
import { type DashboardBench, startDashboardBench } from '../test/support/dashboard-bench.ts'
import { listenLocally } from '../test/support/event-source.ts'
import { type Bench, startTestService } from '../test/support/running-service.ts'
import { startTestServer } from '../test/support/server.ts'
import { buildWeb } from './build-web.ts'
import { DASHBOARD_SIGHTS, type Sight, setDashboardScene } from './dashboard-scenes.ts'

type Shot = { name: string; scene: Scene; width: number; colorScheme: 'light' | 'dark' }

const DOCS = join(import.meta.dirname, '../docs/screenshots')
const WIDTHS = [360, 1280]
const SCHEMES = ['light', 'dark'] as const

const SHOTS_OF_DOCS: readonly Shot[] = [
  shot('payer-waiting', 'waiting', 360, 'light'),
  shot('payer-paid', 'paid', 360, 'dark'),
]

type Look = { name: string; sight: Sight; width: number; colorScheme: 'light' | 'dark' }

const SIGHTS_OF_DOCS: readonly Look[] = [
  seen('dashboard-today', 'today', 1280, 'light'),
  seen('dashboard-payment', 'payment', 1280, 'dark'),
  seen('dashboard-phone', 'today', 360, 'dark'),
  seen('dashboard-accounts', 'accounts', 1280, 'light'),
  seen('dashboard-credits', 'credits', 1280, 'light'),
  seen('dashboard-suspense', 'suspense-request', 1280, 'light'),
  seen('dashboard-ledger', 'ledger-checks', 1280, 'light'),
  seen('dashboard-sandbox-bank', 'sandbox-bank-sent', 1280, 'dark'),
  seen('dashboard-webhooks', 'delivery', 1280, 'light'),
  seen('dashboard-developers', 'developers', 1280, 'light'),
  seen('dashboard-settings', 'users', 1280, 'light'),
]

const folder = process.argv[2] ?? DOCS
const pattern = new RegExp(process.argv[3] ?? '')
const isWanted = ({ name }: { name: string }) => pattern.test(name)
const shots = process.argv[2] ? everyShot() : SHOTS_OF_DOCS
await buildWeb()
mkdirSync(folder, { recursive: true })
const server = await startTestServer()
process.env.TEST_DATABASE_URL = server.templateUrl
try {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  await using browser = await openBrowser()
  for (const each of shots.filter(isWanted)) await take(bench, url, browser, each)
  await using desk = await startDashboardBench()
  await setDashboardScene(desk)
  const sights = process.argv[2] ? everySight() : SIGHTS_OF_DOCS
  for (const each of sights.filter(isWanted)) await look(desk, browser, each)
} finally {
  await server.stop()
}

type Browser = Awaited<ReturnType<typeof openBrowser>>

async function take(bench: Bench, url: string, browser: Browser, each: Shot): Promise<void> {
  const { name, scene, width, colorScheme } = each
  const height = width < 600 ? 740 : 800
  const deviceScaleFactor = folder === DOCS && width < 600 ? 1.5 : 1 // Phones have fine screens.
  await using opened = await browser.newPage({ width, height, colorScheme, deviceScaleFactor })
  const path = await scene(bench)
  await opened.page.goto(url + path)
  await opened.page.screenshot({
    path: join(folder, `${name}.png`),
    fullPage: true,
    animations: 'disabled',
  })
  console.log(`${name}.png`)
}

// What is shown has come once nothing is being asked for any more, but for the stream of events.
async function look(bench: DashboardBench, browser: Browser, each: Look): Promise<void> {
  const { name, sight, width, colorScheme } = each
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
  const answered = sight.act && page.waitForResponse(/\/api\/v1\//, { timeout: 2_000 })
  await sight.act?.(page)
  await answered?.catch(() => {}) // Some sights need no answer.
  await page.locator('.skeleton').first().waitFor({ state: 'detached' })
  const path = join(folder, `${name}.png`)
  await page.screenshot({ path, animations: 'disabled' })
  console.log(`${name}.png`)
}

function seen(name: string, sight: string, width: number, colorScheme: 'light' | 'dark'): Look {
  return { name, sight: DASHBOARD_SIGHTS[sight] as Sight, width, colorScheme }
}

function everySight(): Look[] {
  return Object.keys(DASHBOARD_SIGHTS).flatMap((sight) =>
    WIDTHS.flatMap((width) =>
      SCHEMES.map((scheme) => seen(`dashboard-${sight}-${width}-${scheme}`, sight, width, scheme)),
    ),
  )
}

function shot(name: string, scene: string, width: number, colorScheme: 'light' | 'dark'): Shot {
  return { name, scene: CHECKOUT_SCENES[scene] as Scene, width, colorScheme }
}

function everyShot(): Shot[] {
  return Object.keys(CHECKOUT_SCENES).flatMap((scene) =>
    WIDTHS.flatMap((width) =>
      SCHEMES.map((scheme) => shot(`${scene}-${width}-${scheme}`, scene, width, scheme)),
    ),
  )
}
