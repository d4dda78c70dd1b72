// Opens the database connections of one process: a separate pool for each kind of work that must not wait for
// another kind.

import type { Socket } from 'node:net'
import type pg from 'pg'
import type { Logger } from '#log.ts'
import type { Metrics } from '#observability/metrics.ts'
import { deadlines, BATCH_STATEMENT_MAX_MS as LOOK_UP_MAX_MS, Watch } from './deadlines.ts'
import { clientClassFor } from './hosts.ts'
import {
  createBatchPool,
  createPool,
  type Queryable,
  queryWithSettings,
  splitSettings,
} from './pool.ts'
import { Replica } from './replica.ts'
import { type Statement, StatementGroup, toStatement } from './statement-group.ts'

// A reader serves frequent reads on few connections. It pipelines the queries of many requests, and sends the
// queries of one turn of the event loop in one write. Measured: point look-ups are twice as fast as through a
// pool of 16.
//
// A reader runs single statements only and never opens a transaction. When a connection is lost, the queries
// in flight fail, callers may retry them, and the next query opens a new connection.
type ReaderOptions = ConnectionOptions & { connections: number }

type ConnectionOptions = {
  connectionString: string
  patience?: number | undefined // See deadlines.ts.
  onLost: (error: Error) => void
}

type Reader = Queryable & { end(): Promise<void> }

// Creates a reader, which spreads queries over its connections in turn.
export function createReader({ connections, ...options }: ReaderOptions): Reader {
  const ownConnections = Array.from({ length: connections }, () => new ReaderConnection(options))
  let next = 0
  const query = (statement: string | Statement, values?: readonly unknown[]) => {
    next = (next + 1) % ownConnections.length
    return (ownConnections[next] as ReaderConnection).ask(toStatement(statement, values))
  }
  return {
    query: query as Queryable['query'],
    end: async () => void (await Promise.all(ownConnections.map((connection) => connection.end()))),
  }
}

// One connection of a reader. It connects at the first query and again after it is lost.
class ReaderConnection {
  readonly #config: pg.ClientConfig & { connectionString: string }
  readonly #settings: Statement | undefined // Sent with each statement if a pooler shares sessions.
  readonly #lookUpMaxMs: number
  readonly #onLost: (error: Error) => void
  #client: Promise<pg.Client> | undefined
  #ready: pg.Client | undefined
  #isCorked = false
  #isEnded = false

  constructor({ connectionString, patience, onLost }: ConnectionOptions) {
    const limits = deadlines({ statementMaxMs: LOOK_UP_MAX_MS, patience })
    const { config, settings } = splitSettings({ connectionString, ...limits })
    this.#config = config
    this.#lookUpMaxMs = limits.statement_timeout
    this.#settings = settings
    this.#onLost = onLost
  }

  // Sends the statement in a group of its own, so that its failure affects no other statement.
  async ask(statement: Statement): Promise<pg.QueryResult> {
    const client = this.#ready ?? (await this.#connect())
    this.#cork(client)
    if (this.#settings) return queryWithSettings(client, this.#settings, statement)
    const group = new StatementGroup()
    const answer = group.add(statement)
    client.query(group)
    return answer
  }

  async end(): Promise<void> {
    this.#isEnded = true
    const client = await this.#client?.catch(() => undefined)
    await client?.end()
  }

  // Returns the connection that is open or being opened. After a failed attempt, the next query tries again.
  #connect(): Promise<pg.Client> {
    if (this.#isEnded) throw new Error('Connection terminated: the reader was ended')
    this.#client ??= this.#open().catch((error) => {
      this.#client = undefined
      throw error
    })
    return this.#client
  }

  async #open(): Promise<pg.Client> {
    const Client = clientClassFor(this.#config.connectionString)
    const client = new Client({ ...this.#config, pipeline: true })
    client.on('error', (error) => {
      if (this.#ready !== client) return // The driver reports a lost connection twice.
      this.#ready = undefined
      this.#client = undefined
      this.#onLost(error)
    })
    await client.connect()
    new Watch(client, this.#lookUpMaxMs)
    this.#ready = client
    return client
  }

  // Holds writes back until the end of this turn of the event loop, so that the queries of all requests that
  // arrived together leave in one write.
  #cork(client: pg.Client): void {
    if (this.#isCorked) return
    this.#isCorked = true
    const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
    stream.cork()
    setImmediate(() => {
      this.#isCorked = false
      stream.uncork()
    })
  }
}

const CONNECTIONS_MAX = 8
// Shared accounts are opened through a separate pool without transactions, so that a transaction that holds
// the last connection of its pool can still open one. Opening an account waits for another process that opens
// the same account. In the meantime the second connection serves all other openings.
const ACCOUNT_CONNECTIONS_MAX = 2
const BATCH_CONNECTIONS_MAX = 8
const READ_CONNECTIONS = 2
// Webhooks have a separate pool, so that they never take a connection that money needs.
const WEBHOOK_CONNECTIONS_MAX = 6
// Probes have a separate pool, so that readiness does not fail when reports use every other connection.
const PROBE_CONNECTIONS_MAX = 1
const PROBE_MAX_MS = 1_000
// Closing a settlement of a million credits takes almost a minute.
const SETTLEMENT_CONNECTIONS_MAX = 2
const SETTLEMENT_STATEMENT_MAX_MS = 600_000
// Imports run at most two uploads and one import from the watched folder at a time.
const IMPORT_CONNECTIONS_MAX = 3
const IMPORT_STATEMENT_MAX_MS = 600_000

// The most connections that one process opens. max_connections of the primary must allow this many for each
// process.
export const CONNECTIONS_PER_PROCESS =
  CONNECTIONS_MAX +
  ACCOUNT_CONNECTIONS_MAX +
  BATCH_CONNECTIONS_MAX +
  READ_CONNECTIONS +
  WEBHOOK_CONNECTIONS_MAX +
  PROBE_CONNECTIONS_MAX +
  SETTLEMENT_CONNECTIONS_MAX +
  IMPORT_CONNECTIONS_MAX

export type Connections = ReturnType<typeof openConnections>

type Options = {
  connectionString: string
  replicaUrl?: string | undefined
  patience?: number | undefined // See deadlines.ts.
}

// Creates the pools of a process. They connect when they are first used.
export function openConnections(options: Options, log: Logger) {
  const { connectionString, replicaUrl, patience } = options
  let isEnding = false
  // pool.end() does not wait for the sockets to close. If the database stops right after, the connections
  // that it drops must not be logged as lost.
  const onLost = (error: Error) => {
    if (!isEnding) log.warn({ err: error }, 'database connection lost')
  }
  const common = { connectionString, patience, onIdleError: onLost }
  const db = createPool({ ...common, max: CONNECTIONS_MAX })
  const accountPool = createPool({ ...common, max: ACCOUNT_CONNECTIONS_MAX })
  const batchPool = createBatchPool({ ...common, max: BATCH_CONNECTIONS_MAX })
  const webhookPool = createBatchPool({ ...common, max: WEBHOOK_CONNECTIONS_MAX })
  const reads = createReader({ ...common, connections: READ_CONNECTIONS, onLost })
  const probes = createPool({
    ...common,
    max: PROBE_CONNECTIONS_MAX,
    statementMaxMs: PROBE_MAX_MS,
  })
  const settlementPool = createPool({
    ...common,
    max: SETTLEMENT_CONNECTIONS_MAX,
    statementMaxMs: SETTLEMENT_STATEMENT_MAX_MS,
  })
  const importPool = createPool({
    ...common,
    max: IMPORT_CONNECTIONS_MAX,
    statementMaxMs: IMPORT_STATEMENT_MAX_MS,
  })
  const replica = replicaUrl
    ? new Replica({ connectionString: replicaUrl, primary: reads, log })
    : undefined
  // Closes all connections, for a process that stops.
  async function end(): Promise<void> {
    isEnding = true
    await replica?.end()
    const pools = [db, accountPool, batchPool, webhookPool, settlementPool, importPool, probes]
    await Promise.all([...pools.map((pool) => pool.end()), reads.end()])
  }
  const pools = { db, accountPool, batchPool, webhookPool, settlementPool, importPool }
  return { ...pools, replica, reads, probes, end }
}

// Lets the metrics show the state of the pools and of the replica.
export function watchConnections(metrics: Metrics, connections: Connections): Metrics {
  const { db, batchPool, webhookPool, settlementPool, importPool, replica } = connections
  metrics.watchPools({
    requests: db,
    batches: batchPool,
    webhooks: webhookPool,
    settlements: settlementPool,
    imports: importPool,
    ...(replica ? { replica: replica.pool } : {}),
  })
  if (replica) metrics.watchReplica(replica)
  return metrics
}
