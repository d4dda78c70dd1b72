// Starts one role of the service and shuts it down cleanly: `node src/main.ts [role]`, where role is
// serve, api, worker or migrate. Prints start-up problems for the operator and exits with code 1.

import type { AddressInfo } from 'node:net'
import { availableParallelism } from 'node:os'
import { type Config, ConfigProblem, loadConfig, readEnvironment } from '#config/config.ts'
import { CONNECTIONS_PER_PROCESS } from '#db/connections.ts'
import { MigrationProblem } from '#db/migrate.ts'
import { isConnectionLost } from '#db/transaction.ts'
import { rememberedBackupDir } from '#embedded/archiving.ts'
import { EmbeddedProblem, type EmbeddedServer, startEmbedded } from '#embedded/embedded.ts'
import { collectOnceIdle } from '#observability/memory.ts'
import { answerForAll, askPrimary } from '#observability/metrics.ts'
import { systemClock } from './clock.ts'
import { type HttpProcesses, isHttpProcess, startHttpProcesses } from './http/processes.ts'
import { createLogger, type Logger } from './log.ts'
import {
  createService,
  prepareDatabase,
  type Service,
  type ServiceOptions,
  StartProblem,
  welcome,
} from './wiring.ts'

const STOP_MAX_MS = 30_000
const CONNECTIONS_SPARE = 40
const NOT_ARCHIVED =
  'MANILLA_BACKUP_DIR is no longer set: the log is not archived, and what is written from now on cannot' +
  ' be restored. If that is a mistake, set it, restart, and take a new backup.'

const PROBLEMS = [ConfigProblem, EmbeddedProblem, MigrationProblem, StartProblem]

// Starts the role. If there are several HTTP processes, each of them enters here too, and only runs
// runHttpProcess.
async function main(): Promise<void> {
  const config = loadConfig(readEnvironment(), process.argv[2])
  const log = createLogger({ level: config.logLevel })
  if (isHttpProcess) return runHttpProcess(config, log)
  const embedded = config.databaseUrl ? undefined : await startDatabase(config, log)
  const connectionString = config.databaseUrl ?? (embedded as EmbeddedServer).connectionString
  const options = { config, connectionString, clock: systemClock, checksClock: true, log }
  let created: Service | undefined
  try {
    await prepareDatabase(options)
    if (config.role === 'migrate') return await embedded?.stop()
    const service = await createService(options)
    created = service
    service.metrics.watchProcess()
    const isListening = config.role !== 'worker' || config.workerPort !== undefined
    const http = isListening ? await startHttp(options, service) : undefined
    // Stops in the reverse order of the start: requests, workers, database.
    const stopping = stopOnSignals(log, async () => {
      await http?.stop()
      await service.close()
      await embedded?.stop()
    })
    if (config.role !== 'api') service.startWorkers()
    if (http && config.role !== 'worker') process.stdout.write(welcome(config, http.port))
    else log.info('workers running')
    collectOnceIdle()
    // Registered last, because a start that fails stops the database itself and reports its own problem.
    void embedded?.exited.then(() => {
      if (stopping.aborted) return
      log.fatal('embedded database exited; shutting down')
      process.exit(1)
    })
  } catch (error) {
    await created?.close()
    await embedded?.stop()
    throw error
  }
}

// Starts the embedded database, with connections for every process of the service.
async function startDatabase(config: Config, log: Logger): Promise<EmbeddedServer> {
  const onLog = (line: string) => log.debug({ line }, 'postgres')
  const connections = CONNECTIONS_SPARE + CONNECTIONS_PER_PROCESS * (processCount(config) + 1)
  const settings = { max_connections: String(connections) }
  const { dataDir, backupDir = null } = config
  log.info({ dataDir }, 'starting PostgreSQL')
  const formerBackupDir = rememberedBackupDir(dataDir)
  if (formerBackupDir && !backupDir) log.warn({ before: formerBackupDir }, NOT_ARCHIVED)
  return startEmbedded({ dataDir, backupDir, settings, onLog })
}

// `auto` means one process for each CPU core.
function processCount({ processes }: Config): number {
  return processes === 'auto' ? availableParallelism() : processes
}

// Listens in this process, or starts several processes that listen on one port. A worker serves its probes
// and metrics itself.
async function startHttp(options: ServiceOptions, service: Service): Promise<HttpProcesses> {
  const { config, connectionString, log } = options
  const { app } = service
  const count = config.role === 'worker' ? 1 : processCount(config)
  if (count > 1) {
    answerForAll(service.metrics)
    return startHttpProcesses({ count, role: config.role, connectionString, log })
  }
  await listen(app, config)
  return { port: (app.server.address() as AddressInfo).port, stop: () => app.close() }
}

// Listens on PORT, or in a worker on the port for its probes and metrics.
async function listen(app: Service['app'], config: Config): Promise<void> {
  const { role, host, port, workerPort } = config
  await app.listen({ host, port: role === 'worker' ? workerPort : port } as {
    host: string
    port: number
  })
}

// Runs one of several HTTP processes on a port. Ctrl-C reaches all of them. They ignore it, because the
// primary decides when they stop.
async function runHttpProcess(config: Config, log: Logger): Promise<void> {
  // A signal ends the process at once until the service exists. Later, it closes the service first.
  let stop = (): void => process.exit(0)
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => stop())
  process.on('disconnect', () => stop())
  const connectionString = config.databaseUrl as string
  const readMetrics = askPrimary(() => service.metrics.registry)
  const real = { clock: systemClock, checksClock: true }
  const options = { config, connectionString, ...real, log, readMetrics }
  const service: Service = await createService(options)
  service.metrics.watchProcess()
  await listen(service.app, config)
  collectOnceIdle()
  stop = () => void service.close().finally(() => process.exit(0))
}

// Runs `stop` at the first SIGINT or SIGTERM, which drains requests in flight. A second one exits
// immediately; the guard of the embedded database then stops the database, and nothing acknowledged is lost.
// The returned signal tells that the process is stopping.
function stopOnSignals(log: Logger, stop: () => Promise<void>): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(1)
      stopping.abort()
      log.info({ signal }, 'shutting down')
      setTimeout(() => process.exit(1), STOP_MAX_MS).unref()
      stop().then(
        () => process.exit(0),
        (error) => {
          log.error({ err: error }, 'shutdown failed')
          process.exit(1)
        },
      )
    })
  }
  return stopping.signal
}

type Failure = Error & { code?: string; syscall?: string; port?: number; hostname?: string }

// Explains an expected problem to the operator. Returns undefined for an unexpected error, which is a bug and
// is printed in full.
function describeStartProblem(error: Failure): string | undefined {
  if (PROBLEMS.some((problem) => error instanceof problem)) return error.message
  const { code = '', syscall, port, hostname, message } = error
  if (code === 'EADDRINUSE') return `Port ${port} is already in use. Set PORT.`
  if (syscall === 'listen') return `Cannot listen on this address (${code}). Check HOST and PORT.`
  if (hostname) return `Cannot resolve host ${hostname} (${code}). Check DATABASE_URL and HOST.`
  if (isConnectionLost(error)) {
    return `Cannot connect to the database (${code || message}). Check DATABASE_URL.`
  }
  if (isTurnedAway(code))
    return `The database rejected the connection (${message}). Check DATABASE_URL.`
  return undefined
}

// Whether PostgreSQL refused the connection: authentication failed, the database is unknown, or a privilege
// is missing.
function isTurnedAway(code: string): boolean {
  return /^(28|3D|42501)/.test(code)
}

main().catch((error) => {
  const problem = describeStartProblem(error)
  if (problem) process.stderr.write(`\n${problem}\n\n`)
  else console.error(error)
  process.exit(1)
})
