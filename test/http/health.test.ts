// Load balancers and operators probe whether the process is up, and whether it can work.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { type Bench, startTestService } from '../support/running-service.ts'

test('a running service is healthy and ready, which anyone can query', async () => {
  await using bench = await startTestService()

  const health = await bench.call({ url: '/health', token: null })
  const ready = await bench.call({ url: '/ready', token: null })

  assert.equal(health.statusCode, 200)
  assert.equal(ready.statusCode, 200)
})

test('a service whose database is not up to date is healthy but not ready', async () => {
  await using bench = await startTestService()
  await bench.db.query(
    'delete from schema_migrations where ctid = (select max(ctid) from schema_migrations)',
  )

  const health = await bench.call({ url: '/health', token: null })
  const ready = await bench.call({ url: '/ready', token: null })

  assert.equal(health.statusCode, 200)
  assert.equal(ready.statusCode, 503)
})

test('a service that lost its database is healthy but not ready, and gives no details', async () => {
  await using bench = await startTestService()
  await shutDatabase(bench)

  const health = await bench.call({ url: '/health', token: null })
  const ready = await bench.call({ url: '/ready', token: null })

  assert.equal(health.statusCode, 200)
  assert.equal(ready.statusCode, 503)
  assert.doesNotMatch(ready.body, /postgres|manilla_|not currently accepting|terminat/i)
})

// Closes the database to all connections permanently. Does so from another database, as the test harness
// must when it drops this one.
async function shutDatabase({ database, db }: Bench): Promise<void> {
  const name: string = (await db.query('select current_database() as name')).rows[0].name
  const admin = new pg.Client(database.connectionString.replace(name, 'postgres'))
  await admin.connect()
  try {
    await admin.query(`alter database ${name} with allow_connections false`)
    await admin.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [name],
    )
  } finally {
    await admin.end()
  }
}
