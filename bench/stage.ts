// What the rows share: the service with its database, the load generator, and the rivals, each made
// when a row first asks for it. Everything is taken down with it.

import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { Books, createDatabase } from './books.ts'
import { ask, type Child, startChild } from './children.ts'
import type { NaiveOrder } from './naive-server.ts'
import type { Options } from './options.ts'
import { fillPgbench, findPgbench } from './pgbench.ts'
import { type Cast, residentBytes } from './processes.ts'
import type { Home, ServiceProcess } from './service-process.ts'

const NAIVE_CONNECTIONS = 10 // As many as the service's own pool has.
const MEMORY_EVERY_MS = 200

type Rival = { process: Child; port: number; books: Books }

export class Stage implements AsyncDisposable {
  readonly options: Options
  readonly service: ServiceProcess
  readonly folder: string
  readonly generator: Child
  readonly books: Books
  readonly cast: Cast
  readonly memory = { start: 0, peak: 0, after: 0 }
  numbers: string[] = []
  token = ''
  readonly #own = new AsyncDisposableStack()
  #tag = 0
  #blank: Promise<string> | undefined
  #naive: Promise<Rival> | undefined
  #empty: Promise<{ process: Child; port: number }> | undefined
  #pgbench: Promise<string | undefined> | undefined

  constructor(options: Options, home: Home, service: ServiceProcess) {
    this.options = options
    this.service = service
    this.folder = home.folder
    this.cast = { server: service.pid, postgres: service.postgresPid }
    this.generator = this.#own.use(startChild('generator.ts'))
    this.books = this.#own.use(new Books(service.databaseUrl('manilla'), service.config))
    const sampler = setInterval(() => this.#sampleMemory(), MEMORY_EVERY_MS)
    this.#own.defer(() => clearInterval(sampler))
  }

  async fill(): Promise<void> {
    this.memory.start = residentBytes(this.cast) ?? 0
    this.token = await logIn(this.service.port)
    this.numbers = await this.books.openAccounts(this.options.accounts)
  }

  // Marks the session ids of one run of load, so that no two share one.
  nextTag(): number {
    return this.#tag++
  }

  get secrets() {
    const { data, hash } = this.service.config.secrets
    return { dataKeys: data, hashKey: hash }
  }

  // A database of its own for whoever is compared with: as empty and as full as the service's was.
  async newBooks(name: string): Promise<{ books: Books; numbers: string[] }> {
    this.#blank ??= this.#makeBlank()
    await createDatabase(this.service.databaseUrl('postgres'), name, await this.#blank)
    const books = this.#own.use(new Books(this.service.databaseUrl(name), this.service.config))
    const { rows } = await books.db.query<{ number: string }>(
      'select account_number as number from collection_accounts order by id',
    )
    return { books, numbers: rows.map((row) => row.number) }
  }

  async naive(): Promise<Rival & { numbers: string[] }> {
    this.#naive ??= this.#startNaive()
    return this.#naive as Promise<Rival & { numbers: string[] }>
  }

  async empty(): Promise<{ process: Child; port: number }> {
    this.#empty ??= this.#startEmpty()
    return this.#empty
  }

  // Undefined when it is not installed.
  async pgbench(): Promise<string | undefined> {
    this.#pgbench ??= this.#preparePgbench()
    return this.#pgbench
  }

  get pgbenchPlace() {
    const { socketFolder, postgresPid } = this.service
    return { socketFolder, postgresPid, database: 'pgbench', folder: this.folder }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#own.disposeAsync()
  }

  async #makeBlank(): Promise<string> {
    const name = 'blank'
    await createDatabase(this.service.databaseUrl('postgres'), name)
    await using blank = new Books(this.service.databaseUrl(name), this.service.config)
    await blank.prepare()
    await blank.openAccounts(this.options.accounts)
    await blank.settle()
    return name
  }

  async #startNaive() {
    const { books, numbers } = await this.newBooks('naive')
    const process = this.#own.use(startChild('naive-server.ts'))
    const { connectionString } = books
    const order = { connectionString, connections: NAIVE_CONNECTIONS, ...this.secrets }
    const { port } = await ask<{ port: number }>(process, order satisfies NaiveOrder)
    return { process, port, books, numbers }
  }

  async #startEmpty() {
    const process = this.#own.use(startChild('empty-server.ts'))
    const { port } = await ask<{ port: number }>(process, {})
    return { process, port }
  }

  async #preparePgbench(): Promise<string | undefined> {
    const program = findPgbench()
    if (!program) return undefined
    await createDatabase(this.service.databaseUrl('postgres'), this.pgbenchPlace.database)
    await fillPgbench(program, this.pgbenchPlace)
    return program
  }

  #sampleMemory(): void {
    const bytes = residentBytes(this.cast) ?? 0
    this.memory.after = bytes
    this.memory.peak = Math.max(this.memory.peak, bytes)
  }
}

async function logIn(port: number): Promise<string> {
  const { clientId, secret: clientSecret } = SANDBOX_CLIENT
  const answer = await fetch(`http://127.0.0.1:${port}/api/Account/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientId, clientSecret }),
  })
  const { access_token } = (await answer.json()) as { access_token?: string }
  if (!access_token) throw new Error(`logging in was answered with ${answer.status}`)
  return access_token
}
