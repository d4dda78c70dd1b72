// A database of the last version before the baseline, upgraded with real rows (I125, I126, I127). The tests
// run in order, on one database.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import pg from 'pg'
import { findSchemaProblem, maintainPartitions, migrate } from '#db/migrate.ts'
import { createPool, type Pool } from '#db/pool.ts'
import { upgradeBaseline } from '#db/upgrade-baseline.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { renderSchema } from '../../scripts/render-schema.ts'
import { createDatabaseBeforeBaseline, KEPT_AT, queryOnce } from '../support/before-baseline.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { until } from '../support/embedded-bench.ts'
import { runManilla, startManilla } from '../support/manilla-command.ts'
import { PAYOUTS } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const UPGRADE = ['admin', 'upgrade-baseline']
const NEW_NAMES: Record<string, string> = {
  actions: 'audit_log',
  audits: 'integrity_checks',
  remembered_answers: 'stored_responses',
}

const database = await createDatabaseBeforeBaseline()
const { connectionString } = database
const bench = { database } as never
const before = { schema: await schemaOf(connectionString), rows: await rowsOf() }

test('a start and a migration refuse a database before the baseline, and name the command', async () => {
  const sentence = /before the baseline: stop every process, then run `npx manilla admin upgrade-ba/

  await assert.rejects(migrate(connectionString), { name: 'MigrationProblem', message: sentence })
  await onPool(connectionString, async (pool) =>
    assert.match((await findSchemaProblem(pool)) ?? '', sentence),
  )
})

test('the upgrade refuses while a process is connected, and names it', async () => {
  using folder = createTempFolder()
  const other = new pg.Client({ connectionString, application_name: 'a process' })
  await other.connect()

  const { code, err } = await runManilla(bench, folder.path, UPGRADE)
  await other.end()

  assert.notEqual(code, 0)
  assert.match(err, /stop every process.*still connected: backend \d+ \(a process/)
})

test('an upgrade that is killed leaves the database as it was', async () => {
  using folder = createTempFolder()
  await queryOnce(
    connectionString,
    `create function pause() returns event_trigger language plpgsql
       as $$ begin perform pg_sleep(600); end $$;
     create event trigger pause on ddl_command_end when tag in ('DROP TABLE')
       execute function pause()`,
  )
  const child = startManilla(bench, folder.path, UPGRADE)
  await until('the upgrade has renamed the tables', async () => (await sleepers()).length > 0)

  process.kill(-(child.pid as number), 'SIGKILL')
  await once(child, 'close')
  const [backend] = await sleepers()
  await queryOnce(connectionString, `select pg_terminate_backend(${backend?.pid})`)
  await until('it is gone', async () => (await sleepers()).length === 0)
  await queryOnce(connectionString, 'drop event trigger pause; drop function pause()')

  assert.equal(await schemaOf(connectionString), before.schema)
  assert.deepEqual(await rowsOf(), before.rows)
})

test('the upgrade keeps every row, and a second one changes nothing', async () => {
  using folder = createTempFolder()

  const first = await runManilla(bench, folder.path, UPGRADE)
  const upgraded = await rowsOf()
  const second = await runManilla(bench, folder.path, UPGRADE)

  assert.deepEqual([first.code, first.err, second.code], [0, '', 0])
  assert.match(first.out, /has the baseline now/)
  assert.match(second.out, /has the baseline already/)
  assert.deepEqual(upgraded, before.rows)
  assert.deepEqual(await rowsOf(), upgraded)
})

test('an upgraded database has the schema of a new one', async () => {
  await using fresh = await createEmptyDatabase()
  await migrate(fresh.connectionString)
  await migrate(connectionString)
  await onPool(fresh.connectionString, (pool) => maintainPartitions(pool, KEPT_AT))

  const [upgraded, created] = await Promise.all([
    schemaOf(connectionString),
    schemaOf(fresh.connectionString),
  ])

  assert.deepEqual(linesWithout(upgraded, created), [])
  assert.deepEqual(linesWithout(created, upgraded), [])
  assert.equal(upgraded, created)
  const seeds = 'select band_limits_kobo, band_fees_kobo, vat_bps, created_by from payout_tariffs'
  assert.deepEqual(
    await queryOnce(connectionString, seeds),
    await queryOnce(fresh.connectionString, seeds),
  )
})

test('the service starts on it, the books are right, and a stored response is sent again', async () => {
  await using service = await startTestService({ database })
  service.advance(KEPT_AT.getTime() - service.clock().getTime())

  const answer = await service.call({
    url: PAYOUTS,
    body: { amount: '500', narration: 'With a key' },
    headers: { 'idempotency-key': 'payout-key-1' },
  })

  assert.equal(answer.statusCode, 200, answer.body)
  assert.equal(answer.headers['idempotent-replayed'], 'true')
  assert.deepEqual(await checkIntegrity(database.pool), [])
})

test('the upgrade refuses a database of an older migration, and an empty one', async () => {
  await using older = await createDatabaseBeforeBaseline('0013')
  await using empty = await createEmptyDatabase()

  await assert.rejects(upgradeBaseline(older.connectionString), {
    message: /at migrations\/0012\w+\.sql: start the last version before the baseline once/,
  })
  await assert.rejects(upgradeBaseline(empty.connectionString), { message: /database is empty/ })
})

// Runs `work` on a temporary pool of one connection.
async function onPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = createPool({ connectionString: url, max: 1, onIdleError: () => {} })
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

// The rendered schema as text, followed by the details that the rendering leaves out: functions,
// privileges, constraints, indexes and sequences.
function schemaOf(url: string): Promise<string> {
  return onPool(url, async (pool) => {
    const { rows } = await pool.query<{ line: string }>(`
      select pg_get_functiondef(oid) || coalesce(proacl::text, '') as line from pg_proc
       where pronamespace = current_schema()::regnamespace
      union all
      select format('%s %s %s %s', oid::regclass, relkind, relacl, relpersistence) from pg_class
       where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p', 'v', 'S')
      union all
      select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
        from pg_constraint where connamespace = current_schema()::regnamespace
      union all
      select format('%s %s', indexrelid::regclass, pg_get_indexdef(indexrelid)) from pg_index
       where indexrelid::regclass::text !~ '^pg_'
      union all
      select format('%s %s %s %s', sequencename, data_type, start_value, increment_by)
        from pg_sequences where schemaname = current_schema()
      order by 1`)
    return [await renderSchema(pool), ...rows.map(({ line }) => line)].join('\n')
  })
}

// The lines of the first text that the second does not contain.
function linesWithout(one: string, other: string): string[] {
  const lines = new Set(other.split('\n'))
  return one.split('\n').filter((line) => !lines.has(line))
}

// The number and a hash of the rows of each table, by the table's present name, and the totals of the
// ledger by kind of account.
async function rowsOf(): Promise<Record<string, unknown>> {
  const tables = await queryOnce<{ name: string }>(
    connectionString,
    `select relname as name from pg_class
      where relkind in ('r', 'p') and not relispartition and relname !~ '^schema_'
        and relname <> 'test_clocks' and relnamespace = 'public'::regnamespace order by 1`,
  )
  const figures = tables.map(
    ({ name }) => `select '${NEW_NAMES[name] ?? name}' as name, count(*)::int,
      md5(string_agg(replace(t::text, 'answerId', 'responseId'), ',' order by t::text)) as hash
      from ${name} t`,
  )
  const rows = await queryOnce(connectionString, `${figures.join(' union all ')} order by 1`)
  const balances = await queryOnce(
    connectionString,
    `select kind, sum(debits_kobo) as debits, sum(credits_kobo) as credits from ledger_accounts
      group by 1 order by 1`,
  )
  return { rows, balances }
}

// The database processes that are in pg_sleep.
function sleepers(): Promise<{ pid: number }[]> {
  return queryOnce(
    connectionString,
    `select pid from pg_stat_activity
      where datname = current_database() and wait_event = 'PgSleep'`,
  )
}
