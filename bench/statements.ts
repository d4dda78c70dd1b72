// What PostgreSQL's time goes to, statement by statement (pg_stat_statements): how often, how many
// rows at a time, how long, how much it wrote to its log. Only with --profile, since counting costs.

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Home, startService } from './service-process.ts'
import type { Stage } from './stage.ts'

const SQL = `
  select calls::int, round(total_exec_time::numeric) as "ms",
         round(mean_exec_time::numeric, 3) as "mean ms",
         round(rows::numeric / nullif(calls, 0), 1) as "rows each",
         round(wal_bytes / 1024 / 1024, 1) as "WAL MB", wal_fpi::int as "whole pages",
         left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as query
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
   order by total_exec_time desc limit 25`

export class Statements {
  readonly #db: pg.Pool
  readonly #folder: string

  private constructor(db: pg.Pool, folder: string) {
    this.#db = db
    this.#folder = folder
  }

  // The library must be there when the server starts: so one start to set it, before the real one.
  static async preload(home: Home): Promise<void> {
    const service = await startService(home)
    const client = new pg.Client({ connectionString: service.databaseUrl('manilla') })
    await client.connect()
    await client.query(`alter system set shared_preload_libraries = 'pg_stat_statements'`)
    await client.query(`alter system set pg_stat_statements.track = 'all'`).catch(() => {})
    await client.end()
    await service.stop()
  }

  static async open(stage: Stage): Promise<Statements> {
    await stage.books.db.query('create extension if not exists pg_stat_statements')
    return new Statements(stage.books.db, stage.options.profile as string)
  }

  async reset(): Promise<void> {
    await this.#db.query('select pg_stat_statements_reset()')
  }

  async write(row: string): Promise<void> {
    const { rows } = await this.#db.query<Record<string, unknown>>(SQL)
    const lines = rows.map((each) => Object.values(each).join('\t'))
    const head = Object.keys(rows[0] ?? {}).join('\t')
    writeFileSync(join(this.#folder, `statements-${row}.tsv`), `${[head, ...lines].join('\n')}\n`)
  }
}
