// Every migration since the previous release follows the rules that let that release run beside it (I80).
// Each rule is also tested with a migration that breaks it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSchemaFiles, type SchemaFile } from '#db/migrate.ts'
import {
  createdTables,
  functionHeads,
  headFaults,
  migrationFaults,
} from '../support/migration-rules.ts'
import { readPreviousRelease } from '../support/previous-release.ts'

const previous = readPreviousRelease()
const shipped = await loadSchemaFiles({})
const before = Object.keys(previous.files)
const release =
  before
    .filter((path) => path.startsWith('db/migrations/'))
    .sort()
    .at(-1) ?? ''
const number = release.slice('db/migrations/'.length).slice(0, 4)
const since = shipped.migrations.filter(({ name }) => name.slice(0, 4) > number)

test('the previous release can go on beside every migration since', () => {
  const tables = createdTables(since)

  const faults = since.flatMap((file) => [
    ...headFaults(file, number),
    ...migrationFaults(file, tables),
  ])

  assert.deepEqual(faults, [])
})

test('migrations of the previous release are as they were', () => {
  const changed = before
    .filter((path) => path.startsWith('db/migrations/'))
    .filter(
      (path) =>
        !shipped.migrations.some(
          (file) => `db/${file.path}` === path && file.text === previous.files[path],
        ),
    )

  assert.deepEqual(changed, [])
})

test('functions are called as before, and change with a migration, which says whose they are', () => {
  for (const { path, text } of shipped.functions) {
    const old = previous.files[`db/${path}`]
    if (old === undefined) continue
    const heads = functionHeads(text)
    assert(heads.size > 0, `${path} makes no function`)
    for (const [name, head] of functionHeads(old)) {
      assert.equal(heads.get(name), head, `${path}: give the new form of ${name} a new name`)
    }
  }
  const changed = shipped.functions.filter(
    ({ path, text }) => previous.files[`db/${path}`] !== text,
  )
  const [first] = changed
  assert(!first || since.length > 0, `${first?.path} changed: add a migration (CONTRIBUTING.md)`)
})

const REFUSED: readonly [sql: string, why: RegExp][] = [
  ['drop table credits', /previous release may use it/],
  ['drop function uuid_floor(date)', /previous release may use it/],
  ['alter table credits drop column narration', /may rely on it/],
  ['alter table credits add column a int, drop narration', /may rely on it/],
  ['alter table credits alter bank_code drop not null', /may rely on it/],
  ['alter table credits rename column narration to words', /knows the old name/],
  ['alter table credits rename to money', /knows the old name/],
  ['alter table credits alter column amount_kobo type numeric', /rewrites the table/],
  ['alter table credits alter narration set not null', /refuses what the previous/],
  ['alter table credits add column a int not null', /without it: give it a default/],
  ['alter table credits add a uuid not null default gen_random_uuid()', /rewrites the table/],
  ['alter table credits add column a int generated always as (1) stored', /rewrites the table/],
  [`alter table credits add constraint a check (b in ('x', 'y'))`, /not valid/],
  ['alter table credits add foreign key (a) references clients', /not valid/],
  ['alter table credits add constraint a unique (b)', /nobody can write/],
  ['create index a on credits (b)', /make it concurrently/],
  ['create unique index a on credits (b)', /refuses what the previous/],
  ['create trigger a after insert on credits execute function f()', /also works on the previous/],
  ['create or replace function f() returns int language sql as $$ select 1 $$', /changes what/],
  ['update credits set narration = null', /locks what the previous/],
  [`do $$ begin execute 'drop table credits'; end $$`, /nobody sees/],
  [
    `alter table a add constraint b check (c > 0) not valid; alter table a validate constraint b`,
    /in a migration of its own/,
  ],
  ['-- outside a transaction\ncreate table a ()', /only indexes/],
  ['-- outside a transaction\ncreate index a on credits (b)', /only indexes/],
]

for (const [sql, why] of REFUSED) {
  test(`refused: ${sql.slice(0, 60)}`, () => {
    const faults = migrationFaults(asFile(sql), new Set())

    assert.equal(faults.length, 1, `${faults}`)
    assert.match(faults[0] ?? '', why)
  })
}

const ALLOWED = [
  'create table a (b int not null, constraint c check (b > 0)); create index d on a (b)',
  `alter table credits add column a int, add column b text not null default 'x;drop table y'`,
  'alter table credits add column a timestamptz default now()',
  'alter table credits add constraint a check (b > 0) not valid',
  'alter table credits validate constraint a',
  '-- No more.\n-- safe: nothing reads it since 0063\nalter table credits drop column narration;',
  'create function f() returns int language sql as $$ delete from credits; select 1 $$',
  '-- outside a transaction\ndrop index concurrently if exists a;\ncreate index concurrently a on b (c);',
  '/* drop table a; */ select 1 -- drop table b;',
]

for (const sql of ALLOWED) {
  test(`allowed: ${sql.slice(0, 60)}`, () => {
    const file = asFile(sql)
    assert.deepEqual(migrationFaults(file, createdTables([file])), [])
  })
}

test('a migration says which release it works beside, and that is not newer than the previous one', () => {
  assert.match(
    headFaults(asFile('select 1'), '0060')[0] ?? '',
    /says nowhere -- works beside: 0060/,
  )
  const [later = ''] = headFaults({ ...asFile('select 1'), worksBeside: '0061' }, '0060')
  assert.match(later, /previous release, 0060, must/)
  assert.deepEqual(headFaults({ ...asFile('select 1'), worksBeside: '0060' }, '0060'), [])
})

// Returns a migration with this SQL.
function asFile(text: string): SchemaFile {
  return {
    name: '0099_test.sql',
    path: 'migrations/0099_test.sql',
    text,
    checksum: '',
    worksBeside: null,
    isOutsideTransaction: text.startsWith('-- outside a transaction'),
  }
}
