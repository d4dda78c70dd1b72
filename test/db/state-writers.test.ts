// Only states.ts writes the state columns of these tables (I109); and the rule finds any other writer.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { STATES } from '../../scripts/states.ts'

const ROOT = join(import.meta.dirname, '../..')
const COLUMN_OF = new Map(STATES.map(({ table, column }) => [table, column]))

// Matches the assignments of an update, or of an insert that updates existing rows: up to the condition or
// the end of the text.
const SET = String.raw`\bset\b([^\x60]*?)(?:\bwhere\b|\breturning\b|[\x60;]|$)`
const UPDATE = new RegExp(String.raw`\bupdate\s+(\w+)(?:\s+(?:as\s+)?(?!set\b)\w+)?\s+${SET}`, 'gi')
const UPSERT = new RegExp(String.raw`\bdo\s+update\s+${SET}`, 'gi')

// Returns the statements in the source text that write a state column.
function findWriters(text: string): string[] {
  const updates = [...text.matchAll(UPDATE)].filter(([, table = '', set = '']) =>
    writes(set, COLUMN_OF.get(table.toLowerCase())),
  )
  // The table of an upsert is that of the last `insert into` before it in the text.
  const upserts = [...text.matchAll(UPSERT)].filter(({ index, 1: set = '' }) => {
    const table = [...text.slice(0, index).matchAll(/\binsert\s+into\s+(\w+)/gi)].at(-1)?.[1]
    if (table !== undefined) return writes(set, COLUMN_OF.get(table.toLowerCase()))
    return writes(set, 'status') || writes(set, 'state') // The text does not say which table.
  })
  return [...updates, ...upserts].map(([statement]) => statement)
}

// Returns whether the assignments after SET write the column.
const writes = (set: string, column: string | undefined) =>
  column !== undefined && new RegExp(`(?:^|[,(])\\s*${column}\\s*(?:=|,)`, 'i').test(set)

test('only states.ts writes a state column', () => {
  const paths = globSync('src/**/*.ts', { cwd: ROOT }).filter((path) => !/\/states\.ts$/.test(path))
  assert(paths.length > 100)
  const faults = paths.flatMap((path) =>
    findWriters(readFileSync(join(ROOT, path), 'utf8')).map((statement) => `${path}: ${statement}`),
  )
  assert.deepEqual(faults, [])
})

for (const text of [
  "`update payouts set status = 'failed' where id = $1`",
  "`update payouts p\n set sending_at = $1,\n status = 'sending' from due where p.id = due.id`",
  "'update returns set status = $2 where id = $1'",
  '`UPDATE suspense_items AS i SET state = a.state FROM a`',
  '`update differences set (state, action) = ($1, $2)`',
  "`insert into deliveries (a) values (1) on conflict (a) do update set state = 'pending'`",
  "const AGAIN = `on conflict (a) do update\n set state = 'pending'`",
]) {
  test(`the rule reports ${JSON.stringify(text)}`, () => {
    assert.equal(findWriters(text).length, 1)
  })
}

for (const text of [
  "`update payouts set next_query_at = $2 where id = $1 and status = 'unknown'`",
  '`update bank_accounts set status = $2 where id = $1`',
  '`insert into bank_accounts (a) values (1) on conflict (a) do update set status = excluded.status`',
  "`update deliveries set attempts = 1 where state = 'delivered'`",
]) {
  test(`the rule accepts ${JSON.stringify(text)}`, () => {
    assert.deepEqual(findWriters(text), [])
  })
}
