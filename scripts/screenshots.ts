// `npm run screenshots`: pictures of the pages for docs/screenshots/, taken of a real service in a
// real browser, with a clock that stands still so that they change only when the pages do.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openBrowser } from '../test/support/browser.ts'
import { listenLocally } from '../test/support/event-source.ts'
import { startTestService } from '../test/support/running-service.ts'
import { startTestServer } from '../test/support/server.ts'
import { buildWeb } from './build-web.ts'

type Shot = { name: string; path: string; width: number; isDark?: boolean }

const FOLDER = join(import.meta.dirname, '../docs/screenshots')

const SHOTS: readonly Shot[] = [{ name: 'dashboard', path: '/dashboard', width: 1280 }]

await buildWeb()
mkdirSync(FOLDER, { recursive: true })
const server = await startTestServer()
process.env.TEST_DATABASE_URL = server.templateUrl
try {
  await using bench = await startTestService()
  const url = await listenLocally(bench.service.app)
  await using browser = await openBrowser()
  for (const { name, path, width, isDark } of SHOTS) {
    const colorScheme = isDark ? 'dark' : 'light'
    await using opened = await browser.newPage({ width, colorScheme })
    await opened.page.goto(url + path)
    await opened.page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: true })
    console.log(`docs/screenshots/${name}.png`)
  }
} finally {
  await server.stop()
}
