// Behind a transaction pooler (`?pooler=transaction` in DATABASE_URL) a session is anybody's: what a
// connection was told is forgotten by the next transaction, or kept by somebody else's (I81). There, the
// settings of a connection go with each transaction, in the message that begins it, and no statement
// is prepared under a name. Everywhere else they are given once, when the connection is made.

import type pg from 'pg'
import { type Statement, StatementGroup, toStatement } from './statement-group.ts'

export type Settings = Readonly<Record<string, string>>

// Given to PostgreSQL when a connection is made; of the rest, the driver's own.
const START_UP = ['statement_timeout', 'idle_in_transaction_session_timeout'] as const

export function isPooled(connectionString: string | undefined): boolean {
  return parametersOf(connectionString).get('pooler') === 'transaction'
}

export function parametersOf(connectionString = ''): URLSearchParams {
  return new URLSearchParams(connectionString.split('?')[1])
}

// How to connect, and what each transaction has to be told.
export function splitSettings<C extends pg.ClientConfig>(given: C, planner: Settings = {}) {
  const { connectionString } = given
  if (!isPooled(connectionString)) {
    return { config: withOptions(given, planner), settings: undefined }
  }
  const { statement_timeout, idle_in_transaction_session_timeout, ...config } = given
  const limits = { statement_timeout, idle_in_transaction_session_timeout }
  return { config: config as C, settings: localSettings({ ...asSettings(limits), ...planner }) }
}

// All that a connection is to have, by the names that PostgreSQL gives it.
export function wantedSettings(given: pg.ClientConfig, planner: Settings): Settings {
  const limits = START_UP.map((name) => [name, given[name]] as const)
  return { ...asSettings(Object.fromEntries(limits)), ...planner }
}

// A single statement with its settings: until the Sync of their group they are one transaction.
export async function askPooled(
  client: pg.ClientBase,
  settings: Statement,
  statement: Statement,
): Promise<pg.QueryResult> {
  const group = new StatementGroup()
  group.add(settings).catch(() => {}) // The statement fails with it.
  const answer = group.add({ ...statement, name: undefined })
  await Promise.all([answer, group.send(client)])
  return answer
}

// Of a pool whose connections keep nothing.
export function applyPerTransaction(pool: pg.Pool, settings: Statement): pg.Pool {
  const query = async (asked: string | Statement, values?: readonly unknown[]) => {
    const client = await pool.connect()
    try {
      return await askPooled(client, settings, toStatement(asked, values))
    } finally {
      client.release() // One that is lost, the pool notices.
    }
  }
  return Object.assign(pool, { query, opening: [{ text: 'begin' }, settings] })
}

function localSettings(settings: Settings): Statement {
  const each = Object.entries(settings).map(
    ([name, value]) => `set_config('${name}', '${value}', true)`,
  )
  return { text: `select ${each.join(', ')}` }
}

function asSettings(given: Record<string, unknown>): Settings {
  const known = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known.map(([name, value]) => [name, String(value)]))
}

// `options` of the address would replace ours: both count, and ours last.
function withOptions<C extends pg.ClientConfig>(given: C, planner: Settings): C {
  const ours = Object.entries(planner).map(([name, value]) => `-c ${name}=${value}`)
  if (ours.length === 0) return given
  const parameters = parametersOf(given.connectionString)
  const theirs = parameters.get('options')
  if (theirs === null) return { ...given, options: ours.join(' ') }
  parameters.set('options', [theirs, ...ours].join(' '))
  return { ...given, connectionString: `${given.connectionString?.split('?')[0]}?${parameters}` }
}
