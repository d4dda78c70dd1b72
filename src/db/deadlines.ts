// Sets the time limits of database work. PostgreSQL itself ends slow statements and idle transactions. If the
// server or the network is gone, a Watch destroys a connection that owes a response and stays silent: its
// queries fail, and the pool opens another connection.
//
// The driver's `query_timeout` does not suffice: it abandons a query and keeps the connection, or, with
// pipelining, ends the connection for one slow query among many.

import type { Socket } from 'node:net'
import type pg from 'pg'
import { HostedClient } from './hosts.ts'

const CONNECT_MAX_MS = 5_000 // Also the longest wait for a free connection of a pool.
export const STATEMENT_MAX_MS = 30_000
export const BATCH_STATEMENT_MAX_MS = 8_000 // Longer than a frozen process can hold locks.
const SILENCE_GRACE_MS = 2_000

// After this time without a statement, PostgreSQL ends a transaction, which frees the locks of a frozen
// process.
const IDLE_IN_TRANSACTION_MAX_MS = 5_000
const KEEP_ALIVE_AFTER_MS = 10_000

export type Deadlines = {
  statementMaxMs: number
  connectMaxMs?: number | undefined
  patience?: number | undefined // Multiplies all of these times.
}

// Returns the time limits as options of the driver. `patience` multiplies all of them.
export function deadlines(limits: Deadlines) {
  const { statementMaxMs, connectMaxMs = CONNECT_MAX_MS, patience = 1 } = limits
  return {
    connectionTimeoutMillis: patience * connectMaxMs,
    statement_timeout: patience * statementMaxMs,
    idle_in_transaction_session_timeout: patience * IDLE_IN_TRANSACTION_MAX_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  }
}

// Watches every connection of a pool. When a watch destroys a silent connection, it destroys the idle ones
// too: the server or the network is probably gone, and the first query on each of them would wait in vain
// for as long as this one did.
export function watchPool(pool: pg.Pool, statementMaxMs: number): void {
  const watched = new Set<Watch>()
  pool.on('connect', (client) => {
    const watch = new Watch(client, statementMaxMs, () => {
      for (const other of watched) if (!other.isBusy) other.destroy()
    })
    watched.add(watch)
    client.once('end', () => watched.delete(watch))
  })
}

// Destroys a connection that owes a response for too long. Create the watch once its client is connected.
export class Watch {
  readonly #stream: Socket
  readonly #silenceMaxMs: number
  readonly #onDead: () => void
  #isBusy = false
  #lastDataAtMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(client: pg.ClientBase, statementMaxMs: number, onDead: () => void = () => {}) {
    this.#stream = (client as unknown as { connection: { stream: Socket } }).connection.stream
    this.#silenceMaxMs = statementMaxMs + SILENCE_GRACE_MS
    this.#onDead = onDead
    // Wraps `query` to learn when a response is due. The client emits 'drain' when it has answered all
    // queries.
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    // Replaces `client.query`: notes that the database owes a response, then sends the query as before.
    const watchedQuery = (...args: unknown[]) => {
      this.#begin()
      return query(...args)
    }
    Object.assign(client, { query: watchedQuery })
    client.on('drain', () => {
      this.#isBusy = false
    })
    this.#stream.on('data', () => {
      this.#lastDataAtMs = performance.now()
    })
    client.once('end', () => clearTimeout(this.#timer))
    if (client instanceof HostedClient) client.setWatch(this)
  }

  get isBusy(): boolean {
    return this.#isBusy
  }

  // Milliseconds that the connection has been silent while it owes a response; zero if it owes none.
  get silentMs(): number {
    return this.#isBusy ? performance.now() - this.#lastDataAtMs : 0
  }

  destroy(): void {
    const seconds = this.#silenceMaxMs / 1000
    const error = new Error(`Connection terminated: the database was silent for ${seconds} s`)
    this.#stream.destroy(error)
  }

  // Starts to wait for a response. One timer serves all queries and is renewed only when it fires, so a query
  // costs no timer.
  #begin(): void {
    if (this.#isBusy) return
    this.#isBusy = true
    this.#lastDataAtMs = performance.now()
    this.#timer ??= this.#scheduleCheck(this.#silenceMaxMs)
  }

  // Checks the connection after this time. Lets Node read pending input first: if our own process was frozen,
  // the database was not silent.
  #scheduleCheck(afterMs: number): NodeJS.Timeout {
    return setTimeout(() => setImmediate(() => this.#check()), afterMs).unref()
  }

  // Destroys the connection if it has been silent for too long; else checks it again when that could be so.
  #check(): void {
    this.#timer = undefined
    if (!this.#isBusy || this.#stream.destroyed) return
    const leftMs = this.#lastDataAtMs + this.#silenceMaxMs - performance.now()
    if (leftMs > 0) {
      this.#timer = this.#scheduleCheck(leftMs)
      return
    }
    this.destroy()
    this.#onDead()
  }
}
