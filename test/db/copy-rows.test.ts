// Rows inserted by COPY arrive unchanged and obey the same constraints as an insert. If an earlier statement
// of the transaction fails, so that the database skips the rows, the connection stays usable.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { createBatchPool } from '#db/pool.ts'
import { PipelinedCommit, type Transaction, withTransaction } from '#db/transaction.ts'
import {
  bool,
  bytea,
  CopyTarget,
  date,
  int8,
  text,
  timestamptz,
  uuid,
} from '#hot-path/copy-rows.ts'
import { createTestDatabase } from '../support/database.ts'

type Row = {
  id: bigint
  words: string | null
  bytes: Buffer | null
  isFirst: boolean | null
  at: Date | null
  day: string | null
  reference: string | null
}

const KEPT = new CopyTarget<Row, Date>('kept', {
  id: int8(({ id }) => id),
  words: text(({ words }) => words),
  bytes: bytea(({ bytes }) => bytes),
  is_first: bool(({ isFirst }) => isFirst),
  at: timestamptz(({ at }) => at),
  day: date(({ day }) => day),
  reference: uuid(({ reference }) => reference),
  added_at: timestamptz((_, now) => now),
})

const NOW = new Date('2026-11-16T10:11:12.345Z')

const row = (id: bigint, words: string | null = null): Row => ({
  id,
  words,
  bytes: null,
  isFirst: null,
  at: null,
  day: null,
  reference: null,
})

const datesSince = (from: string) =>
  fc.date({ min: new Date(from), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true })
const rows = fc.uniqueArray(
  fc.record<Row>({
    id: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    words: fc.option(
      fc
        .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary', maxLength: 300 }))
        .filter((words) => !words.includes('\0') && words.isWellFormed()),
    ),
    bytes: fc.option(fc.uint8Array().map((bytes) => Buffer.from(bytes))),
    isFirst: fc.option(fc.boolean()),
    at: fc.option(datesSince('0001-01-01T00:00:00Z')),
    day: fc.option(datesSince('0001-01-01').map((day) => day.toISOString().slice(0, 10))),
    reference: fc.option(fc.uuid()),
  }),
  { selector: ({ id }) => id, minLength: 1, maxLength: 30 },
)

test('a row of any values arrives unchanged', async () => {
  await using bench = await setup()

  await fc.assert(
    fc.asyncProperty(rows, async (input) => {
      await bench.pool.query('truncate kept')
      await bench.run((tx) => KEPT.insert(tx, input, NOW))
      for (const { id, words, bytes, isFirst, at, day, reference } of input) {
        const { rowCount } = await bench.pool.query(
          `select from kept where id = $1::bigint and words is not distinct from $2::text
              and bytes is not distinct from $3::bytea
              and is_first is not distinct from $4::boolean
              and at is not distinct from $5::text::timestamptz
              and day is not distinct from $6::text::date
              and reference is not distinct from $7::text::uuid
              and added_at = $8`,
          [id, words, bytes, isFirst, at?.toISOString() ?? null, day, reference, NOW],
        )
        assert.equal(rowCount, 1)
      }
      assert.equal((await bench.words()).length, input.length)
    }),
    { numRuns: 40 },
  )
})

test('statements before and after see the rows in their order', async () => {
  await using bench = await setup()
  const count = { name: 'count-kept', text: 'select count(*)::int as count from kept' }

  const [before, , after] = await bench.run((tx) =>
    Promise.all([tx.query(count), KEPT.insert(tx, [row(1n), row(2n)], NOW), tx.query(count)]),
  )

  assert.deepEqual([before.rows[0].count, after.rows[0].count], [0, 2])
})

test('the driver does not cancel the COPY, although it knows nothing of its rows', async (t) => {
  await using bench = await setup()
  const prototype = pg.Connection.prototype as unknown as { sendCopyFail: () => void }
  const calledOff = t.mock.method(prototype, 'sendCopyFail')

  await bench.run((tx) => KEPT.insert(tx, [row(1n)], NOW))

  assert.equal(calledOff.mock.callCount(), 0)
})

test('a constraint that a row breaks fails the whole transaction, and is named', async () => {
  await using bench = await setup()
  await bench.run((tx) => KEPT.insert(tx, [row(7n, 'first')], NOW))

  // One of the five thousand rows has the id 7, which the table already has.
  const failing = bench.run(async (tx) => {
    const good = tx.query({ text: `insert into kept (id, words) values (5, 'lost')` })
    const many = Array.from({ length: 5_000 }, (_, at) => row(BigInt(at + 6), 'x'.repeat(50)))
    return new PipelinedCommit(null, [good, KEPT.insert(tx, many, NOW), tx.query('select 1')])
  })

  await assert.rejects(failing, { code: '23505', constraint: 'kept_pkey', statement: 'copy-kept' })
  assert.deepEqual(await bench.words(), ['first'])
  await bench.run((tx) => KEPT.insert(tx, [row(8n, 'next')], NOW))
  assert.deepEqual(await bench.words(), ['first', 'next'])
})

test('rows behind a statement that fails are dropped, and the connection stays good', async () => {
  await using bench = await setup()

  // Sends the rows directly after a statement that divides by zero.
  const failing = bench.run(async (tx) => {
    const failed = tx.query({ name: 'by-zero', text: 'select 1 / $1::int', values: [0] })
    const many = Array.from({ length: 5_000 }, (_, at) => row(BigInt(at), 'x'.repeat(50)))
    return new PipelinedCommit(null, [failed, KEPT.insert(tx, many, NOW)])
  })

  await assert.rejects(failing, /division by zero/)
  assert.deepEqual(await bench.words(), [])
  await bench.run((tx) => KEPT.insert(tx, [row(1n, 'next')], NOW))
  assert.deepEqual(await bench.words(), ['next'])
})

test('a value that cannot be written fails before anything is committed', async () => {
  await using bench = await setup()
  const unwritable: Row[] = [
    row(2n ** 63n),
    { ...row(1n), at: new Date(Number.NaN) },
    { ...row(1n), day: '2026-13-01' },
    { ...row(1n), reference: 'none' },
  ]

  for (const wrong of unwritable) {
    // Inserts a row, and copies a good row and one that cannot be written.
    const failing = bench.run(async (tx) => {
      const first = tx.query({ text: `insert into kept (id, words) values (5, 'lost')` })
      return new PipelinedCommit(null, [first, KEPT.insert(tx, [row(3n), wrong], NOW)])
    })
    await assert.rejects(failing)
  }
  await assert.rejects(
    bench.run((tx) => KEPT.insert(tx, [row(1n, 'a\0b')], NOW)),
    { code: '22021' },
  )

  assert.deepEqual(await bench.words(), [])
  await bench.run((tx) => KEPT.insert(tx, [], NOW))
  await bench.run((tx) => KEPT.insert(tx, [row(1n, 'next')], NOW))
  assert.deepEqual(await bench.words(), ['next'])
})

// Creates a table and a pool with one connection, in which statements of a transaction are pipelined.
async function setup() {
  const database = await createTestDatabase()
  await database.pool.query(
    `create table kept (id bigint primary key, words text, bytes bytea, is_first boolean,
                        at timestamptz, day date, reference uuid, added_at timestamptz)`,
  )
  const pool = createBatchPool({
    connectionString: database.connectionString,
    max: 1,
    onIdleError: () => {},
  })
  return {
    pool: database.pool,
    run: <T>(work: (tx: Transaction) => Promise<T | PipelinedCommit<T>>) =>
      withTransaction(pool, work),
    async words(): Promise<(string | null)[]> {
      const { rows } = await database.pool.query('select words from kept order by id')
      return rows.map(({ words }) => words)
    },
    async [Symbol.asyncDispose]() {
      await pool.end()
      await database[Symbol.asyncDispose]()
    },
  }
}
