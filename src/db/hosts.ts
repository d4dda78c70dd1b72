// Several database hosts: parses DATABASE_URL, finds the host that takes writes, and connects to it. All
// connections of a process go to the same host.
//
//   unsure ──(the host in use is writable)──────────────────▶ sure, as before
//   unsure ──(all have answered or failed, one is writable)─▶ sure; connections to others are destroyed
//   sure ──(trouble: lost, silent, read-only, shut down)────▶ unsure
//
// While unsure, the process keeps probing every host, and each answer may decide. It never leaves a host
// that takes writes. If two hosts take writes (split brain), a process that must choose takes the later
// timeline. The operator who promotes a standby must fence the old primary.

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { NamingClient } from './sql.ts'

// The result of probing one server.
export type Finding =
  | { state: 'writable'; timeline: number }
  | { state: 'read-only' | 'standby' }
  | { state: 'unreachable'; reason: string }

const STATE = `select pg_is_in_recovery() as "isStandby",
                      current_setting('transaction_read_only') = 'on' as "isReadOnly"`
// A promotion begins a new timeline, so of two primaries the promoted one has the later timeline.
const TIMELINE = `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`

// Finds the state of one server. Always returns within `maxMs`.
export async function probeHost(connectionString: string, maxMs: number): Promise<Finding> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {}) // The awaited query fails too, and reports the error.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const timeout = setTimeout(() => stream.destroy(new Error('timeout expired')), maxMs)
  try {
    await client.connect()
    const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(STATE)
    const [{ isStandby, isReadOnly } = { isStandby: true, isReadOnly: true }] = rows
    if (isStandby) return { state: 'standby' }
    if (isReadOnly) return { state: 'read-only' }
    return { state: 'writable', timeline: await findTimeline(client) }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // Prefers the server's message, such as "password authentication failed", else the system's error code.
    const reason = error instanceof pg.DatabaseError ? message : (code ?? message)
    return { state: 'unreachable', reason }
  } finally {
    clearTimeout(timeout)
    client.end().catch(() => {})
  }
}

// Returns the timeline of a writable server, or 0 if the server reports none, like some servers that only
// resemble PostgreSQL.
async function findTimeline(client: pg.Client): Promise<number> {
  try {
    const { rows } = await client.query<{ timeline: number }>(TIMELINE)
    return rows[0]?.timeline ?? 0
  } catch {
    return 0
  }
}

const PAUSE_MS = 300 // Between two probes of one host.
const HEAD_START_MS = 200 // The host in use is probed this much earlier, because it is usually healthy.
const SILENCE_CHECK_MS = 500 // How often connections are checked for silence.
const SILENT_MAX_MS = 1_000
// A connection is also silent during a long statement, so silence makes the process probe at most this often.
const REASSURED_MS = 2_000
const UNWANTED_AFTER_MS = 5_000 // Without a connection or a recent request for a host, probing stops.

// A connection of this process to one of the hosts, from the moment it begins to connect.
type Member = {
  readonly host: DatabaseHost
  readonly silentMs: () => number // How long the connection has owed an answer.
  readonly destroy: (error: Error) => void
}

// The hosts of one DATABASE_URL, shared by all connections of the process.
export class Hosts {
  readonly url: DatabaseUrl
  readonly #members = new Set<Member>()
  readonly #findings = new Map<DatabaseHost, Finding>() // The probes since the process became unsure.
  #inUse: DatabaseHost | undefined
  #isSure = false
  readonly #moveListeners: (() => void)[] = [] // Called when the process moves to another host.
  #probing: AbortController | undefined // Set while the hosts are probed.
  #waiting: { resolve: (host: DatabaseHost) => void; reject: (error: Error) => void }[] = []
  #lastFindAtMs = 0
  #sureAtMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(url: DatabaseUrl) {
    this.url = url
  }

  get inUse(): DatabaseHost | undefined {
    return this.#inUse
  }

  // Returns the host that takes writes, and probes the hosts if necessary. Fails at once if every host was
  // probed and none takes writes.
  async find(): Promise<DatabaseHost> {
    if (this.#isSure && this.#inUse) return this.#inUse
    this.#lastFindAtMs = performance.now()
    this.#startProbing()
    if (this.#findings.size === this.url.hosts.length) throw this.#noHostError()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  // Registers a connection, so that it is watched for silence and destroyed if the process moves to another
  // host.
  join(member: Member): void {
    this.#members.add(member)
    this.#timer ??= setInterval(() => this.#doubtSilentHosts(), SILENCE_CHECK_MS).unref()
  }

  leave(member: Member): void {
    this.#members.delete(member)
    if (this.#members.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  // A connection reports trouble with its host. If that is the host in use, probes all hosts.
  doubt(host: DatabaseHost): void {
    if (!this.#isSure || host !== this.#inUse) return
    this.#isSure = false
    this.#startProbing()
  }

  // Registers a function that is called when the process moves to another host, before any connection to it.
  onMove(moved: () => void): void {
    this.#moveListeners.push(moved)
  }

  // Doubts the host of a connection that has been silent for too long.
  #doubtSilentHosts(): void {
    if (performance.now() - this.#sureAtMs < REASSURED_MS) return
    for (const { host, silentMs } of this.#members) if (silentMs() > SILENT_MAX_MS) this.doubt(host)
  }

  // Starts to probe all hosts, unless that is already under way.
  #startProbing(): void {
    if (this.#probing) return
    this.#probing = new AbortController()
    this.#findings.clear()
    for (const host of this.url.hosts) void this.#probeUntilSure(host, this.#probing.signal)
  }

  // Probes one host again and again until the process is sure.
  async #probeUntilSure(host: DatabaseHost, signal: AbortSignal): Promise<void> {
    if (this.#inUse && host !== this.#inUse) await pause(HEAD_START_MS, signal)
    while (!signal.aborted) {
      const finding = await probeHost(this.url.urlOf(host), this.url.connectMaxMs)
      if (signal.aborted) return
      this.#findings.set(host, finding)
      this.#decide()
      if (this.#isUnwanted()) this.#stopProbing()
      await pause(PAUSE_MS, signal)
    }
  }

  // Looks at the findings so far. Uses the host in use if it is writable, else the best one once all hosts
  // were probed. If none is writable, fails the waiting callers.
  #decide(): void {
    const areAllProbed = this.#findings.size === this.url.hosts.length
    const host =
      this.#inUse && this.#accepts(this.#inUse) ? this.#inUse : areAllProbed && this.#bestHost()
    if (host) this.#useHost(host)
    else if (areAllProbed)
      for (const { reject } of this.#waiting.splice(0)) reject(this.#noHostError())
  }

  // Returns the host with the latest timeline; among equals, the first in the URL.
  #bestHost(): DatabaseHost | undefined {
    const accepted = this.url.hosts.filter((host) => this.#accepts(host))
    return accepted.sort((left, right) => this.#timelineOf(right) - this.#timelineOf(left))[0]
  }

  // Returns whether the host suits `target_session_attrs` of DATABASE_URL.
  #accepts(host: DatabaseHost): boolean {
    const state = this.#findings.get(host)?.state ?? 'unreachable'
    if (state === 'unreachable' || state === 'writable') return state === 'writable'
    const { target } = this.url
    return target === 'any' || (target === 'primary' && state === 'read-only')
  }

  // Returns the timeline by which hosts are ranked: 0 with target_session_attrs=any, where the order of the
  // URL decides.
  #timelineOf(host: DatabaseHost): number {
    const finding = this.#findings.get(host)
    return this.url.target !== 'any' && finding?.state === 'writable' ? finding.timeline : 0
  }

  // Makes the host the one in use and destroys all connections to others.
  #useHost(host: DatabaseHost): void {
    this.#stopProbing()
    if (this.#inUse && this.#inUse !== host) for (const moved of this.#moveListeners) moved()
    this.#inUse = host
    this.#isSure = true
    this.#sureAtMs = performance.now()
    const error = new Error(`Connection terminated: ${nameOf(host)} is the writable host now`)
    for (const member of this.#members) if (member.host !== host) member.destroy(error)
    for (const { resolve } of this.#waiting.splice(0)) resolve(host)
  }

  #stopProbing(): void {
    this.#probing?.abort()
    this.#probing = undefined
  }

  // Returns whether nothing needs a host at the moment, so that probing may stop.
  #isUnwanted(): boolean {
    const isIdle = performance.now() - this.#lastFindAtMs > UNWANTED_AFTER_MS
    return isIdle && this.#members.size === 0 && this.#waiting.length === 0
  }

  // Returns the error that no host takes writes, with the state of each.
  #noHostError(): Error {
    const { hosts, target } = this.url
    const findings = hosts.map((host) => {
      const finding = this.#findings.get(host)
      return `${nameOf(host)}: ${finding?.state === 'unreachable' ? finding.reason : finding?.state}`
    })
    return new Error(`Connection error: no host is ${target} (${findings.join('; ')})`)
  }
}

// Returns a host with its port, as messages show it. IPv6 addresses get brackets.
export function nameOf({ host, port }: DatabaseHost): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ref: false, signal }).catch(() => {})
}

const hostsByUrl = new Map<string, Hosts>()

// Returns the hosts of a URL, shared by all connections of a process; undefined if the URL has one host. The
// `options` differ between pools and do not matter here.
export function hostsOf(connectionString: string): Hosts | undefined {
  const key = connectionString.replace(/(?<=[?&])options=[^&]*/, '')
  const existing = hostsByUrl.get(key)
  if (existing) return existing
  const url = readUrl(connectionString)
  if (url.hosts.length === 1) return undefined
  const hosts = new Hosts(url)
  hostsByUrl.set(key, hosts)
  return hosts
}

// Parses a URL that was already checked at start, so it cannot fail.
function readUrl(connectionString: string): DatabaseUrl {
  return parseDatabaseUrl(connectionString, (sentence) => {
    throw new Error(`DATABASE_URL ${sentence}`)
  }) as DatabaseUrl
}

// A HostedClient is a connection to the one of several hosts that takes writes. It chooses the host when it
// connects, checks that the host is no standby, and reports trouble. With one host, the driver's own client
// is used instead.
//
// The check costs no round trip: since version 14 PostgreSQL reports whether it is a standby or read-only, at
// the start of a connection and on every change. A pooler may not pass these reports on. Then only the probe,
// or a refused write, reveals a standby.

// SQLSTATEs of a server that is read-only, shut down by the administrator, crashed, or not up yet.
const TROUBLE = /^(25006|57P0[1-3])$/

type Parameter = { parameterName: string; parameterValue: string }
type Connected = { stream: Socket; on(event: string, listener: (message: never) => void): void }
type Callback = (error: Error | null, client?: pg.Client) => void

// Returns the class of the clients for this URL.
export function clientClassFor(connectionString: string): typeof pg.Client {
  const client = hostsOf(connectionString) ? HostedClient : NamingClient
  return client as unknown as typeof pg.Client
}

export class HostedClient extends NamingClient {
  readonly #hosts: Hosts
  readonly #reported = new Map<string, string>()
  #silentMs: () => number

  constructor(config: pg.ClientConfig) {
    const { connectionString = '' } = config
    const url = readUrl(connectionString)
    super({ ...config, connectionString: url.urlOf(url.hosts[0] as DatabaseHost) })
    this.#hosts = hostsOf(connectionString) as Hosts
    this.#silentMs = () => 0
    // The code that uses the connection gets the error too. Without a listener, an error would end the
    // process.
    this.on('error', () => {})
  }

  // Lets the hosts learn how long this connection has been silent. The Watch of deadlines.ts calls it once
  // the client is connected.
  setWatch(watch: { readonly silentMs: number }): void {
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

  // Finds the host, connects to it, and refuses it if it turns out to be read-only.
  async #open(): Promise<this> {
    const host = await this.#hosts.find()
    const { stream } = this.#connection
    if (stream.destroyed) throw new Error('Connection terminated while its host was looked for')
    Object.assign(this, host) // The driver connects to the client's fields `host` and `port`.
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

  // Registers the connection with its host, and reports everything that may mean trouble with the host.
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

  // Returns whether the server reported that it is a standby, or read-only if the URL demands writes.
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

// DATABASE_URL is parsed as libpq parses it. It names one server, or several, one of which is writable.
//
//   postgres://user:password@db1:5432,db2:5432,[fd00::3]/manilla?target_session_attrs=read-write
//   postgres:///manilla?host=/run/a,/run/b&port=5432,5433
//
// The driver gets a URL of one host unchanged. No message quotes the URL, because it may contain a
// password.

type DatabaseHost = { readonly host: string; readonly port: number }

const TARGETS = ['read-write', 'primary', 'any'] as const
type Target = (typeof TARGETS)[number]

export type DatabaseUrl = {
  readonly hosts: readonly DatabaseHost[] // A single entry means that the driver interprets the URL itself.
  readonly target: Target
  readonly connectMaxMs: number // For each host.
  readonly urlOf: (host: DatabaseHost) => string // For the driver, which supports one host.
}

type NamedHosts = { hosts: readonly string[]; ports: readonly string[] }

const FORM = /^postgres(?:ql)?:\/\/(?:([^/?#]*)@)?([^@/?#]*)((?:\/[^?#]*)?)(?:\?([^#]*))?$/
const HOST = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]*))(?::([^:]*))?$/i
const PORT_DEFAULT = 5432
const PORT_MAX = 65_535
// The parameters of DATABASE_URL that this file handles. The driver must not see them.
const OURS = ['host', 'port', 'target_session_attrs', 'connect_timeout', 'load_balance_hosts']
// Enough for nine round trips between two regions, with TLS and SCRAM.
const CONNECT_SECONDS = 1.5
const CONNECT_SECONDS_MAX = 4 // Less than a pool's wait for a connection.

// Parses DATABASE_URL. Reports a problem as the end of a sentence and then returns undefined.
export function parseDatabaseUrl(
  text: string,
  report: (sentence: string) => void,
): DatabaseUrl | undefined {
  const [, user, authority = '', path = '', query = ''] = FORM.exec(text) ?? []
  const parameters = new URLSearchParams(query)
  const named = readHosts(authority, parameters)
  const problem = findUrlProblem(text, named, parameters)
  if (problem) {
    report(problem)
    return undefined
  }
  const driverParameters = [...parameters].filter(([name]) => !OURS.includes(name))
  return {
    hosts: named.hosts.map((host, index) => ({ host, port: Number(portOf(named, index)) })),
    target: (parameters.get('target_session_attrs') ?? 'read-write') as Target,
    connectMaxMs: Number(parameters.get('connect_timeout') ?? CONNECT_SECONDS) * 1000,
    // With several hosts, writes a URL that names only this host, without the parameters that we handle.
    urlOf({ host, port }) {
      if (named.hosts.length === 1) return text
      const params = new URLSearchParams([['host', host], ['port', `${port}`], ...driverParameters])
      return `postgres://${user === undefined ? '' : `${user}@`}${path || '/'}?${params}`
    },
  }
}

// Reads hosts and ports. The parameters `host` and `port` override the hosts before the path.
function readHosts(authority: string, parameters: URLSearchParams): NamedHosts {
  const entries = authority.split(',').map((entry) => {
    const [, ipv6, plain, port = ''] = HOST.exec(entry) ?? []
    return { host: ipv6 ?? decode(plain ?? ''), port }
  })
  const hosts = parameters.get('host')?.split(',')
  const ports = parameters.get('port')?.split(',')
  return {
    hosts: hosts ?? entries.map(({ host }) => host),
    ports: ports ?? (hosts ? [''] : entries.map(({ port }) => port)),
  }
}

// Returns the port of the host at this position. A single port applies to all hosts.
function portOf({ ports }: NamedHosts, index: number): string {
  return (ports.length === 1 ? ports[0] : ports[index]) || String(PORT_DEFAULT)
}

// Decodes a host of the URL. A broken encoding gives an empty host, which is then refused.
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}

// Returns the problem of a database URL as the end of a sentence that begins with the name of its setting.
function findUrlProblem(
  text: string,
  named: NamedHosts,
  parameters: URLSearchParams,
): string | undefined {
  const { hosts, ports } = named
  // URL.canParse() refuses a URL without a host, such as postgres://user@/name?host=/path/of/a/socket.
  const isReadable = URL.canParse(text) || URL.canParse(text.replace('@/', '@socket/'))
  if (!/^postgres(ql)?:\/\/\S+$/.test(text) || (hosts.length === 1 && !isReadable)) {
    return 'must look like postgres://user:password@host:5432/database, or name several: @a:5432,b:5432/'
  }
  const target = parameters.get('target_session_attrs') ?? 'read-write'
  if (!TARGETS.some((allowed) => allowed === target)) {
    return `must have no target_session_attrs but ${TARGETS.join(', ')}: the service writes`
  }
  if ((parameters.get('load_balance_hosts') ?? 'disable') !== 'disable') {
    return 'must not have load_balance_hosts: all writes go to one server'
  }
  if ((parameters.get('pooler') ?? 'transaction') !== 'transaction') {
    return 'has a pooler that must be transaction, or be left out'
  }
  if (ports.length > 1 && ports.length !== hosts.length) return 'must have one port for each host'
  return hosts.length === 1 ? undefined : findHostProblem(named, parameters)
}

// Finds problems that only a URL of several hosts can have.
function findHostProblem(named: NamedHosts, parameters: URLSearchParams): string | undefined {
  if (parameters.has('hostaddr')) return 'must not have hostaddr: write addresses as hosts'
  const keys = named.hosts.map((host, index) => `${host} ${portOf(named, index)}`)
  for (const [index, host] of named.hosts.entries()) {
    const port = portOf(named, index)
    const isPort = /^[1-9]\d{0,4}$/.test(port) && Number(port) <= PORT_MAX
    if (host === '' || /\s/.test(host)) return `must have a host as entry ${index + 1} of its hosts`
    if (!isPort) return `must have a port from 1 to ${PORT_MAX} for host ${index + 1}`
    if (keys.indexOf(keys[index] as string) < index) return `must not have host ${index + 1} twice`
  }
  const seconds = Number(parameters.get('connect_timeout') ?? 1)
  const isInRange = Number.isInteger(seconds) && seconds >= 1 && seconds <= CONNECT_SECONDS_MAX
  if (isInRange) return undefined
  return `must have a connect_timeout from 1 to ${CONNECT_SECONDS_MAX} seconds with several hosts`
}
