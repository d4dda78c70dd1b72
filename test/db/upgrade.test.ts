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

test('0028: returns on their way, or back, keep their references, and new ones get others', async () => {
  await using bench = await setup('0028')
  await bench.pool.query(`
    insert into clients (client_id, name, is_operator, scopes, created_at)
    values ('OPERATOR', 'Operator', true, array['accounts:read', 'operator'], now()),
           ('MERCHANT', 'Merchant', false, array['accounts:read'], now());
    insert into ledger_accounts (id, kind, owner) values (1, 'suspense', 'bank:058');
    insert into credits (bank_code, session_id, account_number, amount_kobo, suspended_kobo, outcome,
                         reason, currency, received_at)
    select '058', lpad(n::text, 30, '0'), '0123456789', 500, 500, 'suspended', 'late', 'NGN', now()
      from generate_series(1, 3) as n;
    insert into suspense_items (credit_id, account_id, amount_kobo, reason, state, return_reference,
                                opened_at, closed_at)
    select id, 1, 500, 'late', (array['open', 'returning', 'returned'])[id],
           case id when 3 then 'WEMA/1' end, now(), case id when 1 then null else now() end
      from credits order by id;
    insert into actions (client_id, actor, action, subject, detail, taken_at)
    select id, 'user:ada@shop.example', 'suspense.return', 'suspense/2', '{}', now()
      from clients where client_id = 'OPERATOR';
    insert into alerts (kind, subject, detail, raised_at) values ('session_reused', 'x', '{}', now())`)

  await migrate(bench.pool)

  const { rows } = await bench.pool.query(
    `select id::int, item_id::int as item, status, bank_reference as bank, requested_by as by
       from returns order by id`,
  )
  assert.deepEqual(rows, [
    { id: 2, item: 2, status: 'pending', bank: null, by: 'user:ada@shop.example' },
    { id: 3, item: 3, status: 'confirmed', bank: 'WEMA/1', by: null },
  ])
  const next = await bench.pool.query(
    'insert into returns (item_id, amount_kobo, requested_at) values (1, 500, now()) returning id',
  )
  assert.equal(next.rows[0].id, 4n)
  const clients = await bench.pool.query('select scopes from clients order by client_id')
  assert.deepEqual(
    clients.rows.map(({ scopes }) => scopes),
    [['accounts:read'], ['accounts:read', 'operator', 'returns:read', 'returns:write']],
  )
  const unlogged = await bench.pool.query('select from alerts where logged_at is null')
  assert.equal(unlogged.rowCount, 0)
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
  if (migration <= '0022') {
    await pool.query(
      `insert into clients (client_id, name, event_sequence, created_at)
       values ('BUSY', 'Busy', 7, now()), ('QUIET', 'Quiet', 0, now())`,
    )
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
