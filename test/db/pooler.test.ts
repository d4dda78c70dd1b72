// The service behind a transaction pooler (I81): a strict fake pooler, and a real PgBouncer where it is
// installed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { createReader } from '#db/connections.ts'
import { findLostSettings } from '#db/health.ts'
import { migrate } from '#db/migrate.ts'
import { createBatchPool, createPool } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import { withHeldLock, withTransaction } from '#db/transaction.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import {
  createEmptyDatabase,
  createPartitionedDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../support/database.ts'
import { createAccount, dataOf, simulate, startPayment } from '../support/fixtures.ts'
import { createPayout, getPayout, payoutRounds } from '../support/payouts.ts'
import { isPgBouncerInstalled, startPgBouncer } from '../support/pgbouncer.ts'
import { startPoolerProxy } from '../support/pooler-proxy.ts'
import { reportCredit } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { gtbankCsv, imported, manyLines } from '../support/statement-files.ts'

const SERVERS = 12
const SHOWN = `select current_setting('enable_seqscan') || ' '
                      || current_setting('statement_timeout') as shown`
const quiet = { max: 3, onIdleError: () => {}, onLost: () => {}, connections: 1 }
const poolers = {
  'a strict pooler': startPoolerProxy,
  ...(isPgBouncerInstalled ? { PgBouncer: startPgBouncer } : {}),
}

for (const [name, startPooler] of Object.entries(poolers)) {
  test(`behind ${name}, any number of starts migrate and leave no lock`, async () => {
    await using database = await createEmptyDatabase()
    await using pooler = await startPooler(placeOf(database))
    const url = `${pooler.url}?pooler=transaction`

    const runs = await Promise.all([migrate(url), migrate(url), migrate(url)])

    assert.equal(new Set(runs.flat()).size, runs.flat().length)
    assert.deepEqual(await migrate(url), [])
    assert.equal(await locksIn(database), 0)
  })

  test(`behind ${name}, money comes in and goes out, statements are stored and clocks move`, async () => {
    await using database = await createPartitionedDatabase()
    await using pooler = await startPooler(placeOf(database))
    const connectionString = `${pooler.url}?pooler=transaction`
    await using bench = await startTestService({
      database: throughPooler(database, connectionString),
    })
    await using rounds = await payoutRounds(bench)

    const { accountNumber } = await createAccount(bench)
    const credits = Array.from({ length: 20 }, () =>
      reportCredit(bench, { accountNumber, amount: '100.00' }),
    )
    const answers = await Promise.all(credits)
    const payment = await startPayment(bench)
    await simulate(bench, payment.bankAccount, '6000.00')
    const { reference } = await createPayout(bench, { amount: '1000' })
    await rounds.send()
    const statement = await imported(bench, gtbankCsv({ lines: manyLines(500) }))
    const clock = { url: '/sandbox/clock/advance', body: { seconds: 60 } }
    const moved = await Promise.all([bench.call(clock), bench.call(clock)])

    assert.deepEqual(new Set(answers.map(({ responseCode }) => responseCode)), new Set(['00']))
    const url = `/api/Transaction/bypaymentreference/${payment.paymentReference}`
    const paid = dataOf(await bench.call({ url }), 'payment')
    assert.equal(paid.transactionStatus, 'Successful')
    assert.equal((await getPayout(bench, reference)).status, 'confirmed')
    assert.equal(statement.newLines, 500)
    assert.deepEqual(
      moved.map(({ statusCode }) => statusCode),
      [200, 200],
    )
    assert.equal((await bench.call({ url: '/ready', token: null })).statusCode, 200)
    assert.deepEqual(await checkIntegrity(bench.db), [])
    assert.equal(await locksIn(database), 0)
  })

  test(`behind ${name}, settings hold in each transaction only, and locks end with theirs`, async () => {
    await using database = await createTestDatabase()
    await using pooler = await startPooler(placeOf(database))
    const connectionString = `${pooler.url}?pooler=transaction`
    const [db, batches] = [createPool, createBatchPool].map((create) =>
      create({ connectionString, ...quiet }),
    ) as [pg.Pool, pg.Pool]
    const reads = createReader({ connectionString, ...quiet })
    await db.query('create table free ()')
    try {
      const settings = await Promise.all([
        db.query(SHOWN),
        reads.query(SHOWN),
        withTransaction(db, (tx) => tx.query(SHOWN)),
        withTransaction(batches, (tx) => tx.query({ name: 'shown', text: SHOWN })),
        withTransaction(batches, (tx) => tx.query({ name: 'shown', text: SHOWN })),
      ])
      const all = settings.map(({ rows }) => rows[0].shown)
      const level = `select current_setting('transaction_isolation') || ' '
                            || current_setting('transaction_read_only') as shown`
      const snapshots = await Promise.all([
        withSnapshot(db, (tx) => tx.query(level)),
        withTransaction(db, (tx) => tx.query(level), { lockedTable: 'free' }),
      ])
      assert.deepEqual(
        snapshots.map(({ rows }) => rows[0].shown),
        ['repeatable read on', 'repeatable read off'],
      )
      assert.deepEqual(all, ['on 30s', 'on 8s', 'on 30s', 'off 8s', 'off 8s'])
      assert.deepEqual(await settingsAfterReuse(pooler.url), ['on 0'])
      await assert.rejects(reads.query('select 1/0'), /division/)
      assert.equal((await reads.query('select 1 as one')).rows[0].one, 1)

      const lock = { lock: `hashtext('one at a time')` }
      const lockAgain = () => withHeldLock(db, lock, async () => 'second')
      // Tries to take the lock again while it is held: `lockAgain` then returns undefined.
      const first = withHeldLock(db, lock, async (stillHeld) => {
        await stillHeld()
        return [await lockAgain(), 'first']
      })
      assert.deepEqual(await first, [undefined, 'first'])
      assert.equal(await lockAgain(), 'second')
    } finally {
      await Promise.all([db.end(), batches.end(), reads.end()])
    }
  })

  test(`behind ${name}, a start that counts on sessions is told what is lost`, async () => {
    await using database = await createPartitionedDatabase()
    await using pooler = await startPooler(placeOf(database))

    const lost = await findLostSettings(pooler.url)
    const started = startTestService({ database: throughPooler(database, pooler.url) })

    assert.match(
      lost ?? '',
      /^This connection does not keep its settings: .*statement_timeout.*\. If /,
    )
    assert.match(lost ?? '', /add pooler=transaction to it\.$/)
    await assert.rejects(started, /does not keep its settings/)
    assert.equal(await findLostSettings(`${pooler.url}?pooler=transaction`), undefined)
  })
}

test('options of the address count beside our own', async () => {
  await using database = await createEmptyDatabase()
  const { connectionString } = database
  const url = `${connectionString}&options=-c%20work_mem%3D7MB%20-c%20enable_seqscan%3Don`
  const pool = createBatchPool({ connectionString: url, ...quiet })
  try {
    const { rows } = await pool.query(
      `select current_setting('work_mem') as memory, current_setting('enable_seqscan') as scans`,
    )
    assert.deepEqual(rows, [{ memory: '7MB', scans: 'off' }])
    assert.equal(await findLostSettings(url), undefined)
  } finally {
    await pool.end()
  }
})

// Returns the address of the database, for a pooler in front of it.
function placeOf({ connectionString }: TestDatabase) {
  const { host, port, user, database } = new pg.Client(connectionString)
  return { host, port, user: user as string, database: database as string, servers: SERVERS }
}

// Returns the database as a service reaches it through a pooler. The test, not the service, drops it.
function throughPooler(database: TestDatabase, connectionString: string): TestDatabase {
  return { ...database, connectionString, [Symbol.asyncDispose]: async () => {} }
}

// Counts the advisory locks in the database.
async function locksIn({ pool }: TestDatabase): Promise<number> {
  const { rows } = await pool.query(
    `select count(*)::int as locks from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`,
  )
  return rows[0].locks
}

// Returns the settings of every server connection, after each was used by another client.
async function settingsAfterReuse(url: string): Promise<string[]> {
  const client = new pg.Client(url)
  await client.connect()
  const settings = new Set<string>()
  for (let at = 0; at < 2 * SERVERS; at++) settings.add((await client.query(SHOWN)).rows[0].shown)
  await client.end()
  return [...settings]
}
