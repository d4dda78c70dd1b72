// A primary and its standby, each behind a network that can fail: one link from the service, one
// from the other server. Also the actions of an HA manager: promotion, a base backup, and whether
// commits wait for the standby.

import { join } from 'node:path'
import { Server } from '../test/support/standby.ts'
import { type FaultyLink, startFaultyLink } from './faulty-link.ts'

type Options = {
  settings?: Readonly<Record<string, string>>
  logs?: string // The folder for log files.
  standbyMs?: number // The network delay to the standby.
}

export type Node = AsyncDisposable & {
  server: Server
  link: FaultyLink // From the service.
  replication: FaultyLink // From its standby.
  host: string
}

// Replication is asynchronous until the standby is required.
export async function startPair(folder: string, options: Options = {}): Promise<Pair> {
  await using stack = new AsyncDisposableStack()
  const primary = stack.use(await openNode(folder, 'a', options))
  const standby = stack.use(await openNode(folder, 'b', options))
  await primary.server.create()
  const whole = stack.move()
  const pair = new Pair({ primary, standby, standbyMs: options.standbyMs ?? 0, whole })
  pair.clearLinks()
  await pair.followAnew()
  return pair
}

async function openNode(folder: string, name: string, options: Options): Promise<Node> {
  await using stack = new AsyncDisposableStack()
  const { settings = {}, logs } = options
  const log = logs ? { log: join(logs, `postgres-${name}.log`) } : {}
  const server = stack.use(new Server(join(folder, name), { settings, ...log }))
  const link = stack.use(await startFaultyLink({ path: server.socketPath }))
  const replication = stack.use(await startFaultyLink({ path: server.socketPath }))
  const host = `127.0.0.1:${link.port}`
  const whole = stack.move()
  return {
    server,
    link,
    replication,
    host,
    [Symbol.asyncDispose]: () => whole.disposeAsync(),
  }
}

type Parts = { primary: Node; standby: Node; standbyMs: number; whole: AsyncDisposableStack }

export class Pair implements AsyncDisposable {
  primary: Node
  standby: Node
  readonly #hosts: readonly string[]
  readonly #standbyMs: number
  readonly #whole: AsyncDisposableStack

  constructor({ primary, standby, standbyMs, whole }: Parts) {
    this.primary = primary
    this.standby = standby
    this.#hosts = [primary.host, standby.host]
    this.#standbyMs = standbyMs
    this.#whole = whole
  }

  // The URL of both servers, for the service.
  url(hosts = this.#hosts): string {
    const target = 'target_session_attrs=read-write'
    return `postgres://manilla@${hosts.join(',')}/manilla?sslmode=disable&${target}`
  }

  // Promotes the standby. It then works alone, without waiting for a standby, because the manager has fenced
  // the other server.
  async promote(): Promise<void> {
    await this.standby.server.promote()
    const { primary, standby } = this
    this.primary = standby
    this.standby = primary
  }

  // Starts the standby with the data that it has.
  async follow(): Promise<void> {
    const { port } = this.primary.replication
    const conninfo = `host=127.0.0.1 port=${port} user=manilla sslmode=disable`
    await this.standby.server.start({ conninfo })
  }

  async followAnew(): Promise<void> {
    await this.standby.server.kill()
    await this.standby.server.copy(this.primary.server)
    await this.follow()
  }

  async requireStandby(): Promise<void> {
    await this.primary.server.requireStandby()
  }

  clearLinks(): void {
    for (const { link, replication } of [this.primary, this.standby]) {
      link.heal()
      replication.heal()
      if (this.#standbyMs > 0) replication.slow(this.#standbyMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#whole.disposeAsync()
  }
}
