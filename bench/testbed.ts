// The service, the load generator and the references that rows run on, each started when a row
// first needs it. Every database is a copy of one template, so all start equally full.

import { resolve } from 'node:path'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { type Child, request, startChild } from './child-process.ts'
import { type Cluster, startService } from './cluster.ts'
import { BenchDatabase, runAsAdmin } from './database.ts'
import { fillDatabase } from './fill.ts'
import type { HistorySize } from './history.ts'
import type { Options } from './options.ts'
import { activateAllRules } from './screening-load.ts'

const PER_ACCOUNT = 20 // The credits of each account in databases with a million credits.

export type Target = {
  ports: readonly number[]
  pids: readonly number[]
  accounts: number
  database: BenchDatabase
}

export class Testbed implements AsyncDisposable {
  readonly options: Options
  readonly cluster: Cluster
  readonly generator: Child
  readonly servicePids: number[] = []
  readonly #stack = new AsyncDisposableStack()
  readonly #started = new Map<string, Promise<unknown>>()
  #creditsSent = 0

  constructor(options: Options, cluster: Cluster) {
    this.options = options
    this.cluster = cluster
    this.generator = this.#stack.use(startChild('load-generator.ts'))
  }

  fill(connectionString: string, size: HistorySize): Promise<void> {
    return fillDatabase(this.cluster.config, connectionString, size)
  }

  // Reserves `count` credits that no load has sent yet, and returns the number of the first.
  nextCredits(count: number): number {
    this.#creditsSent += count
    return this.#creditsSent - count
  }

  newDatabase(name: string, template = 'manilla'): Promise<BenchDatabase> {
    return this.once(`database ${name}`, async () => {
      const { databaseUrl } = this.cluster
      await runAsAdmin(databaseUrl('postgres'), `create database ${name} template ${template}`)
      return this.#stack.use(new BenchDatabase(databaseUrl(name)))
    })
  }

  // `before` is another checkout, on a database that its own code has filled.
  service(before = ''): Promise<Target> {
    const { accounts } = this.options
    return this.once(`service${before}`, async () => {
      if (!before) return this.#startService(await this.newDatabase('service'), accounts)
      const database = await this.newDatabase('service_before', 'template1')
      const theirs: typeof import('./fill.ts') = await import(resolve(before, 'bench/fill.ts'))
      await theirs.fillDatabase(this.cluster.config, database.connectionString, { accounts })
      return this.#startService(database, accounts, before)
    })
  }

  // Starts a second process alongside the first, on the same database.
  async twoProcesses(before = ''): Promise<Target> {
    const one = await this.service(before)
    const two = await this.once(`two${before}`, () =>
      this.#startService(one.database, one.accounts, before),
    )
    return { ...one, ports: [...one.ports, ...two.ports], pids: [...one.pids, ...two.pids] }
  }

  scale(): Promise<Target> {
    return this.once('scale', async () => {
      const database = await this.newDatabase('scale', 'template1')
      await this.fill(database.connectionString, { accounts: this.options.scaleAccounts })
      return this.#startService(database, this.options.scaleAccounts)
    })
  }

  // The history for the reads of `--only size`.
  many = () => this.#history('many', this.options.credits / PER_ACCOUNT)
  few = () => this.#history('few', this.options.fewCredits / PER_ACCOUNT)

  // A million credits that no settlement has taken yet; quick: a tenth.
  settlement = () => this.#history('settlement', this.options.settledAccounts)

  // Services with workers: one without screening rules, one with all kinds of rules.
  unscreened = () => this.#withWorker('unscreened')
  screened = () => this.#withWorker('screened', activateAllRules)

  // A million credits to compare with a statement; quick: 50,000.
  reconciliation(): Promise<Target> {
    return this.once('reconciliation service', async () => {
      const target = await this.#history('reconciliation', this.options.reconciledAccounts)
      this.servicePids.pop() // This row has its own goal for memory.
      return target
    })
  }

  reference(): Promise<Target> {
    return this.once('reference', async () => {
      const database = await this.newDatabase('naive')
      const child = this.#stack.use(startChild('reference-server.ts'))
      const { connectionString } = database
      const settings = { connectionString, ...this.cluster.config.secrets }
      const port = await request(child, settings, (reply: { port: number }) => reply.port)
      return { ports: [port], pids: [child.pid], accounts: this.options.accounts, database }
    })
  }

  token(port: number): Promise<string> {
    return this.once('token', async () => {
      const { clientId, secret: clientSecret } = SANDBOX_CLIENT
      const [method, body] = ['POST', JSON.stringify({ clientId, clientSecret })]
      const headers = { 'content-type': 'application/json' }
      const url = `http://127.0.0.1:${port}/api/Account/login`
      const response = await fetch(url, { method, headers, body })
      return ((await response.json()) as { access_token: string }).access_token
    })
  }

  once<T>(name: string, start: () => Promise<T>): Promise<T> {
    const started = this.#started.get(name) ?? start()
    this.#started.set(name, started)
    return started as Promise<T>
  }

  [Symbol.asyncDispose] = () => this.#stack.disposeAsync()

  #history(name: string, accounts: number): Promise<Target> {
    return this.once(name, async () => {
      const database = await this.newDatabase(name, 'template1')
      await this.fill(database.connectionString, { accounts, perAccount: PER_ACCOUNT })
      return this.#startService(database, accounts)
    })
  }

  #withWorker(name: string, prepare?: (on: BenchDatabase) => Promise<void>): Promise<Target> {
    return this.once(`${name} service`, async () => {
      const database = await this.newDatabase(name)
      await prepare?.(database)
      const target = await this.#startService(database, this.options.accounts)
      const { connectionString } = database
      const worker = await startService(this.cluster, connectionString, { role: 'worker' })
      this.#stack.use(worker)
      return { ...target, pids: [...target.pids, worker.pid] }
    })
  }

  async #startService(database: BenchDatabase, accounts: number, before = ''): Promise<Target> {
    const { profile } = this.options
    const nodeArgs = profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`] : []
    const options = before ? { root: resolve(before) } : { nodeArgs }
    const service = await startService(this.cluster, database.connectionString, options)
    const { port, pid } = this.#stack.use(service)
    if (!before) this.servicePids.push(pid)
    return { ports: [port], pids: [pid], accounts, database }
  }
}
