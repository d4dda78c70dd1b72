// A transaction's last statements travel with its commit: all of them take effect, or none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBatchPool } from '#db/pool.ts'
import { Finishing, withTransaction } from '#db/transaction.ts'
import { createTestDatabase } from '../support/database.ts'

test('statements sent with the commit take effect with it', async () => {
  await using bench = await setup()

  const answer = await withTransaction(bench.pool, async (tx) => {
    await tx.query(bench.insert(1))
    return new Finishing('done', [tx.query(bench.insert(2)), tx.query(bench.insert(3))])
  })

  assert.equal(answer, 'done')
  assert.deepEqual(await bench.kept(), [1, 2, 3])
})

test('when one of them fails, nothing of the transaction is kept, and the caller is told', async () => {
  await using bench = await setup()

  const failing = withTransaction(bench.pool, async (tx) => {
    await tx.query(bench.insert(1))
    return new Finishing('done', [
      tx.query(bench.insert(2)),
      tx.query('select 1 / 0'),
      tx.query(bench.insert(3)),
    ])
  })

  await assert.rejects(failing, /division by zero/)
  assert.deepEqual(await bench.kept(), [])
})

test('a statement that comes after the commit is refused, and its connection stays good', async () => {
  await using bench = await setup()
  const twoSteps = async (query: (id: number) => Promise<unknown>) => {
    await query(1)
    await query(2)
  }

  const late = withTransaction(bench.pool, async (tx) => {
    return new Finishing('done', [twoSteps((id) => tx.query(bench.insert(id)))])
  })

  await assert.rejects(late, /after the end of its transaction/)
  assert.ok(!(await bench.kept()).includes(2))
})

async function setup() {
  const database = await createTestDatabase()
  const { connectionString } = database
  const pool = createBatchPool({ connectionString, max: 2, onIdleError: () => {} })
  await pool.query('create table kept (id int primary key)')
  return {
    pool,
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
