// States change only along the declared transitions (I109): in code, and in the database.

import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type pg from 'pg'
import {
  FORBIDDEN_TRANSITION,
  isAllowed,
  moveRow,
  moveRows,
  type States,
  statusesOf,
} from '#db/states.ts'
import { withTransaction } from '#db/transaction.ts'
import type { PaymentId, PayoutId } from '#ids.ts'
import { kobo } from '#money.ts'
import { PAYMENT_STATUSES, PAYMENTS, updatePayments } from '#payments/states.ts'
import { PAYOUT_STATUSES, PAYOUTS, type PayoutStatus, transition } from '#payouts/states.ts'
import { REFUND_TRANSITIONS, refundStatus } from '#refunds/states.ts'
import { functionPath, renderFunction, STATES, withDiagrams } from '../../scripts/states.ts'
import { createTestDatabase } from '../support/database.ts'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('docs/states.md draws the transitions that the code declares', () => {
  const text = read('docs/states.md')
  assert.equal(text, withDiagrams(text), 'run npm run generate')
})

test('the functions of the triggers have the transitions that the code declares', () => {
  for (const states of STATES) {
    assert.equal(read(functionPath(states)), renderFunction(states), 'run npm run generate')
  }
  const files = globSync('db/functions/check_*_transition.sql', { cwd: ROOT })
  assert.deepEqual(files.sort(), STATES.map(functionPath).sort())
})

test('every declared status can be reached from the initial one', () => {
  for (const { table, initial, transitions } of STATES) {
    const statuses = statusesOf(transitions)
    const reached = new Set([initial])
    for (const status of reached) for (const next of transitions[status] ?? []) reached.add(next)
    assert.deepEqual([...reached].sort(), statuses.sort(), table)
  }
})

const pairsOf = ({ transitions }: States) =>
  statusesOf(transitions).flatMap((from) =>
    statusesOf(transitions).map((to) => [from, to] as const),
  )

for (const states of STATES) {
  const { table, column } = states

  test(`the database refuses every other change of ${table}.${column}`, async () => {
    await using database = await createTestDatabase()
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      await disableAllButTrigger(client, table)
      const insert = await insertSqlFor(client, states)
      for (const [from, to] of pairsOf(states)) {
        await client.query('savepoint pair')
        await client.query(insert, [from])
        const update = client.query(`update ${table} set ${column} = $1`, [to])
        if (from === to || isAllowed(states, from, to)) {
          assert.equal((await update).rowCount, 1, `${from} to ${to}`)
        } else {
          const constraint = `${table}_follow_transitions`
          await assert.rejects(
            update,
            { code: FORBIDDEN_TRANSITION, constraint },
            `${from} to ${to}`,
          )
        }
        await client.query('rollback to pair')
      }
    } finally {
      await client.query('rollback')
      client.release()
    }
  })

  test(`the code refuses every other change of ${table}.${column}`, async () => {
    await using database = await createTestDatabase()
    await withTransaction(database.pool, async (tx) => {
      for (const [from, to] of pairsOf(states)) {
        if (isAllowed(states, from, to)) continue
        const moving = moveRows(tx, states, { name: 'move', rows: [1n], from, to })
        await assert.rejects(moving, { message: `${table}: ${from} does not become ${to}` })
      }
    })
  })
}

test('a batch of payments is refused as a whole if one would skip a status', async () => {
  await using database = await createTestDatabase()
  const amounts = { amountPaidKobo: kobo(0n), chargedFeeKobo: kobo(0n), chargedVatKobo: kobo(0n) }
  const paymentId = '0190a000-0000-7000-8000-000000000001' as PaymentId
  for (const storedStatus of PAYMENT_STATUSES) {
    for (const status of PAYMENT_STATUSES) {
      const writing = withTransaction(database.pool, (tx) =>
        updatePayments(tx, new Date(0), [{ paymentId, storedStatus, status, ...amounts }]),
      )
      if (storedStatus === status || isAllowed(PAYMENTS, storedStatus, status)) await writing
      else await assert.rejects(writing, { message: /^payments: \w+ does not become \w+$/ })
    }
  }
})

test('a locked row that is not where its caller read it is a bug, and nothing is written', async () => {
  await using database = await createTestDatabase()
  const move = { name: 'move-none', id: 1n, from: 'queued', to: 'sending' } as const
  const moving = withTransaction(database.pool, (tx) => moveRow(tx, PAYOUTS, move))
  await assert.rejects(moving, { message: 'payouts: 1 was not queued' })
})

test('a payout that is not where its caller read it is a bug, unless it may stay', async () => {
  await using database = await createTestDatabase()
  // Moves a payout from `sending` to `unknown`. With `mayStay`, a payout in another state is no error.
  const move = (mayStay: boolean) => {
    const id = 1n as PayoutId
    const change = { name: 'move-payout', rows: [id], from: 'sending', to: 'unknown' } as const
    return withTransaction(database.pool, (tx) =>
      transition(tx, { ...change, by: 'test', now: new Date(0), mayStay }),
    )
  }
  await assert.rejects(move(false), { message: 'payouts: not all of 1 were sending' })
  assert.deepEqual(await move(true), [])
})

// The status of a refund is not stored: it follows from the statuses of its payouts.
test('a refund moves exactly as its payouts make it move', () => {
  const moves = new Map<string, Set<string>>(
    Object.keys(REFUND_TRANSITIONS).map((status) => [status, new Set()]),
  )
  for (const parts of combinations(4)) {
    for (const [at, part] of parts.entries()) {
      for (const status of PAYOUTS.transitions[part.status]) {
        const [from, to] = [refundStatus(parts), refundStatus(parts.with(at, { status }))]
        if (from !== to) moves.get(from)?.add(to)
      }
    }
  }
  const declared = Object.entries(REFUND_TRANSITIONS)
  for (const [from, next] of declared) {
    assert.deepEqual([...(moves.get(from) ?? [])].sort(), [...next].sort(), from)
  }
})

test('the database refuses every change of a refund', async () => {
  await using database = await createTestDatabase()
  const { rows } = await database.pool.query(
    `select tgname from pg_trigger where tgrelid = 'refunds'::regclass and tgenabled = 'O'`,
  )
  assert(rows.some(({ tgname }) => tgname === 'refunds_not_changed'))
  const { rows: columns } = await database.pool.query(
    `select from pg_attribute where attrelid = 'refunds'::regclass and attname in ('status', 'state')`,
  )
  assert.equal(columns.length, 0)
})

type Part = { status: PayoutStatus }

// Yields every sequence of payout statuses up to this length.
function* combinations(longest: number, parts: readonly Part[] = []): Generator<readonly Part[]> {
  if (parts.length > 0) yield parts
  if (parts.length === longest) return
  for (const status of PAYOUT_STATUSES) yield* combinations(longest, [...parts, { status }])
}

// Disables everything on the table except the trigger for transitions, because the rows of these tests
// belong to no client.
async function disableAllButTrigger(client: pg.PoolClient, table: string): Promise<void> {
  const { rows } = await client.query<{ conname: string }>(
    `select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'`,
    [table],
  )
  for (const { conname } of rows) {
    await client.query(`alter table ${table} drop constraint ${conname}`)
  }
  await client.query(`alter table ${table} disable trigger all;
    alter table ${table} enable trigger ${table}_follow_transitions;
    delete from ${table}`)
}

const VALUES: Readonly<Record<string, string>> = {
  bigint: '1',
  integer: '1',
  text: `'x'`,
  uuid: 'gen_random_uuid()',
  'timestamp with time zone': 'now()',
  date: 'current_date',
  boolean: 'false',
  bytea: `''`,
}

// Returns an insert of a row with the status $1 and any values in the other required columns.
async function insertSqlFor(client: pg.PoolClient, { table, column }: States): Promise<string> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type
       from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attnotnull
        and not atthasdef and attidentity = '' and attname <> $2`,
    [table, column],
  )
  const names = rows.map(({ name }) => name)
  const values = rows.map(({ type }) => VALUES[type] ?? `null::${type}`)
  return `insert into ${table} (${[column, ...names]}) values (${['$1', ...values]})`
}
