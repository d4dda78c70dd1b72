// No statement locks rows in a subquery and then looks up partitions, because that may crash PostgreSQL 18
// (docs/decisions/0023). The test reads the source code: such a statement crashes only if rows change at
// the same time.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createTestDatabase } from '../support/database.ts'

const SRC = join(import.meta.dirname, '../../src')
const LOCKS_WITHIN =
  /\bfor (?:no key update|update|key share|share)(?: of [\w, ]+)?(?: skip locked| nowait)?\s*\)/
// This file looks up partitions by another column than their key, event_id. Then PostgreSQL reads every
// partition and picks none at run time.
const BY_ANOTHER_COLUMN = ['webhooks/claims.ts']
const BY_KEY = /\bevent_id = /

test('no statement locks rows in a subquery and looks up partitions', async () => {
  await using database = await createTestDatabase()
  const { rows } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'p'`,
  )
  const partitioned = new RegExp(`\\b(?:${rows.map(({ name }) => name).join('|')})\\b`)
  const found = globSync('**/*.ts', { cwd: SRC }).flatMap((path) =>
    readFileSync(join(SRC, path), 'utf8')
      .split('`')
      .filter((text) => LOCKS_WITHIN.test(text) && partitioned.test(text))
      .map((text) => ({ path, text })),
  )

  assert(rows.length >= 5)
  assert.deepEqual(
    found.map(({ path }) => path),
    BY_ANOTHER_COLUMN,
  )
  assert.doesNotMatch(found[0]?.text as string, BY_KEY)
})
