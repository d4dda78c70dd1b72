// Connection pools, with money-safe types: int8 arrives as bigint, never as a float.

import pg from 'pg'
import {
  BATCH_STATEMENT_MAX_MS,
  type Deadlines,
  deadlines,
  STATEMENT_MAX_MS,
  watchPool,
} from './deadlines.ts'
import { clientOf } from './hosted-client.ts'
import { applyPerTransaction, isPooled, type Settings, splitSettings } from './pooler.ts'
import { forgetPrepared } from './statement-group.ts'
import { nameGeneration } from './statement-names.ts'
import { watchCommits } from './unconfirmed-commits.ts'

const INT8 = 20
const REPLAN_FACTOR = 4
pg.types.setTypeParser(INT8, BigInt)

export type Pool = pg.Pool

// Whatever can answer a query: a pool, or a transaction.
export type Queryable = Pick<pg.Pool, 'query'>

type PoolConfig = pg.PoolConfig & { connectionString: string }

type Options = Partial<Deadlines> & {
  connectionString: string
  max: number
  onIdleError: (error: Error) => void
}

export function createPool(given: Options): Pool {
  const { connectionString, max, onIdleError } = given
  const limits = deadlines({ statementMaxMs: STATEMENT_MAX_MS, ...given })
  const pool = openPool({ connectionString, max, ...limits })
  watchPool(pool, limits.statement_timeout)
  if (!isPooled(connectionString)) forgetEvicted(pool)
  return listen(pool, onIdleError)
}

// For the batches that write money. Statements of one transaction are sent without waiting for one
// another (pipelined), and every statement there looks rows up by key: the planner is told so,
// because a cached plan made while a table was small would otherwise scan it when it is large.
export const PLANNER_SETTINGS: Settings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  join_collapse_limit: '1', // Joins are written in the order that they are to be made.
  plan_cache_mode: 'force_generic_plan',
}

export function createBatchPool(given: Options): Pool {
  const { connectionString, max, onIdleError } = given
  const limits = deadlines({ statementMaxMs: BATCH_STATEMENT_MAX_MS, ...given })
  const pool = openPool({ connectionString, max, ...limits, pipeline: true }, PLANNER_SETTINGS)
  watchPool(pool, limits.statement_timeout)
  replanAsUsed(pool)
  return listen(pool, onIdleError)
}

function openPool(given: PoolConfig, planner: Settings = {}): pg.Pool {
  const { config, settings } = splitSettings(given, planner)
  const pool = new pg.Pool({ ...config, Client: clientOf(config.connectionString) })
  return settings ? applyPerTransaction(pool, settings) : pool
}

// A plan lasts as long as its connection, and one that was made while a table was small may find its
// rows by the wrong index when it is large: seen with foreign keys of two columns, where every index
// that begins with the client looked as good. New statistics would have it made again, but come
// after the rows. So plans are made again each time that a connection was used so many times more.
function replanAsUsed(pool: pg.Pool): void {
  const uses = new WeakMap<pg.PoolClient, { count: number; replanAt: number }>()
  pool.on('acquire', (client) => {
    const use = uses.get(client) ?? { count: 0, replanAt: REPLAN_FACTOR }
    uses.set(client, use)
    use.count += 1
    if (use.count < use.replanAt) return
    use.replanAt *= REPLAN_FACTOR
    client.query('discard plans').catch(() => {}) // A lost connection tells its user.
  })
}

// Statements that lost their name stay prepared on a connection, until as many were named since it was
// made, or last forgot them, as may have a name: then it begins anew.
function forgetEvicted(pool: pg.Pool): void {
  const generations = new WeakMap<pg.PoolClient, number>()
  pool.on('acquire', (client) => {
    const generation = nameGeneration()
    const known = generations.get(client) ?? generation
    generations.set(client, generation)
    if (known !== generation) forgetPrepared(client)
  })
}

function listen(pool: pg.Pool, onIdleError: (error: Error) => void): Pool {
  pool.on('error', onIdleError) // Unheard, one dropped idle connection would end the process.
  // One that is dropped while in use fails its query, which tells whom it concerns; but it is
  // reported a second time, on the connection, and unheard that would end the process too.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    watchCommits(client)
  })
  return pool
}

// A standby, and a server that was made read-only, take connections and refuse every write.
export async function isWritable(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query('show transaction_read_only')
  return rows[0]?.transaction_read_only === 'off'
}
