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

// Starts two servers and replication between them: followAnew() copies the primary to the standby. Commits
// wait for the standby only from requireStandby() on.
export async function startPair(folder: string, options: Options = {}): Promise<Pair> {
  await using stack = new AsyncDisposableStack()
  const primary = stack.use(await openNode(folder, 'a', options))
  const standby = stack.use(await openNode(folder, 'b', options))
  await primary.server.create()
  const resources = stack.move()
  const pair = new Pair({ primary, standby, standbyMs: options.standbyMs ?? 0, resources })
  pair.clearLinks()
  await pair.followAnew()
  return pair
}

// Starts one server, and the links that lead to it from the service and from the other server.
async function openNode(folder: string, name: string, options: Options): Promise<Node> {
  await using stack = new AsyncDisposableStack()
  const { settings = {}, logs } = options
  const log = logs ? { log: join(logs, `postgres-${name}.log`) } : {}
  const server = stack.use(new Server(join(folder, name), { settings, ...log }))
  const link = stack.use(await startFaultyLink({ path: server.socketPath }))
  const replication = stack.use(await startFaultyLink({ path: server.socketPath }))
  const host = `127.0.0.1:${link.port}`
  const resources = stack.move()
  return {
    server,
    link,
    replication,
    host,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

type Parts = { primary: Node; standby: Node; standbyMs: number; resources: AsyncDisposableStack }

export class Pair implements AsyncDisposable {
  primary: Node
  standby: Node
  readonly #hosts: readonly string[]
  readonly #standbyMs: number
  readonly #resources: AsyncDisposableStack

  constructor({ primary, standby, standbyMs, resources }: Parts) {
    this.primary = primary
    this.standby = standby
    this.#hosts = [primary.host, standby.host]
    this.#standbyMs = standbyMs
    this.#resources = resources
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

  // Rebuilds the standby from a base backup of the primary.
  async followAnew(): Promise<void> {
    await this.standby.server.kill()
    await this.standby.server.copy(this.primary.server)
    await this.follow()
  }

  // From now on commits wait for the standby.
  async requireStandby(): Promise<void> {
    await this.primary.server.requireStandby()
  }

  // Heals the links of both servers, with the standby's usual network delay.
  clearLinks(): void {
    for (const { link, replication } of [this.primary, this.standby]) {
      link.heal()
      replication.heal()
      if (this.#standbyMs > 0) replication.slow(this.#standbyMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}
