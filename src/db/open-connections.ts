// The connections of one process: a pool for each kind of work that must not wait for another.

import type { Logger } from '#log.ts'
import type { Metrics } from '#metrics.ts'
import { createBatchPool, createPool } from './pool.ts'
import { createReader } from './reader.ts'
import { Replica } from './replica.ts'

const CONNECTIONS_MAX = 10
const BATCH_CONNECTIONS_MAX = 8
const READ_CONNECTIONS = 2
// A separate pool, so that webhooks never take a connection that money needs.
const WEBHOOK_CONNECTIONS_MAX = 6
// A separate pool, so that reports using every connection do not fail readiness.
const PROBE_CONNECTIONS_MAX = 1
const PROBE_MAX_MS = 1_000
// Closing a settlement of a million credits takes most of a minute.
const SETTLEMENT_CONNECTIONS_MAX = 2
const SETTLEMENT_STATEMENT_MAX_MS = 600_000
// Two imports that were sent to us, and one from the watched folder.
const IMPORT_CONNECTIONS_MAX = 3
const IMPORT_STATEMENT_MAX_MS = 600_000

// At most, of the primary: what its max_connections has to allow.
export const CONNECTIONS_PER_PROCESS =
  CONNECTIONS_MAX +
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
  patience?: number | undefined // deadlines.ts
}

export function openConnections(options: Options, log: Logger) {
  const { connectionString, replicaUrl, patience } = options
  let isEnding = false
  // pool.end() does not wait for the sockets to close, so a database that stops right after would
  // log lost connections.
  const onLost = (error: Error) => {
    if (!isEnding) log.warn({ err: error }, 'database connection lost')
  }
  const shared = { connectionString, patience, onIdleError: onLost }
  const db = createPool({ ...shared, max: CONNECTIONS_MAX })
  const batchPool = createBatchPool({ ...shared, max: BATCH_CONNECTIONS_MAX })
  const webhookPool = createBatchPool({ ...shared, max: WEBHOOK_CONNECTIONS_MAX })
  const reads = createReader({ ...shared, connections: READ_CONNECTIONS, onLost })
  const probes = createPool({
    ...shared,
    max: PROBE_CONNECTIONS_MAX,
    statementMaxMs: PROBE_MAX_MS,
  })
  const settlementPool = createPool({
    ...shared,
    max: SETTLEMENT_CONNECTIONS_MAX,
    statementMaxMs: SETTLEMENT_STATEMENT_MAX_MS,
  })
  const importPool = createPool({
    ...shared,
    max: IMPORT_CONNECTIONS_MAX,
    statementMaxMs: IMPORT_STATEMENT_MAX_MS,
  })
  const replica = replicaUrl
    ? new Replica({ connectionString: replicaUrl, primary: reads, log })
    : undefined
  async function end(): Promise<void> {
    isEnding = true
    await replica?.end()
    const pools = [db, batchPool, webhookPool, settlementPool, importPool, probes]
    await Promise.all([...pools.map((pool) => pool.end()), reads.end()])
  }
  return { db, batchPool, webhookPool, settlementPool, importPool, replica, reads, probes, end }
}

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
