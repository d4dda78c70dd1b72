// Runs migrations on real databases, with small files that the tests write.

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type pg from 'pg'
import { findSchemaProblem, isMigrated, migrate } from '#db/migrate.ts'
import { createTestDatabase } from '../support/database.ts'
import { type Bench, greet, NOTES, refuses, setup, TAGS } from '../support/migration-bench.ts'

const MIGRATE = join(import.meta.dirname, '../../src/db/migrate.ts')

test('files are applied once, in order, functions after migrations', async () => {
  await using bench = await setup(
    { '0001_notes': NOTES, '0002_tags': TAGS },
    { greet: greet('ho') },
  )

  assert.equal(await bench.isMigrated(), false)
  const first = await bench.migrate()
  const second = await bench.migrate()

  const all = ['migrations/0001_notes.sql', 'migrations/0002_tags.sql', 'functions/greet.sql']
  assert.deepEqual(first, all)
  assert.deepEqual(second, [])
  assert.equal(await bench.isMigrated(), true)
  assert.deepEqual(await bench.column('select body from notes'), ['tagged'])
  const applied = await bench.column(
    'select name from schema_migrations order by applied_at, xmin::text::bigint',
  )
  assert.deepEqual(applied, ['0001_notes.sql', '0002_tags.sql'])
})

test('a migration and its record are one transaction, so that a kill between them is harmless', async () => {
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': TAGS }, {})

  await bench.migrate()

  const writers = await bench.column(`select xmin::text from notes
    union select xmin::text from schema_migrations where name = '0002_tags.sql'`)
  assert.equal(writers.length, 1)
})

test('migrating through a connection string does the same as through a pool', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, {})

  const applied = await migrate(bench.connectionString, bench.locations)

  assert.deepEqual(applied, ['migrations/0001_notes.sql'])
  assert.deepEqual(await bench.migrate(), [])
})

test('later files continue where the earlier ones ended', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, {})
  await bench.migrate()

  await bench.write('migrations/0002_tags.sql', TAGS)

  assert.equal(await bench.isMigrated(), false)
  assert.deepEqual(await bench.migrate(), ['migrations/0002_tags.sql'])
  assert.equal(await bench.isMigrated(), true)
})

test('twenty starts at once, in several processes, apply each file exactly once', async () => {
  // The first migration waits for the lock that the test holds, so that all twenty runs have begun before
  // one can end.
  const marks = `select pg_advisory_xact_lock(1); create table marks (id serial)`
  const mark = 'insert into marks default values'
  await using bench = await setup(
    { '0001_marks': marks, '0002_mark': mark },
    { greet: greet('hi') },
  )
  const gate = await bench.pool.connect()
  await gate.query('select pg_advisory_lock(1)')
  // A statement timeout of the database is meant for requests. It must not end a starting process that
  // waits for the migrations.
  await gate.query(`do $$ begin
    execute format('alter database %I set statement_timeout = 1000', current_database());
  end $$`)
  const here = Array.from({ length: 5 }, () => bench.migrate())
  const elsewhere = Array.from({ length: 3 }, () => migrateFiveTimesInAnotherProcess(bench))
  let ended = false
  const runs = (async () => [
    ...(await Promise.all(here)),
    ...(await Promise.all(elsewhere)).flat(),
  ])()
  void runs.catch(() => {}).then(() => (ended = true))

  try {
    while (!ended && (await countStarts(gate)) < 20);
    await gate.query('select pg_sleep(1.1)')
  } finally {
    await gate.query('select pg_advisory_unlock(1)')
    gate.release()
  }
  const applied = await runs

  assert.equal(applied.length, 20)
  assert.deepEqual(applied.flat().sort(), [
    'functions/greet.sql',
    'migrations/0001_marks.sql',
    'migrations/0002_mark.sql',
  ])
  assert.deepEqual(await bench.column('select id from marks'), [1])
})

test('a failed migration is undone and named, and those before it stay applied', async () => {
  const broken = `${TAGS};\ninsert into missing values (1)`
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': broken }, {})

  await refuses(
    bench.migrate(),
    /^migrations\/0002_tags\.sql failed at line 2 and .*: relation "missing" does not exist$/,
  )

  assert.deepEqual(await bench.column('select name from schema_migrations'), ['0001_notes.sql'])
  assert.deepEqual(await bench.column('select body from notes'), [])
  assert.deepEqual(await bench.column(`select to_regclass('tags')`), [null])
  await bench.write('migrations/0002_tags.sql', TAGS)
  assert.deepEqual(await bench.migrate(), ['migrations/0002_tags.sql'])
})

test('a constraint that only fails at commit still undoes the whole migration', async () => {
  const broken = `create table tags (note_id int references notes deferrable initially deferred);
    insert into tags values (7)`
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': broken }, {})

  await refuses(bench.migrate(), /^migrations\/0002_tags\.sql failed.*foreign key/)

  assert.deepEqual(await bench.column(`select to_regclass('tags')`), [null])
  assert.deepEqual(await bench.column('select name from schema_migrations'), ['0001_notes.sql'])
})

test('history that differs from the files is refused, and nothing is applied', async () => {
  await using bench = await setup({ '0001_notes': NOTES, '0003_tags': TAGS }, { greet: greet('a') })
  await bench.migrate()
  const { write, remove } = bench

  await write('migrations/0001_notes.sql', `${NOTES} `)
  await refuses(bench.migrate(), /migrations\/0001_notes\.sql was changed after it was applied/)
  assert.equal(await bench.isMigrated(), false)

  await remove('migrations/0001_notes.sql')
  await refuses(bench.migrate(), /migrations\/0001_notes\.sql was applied .* its file is missing/)

  await write('migrations/0001_notes.sql', NOTES)
  await write('migrations/0002_late.sql', 'create table late ()')
  await write('functions/greet.sql', greet('b'))
  await refuses(bench.migrate(), /migrations\/0002_late\.sql comes before migrations\/0003_tags/)
  assert.deepEqual(await bench.column(`select to_regclass('late')`), [null])
  assert.deepEqual(await bench.column('select greet()'), ['a'])
})

test('a database from before the baseline is refused in plain words, and left as it was', async () => {
  const sentence =
    /before the first release, at migrations\/0111_delivery_transitions\.sql, and nothing upgrades it/
  await using bench = await setup(
    { '0001_extensions': 'select 1', '0002_clients': 'create table clients (id text)' },
    {},
  )
  await bench.migrate()
  await bench.write('migrations/0111_delivery_transitions.sql', 'select 1')
  await bench.migrate()
  const tables = `select relname::text from pg_class where relnamespace = 'public'::regnamespace order by 1`
  const before = await bench.column(tables)

  await assert.rejects(migrate(bench.connectionString), {
    name: 'MigrationProblem',
    message: sentence,
  })

  assert.match((await findSchemaProblem(bench.pool)) ?? '', sentence)
  assert.deepEqual(await bench.column(tables), before)
})

test('badly named files and files that end their transaction are refused before anything runs', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, {})
  const cases = [
    ['migrations/2_tags.sql', TAGS, /migrations\/2_tags\.sql is not named like/],
    ['migrations/0001_tags.sql', TAGS, /migrations\/0001_tags\.sql has the same number/],
    ['migrations/0002_tags.sql', `${TAGS};\n commit ;`, /0002_tags\.sql begins or ends a trans/],
    ['functions/greet.sql', `BEGIN;${greet('a')}`, /functions\/greet\.sql begins or ends a trans/],
  ] as const

  for (const [path, text, sentence] of cases) {
    await bench.write(path, text)
    await refuses(bench.migrate(), sentence)
    await bench.remove(path)
  }

  assert.deepEqual(await bench.column(`select to_regclass('schema_migrations')`), [null])
})

test('a migration that processes at work hold up steps back, and tries again', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, {})
  await bench.migrate()
  await bench.write('migrations/0002_due.sql', 'alter table notes add column due date')
  const worker = await bench.pool.connect()
  await worker.query("begin; insert into notes values (1, 'open')")

  const migrated = bench.migrate()
  await untilWaitingForLock(worker, 1)
  await untilWaitingForLock(worker, 0) // It has left the queue of the lock, and later waiters may pass.
  await worker.query('commit')
  worker.release()

  assert.deepEqual(await migrated, ['migrations/0002_due.sql'])
  assert.deepEqual(await bench.column('select body from notes where due is null'), ['open'])
})

test('a migration that meets a process in a deadlock gives way, and tries again', async () => {
  const tags = 'create table tags (id int primary key)'
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': tags }, {})
  await bench.migrate()
  const both = 'alter table notes add column due date; alter table tags add column due date'
  await bench.write('migrations/0003_due.sql', both)
  const worker = await bench.pool.connect()
  // So the migrating session detects the deadlock, not this one.
  await worker.query("set deadlock_timeout = '1min'")
  await worker.query('begin; insert into tags values (1)')

  const migrated = bench.migrate()
  await untilWaitingForLock(worker, 1)
  await worker.query("insert into notes values (1, 'met')")
  await worker.query('commit')
  worker.release()

  assert.deepEqual(await migrated, ['migrations/0003_due.sql'])
  assert.deepEqual(await bench.column('select body from notes'), ['met'])
})

test('the shipped migrations are applied in the template that tests clone', async () => {
  await using database = await createTestDatabase()

  assert.equal(await isMigrated(database.pool), true)
  assert.deepEqual(await migrate(database.pool), [])
})

// Runs five migrations at once in another process. Returns the migrations that each applied.
async function migrateFiveTimesInAnotherProcess({ connectionString, locations }: Bench) {
  const script = `
    import { migrate } from ${JSON.stringify(MIGRATE)}
    const [url, locations] = JSON.parse(process.argv[1])
    const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(url, locations)))
    console.log(JSON.stringify(runs))`
  const input = JSON.stringify([connectionString, locations])
  const args = ['--input-type=module', '--eval', script, input]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout) as string[][]
}

// Counts the sessions that want to migrate: one session waits at the gate, and all other sessions try to
// get the lock again and again.
async function countStarts(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query(`
    select count(*)::int as starts from pg_stat_activity, pg_sleep(0.02)
     where datname = current_database() and query ~ 'advisory_xact_lock|rollback'`)
  return rows[0].starts
}

// Waits until exactly `count` sessions wait for a table lock.
async function untilWaitingForLock(client: pg.ClientBase, count: number): Promise<void> {
  for (;;) {
    const { rows } = await client.query(`
      select count(*)::int as waiting from pg_locks, pg_sleep(0.01)
       where locktype = 'relation' and not granted
         and database = (select oid from pg_database where datname = current_database())`)
    if (rows[0].waiting === count) return
  }
}
