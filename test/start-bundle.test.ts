// `npm start` runs the bundled service (scripts/build-service.ts). Code that reads files beside its module
// must work in the bundle as it does from the sources.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { BUNDLE, buildIfChanged } from '../scripts/build.ts'
import { hmac, readSample } from './banks/connector-case.ts'
import { logIn, startChild } from './support/child-service.ts'
import { installTemplate, PACKAGE } from './support/connector-package.ts'
import { createTempFolder } from './support/temp-folder.ts'

const START = join(import.meta.dirname, '../scripts/start.mjs')
const KEY = 'the-key-of-acme'
const BANK = {
  ...{ code: '101', name: 'Acme Bank', connector: { package: PACKAGE } },
  settings: { baseUrl: 'http://127.0.0.1:9' },
  secrets: { signingKey: 'ACME_KEY', apiKey: 'ACME_API_KEY' },
  ...{ static: { from: 1, to: 99 }, dynamic: { from: 100, to: 199 } },
}

test('the bundle serves the API, the pages and a packaged connector, from several processes', async () => {
  using folder = createTempFolder()
  installTemplate(folder.path)
  const banksFile = join(folder.path, 'banks.json')
  writeFileSync(banksFile, JSON.stringify([BANK]))
  await using service = await startChild({
    folder: folder.path,
    command: [process.execPath, START, 'serve'],
    env: {
      ...{ ACME_KEY: KEY, ACME_API_KEY: 'the-api-key', MANILLA_BANKS_FILE: banksFile },
      ...{ MANILLA_PROCESSES: '2', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' },
    },
  })
  assert.match(await logIn(service.url), /./)
  for (const path of ['/ready', '/docs', '/dashboard', '/openapi.json', '/metrics']) {
    const answer = await fetch(service.url + path)
    assert.equal(answer.status, 200, path)
  }
  const body = readSample('template', 'transfer.json')
  const signature = hmac('sha256', KEY, body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-acme-signature': signature }
  const credit = await fetch(`${service.url}/rails/101/credits`, { method: 'POST', body, headers })
  assert.equal(credit.status, 200, await credit.text())
  assert.equal(await service.stop(), 0)
})

test('the bundle is in ASCII, so that V8 keeps a byte for each character', async () => {
  await buildIfChanged()
  const folder = join(BUNDLE, '..')
  const programs = readdirSync(folder).filter((name) => name.endsWith('.js'))
  assert(programs.length > 1)
  for (const name of programs) {
    assert(/^[\0-\x7f]*$/.test(readFileSync(join(folder, name), 'utf8')), name)
  }
})

test('a stack trace of the bundle names the source', async () => {
  await buildIfChanged()
  const kit = pathToFileURL(join(BUNDLE, '../kit.js')).href
  const { stdout } = spawnSync(
    process.execPath,
    [
      ...['--import', new URL('../scripts/mapped-stacks.ts', import.meta.url).href],
      ...['--input-type=module', '--eval'],
      `const { formatKobo } = await import('${kit}')
       try { formatKobo(Symbol()) } catch (error) { console.log(error.stack) }`,
    ],
    { encoding: 'utf8' },
  )
  assert.match(stdout, /src\/money\.ts:\d+:\d+/)
})
