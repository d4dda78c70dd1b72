// Creates connection pools with their settings. Types are safe for money: int8 arrives as bigint, never as a
// float. Also refuses commits that a synchronous standby did not confirm.

import pg from 'pg'
import {
  BATCH_STATEMENT_MAX_MS,
  type Deadlines,
  deadlines,
  STATEMENT_MAX_MS,
  watchPool,
} from './deadlines.ts'
import { clientClassFor } from './hosts.ts'
import { nameGeneration } from './sql.ts'
import { forgetPrepared, type Statement, StatementGroup, toStatement } from './statement-group.ts'

// A transaction pooler (`?pooler=transaction` in DATABASE_URL) shares sessions: the next transaction may lose
// a connection's settings, or another client may inherit them (I81). So behind a pooler the message that
// begins a transaction carries the settings, and no statement is prepared under a name. Without a pooler, a
// connection gets its settings once, when it is opened.
export type Settings = Readonly<Record<string, string>>

// The time limits that the driver sends to PostgreSQL when it connects. The driver itself enforces the other
// limits.
const START_UP = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const

// Returns whether DATABASE_URL leads to a transaction pooler.
export function isPooled(connectionString: string | undefined): boolean {
  return parametersOf(connectionString).get('pooler') === 'transaction'
}

// Returns the parameters of a URL. Unlike URL.parse(), this also reads a URL of several hosts.
export function parametersOf(connectionString = ''): URLSearchParams {
  return new URLSearchParams(connectionString.split('?')[1])
}

// Returns the configuration of connections, and the statement with the settings of each transaction. The
// statement is undefined without a pooler.
export function splitSettings<C extends pg.ClientConfig>(options: C, planner: Settings = {}) {
  const { connectionString } = options
  if (!isPooled(connectionString)) {
    return { config: withOptions(options, planner), settings: undefined }
  }
  const { statement_timeout, idle_in_transaction_session_timeout, ...config } = options
  const limits = { statement_timeout, idle_in_transaction_session_timeout }
  return { config: config as C, settings: localSettings({ ...asSettings(limits), ...planner }) }
}

// Returns all settings that a connection should have, by their PostgreSQL names.
export function wantedSettings(config: pg.ClientConfig, planner: Settings): Settings {
  const limits = START_UP.map((name) => [name, config[name]] as const)
  return { ...asSettings(Object.fromEntries(limits)), ...planner }
}

// Sends the settings and the statement in one group. Up to the Sync at the end of the group they are one
// transaction. The statement loses its name, because behind a pooler no statement is prepared under a name.
export async function queryWithSettings(
  client: pg.ClientBase,
  settings: Statement,
  statement: Statement,
): Promise<pg.QueryResult> {
  const group = new StatementGroup()
  group.add(settings).catch(() => {}) // If the settings fail, the statement fails with the same error.
  const answer = group.add({ ...statement, name: undefined })
  await Promise.all([answer, group.send(client)])
  return answer
}

// Begins a transaction. Names the isolation level, because a database or role may have another default:
// locks and counts rely on each statement seeing what was committed before it.
export const BEGIN = 'begin isolation level read committed'

// Makes a pool send the settings with each statement, because its connections keep no settings. `opening` is
// sent instead of `BEGIN` at the start of each transaction (transaction.ts).
function applyPerTransaction(pool: pg.Pool, settings: Statement): pg.Pool {
  const query = async (statement: string | Statement, values?: readonly unknown[]) => {
    const client = await pool.connect()
    try {
      return await queryWithSettings(client, settings, toStatement(statement, values))
    } finally {
      client.release() // The pool detects a lost connection.
    }
  }
  return Object.assign(pool, { query, opening: [{ text: BEGIN }, settings] })
}

// Returns the statement that sets these settings until the end of the transaction.
function localSettings(settings: Settings): Statement {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  )
  return { text: `select ${calls.join(', ')}` }
}

// Converts options of the driver to settings, and leaves out undefined ones.
function asSettings(values: Record<string, unknown>): Settings {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

// Adds our settings to the connection. If the URL has `options`, ours are appended to them, because the
// driver would otherwise use only those of the URL.
function withOptions<C extends pg.ClientConfig>(config: C, planner: Settings): C {
  const ourOptions = Object.entries(planner).map(([name, value]) => `-c ${name}=${value}`)
  if (ourOptions.length === 0) return config
  const parameters = parametersOf(config.connectionString)
  const urlOptions = parameters.get('options')
  if (urlOptions === null) return { ...config, options: ourOptions.join(' ') }
  parameters.set('options', [urlOptions, ...ourOptions].join(' '))
  return { ...config, connectionString: `${config.connectionString?.split('?')[0]}?${parameters}` }
}

// Finds commits that the standby did not confirm. An administrator may cancel the wait for a synchronous
// standby (pg_cancel_backend). PostgreSQL then answers COMMIT, with a warning that the standby may lack the
// transaction. If we acknowledged such a transaction, a failover could still lose it.

// The function of PostgreSQL that warns that the standby may lack a commit. The text of the warning depends
// on the server's language.
const ROUTINE = 'SyncRepWaitForLSN'

const unconfirmedClients = new WeakSet<object>()

// Notes when the server warns that a commit did not reach the standby.
function watchCommits(client: pg.ClientBase): void {
  client.on('notice', ({ routine }: { routine?: string | undefined }) => {
    if (routine === ROUTINE) unconfirmedClients.add(client)
  })
}

// Call it after each commit. Throws if the standby did not confirm the commit. The caller may retry the
// transaction, as after a lost connection: if the rows were written, the retry finds them.
export function refuseUnconfirmed(client: pg.ClientBase): void {
  if (!unconfirmedClients.delete(client)) return
  throw new Error('Connection error: the standby has not confirmed the commit')
}

// Makes the commit wait for the standby although the transaction writes nothing else. Needed to acknowledge
// rows of another transaction: after a crash the primary also shows rows that never reached the standby.
export async function writeMark(tx: Pick<pg.Pool, 'query'>): Promise<void> {
  const text = `select pg_logical_emit_message(true, 'manilla', '')`
  await tx.query({ name: 'mark', text })
}

const INT8 = 20 // PostgreSQL's id of the type int8.
const REPLAN_FACTOR = 4
// A new connection reads the catalogue and plans its statements, for tens of milliseconds of the database's
// CPU. Every worker runs once a minute, so a connection outlives a minute without work.
const IDLE_MAX_MS = 90_000
pg.types.setTypeParser(INT8, BigInt)

export type Pool = pg.Pool

// Anything that runs queries: a pool or a transaction.
export type Queryable = Pick<pg.Pool, 'query'>

type PoolConfig = pg.PoolConfig & { connectionString: string }

type Options = Partial<Deadlines> & {
  connectionString: string
  max: number
  onIdleError: (error: Error) => void
}

// Creates a pool for requests and reports.
export function createPool(options: Options): Pool {
  const { connectionString, max, onIdleError } = options
  const limits = deadlines({ statementMaxMs: STATEMENT_MAX_MS, ...options })
  const pool = openPool({ connectionString, max, ...limits })
  watchPool(pool, limits.statement_timeout)
  if (!isPooled(connectionString)) forgetEvicted(pool)
  return handleClientEvents(pool, onIdleError)
}

// The settings of the batches that write money, whose statements look rows up by key. The settings forbid
// scans: a plan that was cached while a table was small would still scan it when it is large.
export const PLANNER_SETTINGS: Settings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  join_collapse_limit: '1', // Keeps the order of joins in the text.
  plan_cache_mode: 'force_generic_plan',
}

// Creates a pool for the batches that write money.
export function createBatchPool(options: Options): Pool {
  const { connectionString, max, onIdleError } = options
  const limits = deadlines({ statementMaxMs: BATCH_STATEMENT_MAX_MS, ...options })
  const pool = openPool({ connectionString, max, ...limits, pipeline: true }, PLANNER_SETTINGS)
  watchPool(pool, limits.statement_timeout)
  replanAsUsed(pool)
  return handleClientEvents(pool, onIdleError)
}

// Creates a pool that is not watched yet.
function openPool(options: PoolConfig, planner: Settings = {}): pg.Pool {
  const { config, settings } = splitSettings(options, planner)
  const Client = clientClassFor(config.connectionString)
  const pool = new pg.Pool({ ...config, idleTimeoutMillis: IDLE_MAX_MS, Client })
  return settings ? applyPerTransaction(pool, settings) : pool
}

// A plan lasts as long as its connection. A plan made while a table was small may use the wrong index when
// the table is large: for a foreign key of two columns, every index that begins with the client looked
// equally good. New statistics renew a plan too late, so a connection discards its plans after 4, 16, 64, …
// uses.
function replanAsUsed(pool: pg.Pool): void {
  const uses = new WeakMap<pg.PoolClient, { count: number; replanAt: number }>()
  pool.on('acquire', (client) => {
    const use = uses.get(client) ?? { count: 0, replanAt: REPLAN_FACTOR }
    uses.set(client, use)
    use.count += 1
    if (use.count < use.replanAt) return
    use.replanAt *= REPLAN_FACTOR
    client.query('discard plans').catch(() => {}) // The next query reports a lost connection.
  })
}

// A statement that loses its name (sql.ts) stays prepared on its connections. Once every name has a new text,
// each connection drops all its prepared statements.
function forgetEvicted(pool: pg.Pool): void {
  const generations = new WeakMap<pg.PoolClient, number>()
  pool.on('acquire', (client) => {
    const generation = nameGeneration()
    const lastGeneration = generations.get(client) ?? generation
    generations.set(client, generation)
    if (lastGeneration !== generation) forgetPrepared(client)
  })
}

// Reports lost idle connections. On every connection, also watches for the server's warning that a commit did
// not reach the standby, which refuseUnconfirmed() turns into an error.
function handleClientEvents(pool: pg.Pool, onIdleError: (error: Error) => void): Pool {
  pool.on('error', onIdleError) // Without a listener, one dropped idle connection ends the process.
  // A connection dropped while in use fails its query, and also emits an error, which would end the process
  // without a listener.
  pool.on('connect', (client) => {
    client.on('error', () => {})
    watchCommits(client)
  })
  return pool
}

// Returns whether the server takes writes. Standbys and read-only servers accept connections but refuse every
// write.
export async function isWritable(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query('show transaction_read_only')
  return rows[0]?.transactionReadOnly === 'off'
}
