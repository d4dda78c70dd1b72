// Every guide of docs/guides is executed from its first block to its last, on a service like its reader's.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startChild } from '../support/child-service.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createPartitionedDatabase } from '../support/database.ts'
import { until } from '../support/embedded-bench.ts'
import { freePort } from '../support/free-port.ts'
import { blocksOf, followGuide } from '../support/guide-runner.ts'

const GUIDES = join(import.meta.dirname, '../../docs/guides')
const FIRST = 'quick-start.md'
const LANGUAGE = /-(php|python)\.md$/
const INTERPRETERS: Record<string, string> = { python: 'python3' }
const guides = (await readdir(GUIDES)).sort()
const folder = mkdtempSync(join(process.env.TEST_FOLDER as string, 'guides-'))

const database = closeAfterTests(await createPartitionedDatabase())
const service = closeAfterTests(
  await startChild({ folder, env: { DATABASE_URL: database.connectionString } }),
)

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).status === 0
}

// Waits until the sandbox's identity service has answered about every account. Its answers, a second after
// an account is opened, are events too, and would appear in the next guide.
async function untilIdentified(): Promise<void> {
  await until('no identity is being verified', async () => {
    const { rows } = await database.pool.query(
      `select from identity_checks where status = 'queued'`,
    )
    return rows.length === 0
  })
}

// Executes a guide with the addresses and ports of this test in place of the printed ones.
async function follow(name: string, home: string): Promise<void> {
  await untilIdentified()
  await followGuide(join(GUIDES, name), {
    home,
    env: {
      PATH: process.env.PATH ?? '',
      npm_config_cache: join(folder, 'npm-cache'),
    },
    replaced: { 'http://localhost:8080': service.url, '3000': `${await freePort()}` },
  })
}

test('from npm init to a verified webhook in ten commands, and through every guide', async (t) => {
  const home = join(folder, 'reader')
  const commands = blocksOf(await readFile(join(GUIDES, FIRST), 'utf8'))
    .filter(({ language, fileName }) => language === 'sh' && !fileName)
    .flatMap(({ content }) => content.trim().split('\n'))
  assert(commands.length <= 10, commands.join('\n'))

  const startedMs = performance.now()
  await follow(FIRST, home)
  t.diagnostic(`the quick start took ${Math.round(performance.now() - startedMs)} ms`)

  const others = guides.filter((name) => name !== FIRST && !LANGUAGE.test(name))
  for (const name of others) await follow(name, home)
})

for (const name of guides.filter((name) => LANGUAGE.test(name))) {
  const [, language = ''] = LANGUAGE.exec(name) ?? []
  // This interpreter does not come from npm. The guide is tested only where it is installed.
  if (!isInstalled(INTERPRETERS[language] ?? language)) continue

  test(`${name} can be followed to its end`, async () => {
    await follow(name, join(folder, language))
  })
}
