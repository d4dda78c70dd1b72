// Two releases run side by side on one database (I80): an older build beside newer migrations, and starts
// that wait for migrations. The tests write small migration files.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '#db/migrate.ts'
import { type Bench, greet, NOTES, refuses, setup, TAGS } from '../support/migration-bench.ts'

// Returns a migration that declares beside which release it works.
const migrationBeside = (release: string, sql: string) =>
  `-- Tags.\n-- works beside: ${release}\n${sql}`

test('an older build works beside migrations that allow it, and leaves newer functions alone', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greet('old') })
  await bench.migrate()
  await bench.write('migrations/0002_tags.sql', migrationBeside('0001', TAGS))
  await bench.write('migrations/0003_more.sql', migrationBeside('0001', 'create table more ()'))
  await bench.write('functions/greet.sql', greet('new'))
  await bench.migrate()

  await useOlderBuild(bench, ['0002_tags', '0003_more'])

  assert.equal(await bench.isMigrated(), true)
  assert.deepEqual(await bench.migrate(), [])
  assert.deepEqual(await bench.column('select greet()'), ['new'])
})

test('an older build that a migration has left behind is refused, and says since when', async () => {
  const tags = migrationBeside('0001', TAGS)
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': tags }, { greet: greet('a') })
  await bench.migrate()
  await bench.write('migrations/0003_less.sql', migrationBeside('0002', 'drop table tags'))
  await bench.migrate()
  await useOlderBuild(bench, ['0003_less'])
  assert.equal(await bench.isMigrated(), true)

  await useOlderBuild(bench, ['0002_tags'])

  const reason = /too old for the database: migrations\/0003_less\.sql works beside .*0002 on.*0001/
  await refuses(bench.migrate(), reason)
  assert.match((await bench.problem()) ?? '', reason)
})

test('a newer migration that does not say what it works beside is refused', async () => {
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': TAGS }, { greet: greet('a') })
  await bench.migrate()
  await useOlderBuild(bench, ['0002_tags'])

  await refuses(bench.migrate(), /the database is newer than this build: .*0002_tags\.sql/)
  assert.match((await bench.problem()) ?? '', /newer than this build/)
  assert.deepEqual(await bench.column('select greet()'), ['a'])
})

test('records of a release before this rule are taken over, and its migrations stay refused', async () => {
  await using bench = await setup({ '0001_notes': NOTES, '0002_tags': TAGS }, {})
  await bench.migrate()
  await bench.pool.query('alter table schema_migrations drop column works_beside')

  assert.equal(await bench.isMigrated(), true)
  await bench.migrate()
  await useOlderBuild(bench, ['0002_tags'])

  await refuses(bench.migrate(), /the database is newer than this build/)
})

test('no session ever sees a schema without its functions', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greet('a') })
  await bench.migrate()
  const drop = 'drop function greet(); select pg_advisory_xact_lock(1)'
  await bench.write('migrations/0002_greet.sql', migrationBeside('0001', drop))
  const gate = await bench.pool.connect()
  await gate.query('select pg_advisory_lock(1)')

  const migrated = bench.migrate()
  await untilWaitingAtGate(bench)
  const during = await bench.column(`select name from schema_functions where greet() = 'a'`)
  await gate.query('select pg_advisory_unlock(1)')
  gate.release()
  await migrated

  assert.deepEqual(during, ['greet.sql'])
  assert.deepEqual(await bench.column('select greet()'), ['a'])
  const writers = await bench.column(`select xmin::text from schema_functions
    union select xmin::text from schema_migrations where name = '0002_greet.sql'`)
  assert.equal(writers.length, 1)
})

test('a start without migrations does not wait; one that has to wait logs what it waits for', async () => {
  await using bench = await setup({ '0001_notes': NOTES }, {})
  await bench.migrate()
  const holder = await bench.pool.connect()
  await holder.query(`set application_name = 'another start'`)
  await holder.query('begin; select pg_advisory_xact_lock(7246153)')
  assert.deepEqual(await bench.migrate(), [])
  await bench.write('migrations/0002_tags.sql', migrationBeside('0001', TAGS))

  const output = Promise.withResolvers<string>()
  const migrated = migrate(bench.connectionString, bench.locations, output.resolve)
  const words = await output.promise
  await holder.query('commit')
  holder.release()

  assert.match(
    words,
    /^backend \d+ \(another start.*\), idle in transaction since 2\S+Z: begin; sel/,
  )
  assert.deepEqual(await migrated, ['migrations/0002_tags.sql'])
})

test('an index is made outside a transaction, beside others, and again after a failure', async () => {
  const indexMigration = (column: string) =>
    migrationBeside(
      '0001',
      `-- outside a transaction\ndrop index concurrently if exists notes_by_body;
    create index concurrently notes_by_body on notes (${column});\n`,
    )
  await using bench = await setup({ '0001_notes': NOTES }, { greet: greet('a') })
  await bench.migrate()
  await bench.write('migrations/0002_index.sql', indexMigration('missing'))
  await refuses(bench.migrate(), /0002_index\.sql failed; start again\. .*"missing" does not exist/)
  await bench.write('migrations/0002_index.sql', indexMigration('body'))
  const worker = await bench.pool.connect()
  await worker.query("begin; insert into notes values (1, 'open')")

  const migrated = Promise.all([bench.migrate(), bench.migrate()])
  await bench.column(UNTIL_INDEX_WAITS)
  await worker.query("insert into notes values (2, 'more'); commit")
  worker.release()

  const all = ['functions/greet.sql', 'migrations/0002_index.sql']
  assert.deepEqual((await migrated).flat().sort(), all)
  assert.deepEqual(
    await bench.column(`select indisvalid from pg_index
     where indexrelid = 'notes_by_body'::regclass`),
    [true],
  )
})

const UNTIL_INDEX_WAITS = `do $$ begin
  while not exists (select from pg_stat_activity where datname = current_database()
                     and query ~ 'create index' and wait_event_type = 'Lock') loop
    perform pg_sleep(0.01), pg_stat_clear_snapshot();
  end loop; end $$`

// Returns once another session waits for an advisory lock, as a start does that waits for migrations.
async function untilWaitingAtGate({ column }: Bench): Promise<void> {
  await column(`do $$ begin
    while not exists (select from pg_stat_activity where datname = current_database()
                       and wait_event = 'advisory') loop
      perform pg_sleep(0.01), pg_stat_clear_snapshot();
    end loop; end $$`)
}

// Changes the files to those of an older build, which lacks these migrations.
async function useOlderBuild(bench: Bench, migrations: readonly string[]): Promise<void> {
  for (const name of migrations) await bench.remove(`migrations/${name}.sql`)
  await bench.write('functions/greet.sql', greet('old'))
}
