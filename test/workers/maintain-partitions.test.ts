// The worker creates partitions before they are needed and drops them when their time is over. Neither ever
// delays writers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient, SANDBOX_CLIENT } from '#access/secrets.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { createLogger } from '#log.ts'
import { appendEvents } from '#records/events.ts'
import { countEvents } from '#reports/hourly-totals.ts'
import { dispatchEvents } from '#webhooks/dispatch.ts'
import { maintainPartitionsRound } from '#workers/loop.ts'
import { runCommand } from '../support/backup-bench.ts'
import { createTestDatabase } from '../support/database.ts'
import { accountUpdated } from '../support/events.ts'

const DAY_MS = 86_400_000
const START_MS = Date.parse('2026-11-18T12:00:00Z') // A Wednesday.

test('partitions are made ahead of time, once, however many make them at once', async () => {
  await using bench = await setup()

  await Promise.all([bench.round(), bench.round(), bench.round()])

  assert.deepEqual(await bench.partitions('events'), ['20261116', '20261123', '20261130'])
  assert.deepEqual(await bench.partitions('idempotency_keys'), [
    '20261118',
    '20261119',
    '20261120',
    '20261121',
  ])
  assert.deepEqual(
    await bench.partitions('stored_responses'),
    await bench.partitions('idempotency_keys'),
  )
})

test('a partition goes when its time is over, and not before', async () => {
  await using bench = await setup()
  await bench.round()

  bench.advanceDays(3)
  await bench.round()
  const keys = await bench.partitions('idempotency_keys')
  assert.equal(keys[0], '20261119')
  assert.deepEqual(await bench.partitions('stored_responses'), keys)

  bench.advanceDays(91)
  await bench.round()
  assert.equal((await bench.partitions('events'))[0], '20261116')

  bench.advanceDays(1)
  await bench.round()
  assert.equal((await bench.partitions('events'))[0], '20261123')
})

test('deliveries and their attempts come and go with the events they belong to', async () => {
  await using bench = await setup()

  for (const days of [0, 30, 95]) {
    bench.advanceDays(days)
    await bench.round()
    const events = await bench.partitions('events')
    assert(events.length > 0)
    assert.deepEqual(await bench.partitions('deliveries'), events)
    assert.deepEqual(await bench.partitions('delivery_attempts'), events)
  }
  const { rows } = await bench.pool.query(
    `select count(distinct pg_get_expr(relpartbound, oid))::int as bounds, count(*)::int as parts
       from pg_class where relname ~ '^(events|deliveries|delivery_attempts)_[0-9]{8}$'`,
  )
  assert.equal(rows[0].parts, 3 * rows[0].bounds)
})

test('a week with an event that is not queued and counted yet is kept until it is', async () => {
  await using bench = await setup()
  await bench.round()
  const { rows } = await bench.pool.query<{ id: ClientId }>(
    `insert into clients (client_id, name, created_at) values ('KEPT', 'Kept', $1) returning id`,
    [new Date(START_MS)],
  )
  const clientId = rows[0]?.id as ClientId
  const event = accountUpdated(clientId)
  await withTransaction(bench.pool, (tx) => appendEvents(tx, new Date(START_MS), [event]))

  bench.advanceDays(95)
  await bench.round()
  for (const table of ['events', 'deliveries', 'delivery_attempts']) {
    assert.equal((await bench.partitions(table))[0], '20261116', table)
  }

  await withTransaction(bench.pool, (tx) => dispatchEvents(tx, new Date(START_MS)))
  await bench.round()
  assert.equal((await bench.partitions('events'))[0], '20261116')
  await withTransaction(bench.pool, (tx) => countEvents(tx, clientId))
  await bench.round()
  for (const table of ['events', 'deliveries', 'delivery_attempts']) {
    assert.equal((await bench.partitions(table))[0], '20261123', table)
  }
})

test('while a transaction reads the table, the round gives way and writers go on', async () => {
  await using bench = await setup()
  const reader = await bench.pool.connect()
  try {
    await reader.query('begin; select from events')
    const round = bench.round()
    const write = bench.pool.query(
      `insert into events (id, client_id, sequence, type, facts, created_at)
       values ('0199a000-0000-7000-8000-000000000000', 1, 1, 'account.created', '{}', now())`,
    )
    await Promise.all([round, write])
    assert.deepEqual(await bench.partitions('events'), [])
  } finally {
    await reader.query('rollback')
    reader.release()
  }

  await bench.round()
  assert.equal((await bench.partitions('events')).length, 3)
})

test('a database restored to weeks ago has the partitions of today before its first event', async () => {
  await using bench = await setup()
  await createClient(bench.pool, new Date(START_MS), SANDBOX_CLIENT) // An operator, who gets the alert.
  const at = ['--at', '2026-11-16T10:00:00Z']

  await runCommand(['restore', '--database-url', bench.connectionString, ...at])

  const where = 'select tableoid::regclass::text as name from events'
  const { rows } = await bench.pool.query<{ name: string }>(where)
  assert.deepEqual(
    rows.map(({ name }) => name),
    [`events_${(await bench.partitions('events'))[0]}`],
  )
})

// A database with a clock that the test moves; `partitions` gives a table's days.
async function setup() {
  const database = await createTestDatabase()
  const { pool, connectionString } = database
  let nowMs = START_MS
  const clock = () => new Date(nowMs)
  const log = createLogger({ level: 'silent' })

  return {
    pool,
    connectionString,
    round: maintainPartitionsRound({ db: pool, clock, log }),
    advanceDays: (days: number) => {
      nowMs += days * DAY_MS
    },
    partitions: async (table: string) =>
      (
        await pool.query<{ day: string }>(
          `select right(relid::text, 8) as day from pg_partition_tree($1)
            where relid::text ~ '_[0-9]{8}$' order by 1`,
          [table],
        )
      ).rows.map((row) => row.day),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
