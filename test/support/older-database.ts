// A database of an earlier version with two clients, for testing a migration.

import { copyFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrate } from '#db/migrate.ts'
import { createEmptyDatabase } from './database.ts'
import { createTempFolder } from './temp-folder.ts'

const MIGRATIONS = join(import.meta.dirname, '../../db/migrations')

const POSTING = '0018_posting_order.sql'

// By a version without this migration and later ones.
export async function createOlderDatabase(migration: string) {
  using folder = createTempFolder()
  for (const name of readdirSync(MIGRATIONS)) {
    if (name < migration) copyFileSync(join(MIGRATIONS, name), join(folder.path, name))
  }
  const database = await createEmptyDatabase()
  const { pool } = database
  await migrate(pool, { migrationsDir: folder.path })
  // Functions are current, and this one needs a later table. The next migration recreates it.
  if (migration > POSTING) await pool.query(readFileSync(join(MIGRATIONS, POSTING), 'utf8'))
  const isOld = migration <= '0022'
  await pool.query(
    `insert into clients (client_id, name, ${isOld ? 'event_sequence, ' : ''}created_at)
     values ('BUSY', 'Busy', ${isOld ? '7, ' : ''}now()), ('QUIET', 'Quiet', ${isOld ? '0, ' : ''}now())`,
  )
  if (!isOld) {
    await pool.query(
      `update event_counters set sequence = 7
        where client_id = (select id from clients where client_id = 'BUSY')`,
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
