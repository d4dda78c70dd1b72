// Which of several hosts takes writes now. All connections of a process go to the same one.
//
//   unsure ──(the host in use is writable)──────────────────▶ sure, as before
//   unsure ──(all have answered or failed, one is writable)─▶ sure; connections to others are destroyed
//   sure ──(trouble: lost, silent, read-only, shut down)────▶ unsure
//
// While unsure, every host is asked again and again, and each answer may decide. A host that answers
// and takes writes is never left for another: where two do (split brain), whoever must choose anew
// takes the later timeline. To fence the old primary is the business of who promotes.

import { setTimeout as sleep } from 'node:timers/promises'
import { type DatabaseHost, type DatabaseUrl, parseDatabaseUrl } from '#database-url.ts'
import { type Finding, probeHost } from './host-probe.ts'

const PAUSE_MS = 300
const HEAD_START_MS = 200 // Of the host in use: mostly nothing is wrong with it.
const LOOK_MS = 500
const SILENT_MAX_MS = 1_000
// A long statement is silent too: the host is asked no more often than this whether it lives.
const REASSURED_MS = 2_000
const NOBODY_ASKS_MS = 5_000

// A connection, from when it begins to connect.
export type Member = {
  readonly host: DatabaseHost
  readonly silentMs: () => number // For how long it has owed an answer.
  readonly destroy: (error: Error) => void
}

type Waiting = { resolve: (host: DatabaseHost) => void; reject: (error: Error) => void }

export class Hosts {
  readonly url: DatabaseUrl
  readonly #members = new Set<Member>()
  readonly #findings = new Map<DatabaseHost, Finding>() // Since we are unsure.
  #inUse: DatabaseHost | undefined
  #isSure = false
  readonly #moved: (() => void)[] = []
  #asking: AbortController | undefined
  #waiting: Waiting[] = []
  #askedAtMs = 0
  #sureAtMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(url: DatabaseUrl) {
    this.url = url
  }

  get inUse(): DatabaseHost | undefined {
    return this.#inUse
  }

  // Fails at once while it is known that none takes writes.
  async find(): Promise<DatabaseHost> {
    if (this.#isSure && this.#inUse) return this.#inUse
    this.#askedAtMs = performance.now()
    this.#ask()
    if (this.#findings.size === this.url.hosts.length) throw this.#none()
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }))
  }

  join(member: Member): void {
    this.#members.add(member)
    this.#timer ??= setInterval(() => this.#listen(), LOOK_MS).unref()
  }

  leave(member: Member): void {
    this.#members.delete(member)
    if (this.#members.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  // Something is wrong with a connection to this host.
  doubt(host: DatabaseHost): void {
    if (!this.#isSure || host !== this.#inUse) return
    this.#isSure = false
    this.#ask()
  }

  // Called when another host is used than before, before anybody is connected to it.
  onMove(moved: () => void): void {
    this.#moved.push(moved)
  }

  #listen(): void {
    if (performance.now() - this.#sureAtMs < REASSURED_MS) return
    for (const { host, silentMs } of this.#members) if (silentMs() > SILENT_MAX_MS) this.doubt(host)
  }

  #ask(): void {
    if (this.#asking) return
    this.#asking = new AbortController()
    this.#findings.clear()
    for (const host of this.url.hosts) void this.#askHost(host, this.#asking.signal)
  }

  async #askHost(host: DatabaseHost, signal: AbortSignal): Promise<void> {
    if (this.#inUse && host !== this.#inUse) await pause(HEAD_START_MS, signal)
    while (!signal.aborted) {
      const finding = await probeHost(this.url.urlOf(host), this.url.connectMaxMs)
      if (signal.aborted) return
      this.#findings.set(host, finding)
      this.#decide()
      if (this.#isForNobody()) this.#stop()
      await pause(PAUSE_MS, signal)
    }
  }

  #decide(): void {
    const isKnown = this.#findings.size === this.url.hosts.length
    const chosen = this.#inUse && this.#accepts(this.#inUse) ? this.#inUse : isKnown && this.#best()
    if (chosen) this.#use(chosen)
    else if (isKnown) for (const { reject } of this.#waiting.splice(0)) reject(this.#none())
  }

  // The first in the order of the URL, among equals.
  #best(): DatabaseHost | undefined {
    const accepted = this.url.hosts.filter((host) => this.#accepts(host))
    return accepted.sort((one, other) => this.#timeline(other) - this.#timeline(one))[0]
  }

  #accepts(host: DatabaseHost): boolean {
    const state = this.#findings.get(host)?.state ?? 'unreachable'
    if (state === 'unreachable' || state === 'writable') return state === 'writable'
    const { target } = this.url
    return target === 'any' || (target === 'primary' && state === 'read-only')
  }

  #timeline(host: DatabaseHost): number {
    const finding = this.#findings.get(host)
    return this.url.target !== 'any' && finding?.state === 'writable' ? finding.timeline : 0
  }

  #use(host: DatabaseHost): void {
    this.#stop()
    if (this.#inUse && this.#inUse !== host) for (const moved of this.#moved) moved()
    this.#inUse = host
    this.#isSure = true
    this.#sureAtMs = performance.now()
    const error = new Error(`Connection terminated: ${nameOf(host)} is the writable host now`)
    for (const member of this.#members) if (member.host !== host) member.destroy(error)
    for (const { resolve } of this.#waiting.splice(0)) resolve(host)
  }

  #stop(): void {
    this.#asking?.abort()
    this.#asking = undefined
  }

  #isForNobody(): boolean {
    const isIdle = performance.now() - this.#askedAtMs > NOBODY_ASKS_MS
    return isIdle && this.#members.size === 0 && this.#waiting.length === 0
  }

  #none(): Error {
    const { hosts, target } = this.url
    const findings = hosts.map((host) => {
      const finding = this.#findings.get(host)
      return `${nameOf(host)}: ${finding?.state === 'unreachable' ? finding.reason : finding?.state}`
    })
    return new Error(`Connection error: no host is ${target} (${findings.join('; ')})`)
  }
}

export function nameOf({ host, port }: DatabaseHost): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { ref: false, signal }).catch(() => {})
}

const known = new Map<string, Hosts>()

// Shared by all connections of a process, whatever options they begin with; undefined where there is
// one host, and nothing to choose.
export function hostsOf(connectionString: string): Hosts | undefined {
  const key = connectionString.replace(/(?<=[?&])options=[^&]*/, '')
  const found = known.get(key)
  if (found) return found
  const url = readUrl(connectionString)
  if (url.hosts.length === 1) return undefined
  const hosts = new Hosts(url)
  known.set(key, hosts)
  return hosts
}

export function readUrl(connectionString: string): DatabaseUrl {
  return parseDatabaseUrl(connectionString, (sentence) => {
    throw new Error(`DATABASE_URL ${sentence}`)
  }) as DatabaseUrl
}
