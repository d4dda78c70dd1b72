// Statements that are sent together run in order, each seeing the writes before it. If one fails, those
// after it fail too, the error names the statement, and its connection stays usable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import { createTestDatabase, patientBatchPool } from '../support/database.ts'

test('results come in order, in their columns’ types, and see earlier statements’ writes', async () => {
  await using bench = await setup()

  const [first, none, both] = await bench.run((tx) =>
    Promise.all([
      tx.query(bench.insert(1)),
      tx.query('select id from kept where id > $1', [5]),
      tx.query(
        `select count(*) as count, null::text as nothing, '{"a":1}'::json as facts, true as yes
           from kept`,
      ),
    ]),
  )

  assert.deepEqual([first.command, first.rowCount, first.rows], ['INSERT', 1, []])
  assert.deepEqual([none.command, none.rowCount, none.rows], ['SELECT', 0, []])
  assert.deepEqual(both.rows, [{ count: 1n, nothing: null, facts: { a: 1 }, yes: true }])
})

test('a transaction with two steps goes to the database twice, begin and commit included', async () => {
  await using bench = await setup()
  await bench.run((tx) => tx.query(bench.insert(1)))
  const syncs = countSyncs()

  await bench.run(async (tx) => {
    await Promise.all([tx.query('select 1'), tx.query(bench.insert(2))])
    return new PipelinedCommit('done', [tx.query(bench.insert(3)), tx.query(bench.insert(4))])
  })

  assert.equal(syncs.end(), 2)
  assert.deepEqual(await bench.kept(), [1, 2, 3, 4])
})

test('the failing statement is named, and those after it fail too', async () => {
  await using bench = await setup()
  const after: unknown[] = []

  // Sends three statements together, of which the second fails. `after` gets the error of the third.
  const failing = bench.run(async (tx) => {
    const inserted = tx.query(bench.insert(1))
    const failed = tx.query({ name: 'by-zero', text: 'select 1 / $1::int', values: [0] })
    const late = tx.query(bench.insert(2)).catch((error) => after.push(error))
    await inserted
    await late
    await failed
  })

  await assert.rejects(failing, (error: Error & { statement: string }) => {
    assert.match(error.message, /division by zero/)
    assert.equal(error.statement, 'by-zero')
    assert.deepEqual(after, [error])
    return true
  })
  assert.deepEqual(await bench.kept(), [])
})

test('a statement prepared in a failed group can be used again on its connection', async () => {
  await using bench = await setup()
  const prepared = { name: 'insert-prepared', text: 'insert into kept values ($1)' }

  for (const isLast of [false, false, true]) {
    const done = bench.run((tx) =>
      Promise.all([
        tx.query({ ...prepared, values: [7] }),
        tx.query({ name: 'divide', text: 'select 1 / $1::int', values: [isLast ? 1 : 0] }),
      ]),
    )
    if (isLast) await done
    else await assert.rejects(done, /division by zero/)
  }

  assert.deepEqual(await bench.kept(), [7])
})

test('a name stands for one statement, within a group and after it', async () => {
  await using bench = await setup()
  const one = { name: 'same', text: 'select 1 as one' }
  const other = { name: 'same', text: 'insert into kept values (1)' }

  const both = bench.run((tx) => Promise.all([tx.query(one), tx.query(other)]))
  await assert.rejects(both, /two statements are called same/)
  await bench.run((tx) => tx.query(one))
  const later = bench.run((tx) => tx.query(other))

  await assert.rejects(later, /two statements are called same/)
  assert.deepEqual(await bench.kept(), [])
})

test('the driver and a group may prepare the same statement', async () => {
  await using bench = await setup()
  const shared = { name: 'shared', text: 'select id from kept' }
  const own = { name: 'own', text: 'select id from kept' }

  await bench.run((tx) => tx.query(shared))
  await bench.pool.query(shared)
  await bench.pool.query(own)
  await bench.run((tx) => tx.query(own))

  assert.deepEqual((await bench.pool.query(own)).rows, [])
})

test('a statement that a failed group prepared does not stand in the way of the driver', async () => {
  await using bench = await setup()
  const shared = { name: 'shared', text: 'insert into kept values ($1)' }

  const failing = bench.run((tx) =>
    Promise.all([tx.query({ ...shared, values: [1] }), tx.query('select 1 / 0')]),
  )
  await assert.rejects(failing, /division by zero/)
  await bench.pool.query({ ...shared, values: [2] })
  await bench.pool.query({ ...shared, values: [3] })

  assert.deepEqual(await bench.kept(), [2, 3])
})

test('an answer that cannot be read fails its statement and its transaction, not the process', async () => {
  await using bench = await setup()
  const { setTypeParser } = pg.types as unknown as { setTypeParser: (...args: unknown[]) => void }
  const POINT = 600
  setTypeParser(POINT, () => {
    throw new Error('no point in it')
  })

  // The driver cannot read the points in the answer, because the test's parser of points throws.
  const failing = bench.run(async (tx) => {
    await tx.query(bench.insert(1))
    await tx.query(`select point '(1, 2)' as place from generate_series(1, 3)`)
  })

  await assert.rejects(failing, /no point in it/)
  assert.deepEqual(await bench.kept(), [])
})

test('a value that cannot be sent fails its statement, and nothing is kept', async () => {
  await using bench = await setup()
  const circular: { self?: unknown } = {}
  circular.self = circular

  const failing = bench.run((tx) =>
    Promise.all([tx.query(bench.insert(1)), tx.query('select $1::json', [circular])]),
  )

  await assert.rejects(failing, /circular/)
  assert.deepEqual(await bench.kept(), [])
})

test('a connection that is lost fails all that had no answer', async () => {
  await using bench = await setup()

  const lost = bench.run((tx) =>
    Promise.all([
      tx.query(bench.insert(1)),
      tx.query('select pg_terminate_backend(pg_backend_pid())'),
      tx.query(bench.insert(2)),
    ]),
  )

  await assert.rejects(lost, /terminating connection|Connection terminated/)
  assert.deepEqual(await bench.kept(), [])
})

test('a statement that comes after its transaction failed is refused', async () => {
  await using bench = await setup()
  let escaped: Transaction | undefined

  await assert.rejects(
    bench.run(async (tx) => {
      escaped = tx
      await tx.query('select 1 / 0')
    }),
    /division by zero/,
  )

  assert.throws(() => escaped?.query(bench.insert(1)), /after the end of its transaction/)
  assert.deepEqual(await bench.kept(), [])
})

// Counts how often this process sent a Sync message, which ends a group of statements. Only the test's pool
// is active.
function countSyncs() {
  const { prototype } = pg.Connection
  const { sync } = prototype
  let count = 0
  prototype.sync = function counted() {
    count++
    return sync.call(this)
  }
  return {
    end: () => {
      prototype.sync = sync
      return count
    },
  }
}

// Creates a table and a pool with one connection.
async function setup() {
  const database = await createTestDatabase()
  const { connectionString } = database
  const pool = patientBatchPool(connectionString, 1)
  await pool.query('create table kept (id int primary key)')
  return {
    pool,
    run: <T>(work: (tx: Transaction) => Promise<T | PipelinedCommit<T>>) =>
      withTransaction(pool, work),
    insert: (id: number) => ({ text: 'insert into kept values ($1)', values: [id] }),
    kept: async () => {
      const { rows } = await pool.query<{ id: number }>('select id from kept order by id')
      return rows.map((row) => row.id)
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end()
      await database[Symbol.asyncDispose]()
    },
  }
}
