// Every guide is followed from its first block to its last, on a service that runs as its reader's does.

import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChild } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createPartitionedDatabase } from '../support/database.ts'
import { followGuide } from '../support/guide-runner.ts'

const GUIDES = join(import.meta.dirname, '../../docs/guides')
const folder = mkdtempSync(join(process.env.TEST_FOLDER as string, 'guides-'))

const database = closeAfterTests(await createPartitionedDatabase())
const service = closeAfterTests(
  await startChild({ folder, env: { DATABASE_URL: database.connectionString } }),
)

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as { port: number }
  await new Promise((done) => server.close(done))
  return `${port}`
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

for (const name of (await readdir(GUIDES)).sort()) {
  const [, interpreter] = /-(php|python)\.md$/.exec(name) ?? []
  // Neither comes from npm; where they are installed, what we say of them is true.
  if (interpreter && !isInstalled(interpreter === 'python' ? 'python3' : interpreter)) continue

  test(`${name} can be followed to its end`, async () => {
    await followGuide(join(GUIDES, name), {
      folder: mkdtempSync(join(folder, 'reader-')),
      env: {
        PATH: process.env.PATH ?? '',
        MANILLA_URL: service.url,
        npm_config_cache: join(folder, 'npm-cache'),
      },
      replaced: { 'http://localhost:8080': service.url, '3000': await freePort() },
    })
  })
}
