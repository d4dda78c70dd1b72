// `npm run screenshots`: pictures of the pages for docs/screenshots/, taken of a real service in a
// real browser.
//
//   npm run screenshots -- <folder>     every state, at 360 and 1280 pixels, light and dark, to look at

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../test/support/browser.ts'
import { CHECKOUT_SCENES, type Scene } from '../test/support/checkout-scenes.ts'
import { listenLocally } from '../test/support/event-source.ts'
import { type Bench, startTestService } from '../test/support/running-service.ts'
import { startTestServer } from '../test/support/server.ts'
import { buildWeb } from './build-web.ts'

type Shot = { name: string; scene: Scene; width: number; colorScheme: 'light' | 'dark' }

const DOCS = join(import.meta.dirname, '../docs/screenshots')
const WIDTHS = [360, 1280]
const SCHEMES = ['light', 'dark'] as const

const SHOTS_OF_DOCS: readonly Shot[] = [
  shot('payer-waiting', 'waiting', 360, 'light'),
  shot('payer-paid', 'paid', 360, 'dark'),
]

const folder = process.argv[2] ?? DOCS
const shots = process.argv[2] ? everyShot() : SHOTS_OF_DOCS
await buildWeb()
mkdirSync(folder, { recursive: true })
const server = await startTestServer()
process.env.TEST_DATABASE_URL = server.templateUrl
try {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  await using browser = await openBrowser()
  for (const each of shots) await take(bench, url, browser, each)
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
