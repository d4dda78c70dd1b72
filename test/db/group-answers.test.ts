// Statements that are sent as a group get the same answers as from the driver: every type of value, written
// and read, and every command. A connection that is cut at any moment leaves a complete transaction, or
// nothing.

import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { createBatchPool } from '#db/pool.ts'
import { isConnectionLost, PipelinedCommit, withTransaction } from '#db/transaction.ts'
import { createTestDatabase } from '../support/database.ts'
import { BUSY_FACTOR } from '../support/patience.ts'

const LIMITS = { max: 1, patience: BUSY_FACTOR, onIdleError: () => {} }
const MOMENT = new Date('2026-11-15T08:00:00.123Z')

const VALUES: readonly [type: string, value: unknown][] = [
  ['timestamptz', MOMENT],
  ['timestamptz', null],
  ['timestamptz', 'infinity'],
  ['date', '2026-11-15'],
  ['bytea', Buffer.from([0, 1, 92, 255])],
  ['bytea', new Uint8Array([7, 8])],
  ['bytea', Buffer.alloc(0)],
  ['bigint', 9_223_372_036_854_775_807n],
  ['bigint', -1n],
  ['int', 7],
  ['numeric', '0.10'],
  ['float8', 0.1],
  ['boolean', true],
  ['boolean', false],
  ['text', ''],
  ['text', 'N\u00e1\u00edra \u20a6 \u{1f4b8} "\\\' '],
  ['text', undefined],
  ['text', 'x'.repeat(3_000_000)],
  ['json', { a: [1, null, { b: '"' }] }],
  ['jsonb', { amount: 1.5 }],
  ['json', '[]'],
  ['uuid', '0193a1de-830d-7252-9e51-372ff3133cfb'],
  ['text[]', ['a', null, '', 'b"\\,{}']],
  ['bigint[]', [1n, 9_007_199_254_740_993n]],
  ['bytea[]', [Buffer.from([1, 2]), null]],
  ['timestamptz[]', [MOMENT]],
  [
    'int[]',
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ['int[]', []],
  ['interval', '1 day 02:03:04'],
  ['inet', '10.0.0.1'],
]

const COMMANDS: readonly string[] = [
  'create table things (id int primary key, word text)',
  `insert into things select n, 'w' from generate_series(1, 12) as n`,
  `insert into things values (1, 'again') on conflict do nothing`,
  `insert into things values (20, 'x') returning id, word`,
  `update things set word = 'v' where id < 4`,
  'update things set word = null where id > 100 returning id',
  'merge into things t using (values (1), (99)) as s (id) on t.id = s.id when matched then delete',
  'delete from things where id < 4 returning *',
  'select * from things order by id',
  'select 1 as one, 2 as one, 3 as two',
  'select from things',
  'values (1, 2), (3, 4)',
  'table things limit 0',
  `set local work_mem = '1MB'`,
  'show timezone',
  'lock table things',
  `do $$ begin raise notice 'heard'; end $$`,
  'explain (costs off) select 1',
  '',
  ' -- nothing but a remark',
]

test('every value is written and read as by the driver, named or not, first or again', async () => {
  await using bench = await setup()

  for (const [type, value] of VALUES) {
    const text = `select $1::${type} as value, pg_typeof($1::${type})::text as type`
    const expected = (await bench.driver.query(text, [value])).rows
    const named = { name: `read-${type}`, text, values: [value] }
    const results = await bench.run((tx) =>
      Promise.all([tx.query(text, [value]), tx.query(named), tx.query(named)]),
    )
    for (const { rows } of [
      ...results,
      ...(await bench.run((tx) => Promise.all([tx.query(named)]))),
    ]) {
      assert.deepEqual(rows, expected, type)
    }
  }
})

test('every command is answered with its name, its rows and their count, as by the driver', async () => {
  await using bench = await setup()
  const comparableResult = ({ command, rowCount, rows }: pg.QueryResult) => ({
    command,
    rowCount,
    rows,
  })

  await bench.driver.query('begin')
  const expected: object[] = []
  for (const text of COMMANDS) expected.push(comparableResult(await bench.driver.query(text)))
  await bench.driver.query('rollback')
  const together = await bench.run((tx) => Promise.all(COMMANDS.map((text) => tx.query(text))))

  for (const [at, text] of COMMANDS.entries()) {
    // For an empty statement, the driver's `command` is null, and that of the group is an empty string.
    const { command, ...found } = comparableResult(together[at] as pg.QueryResult)
    assert.deepEqual({ command: command || null, ...found }, expected[at], text)
  }
})

test('a thousand statements and a hundred thousand rows travel together', async () => {
  await using bench = await setup()

  // Sends all statements before it awaits the first answer.
  const answers = await bench.run(async (tx) => {
    const rows = tx.query(`select n, repeat('x', 100) as word from generate_series(1, 100000) as n`)
    const inserts = Array.from({ length: 1000 }, (_, id) => tx.query(bench.insert(id)))
    return [await rows, ...(await Promise.all(inserts))]
  })

  assert.equal(answers[0]?.rows.length, 100_000)
  assert.equal(answers.length, 1001)
  assert.equal((await bench.kept()).length, 1000)
})

test('a statement whose answer changed its columns fails, and is not misread', async () => {
  await using bench = await setup()
  const every = { name: 'every', text: 'select * from kept' }
  await bench.run((tx) => Promise.all([tx.query(bench.insert(1)), tx.query(every)]))
  await bench.driver.query(`alter table kept add column word text default 'new'`)

  // The statement `every` was prepared before the table got its second column.
  const failing = bench.run(async (tx) => {
    await tx.query(bench.insert(2))
    return new PipelinedCommit(undefined, [tx.query(every)])
  })

  await assert.rejects(failing, /cached plan must not change result type/)
  assert.deepEqual(await bench.kept(), [1])
})

test('plans that are made anew answer as before', async () => {
  await using bench = await setup()
  const every = { name: 'every', text: 'select id from kept where id > $1', values: [0] }

  // After 70 uses the connection has planned the statement anew three times.
  for (let id = 1; id <= 70; id++) {
    const [, { rows }] = await bench.run((tx) =>
      Promise.all([tx.query(bench.insert(id)), tx.query(every)]),
    )
    assert.equal(rows.length, id)
  }
})

// Cuts the connection after every ninth byte of a transaction's two groups, and of their answers. A step of
// one byte passes as well, but takes long.
const STEP_BYTES = 9
for (const side of ['asked', 'answered'] as const) {
  test(`cut anywhere in what is ${side}: all is kept or nothing, and the next goes on`, async () => {
    await using bench = await setup()
    await using cutter = await startCutter(bench.driver)
    const pool = createBatchPool({ ...LIMITS, connectionString: cutter.url })
    const insertTwoRows = (id: number) =>
      withTransaction(pool, async (tx) => {
        const first = await tx.query({ name: 'first', text: 'select 1 as one' })
        assert.deepEqual(first.rows, [{ one: 1 }])
        return new PipelinedCommit('done', [
          tx.query({ name: 'kept', text: 'insert into kept values ($1)', values: [2 * id] }),
          tx.query({ name: 'kept', text: 'insert into kept values ($1)', values: [2 * id + 1] }),
        ])
      })
    await insertTwoRows(0)
    const whole = cutter.count(side)
    await insertTwoRows(1)
    const length = whole()

    for (let bytes = 0; bytes < length; bytes += STEP_BYTES) {
      const id = 2 + bytes
      cutter.cutAfter(side, bytes)
      const outcome = await insertTwoRows(id).catch((error: Error) => error)
      if (outcome instanceof Error) assert.ok(isConnectionLost(outcome), String(outcome))
      const stored = new Set(await bench.kept())
      assert.equal(
        stored.has(2 * id),
        stored.has(2 * id + 1),
        `by half, after ${bytes} of ${length}`,
      )
      if (outcome === 'done') assert.ok(stored.has(2 * id), `lost, after ${bytes} of ${length}`)
      assert.equal(await insertTwoRows(10_000 + id), 'done')
    }
    await pool.end()
  })
}

// Starts a proxy between a pool and the database, which cuts a connection after a number of bytes.
async function startCutter({ host, port, user, database }: pg.Client) {
  const passed = { asked: 0, answered: 0 }
  let cut: { side: keyof typeof passed; bytes: number } | undefined
  // Passes on the data of one direction. After the bytes that remain until the cut, ends both connections.
  const pass = (side: keyof typeof passed, from: Socket, to: Socket) => {
    from.on('error', () => {}).on('close', () => to.destroy())
    from.on('data', (data) => {
      passed[side] += data.length
      if (cut?.side !== side) return to.write(data)
      const rest = cut.bytes
      cut.bytes -= data.length
      if (rest > data.length) return to.write(data)
      cut = undefined
      to.write(data.subarray(0, rest), () => {
        from.destroy()
        to.destroy()
      })
      return true
    })
  }
  // Connects each client (`near`) to the database (`far`), and passes on the data of both directions.
  const server = createServer((near) => {
    const far = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host)
    pass('asked', near, far)
    pass('answered', far, near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as { port: number }
  const url = `postgres://${user}@127.0.0.1:${address.port}/${database}?sslmode=disable`
  return {
    url,
    count(side: keyof typeof passed) {
      const before = passed[side]
      return () => passed[side] - before
    },
    cutAfter(side: keyof typeof passed, bytes: number) {
      cut = { side, bytes }
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

// Creates a table, a pool whose statements are grouped, and a connection of the plain driver to compare with.
async function setup() {
  const database = await createTestDatabase()
  const { connectionString } = database
  const pool = createBatchPool({ ...LIMITS, connectionString })
  const driver = new pg.Client({ connectionString })
  await driver.connect()
  await driver.query('create table kept (id int primary key)')
  return {
    connectionString,
    driver,
    run: <T>(work: Parameters<typeof withTransaction<T>>[1]) => withTransaction(pool, work),
    insert: (id: number) => ({ text: 'insert into kept (id) values ($1)', values: [id] }),
    kept: async () => {
      const { rows } = await driver.query<{ id: number }>('select id from kept order by id')
      return rows.map((row) => row.id)
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([pool.end(), driver.end()])
      await database[Symbol.asyncDispose]()
    },
  }
}
