// A transaction's last statements are sent together with its commit: all of them take effect, or none.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '#db/pool.ts'
import { PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import { createTestDatabase, patientBatchPool } from '../support/database.ts'

test('statements sent with the commit take effect with it', async () => {
  await using bench = await setup()

  // Inserts a row, and sends two more inserts together with the commit.
  const answer = await withTransaction(bench.pool, async (tx) => {
    await tx.query(bench.insert(1))
    return new PipelinedCommit('done', [tx.query(bench.insert(2)), tx.query(bench.insert(3))])
  })

  assert.equal(answer, 'done')
  assert.deepEqual(await bench.kept(), [1, 2, 3])
})

test('if one of them fails, the transaction is undone, and the caller gets the error', async () => {
  await using bench = await setup()

  // Sends three statements with the commit, of which the second divides by zero.
  const failing = withTransaction(bench.pool, async (tx) => {
    await tx.query(bench.insert(1))
    return new PipelinedCommit('done', [
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
  // Sends the second statement only when the first is answered, which is after the commit.
  const twoSteps = async (query: (id: number) => Promise<unknown>) => {
    await query(1)
    await query(2)
  }

  const late = withTransaction(bench.pool, async (tx) => {
    return new PipelinedCommit('done', [twoSteps((id) => tx.query(bench.insert(id)))])
  })

  await assert.rejects(late, /after the end of its transaction/)
  assert.ok(!(await bench.kept()).includes(2))
})

for (const [where, parameters] of [
  ['', ''],
  [' behind a pooler', '&pooler=transaction'], // The URL has parameters already.
]) {
  test(`a transaction${where} sees what was committed meanwhile, whatever the default`, async () => {
    await using bench = await setup()
    await bench.pool.query(`do $$ begin execute format(
      'alter database %I set default_transaction_isolation = serializable', current_database());
      end $$`)
    const connectionString = `${bench.connectionString}${parameters}`
    const pool = createPool({ connectionString, max: 1, onIdleError: () => {} })
    const select = 'select id from kept order by id'

    const seen = await withTransaction(pool, async (tx) => {
      const before = await tx.query(select)
      await bench.pool.query(bench.insert(1))
      const after = await tx.query(select)
      return [before.rows.length, after.rows.length]
    })

    await pool.end()
    assert.deepEqual(seen, [0, 1])
  })
}

for (const [what, fail] of [
  ['an error of our own', () => Promise.reject(new Error('not our day'))],
  ['a value that cannot be written', (tx) => tx.query('select $1::json', [{ amount: 1n }])],
] as const satisfies [string, (tx: Transaction) => Promise<unknown>][]) {
  test(`${what} among the last statements: nothing is committed`, async () => {
    await using bench = await setup()

    // Sends two inserts with the commit, and between them the failing work.
    const failing = withTransaction(bench.pool, async (tx) => {
      await tx.query(bench.insert(1))
      return new PipelinedCommit('done', [
        tx.query(bench.insert(2)),
        fail(tx),
        tx.query(bench.insert(3)),
      ])
    })

    await assert.rejects(failing, /not our day|BigInt/)
    assert.deepEqual(await bench.kept(), [])
  })
}

test('work that goes on after a failure is told of it again, and commits nothing', async () => {
  await using bench = await setup()
  const reports: unknown[] = []

  // Ignores the error of the first statement, and sends another.
  const failing = withTransaction(bench.pool, async (tx) => {
    await tx.query('select 1 / 0').catch((error) => reports.push(error))
    await tx.query(bench.insert(1)).catch((error) => reports.push(error))
  })

  await assert.rejects(failing, /division by zero/)
  assert.equal(reports.length, 2)
  assert.equal(reports[0], reports[1])
  assert.deepEqual(await bench.kept(), [])
})

test('where no transaction began, nothing is done: not by those who never looked, either', async () => {
  await using bench = await setup()
  // This statement has the name of the one that begins a transaction, but another text.
  const mistaken = { name: 'begin', text: 'select 1' }

  // Does not await the mistaken statement, but gives it a turn of the event loop.
  const failing = withTransaction(bench.pool, async (tx) => {
    void tx.query(mistaken)
    await new Promise(setImmediate)
    return new PipelinedCommit('done', [tx.query(bench.insert(1))])
  })

  await assert.rejects(failing, /two statements are called begin/)
  assert.deepEqual(await bench.kept(), [])
})

test('a statement that takes too long fails alone of those before it, and nothing is kept', async () => {
  await using bench = await setup()

  // Sends with the commit a statement that takes longer than the limit of two seconds.
  const failing = withTransaction(bench.pool, async (tx) => {
    await tx.query(`set local statement_timeout = 2000`)
    return new PipelinedCommit('done', [tx.query(bench.insert(1)), tx.query('select pg_sleep(30)')])
  })

  await assert.rejects(failing, { code: '57014', statement: 'select pg_sleep(30)' })
  assert.deepEqual(await bench.kept(), [])
  assert.deepEqual(await bench.openTransactions(), [])
})

test('a statement that nobody waits for fails its transaction, and nothing else', async () => {
  await using bench = await setup()

  // Never looks at the failing statement, and ignores the error of the next one.
  const failing = withTransaction(bench.pool, async (tx) => {
    void tx.query('select 1 / 0')
    await tx.query('select 1').catch(() => {})
  })

  await assert.rejects(failing, /division by zero/)
  assert.deepEqual(await bench.kept(), [])
})

test('work that gives up with statements on their way leaves no lock and no row behind', async () => {
  await using bench = await setup()
  await bench.pool.query(bench.insert(1))

  for (const isSent of [false, true]) {
    // Throws before its statements are answered; with `isSent`, the first two have a turn to be sent.
    const refused = withTransaction(bench.pool, async (tx) => {
      void tx.query('select id from kept for update')
      void tx.query(bench.insert(2))
      if (isSent) await new Promise(setImmediate)
      void tx.query(bench.insert(3))
      throw new Error('given up')
    })
    await assert.rejects(refused, /given up/)
  }

  assert.deepEqual(await bench.kept(), [1])
  assert.deepEqual(await bench.openTransactions(), [])
  await bench.pool.query('select id from kept for update nowait')
})

test('a failed commit is reported, keeps nothing, and leaves the connection good', async () => {
  await using bench = await setup()
  await bench.pool.query(
    `create table later (id int references kept deferrable initially deferred)`,
  )

  // Row 9 does not exist in `kept`. PostgreSQL checks the deferred reference only at the commit.
  const failing = withTransaction(bench.pool, async (tx) => {
    await tx.query(bench.insert(1))
    return new PipelinedCommit('done', [tx.query('insert into later values (9)')])
  })

  await assert.rejects(failing, { code: '23503' })
  assert.deepEqual(await bench.kept(), [])
  assert.deepEqual(await bench.openTransactions(), [])
})

test('two transactions that deadlock in their last statements both succeed in the end', async () => {
  await using bench = await setup()
  await Promise.all([1, 2].map((id) => bench.pool.query(bench.insert(id))))
  const both = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const ended = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
  const attempts: (0 | 1)[] = []
  // Locks two rows in the opposite order of the other transaction, so that the database ends one of them.
  const swap = async (mine: 0 | 1) => {
    // Locks one row, waits until the other transaction has locked the other row, and then asks for that row.
    const answer = await withTransaction(bench.pool, async (tx) => {
      // The transaction that the database rolled back retries only when the other transaction has ended.
      // Otherwise it would take the lock again before the other transaction wakes up.
      if (attempts.includes(mine)) await ended[mine === 0 ? 1 : 0].promise
      attempts.push(mine)
      await tx.query(bench.lock(mine + 1))
      both[mine].resolve()
      await both[mine === 0 ? 1 : 0].promise
      return new PipelinedCommit(mine, [
        tx.query(bench.lock(2 - mine)),
        tx.query(bench.insert(10 + mine)),
      ])
    })
    ended[mine].resolve()
    return answer
  }

  assert.deepEqual(await Promise.all([swap(0), swap(1)]), [0, 1])
  assert.equal(attempts.length, 3)
  assert.deepEqual(await bench.kept(), [1, 2, 10, 11])
})

// Creates a table and a pool with two connections.
async function setup() {
  const database = await createTestDatabase()
  const { connectionString } = database
  const pool = patientBatchPool(connectionString, 2)
  await pool.query('create table kept (id int primary key)')
  return {
    pool,
    connectionString,
    insert: (id: number) => ({ text: 'insert into kept values ($1)', values: [id] }),
    lock: (id: number) => ({ text: 'select from kept where id = $1 for update', values: [id] }),
    openTransactions: async () => {
      const { rows } = await pool.query(
        `select state, query from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null`,
      )
      return rows
    },
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
