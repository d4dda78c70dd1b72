// Starts the services, load generator and references that the rows of the bench run on, each when a row
// first needs it. Databases are copies of one filled template, except those that need another history.

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

  // Creates a database as a copy of a template. `manilla` is the filled one, `template1` is empty.
  newDatabase(name: string, template = 'manilla'): Promise<BenchDatabase> {
    return this.once(`database ${name}`, async () => {
      const { databaseUrl } = this.cluster
      await runAsAdmin(databaseUrl('postgres'), `create database ${name} template ${template}`)
      return this.#stack.use(new BenchDatabase(databaseUrl(name)))
    })
  }

  // Starts the service that most rows run on. With `before`, the folder of another checkout, starts the
  // service of that checkout, on a database that its own code has filled.
  service(before = ''): Promise<Target> {
    const { accounts } = this.options
    return this.once(`service${before}`, async () => {
      if (!before) return this.#startService(await this.newDatabase('service'), accounts)
      const database = await this.newDatabase('service_before', 'template1')
      const otherCheckout: typeof import('./fill.ts') = await import(
        resolve(before, 'bench/fill.ts')
      )
      await otherCheckout.fillDatabase(this.cluster.config, database.connectionString, { accounts })
      return this.#startService(database, accounts, before)
    })
  }

  // Starts a second process alongside the first, on the same database.
  async twoProcesses(before = ''): Promise<Target> {
    const first = await this.service(before)
    const second = await this.once(`two${before}`, () =>
      this.#startService(first.database, first.accounts, before),
    )
    return {
      ...first,
      ports: [...first.ports, ...second.ports],
      pids: [...first.pids, ...second.pids],
    }
  }

  // Starts the service with many accounts, for `--scale`.
  scale(): Promise<Target> {
    return this.once('scale', async () => {
      const database = await this.newDatabase('scale', 'template1')
      await this.fill(database.connectionString, { accounts: this.options.scaleAccounts })
      return this.#startService(database, this.options.scaleAccounts)
    })
  }

  // Services on a large and a small database, whose reads `--only size` compares.
  many = () => this.#history('many', this.options.credits / PER_ACCOUNT)
  few = () => this.#history('few', this.options.fewCredits / PER_ACCOUNT)

  // A service with a million credits that no settlement has taken yet; with --quick, a tenth of them.
  settlement = () => this.#history('settlement', this.options.settledAccounts)

  // Services with workers: one without screening rules, one with all kinds of rules.
  unscreened = () => this.#withWorker('unscreened')
  screened = () => this.#withWorker('screened', activateAllRules)

  // A service with a million credits to compare with a statement; with --quick, 50,000.
  reconciliation(): Promise<Target> {
    return this.once('reconciliation service', async () => {
      const target = await this.#history('reconciliation', this.options.reconciledAccounts)
      this.servicePids.pop() // Not counted in the memory of the report: this row has its own goal.
      return target
    })
  }

  // Starts the naive HTTP server of reference-server.ts, with which the service is compared.
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

  // Logs in once. Every service accepts the token, because all have the same secrets and client.
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

  // Runs `start` at the first call with this name, and returns its result to every later call.
  once<T>(name: string, start: () => Promise<T>): Promise<T> {
    const started = this.#started.get(name) ?? start()
    this.#started.set(name, started)
    return started as Promise<T>
  }

  [Symbol.asyncDispose] = () => this.#stack.disposeAsync()

  // Starts a service on a new database whose accounts have PER_ACCOUNT credits each.
  #history(name: string, accounts: number): Promise<Target> {
    return this.once(name, async () => {
      const database = await this.newDatabase(name, 'template1')
      await this.fill(database.connectionString, { accounts, perAccount: PER_ACCOUNT })
      return this.#startService(database, accounts)
    })
  }

  // Starts a service and a worker on a copy of the template, after `prepare` has changed it.
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

  // Starts a service on the database. With `before`, the folder of another checkout, starts that checkout's
  // service, which is neither profiled nor counted in the memory of the report.
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
