// The pipelined reader sends many queries over few connections. Every query gets its own result, and a lost
// connection is replaced.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createReader } from '#db/connections.ts'
import { createTestDatabase } from '../support/database.ts'

test('a thousand queries at once each get their own result', async () => {
  await using bench = await setup()

  const keys = Array.from({ length: 1_000 }, (_, at) => at)
  const answers = await Promise.all(keys.map((at) => bench.ask(at)))

  assert.deepEqual(answers, keys)
})

test('a failing query does not affect the queries beside it', async () => {
  await using bench = await setup()

  const [good, bad, alsoGood] = await Promise.allSettled([
    bench.ask(1),
    bench.reader.query('select 1 / 0'),
    bench.ask(2),
  ])

  assert.deepEqual(
    [good.status, bad.status, alsoGood.status],
    ['fulfilled', 'rejected', 'fulfilled'],
  )
})

test('a lost connection is replaced', async () => {
  await using bench = await setup()
  await Promise.all([bench.ask(1), bench.ask(2)])

  const lost = bench.nextLost()
  await bench.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )
  await lost

  assert.deepEqual(await Promise.all([bench.ask(3), bench.ask(4)]), [3, 4])
})

// Starts a reader with two connections. `nextLost` resolves once the two connections were lost.
async function setup() {
  const database = await createTestDatabase()
  const { pool, connectionString } = database
  let waiting: (() => void)[] = []
  let count = 0
  const reader = createReader({
    connectionString,
    connections: 2,
    onLost: () => {
      count += 1
      if (count === 2) for (const resolve of waiting.splice(0)) resolve()
    },
  })
  return {
    pool,
    reader,
    async ask(value: number): Promise<number> {
      const { rows } = await reader.query({
        name: 'echo',
        text: 'select $1::int as value',
        values: [value],
      })
      return rows[0].value
    },
    nextLost: () =>
      new Promise<void>((resolve) => {
        waiting = [...waiting, resolve]
      }),
    async [Symbol.asyncDispose]() {
      await reader.end()
      await database[Symbol.asyncDispose]()
    },
  }
}
