// What rows run on: the service, the load generator and the references, each started when a row first
// needs it. Every database is a copy of one template, so all start equally full.

import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { systemClock } from '#clock.ts'
import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { createLogger } from '#log.ts'
import { Sealer } from '#seal.ts'
import { prepareDatabase } from '#wiring.ts'
import { type Child, requestPort, startChild } from './child-process.ts'
import { type Cluster, startService } from './cluster.ts'
import { BenchDatabase, runAsAdmin } from './database.ts'
import { writeHistory } from './history.ts'
import type { Options } from './options.ts'
import { residentBytes } from './process-stats.ts'

// What a load is put on.
export type Target = {
  ports: readonly number[]
  pids: readonly number[]
  accounts: number
  database?: BenchDatabase
}

const NAIVE_CONNECTIONS = 10 // As many as the service's own pool has.
const MEMORY_EVERY_MS = 200

export class Testbed implements AsyncDisposable {
  readonly options: Options
  readonly cluster: Cluster
  readonly generator: Child
  memoryPeakBytes = 0
  #creditsMade = 0
  readonly #stack = new AsyncDisposableStack()
  readonly #started = new Map<string, Promise<unknown>>()

  constructor(options: Options, cluster: Cluster) {
    this.options = options
    this.cluster = cluster
    this.generator = this.#stack.use(startChild('load-generator.ts'))
  }

  // Of rows that are one long slice.
  get secondsPerRow(): number {
    return (this.options.slices * this.options.sliceMs) / 1000
  }

  async fillTemplate(): Promise<void> {
    const { config, connectionString } = this.cluster
    const log = createLogger({ level: 'silent' })
    await prepareDatabase({ config, connectionString, clock: systemClock, log })
    await writeHistory(connectionString, this.options.accounts, this.#sealer())
  }

  // The first of so many credits that no load has sent yet.
  takeCredits(count: number): number {
    this.#creditsMade += count
    return this.#creditsMade - count
  }

  newDatabase(name: string): Promise<BenchDatabase> {
    return this.once(`database ${name}`, async () => {
      const { databaseUrl } = this.cluster
      await runAsAdmin(databaseUrl('postgres'), `create database ${name} template manilla`)
      return this.#stack.use(new BenchDatabase(databaseUrl(name)))
    })
  }

  service(name = 'service', accounts = this.options.accounts): Promise<Target> {
    return this.once(name, async () => {
      const database = await this.newDatabase(name)
      const { port, pid } = await this.#startService(database)
      const sampler = setInterval(() => {
        this.memoryPeakBytes = Math.max(this.memoryPeakBytes, residentBytes(pid))
      }, MEMORY_EVERY_MS)
      this.#stack.defer(() => clearInterval(sampler))
      return { ports: [port], pids: [pid], accounts, database }
    })
  }

  // A second process beside the first, on the same database.
  async twoProcesses(): Promise<Target> {
    const one = await this.service()
    const two = await this.once('two', () => this.#startService(one.database as BenchDatabase))
    return { ...one, ports: [...one.ports, two.port], pids: [...one.pids, two.pid] }
  }

  async scaleService(): Promise<Target> {
    const { scaleAccounts } = this.options
    await this.once('history', async () => {
      const { connectionString } = await this.newDatabase('scale')
      await writeHistory(connectionString, scaleAccounts, this.#sealer())
    })
    return this.service('scale', scaleAccounts)
  }

  naive(): Promise<Target> {
    return this.once('naive', async () => {
      const database = await this.newDatabase('naive')
      const { data: dataKeys, hash: hashKey } = this.cluster.config.secrets
      const { connectionString } = database
      const settings = { connectionString, max: NAIVE_CONNECTIONS, dataKeys, hashKey }
      return { ...(await this.#startServer('naive-server.ts', settings)), database }
    })
  }

  empty(): Promise<Target> {
    return this.once('empty', () => this.#startServer('empty-server.ts', {}))
  }

  async token(): Promise<string> {
    const { ports } = await this.service()
    return this.once('token', () => logIn(ports[0] as number))
  }

  once<T>(name: string, start: () => Promise<T>): Promise<T> {
    const started = this.#started.get(name) ?? start()
    this.#started.set(name, started)
    return started as Promise<T>
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync()
  }

  #sealer(): Sealer {
    const { data, hash } = this.cluster.config.secrets
    return new Sealer(data, hash)
  }

  async #startService({ connectionString }: BenchDatabase) {
    const { profile } = this.options
    if (profile) mkdirSync(profile, { recursive: true })
    const nodeArgs = profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`] : []
    return this.#stack.use(await startService(this.cluster, connectionString, { nodeArgs }))
  }

  async #startServer(file: string, settings: object): Promise<Target> {
    const child = this.#stack.use(startChild(file))
    const port = await requestPort(child, settings)
    return { ports: [port], pids: [child.pid], accounts: this.options.accounts }
  }
}

async function logIn(port: number): Promise<string> {
  const { clientId, secret: clientSecret } = SANDBOX_CLIENT
  const response = await fetch(`http://127.0.0.1:${port}/api/Account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  })
  const { access_token } = (await response.json()) as { access_token: string }
  return access_token
}
