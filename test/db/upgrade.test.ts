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

test('0022: events are counted on from where they were, also those that were being written', async () => {
  await using bench = await setup('0022')
  await bench.pool.query(
    `insert into clients (client_id, name, event_sequence, created_at)
     values ('BUSY', 'Busy', 7, now()), ('QUIET', 'Quiet', 0, now())`,
  )
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

test('0030: to lift what refuses an update does not lift what refuses a truncate', async () => {
  await using bench = await setup('0030')
  await migrate(bench.pool)
  const tables = { transfers: '_append_only', ledger_accounts: '_kept', events: '_append_only' }

  for (const [table, trigger] of Object.entries({ ...tables, actions: '_append_only' })) {
    await bench.pool.query(`alter table ${table} disable trigger ${table}${trigger}`)
    await bench.pool.query(`delete from ${table}`)
    const message = `${table} may not be changed this way (truncate)`
    await assert.rejects(bench.pool.query(`truncate ${table} cascade`), { message })
    await bench.pool.query(`alter table ${table} enable trigger ${table}${trigger}`)
    await assert.rejects(bench.pool.query(`delete from ${table}`), { code: '23001' })
  }
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
