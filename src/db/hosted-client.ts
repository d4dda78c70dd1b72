// A connection to whichever of several hosts takes writes: it asks which one when it connects, checks
// that it is so, and tells when there is trouble. Of one host it is the driver's own client.
//
// The check costs no round trip: since version 14 PostgreSQL says by itself whether it is a standby
// or read-only, when a connection begins and when it changes. A pooler in between may not pass it on;
// then what the host was asked stands, and a write that is refused.

import type { Socket } from 'node:net'
import pg from 'pg'
import type { DatabaseHost } from '#database-url.ts'
import { type Hosts, hostsOf, nameOf, readUrl } from './hosts.ts'

// Read-only; shut down by the administrator, after a crash, or not up yet.
const TROUBLE = /^(25006|57P0[1-3])$/

type Parameter = { parameterName: string; parameterValue: string }
type Connected = { stream: Socket; on(event: string, heard: (message: never) => void): void }
type Callback = (error: Error | null, client?: pg.Client) => void

export function clientOf(connectionString: string): typeof pg.Client {
  return hostsOf(connectionString) ? HostedClient : pg.Client
}

export class HostedClient extends pg.Client {
  readonly #hosts: Hosts
  readonly #reported = new Map<string, string>()
  #silentMs: () => number

  constructor(config: pg.ClientConfig) {
    const { connectionString = '' } = config
    const url = readUrl(connectionString)
    super({ ...config, connectionString: url.urlOf(url.hosts[0] as DatabaseHost) })
    this.#hosts = hostsOf(connectionString) as Hosts
    this.#silentMs = () => 0
    this.on('error', () => {}) // Who uses it hears of it; unheard, it would end the process.
  }

  // What knows for how long an answer has been owed, once it is connected.
  watchedBy(watch: { readonly silentMs: number }): void {
    this.#silentMs = () => watch.silentMs
  }

  override connect(): Promise<this>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<this> | undefined {
    const connected = this.#open()
    if (!callback) return connected
    connected.then(
      () => callback(null, this),
      (error) => callback(error),
    )
    return undefined
  }

  async #open(): Promise<this> {
    const host = await this.#hosts.find()
    const { stream } = this.#connection
    if (stream.destroyed) throw new Error('Connection terminated while its host was looked for')
    Object.assign(this, host)
    this.#follow(host)
    await super.connect()
    if (this.#isRefused()) {
      const error = new Error(`Connection terminated: ${nameOf(host)} is read-only`)
      this.#hosts.doubt(host)
      this.#connection.stream.destroy(error)
      throw error
    }
    this.#silentMs = () => 0
    return this
  }

  #follow(host: DatabaseHost): void {
    const begunMs = performance.now()
    this.#silentMs = () => performance.now() - begunMs
    const destroy = (error: Error) => void this.#connection.stream.destroy(error)
    const member = { host, silentMs: () => this.#silentMs(), destroy }
    const doubt = () => this.#hosts.doubt(host)
    this.#hosts.join(member)
    this.once('end', () => this.#hosts.leave(member))
    this.on('error', doubt)
    this.#connection.on('error', doubt) // Also while it connects.
    this.#connection.on('parameterStatus', ({ parameterName, parameterValue }: Parameter) => {
      this.#reported.set(parameterName, parameterValue)
      if (this.#isRefused()) doubt()
    })
    this.#connection.on('errorMessage', ({ code }: { code?: string }) => {
      if (TROUBLE.test(code ?? '')) doubt()
    })
  }

  #isRefused(): boolean {
    const { target } = this.#hosts.url
    if (target === 'any') return false
    if (this.#reported.get('in_hot_standby') === 'on') return true
    return target === 'read-write' && this.#reported.get('default_transaction_read_only') === 'on'
  }

  get #connection(): Connected {
    return (this as unknown as { connection: Connected }).connection
  }
}
