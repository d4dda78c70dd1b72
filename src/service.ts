// Wires the parts of one process together, given where the database is. Every role and every test
// gets its service from here.

import type { FastifyInstance } from 'fastify'
import { operatorDesk, sandboxBank } from './banks/connector.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import { isMigrated, migrate } from './db/migrate.ts'
import { createBatchPool, createPool, type Pool } from './db/pool.ts'
import { createReader } from './db/reader.ts'
import { createClient, hasSandboxClient, SANDBOX_CLIENT } from './domain/clients.ts'
import { registerRanges } from './domain/numbers.ts'
import { createWriters, type Writers } from './domain/writers.ts'
import { buildApp } from './http/app.ts'
import { Authentication } from './http/authentication.ts'
import { Tokens } from './http/tokens.ts'
import { SharedAccounts } from './ledger/accounts.ts'
import type { Logger } from './log.ts'
import { Sealer } from './seal.ts'
import { maintainPartitionsRound } from './workers/maintain-partitions.ts'
import { type RunningWorkers, runWorkers } from './workers/run-workers.ts'
import { sendReturnsRound } from './workers/send-returns.ts'

const CONNECTIONS_MAX = 10
const BATCH_CONNECTIONS_MAX = 8
const READ_CONNECTIONS = 2

export type Service = {
  app: FastifyInstance
  db: Pool
  writers: Writers
  startWorkers(): void
  close(): Promise<void>
}

// A reason not to start that the operator can do something about.
export class StartProblem extends Error {}

export type ServiceOptions = { config: Config; connectionString: string; clock: Clock; log: Logger }

// Brings the database to where this build needs it. Safe to run by many processes at once.
export async function prepareDatabase({ config, connectionString, clock, log }: ServiceOptions) {
  const applied = await migrate(connectionString)
  if (applied.length > 0) log.info({ applied }, 'the database was brought up to date')
  const db = createPool({ connectionString, max: 1, onIdleError: () => {} })
  try {
    await maintainPartitionsRound({ db, clock, log })()
    await registerRanges(db, config.banks)
    if (config.mode === 'sandbox') await createClient(db, clock(), SANDBOX_CLIENT)
    else if (await hasSandboxClient(db)) {
      throw new StartProblem(
        `The client ${SANDBOX_CLIENT.clientId} has the secret of the documentation: change it.`,
      )
    }
  } finally {
    await db.end()
  }
}

export async function createService(options: ServiceOptions): Promise<Service> {
  const { config, connectionString, clock, log } = options
  const onIdleError = (error: Error) => log.warn({ err: error }, 'a database connection was lost')
  const db = createPool({ connectionString, max: CONNECTIONS_MAX, onIdleError })
  const batchPool = createBatchPool({ connectionString, max: BATCH_CONNECTIONS_MAX, onIdleError })
  const reads = createReader({
    connectionString,
    connections: READ_CONNECTIONS,
    onLost: onIdleError,
  })
  const sealer = new Sealer(config.secrets.data, config.secrets.hash)
  const sharedAccounts = new SharedAccounts(db)
  const connector = config.mode === 'live' ? operatorDesk : sandboxBank
  const writers = createWriters({
    pool: batchPool,
    clock,
    sealer,
    sharedAccounts,
    banks: config.banks,
    collectionBankCode: config.collectionBankCode,
    quarantineDays: config.policy.quarantineDays,
    onError: (error, batch) => log.error({ err: error, batch }, 'a batch failed'),
  })
  const tokens = new Tokens({
    secrets: config.secrets.token,
    mode: config.mode,
    ttlSeconds: config.policy.tokenTtlSeconds,
    clock,
  })
  const sendReturnsNow = sendReturnsRound({
    db,
    batchPool,
    sealer,
    sharedAccounts,
    connector,
    clock,
  })
  const app = await buildApp({
    mode: config.mode,
    publicUrl: config.publicUrl,
    policy: config.policy,
    banks: config.banks,
    clock,
    log,
    db,
    reads,
    batchPool,
    sharedAccounts,
    sendReturns: async () => {
      await sendReturnsNow(new AbortController().signal)
    },
    sealer,
    writers,
    tokens,
    authentication: new Authentication({ db, tokens, clock }),
    isReady: () => isMigrated(db),
  })

  let workers: RunningWorkers | undefined
  function startWorkers(): void {
    workers ??= runWorkers({ db, batchPool, sharedAccounts, sealer, connector, clock, log })
  }

  // Requests and rounds in flight are finished first, then what they queued; then the connections
  // go. A caller's connection that is answered while we close would else be kept for the next
  // request, and we would wait for it.
  async function close(): Promise<void> {
    Object.assign(app.server, { keepAliveTimeout: 1, keepAliveTimeoutBuffer: 0 })
    await Promise.all([app.close(), workers?.stop()])
    await writers.drain()
    await Promise.all([db.end(), batchPool.end(), reads.end()])
  }
  return { app, db, writers, startWorkers, close }
}
