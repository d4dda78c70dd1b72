// Migrations on a database that is in use, by a process of the version before: nothing is lost.

import assert from 'node:assert/strict'
import { copyFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { migrate } from '#db/migrate.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')

test('0026: who let whom in is read from the audit log, also through somebody else', async () => {
  await using bench = await setup('0026')
  const { pool } = bench
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) {
    await pool.query(
      `insert into users (id, client_id, email, role, password_hash, password_set_at,
                          is_password_temporary, created_at)
       select $1, id, $2, 'owner', 'x', now(), false, now() from clients where client_id = 'BUSY'`,
      [idOf(at), `${name}@x.example`],
    )
  }
  const acts = [
    ['cli:ada', 'user.create', 'a'],
    ['user:a@x.example', 'user.create', 'b'],
    ['user:b@x.example', 'user.reset_password', 'c'],
    ['user:c@x.example', 'user.disable', 'd'],
  ]
  for (const [actor, action, name] of acts) {
    await pool.query(
      `insert into actions (client_id, actor, action, subject, detail, taken_at)
       select id, $1, $2, $3, '{}', now() from clients where client_id = 'BUSY'`,
      [actor, action, `user/${name}@x.example`],
    )
  }

  await migrate(pool)

  const apart = async (one: number, other: number) => {
    const { rows } = await pool.query('select are_independent($1, $2) as apart', [
      idOf(one),
      idOf(other),
    ])
    return rows[0].apart
  }
  assert.deepEqual([await apart(0, 1), await apart(0, 2), await apart(2, 0)], [false, false, false])
  assert.deepEqual([await apart(2, 3), await apart(0, 3)], [true, true])
})

const idOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`

test('0022: events are counted on from where they were, also those that were being written', async () => {
  await using bench = await setup('0022')
  const writer = await bench.pool.connect()
  await writer.query('begin; update clients set event_sequence = event_sequence + 5')

  const migrated = migrate(bench.pool)
  await bench.isWaiting()
  await writer.query('commit')
  writer.release()
  await migrated

  assert.deepEqual(await bench.counters(), { BUSY: 12n, QUIET: 5n })
  await bench.pool.query(
    `insert into clients (client_id, name, created_at) values ('NEW', 'New', now())`,
  )
  assert.deepEqual(await bench.counters(), { BUSY: 12n, NEW: 0n, QUIET: 5n })
})

test('0021: shared accounts that are open keep their ids, and new ones come after all others', async () => {
  await using bench = await setup('0021')
  const shared = { owner: 'bank:058', currency: 'NGN' }
  await bench.pool.query(`insert into ledger_accounts (kind, owner) values ('bank', 'bank:058')`)

  await migrate(bench.pool)
  const accounts = new SharedAccounts(bench.pool)
  await accounts.open([
    { kind: 'bank', ...shared },
    { kind: 'suspense', ...shared },
  ])

  assert.equal(accounts.id({ kind: 'bank', ...shared }), 1n)
  assert.equal(accounts.id({ kind: 'suspense', ...shared }) / 1_000_000_000_000_000n, 1n)
})

// As a version left it that knew nothing of this migration nor of later ones.
async function setup(migration: string) {
  using folder = createTempFolder()
  for (const name of readdirSync(MIGRATIONS)) {
    if (name < migration) copyFileSync(join(MIGRATIONS, name), join(folder.path, name))
  }
  const database = await createEmptyDatabase()
  const { pool } = database
  await migrate(pool, { migrationsDir: folder.path })
  await pool.query(
    `insert into clients (client_id, name, created_at)
     values ('BUSY', 'Busy', now()), ('QUIET', 'Quiet', now())`,
  )
  if (migration <= '0022') {
    await pool.query(`update clients set event_sequence = 7 where client_id = 'BUSY'`)
  }
  return {
    pool,
    isWaiting: async () => {
      for (;;) {
        const waiting = await pool.query(
          `select from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`,
        )
        if (waiting.rowCount) return
      }
    },
    counters: async () => {
      const { rows } = await pool.query<{ name: string; sequence: bigint }>(
        `select c.client_id as name, k.sequence
           from clients c left join event_counters k on k.client_id = c.id order by 1`,
      )
      return Object.fromEntries(rows.map(({ name, sequence }) => [name, sequence]))
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}
