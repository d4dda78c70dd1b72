// The complete system under torture: database, bank, receivers, and the service's own processes.
// The database is one server with volumes and a link, or a primary and its standby. Everything is
// stopped in reverse order.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBank, type WitnessedBank } from './bank.ts'
import { runCommand } from './command.ts'
import { type Database, startDatabase } from './database.ts'
import { makeClockMovable, shiftDatabaseClock } from './database-clock.ts'
import { type FaultyLink, startFaultyLink } from './faulty-link.ts'
import { type FileBank, openFileBank } from './file-bank.ts'
import { type Pair, startPair } from './pair.ts'
import type { Random } from './random.ts'
import { type Receivers, startReceivers } from './receivers.ts'
import { CLI, type Roles, startRoles } from './roles.ts'
import { openVolumes, type Volumes } from './volumes.ts'
import type { Witness } from './witness.ts'

// The network delay to the standby, in milliseconds. During this delay, a failover loses a commit that did
// not wait for the standby.
const STANDBY_MS = 20

// The database that currently holds the books.
export type Store = {
  url: (name: string) => string
  query: (text: string) => Promise<{ rows: Record<string, unknown>[] }>
}

export type AnyTarget = AsyncDisposable & {
  folder: string
  database: Store
  bank: WitnessedBank
  fileBank: FileBank
  receivers: Receivers
  roles: Roles
  isLossy?: boolean // Committed work may be lost.
  heal: () => Promise<void>
}

export type Target = AnyTarget & { volumes: Volumes; database: Database; link: FaultyLink }
export type PairTarget = AnyTarget & { pair: Pair }

export type Setting = { folder: string; witness: Witness; random: Random }

// Starts the system with one database server, whose disk, clock and network can fail. The result owns all
// that was started (stack.move); if a start fails, the stack stops the parts that run already.
export async function startTarget(setting: Setting): Promise<Target> {
  await using stack = new AsyncDisposableStack()
  const { folder } = setting
  const volumes = stack.use(openVolumes(folder))
  const database = stack.use(await startDatabase(volumes, logsIn(folder)))
  const link = stack.use(await startFaultyLink({ port: database.port, host: '127.0.0.1' }))
  await makeClockMovable(database)
  const { dataDir } = database
  const databaseUrl = database.url('manilla', link.port)
  const service = stack.use(await startService(setting, { databaseUrl, dataDir }))
  const resources = stack.move()
  return {
    ...service,
    folder,
    volumes,
    database,
    link,
    async heal() {
      link.heal()
      volumes.data.free()
      volumes.wal.free()
      await database.ready()
      await shiftDatabaseClock(database, 0)
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

// Starts the system with a primary and a standby. If `isAsync`, commits do not wait for the standby.
export async function startPairTarget(setting: Setting, isAsync = false): Promise<PairTarget> {
  await using stack = new AsyncDisposableStack()
  const { folder } = setting
  const settings = { max_connections: '200' }
  const options = { settings, logs: logsIn(folder), standbyMs: STANDBY_MS }
  const pair = stack.use(await startPair(folder, options))
  const databaseUrl = pair.url()
  const dataDir = join(folder, 'data')
  const service = stack.use(await startService(setting, { databaseUrl, dataDir }))
  if (!isAsync) await pair.requireStandby()
  const resources = stack.move()
  const database: Store = {
    url: (name) => pair.primary.server.urlOf(name),
    query: async (text) => ({ rows: await pair.primary.server.query(text, 'manilla') }),
  }
  return {
    ...service,
    folder,
    pair,
    database,
    isLossy: isAsync,
    async heal() {
      pair.clearLinks()
      await releasePayouts(service.roles, { folder, isAsync })
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

// The service holds all payouts after a promotion, so an operator releases them. A synchronous standby lacks
// nothing, and what was queued is sent.
async function releasePayouts(
  { env }: Roles,
  { folder, isAsync }: { folder: string; isAsync: boolean },
): Promise<void> {
  const command = ['admin', 'payouts', 'release', ...(isAsync ? [] : ['--nothing-missing'])]
  const { code, output } = await runCommand(CLI, command, { cwd: folder, env })
  if (code !== 0) throw new Error(`payouts release ended with ${code}: ${output}`)
}

// Starts the banks, the receivers of webhooks, and the service itself.
async function startService(
  { folder, witness, random }: Setting,
  setting: { databaseUrl: string; dataDir: string },
) {
  await using stack = new AsyncDisposableStack()
  const bank = stack.use(await startBank(witness, random))
  const receivers = stack.use(await startReceivers(witness))
  const fileBank = openFileBank(witness, random.fork())
  const banks = { entries: [bank.banks.entry, fileBank.entry], env: bank.banks.env }
  const roles = stack.use(await startRoles({ ...setting, banks, folder, logs: logsIn(folder) }))
  const resources = stack.move()
  return { bank, fileBank, receivers, roles, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

// The folder of the log files, created if it does not exist.
export function logsIn(folder: string): string {
  const logs = join(folder, 'logs')
  mkdirSync(logs, { recursive: true })
  return logs
}
