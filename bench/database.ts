// A database of the bench. Its rows are counted and its books checked after every row of the table,
// because a fast wrong answer is wrong.

import pg from 'pg'
import { createPool, type Pool } from '#db/pool.ts'
import { checkIntegrity, type Finding } from '#integrity/checks.ts'

export type Table = 'credits' | 'collection_accounts' | 'payments'

export class BenchDatabase implements AsyncDisposable {
  readonly connectionString: string
  readonly db: Pool

  constructor(connectionString: string) {
    this.connectionString = connectionString
    this.db = createPool({ connectionString, max: 1, onIdleError: () => {} })
  }

  async count(table: Table): Promise<number> {
    const { rows } = await this.db.query(`select count(*) from ${table}`)
    return Number(rows[0].count)
  }

  // Returns the bytes written so far. The log covers the whole server, the storage only this database.
  async written(): Promise<{ logBytes: number; storedBytes: number }> {
    const { rows } = await this.db.query(
      `select pg_current_wal_insert_lsn() - '0/0' as log,
              pg_database_size(current_database()) as stored`,
    )
    return { logBytes: Number(rows[0].log), storedBytes: Number(rows[0].stored) }
  }

  // Vacuums and checkpoints now, so that no row of the table pays for the writes of an earlier one.
  async settle(): Promise<void> {
    const { rows } = await this.db.query<{ tables: string | null }>(
      `select string_agg(quote_ident(relname), ', ') as tables from pg_stat_user_tables
        where n_mod_since_analyze > 0 or n_ins_since_vacuum > 0 or n_dead_tup > 0`,
    )
    if (rows[0]?.tables) await this.db.query(`vacuum (analyze) ${rows[0].tables}`)
    await this.db.query('checkpoint')
  }

  // Runs the integrity checks, and returns a sentence for each finding.
  async integrityProblems(): Promise<string[]> {
    const line = ({ check, subject, expected, found }: Finding) =>
      `${check}: ${subject}: expected ${expected}, found ${found}`
    return (await checkIntegrity(this.db)).map(line)
  }

  // Creates advices to initiate payments for, and returns their references.
  async createAdvices(count: number): Promise<string[]> {
    const { rows } = await this.db.query<{ id: string }>(
      `insert into advices (id, client_id, amount_kobo, currency, call_back_url, customer,
                            customer_name, amount_policy, expires_in_seconds, grace_seconds,
                            created_at)
       select uuidv7(), (select min(client_id) from collection_accounts), 600000, 'NGN',
              'http://127.0.0.1:9/', '{"firstName":"Ada","lastName":"Obi"}', 'Ada Obi',
              'allow_under', 1800, 300, now()
         from generate_series(1, $1) returning id`,
      [count],
    )
    return rows.map(({ id }) => id)
  }

  [Symbol.asyncDispose] = () => this.db.end()
}

// Runs one SQL statement on its own connection, such as `create database`.
export async function runAsAdmin(connectionString: string, sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString })
  await admin.connect()
  await admin.query(sql).finally(() => admin.end())
}
