// A client's events are numbered 1, 2, 3 … without gaps, in the order in which they are committed, even if
// many transactions write at once and some roll back (I5).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { appendEvents } from '#records/events.ts'
import { countDeadlocks } from '../support/bank-calls.ts'
import { createTestDatabase, patientBatchPool } from '../support/database.ts'
import { accountCreated } from '../support/events.ts'

const NOW = new Date('2026-11-15T08:00:00Z')

test('a client is counted for from its first day', async () => {
  await using bench = await setup()

  assert.deepEqual(await bench.counters(), [0n, 0n, 0n])
})

test('events of several clients, written at once in any order, have no gap and no number twice', async () => {
  await using bench = await setup()
  const [one, two, three] = bench.clients

  const mixed = Array.from({ length: 60 }, (_, at) =>
    at % 2 ? [one, two, one, three] : [three, one, two, one],
  )
  await Promise.all(mixed.map((of) => withTransaction(bench.pool, (tx) => bench.append(tx, of))))

  const upTo = (last: number) => Array.from({ length: last }, (_, at) => BigInt(at + 1))
  assert.deepEqual(await bench.numbers(), [upTo(120), upTo(60), upTo(60)])
  assert.deepEqual(await bench.counters(), [120n, 60n, 60n])
  assert.equal(await countDeadlocks({ db: bench.db }), 0)
})

test('a number is given away when its event is committed, and not before', async () => {
  await using bench = await setup()
  const [one] = bench.clients
  let second: Promise<void> | undefined

  // Takes two event numbers, waits until a second transaction waits for the next number, and rolls back. The
  // second transaction must then get the first number.
  const first = withTransaction(bench.pool, async (tx) => {
    await bench.append(tx, [one, one])
    second = withTransaction(bench.pool, (other) => bench.append(other, [one]))
    await bench.isWaiting()
    throw new Error('not told after all')
  })
  await assert.rejects(first, /not told after all/)
  await second

  assert.deepEqual(await bench.numbers(), [[1n], [], []])
  assert.deepEqual(await bench.counters(), [1n, 0n, 0n])
})

for (const [what, missing] of [
  ['first', 0],
  ['second', 1],
  ['last', 2],
] as const) {
  test(`where the counter of the ${what} client is missing, nobody is given another's number`, async () => {
    await using bench = await setup()
    const { clients } = bench
    await bench.db.query('delete from event_counters where client_id = $1', [clients[missing]])

    const failing = withTransaction(bench.pool, (tx) => bench.append(tx, clients))

    await assert.rejects(failing, { code: '23502', column: 'sequence' })
    assert.deepEqual(await bench.numbers(), [[], [], []])
    assert.deepEqual(await bench.counters(), [0n, 0n])
  })
}

// A database with three clients. `append` appends an event for each of the named clients, `isWaiting`
// resolves when a session waits for a lock, `numbers` reads the event numbers of each client, and `counters`
// reads the last number that was given out to each client.
async function setup() {
  const database = await createTestDatabase()
  const { connectionString, pool: db } = database
  const pool = patientBatchPool(connectionString, 6)
  const { rows } = await db.query<{ id: ClientId }>(
    `insert into clients (client_id, name, created_at)
     select 'NUMBERED' || n, 'Client ' || n, $1 from generate_series(1, 3) as n returning id`,
    [NOW],
  )
  const clients = rows.map((row) => row.id) as [ClientId, ClientId, ClientId]
  return {
    db,
    pool,
    clients,
    append: (tx: Transaction, owners: readonly ClientId[]) =>
      appendEvents(tx, NOW, owners.map(accountCreated)),
    isWaiting: async () => {
      for (;;) {
        const waiting = await db.query(
          `select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (waiting.rowCount) return
      }
    },
    numbers: async () => {
      const found = await db.query<{ numbers: bigint[] }>(
        `select coalesce(array_agg(e.sequence order by e.sequence)
                           filter (where e.sequence is not null), '{}') as numbers
           from unnest($1::bigint[]) as c (id) left join events e on e.client_id = c.id
          group by c.id order by c.id`,
        [clients],
      )
      return found.rows.map((row) => row.numbers.map(BigInt))
    },
    counters: async () => {
      const found = await db.query<{ sequence: bigint }>(
        'select sequence from event_counters where client_id = any ($1) order by client_id',
        [clients],
      )
      return found.rows.map((row) => row.sequence)
    },
    [Symbol.asyncDispose]: async () => {
      await pool.end()
      await database[Symbol.asyncDispose]()
    },
  }
}
