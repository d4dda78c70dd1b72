// A database, network or process that falls silent delays no caller for long.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReader } from '#db/connections.ts'
import { createBatchPool, createPool } from '#db/pool.ts'
import { isConnectionLost, withTransaction } from '#db/transaction.ts'
import { createTestDatabase } from '../support/database.ts'
import { patience } from '../support/patience.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const QUIET = { max: 4, onIdleError: () => {} }
const LOCK = `select from collection_marks for update`

test('locks of a process that froze are free after five seconds, on every kind of connection', async () => {
  await using database = await createTestDatabase()
  const { connectionString } = database
  const pool = createPool({ connectionString, ...QUIET })
  await pool.query('create table collection_marks as select 1 as id')
  const batches = createBatchPool({ connectionString, ...QUIET })
  const reader = createReader({ connectionString, connections: 1, onLost: () => {} })
  const [spare, other] = await Promise.all([batches.connect(), batches.connect()])
  spare.release()
  other.release()
  // This connection acts like a stopped process: it holds the lock and sends nothing more.
  const frozen = await batches.connect()
  const lost = new Promise<Error>((resolve) => frozen.once('error', resolve))
  await frozen.query('begin')
  await frozen.query(LOCK)

  const startedMs = performance.now()
  const others = [pool, batches].map((each) => withTransaction(each, (tx) => tx.query(LOCK)))
  await untilBlocked(pool, 2)
  const answers = await Promise.all(others)
  const tookMs = performance.now() - startedMs

  assert.deepEqual(
    answers.map(({ rowCount }) => rowCount),
    [1, 1],
  )
  assert(tookMs < patience(5_500), `after ${tookMs} ms`)
  assert(isConnectionLost(await lost))
  for (const each of [pool, batches, reader]) {
    const { rows } = await each.query('show idle_in_transaction_session_timeout')
    assert.deepEqual(rows, [{ idleInTransactionSessionTimeout: '5s' }])
  }
  frozen.release(true)
  await Promise.all([pool.end(), batches.end(), reader.end()])
})

test('a connection that falls silent is given up with all its queries, the idle ones too', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startStallingProxy(database.connectionString)
  const { connectionString } = proxy
  const pool = createBatchPool({ connectionString, statementMaxMs: 2_000, ...QUIET })
  await Promise.all(['1', '2', '3'].map((value) => pool.query(`select ${value}, pg_sleep(0.05)`)))
  assert.equal(proxy.open(), 3)

  proxy.stall()
  const client = await pool.connect()
  const results = await Promise.allSettled([client.query('select 1'), client.query('select 2')])
  client.release(true)
  proxy.letNewOnes()
  const { rows } = await pool.query('select 3 as value')

  for (const result of results) {
    assert(result.status === 'rejected' && isConnectionLost(result.reason), String(result))
  }
  assert.deepEqual(rows, [{ value: 3 }])
  assert.equal(proxy.open(), 1)
  await pool.end()
})

test('a query that is worked on is not given up, however long its connection was idle before', async () => {
  await using database = await createTestDatabase()
  const { connectionString } = database
  const limits = { statementMaxMs: 8_000, connectMaxMs: 120_000 }
  const pool = createPool({ connectionString, ...limits, ...QUIET, max: 1 })

  const values = Array.from({ length: 11 }, (_, at) => at)
  const slow = values.map((value) =>
    pool.query('select $1::int as value from pg_sleep(1)', [value]),
  )

  const answers = (await Promise.all(slow)).map(({ rows }) => rows[0].value)
  assert.deepEqual(answers, values)
  await pool.end()
})

test('a caller who waits too long for a connection gets an error that says so', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startStallingProxy(database.connectionString)
  proxy.stall()
  const pool = createPool({ connectionString: proxy.connectionString, ...QUIET, max: 1 })
  const reader = createReader({
    connectionString: proxy.connectionString,
    connections: 1,
    onLost: () => {},
  })

  const results = await Promise.allSettled([
    pool.query('select 1'),
    pool.query('select 1'), // This query waits for the first one.
    reader.query('select 1'),
  ])

  for (const result of results) {
    assert(result.status === 'rejected' && isConnectionLost(result.reason), String(result))
  }
  await pool.end()
})
