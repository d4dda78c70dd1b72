// The SQL functions of db/functions are applied again whenever their files change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greet, NOTES, refuses, setup } from '../support/migration-bench.ts'

test('a function is applied again when its file changed, and only then', async () => {
  const other = 'create or replace function other() returns int language sql as $$ select 1 $$'
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greet('good day'), other })
  await bench.migrate()

  await bench.write('functions/greet.sql', greet('good night'))

  assert.equal(await bench.isMigrated(), false)
  assert.deepEqual(await bench.migrate(), ['functions/greet.sql'])
  assert.deepEqual(await bench.column('select greet()'), ['good night'])
  assert.equal(await bench.isMigrated(), true)
  assert.deepEqual(await bench.migrate(), [])
})

test('changed functions are applied all or none', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greet('a'), other: greet('b') })
  await bench.write('functions/other.sql', 'create function other() returns nothing')

  await refuses(bench.migrate(), /^functions\/other\.sql failed .*PostgreSQL says: /)

  assert.deepEqual(await bench.column(`select to_regproc('greet')`), [null])
  assert.deepEqual(await bench.column('select name from schema_functions'), [])
})

test('functions come back after a migration that took them away', async () => {
  const greetNote = `create or replace function greet(note notes) returns text language sql
    as $$ select note.body $$`
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greetNote })
  await bench.migrate()

  await bench.write('migrations/0002_notes_again.sql', `drop table notes cascade; ${NOTES}`)

  const applied = await bench.migrate()
  assert.deepEqual(applied, ['migrations/0002_notes_again.sql', 'functions/greet.sql'])
  assert.deepEqual(await bench.column(`select to_regproc('greet')::text`), ['greet'])
})

test('a function whose file went away and came back is applied again', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greet('a') })
  await bench.migrate()
  await bench.remove('functions/greet.sql')
  await bench.migrate()

  await bench.write('functions/greet.sql', greet('a'))

  assert.deepEqual(await bench.migrate(), ['functions/greet.sql'])
})
