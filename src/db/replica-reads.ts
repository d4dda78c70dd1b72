// Sends reads to the replica: those of a handler that is marked for it (src/http/replica-routes.ts), and no
// others, since only there is a position of the primary to wait for. Carried by the asynchronous context, so
// that the code that reads needs to know nothing of it.
//
// A read that the replica fails is repeated on the primary, which answers the rest of the request as well:
// time never goes back within a response.

import { AsyncLocalStorage } from 'node:async_hooks'
import type pg from 'pg'
import type { Pool } from './pool.ts'
import { type Position, type Replica, ReplicaProblem } from './replica.ts'
import { isConnectionLost } from './transaction.ts'

const SQL_STATE = /^[0-9A-Z]{5}$/
const QUERY_CANCELED = '57014' // By its own time limit: the primary would take as long.

type Reading = { position: Promise<Position>; isPrimary: boolean }
type Connects = { connect(): Promise<pg.PoolClient> }
type Served = (by: 'replica' | 'primary') => void

const current = new AsyncLocalStorage<Reading>()

// Work whose reads the replica may answer, as of now.
export function readingFromReplica<T>(replica: Replica, work: () => T): T {
  const isPrimary = !replica.isUsable
  const position = isPrimary ? Promise.resolve({ lsn: 0n, timeline: 0 }) : replica.position()
  position.catch(() => {}) // Heard where it is awaited, if at all.
  return current.run({ position, isPrimary }, work)
}

// For work that goes on after its handler has returned, such as a stream.
export function keepReading<T>(work: () => T): () => T {
  const reading = current.getStore()
  return reading ? () => current.run(reading, work) : work
}

const readers = new WeakMap<object, ReplicatedReads>()

// The primary's pool, with reads that may be answered by the replica: single statements and snapshots.
// Transactions are the primary's, always.
export function replicatedPool(primary: Pool, replica: Replica, onServed: Served): Pool {
  const reads = new ReplicatedReads(primary, replica, onServed)
  const query = (...asked: unknown[]) =>
    reads.read((on) => (on === primary ? ask(primary, asked) : askOnce(on, asked)))
  const pool = { query, connect: () => primary.connect() } as unknown as Pool
  readers.set(pool, reads)
  return pool
}

// Reads of several statements: `work` may run a second time, on the primary.
export function readOn<T>(pool: Pool, work: (on: Connects) => Promise<T>): Promise<T> {
  return readers.get(pool)?.read(work) ?? work(pool)
}

class ReplicatedReads {
  readonly #primary: Pool
  readonly #replica: Replica
  readonly #onServed: Served

  constructor(primary: Pool, replica: Replica, onServed: Served) {
    this.#primary = primary
    this.#replica = replica
    this.#onServed = onServed
  }

  async read<T>(work: (on: Connects) => Promise<T>): Promise<T> {
    const reading = current.getStore()
    if (!reading) return work(this.#primary)
    if (!reading.isPrimary) {
      try {
        const answer = await work(this.#at(await reading.position))
        this.#onServed('replica')
        return answer
      } catch (error) {
        if (!isReplicas(error)) throw error
        reading.isPrimary = true
      }
    }
    this.#onServed('primary')
    return work(this.#primary)
  }

  // Once: what a conflict with the replay ended is not tried there again.
  #at(position: Position): Connects {
    let isUsed = false
    return {
      connect: async () => {
        if (isUsed) throw new ReplicaProblem('the read conflicted with its replay')
        isUsed = true
        return this.#replica.connect(position)
      },
    }
  }
}

// Of the replica or its state, rather than of what was asked.
function isReplicas(error: unknown): boolean {
  if (error instanceof ReplicaProblem || isConnectionLost(error)) return true
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && SQL_STATE.test(code) && code !== QUERY_CANCELED
}

function ask(on: Pick<pg.ClientBase, 'query'>, asked: readonly unknown[]): Promise<unknown> {
  return Reflect.apply(on.query, on, asked)
}

async function askOnce(on: Connects, asked: readonly unknown[]): Promise<unknown> {
  const client = await on.connect()
  try {
    const answer = await ask(client, asked)
    client.release()
    return answer
  } catch (error) {
    client.release(isConnectionLost(error))
    throw error
  }
}
