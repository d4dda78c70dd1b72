// A replica that answers reads (docs/decisions/0020-reads-from-a-replica.md): its health, and the pool that
// sends reads to it or to the primary.
//
// I83: the replica answers a request only on a connection that has replayed everything that the primary had
// committed when the request came, and only as a standby of the same cluster on the primary's timeline. So a
// read sees everything acknowledged before. In any doubt the primary answers.
//
//   usable ──silent, gone, behind by a second, promoted, on another timeline──▶ unusable
//      ▲                                                                            │
//      └──────────────────── a probe finds the replica healthy ─────────────────────┘

import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '#log.ts'
import { createPool, type Pool, type Queryable } from './pool.ts'
import { isConnectionLost, type Transaction, withTransaction } from './transaction.ts'

const CONNECTIONS_MAX = 10
const CONNECT_MAX_MS = 500
const REPLAY_WAIT_MAX_MS = 200 // A replica is usually some milliseconds behind, which no user notices.
const REPLAY_LOOK_MS = 4
const PROBE_EVERY_MS = 250
const PROBE_MAX_MS = 500
const LAG_MAX_MS = 1_000
// Bounds the memory while a replica stays behind. Only the oldest position decides the lag.
const POSITIONS_MAX = 1_000

// A position in the primary's log. Everything acknowledged so far lies before it. A promotion begins a new
// timeline.
type Position = { lsn: bigint; timeline: number }

const PRIMARY = {
  name: 'primary-position',
  text: `select pg_current_wal_flush_lsn()::text as lsn,
                ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline`,
}
// SQL scalar: the identity of a database. A standby has the identity of its primary, because it copies all
// bytes, including the system identifier and the names of databases.
const IDENTITY = `(select system_identifier from pg_control_system()) || '/' || current_database()`
// Reads the timeline of the last restart point. For a while after a failover, this is still the old timeline.
// Until it changes, the primary answers.
const STANDBY = {
  name: 'standby-position',
  text: `select pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn()::text as lsn,
                (select timeline_id from pg_control_checkpoint()) as timeline,
                ${IDENTITY} as identity`,
}

type Row = { isStandby: boolean; lsn: string | null; timeline: number; identity: string }

// Thrown if the replica may not answer a read. The message is the reason.
export class ReplicaProblem extends Error {}

type Options = { connectionString: string; primary: Queryable; log: Logger }

// A replica, which is probed all the time, and the pool of connections to it.
export class Replica {
  readonly #pool: Pool
  readonly #probes: Pool // Separate, so that a replica with all connections in use does not look silent.
  readonly #primary: Queryable
  readonly #log: Logger
  readonly #connected = new Set<pg.PoolClient>()
  readonly #timer: NodeJS.Timeout
  // Positions of the primary that the replica has not replayed, with the time when the primary reached them.
  #unreplayed: { atMs: number; lsn: bigint }[] = []
  #positionQuery: Promise<Position> | undefined
  #probing: Promise<void> | undefined
  #identity: string | undefined // The identity of the primary's cluster.
  #isUsable = false
  #lagMs = 0

  constructor({ connectionString, primary, log }: Options) {
    this.#primary = primary
    this.#log = log
    const options = { connectionString, connectMaxMs: CONNECT_MAX_MS, onIdleError: () => {} }
    this.#pool = createPool({ ...options, max: CONNECTIONS_MAX })
    this.#probes = createPool({ ...options, max: 1 })
    this.#pool.on('connect', (client) => {
      this.#connected.add(client)
      client.once('end', () => this.#connected.delete(client))
    })
    this.#timer = setInterval(() => void this.probe(), PROBE_EVERY_MS).unref()
    void this.probe()
  }

  get pool(): Pool {
    return this.#pool
  }

  get isUsable(): boolean {
    return this.#isUsable
  }

  get lagSeconds(): number {
    return this.#lagMs / 1000
  }

  // Returns the primary's position, read after this call. Calls within one turn of the event loop share a
  // query.
  position(): Promise<Position> {
    this.#positionQuery ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#positionQuery = undefined
      const { rows } = await this.#primary.query<{ lsn: string; timeline: number }>(PRIMARY)
      const [{ lsn, timeline } = { lsn: '0/0', timeline: 0 }] = rows
      return { lsn: parseLsn(lsn), timeline }
    })
    return this.#positionQuery
  }

  // Returns a connection on which the replica has replayed this position. The caller releases it.
  async connect(position: Position): Promise<pg.PoolClient> {
    const client = await this.#pool.connect()
    try {
      const untilMs = performance.now() + REPLAY_WAIT_MAX_MS
      while (!(await this.#hasReplayed(client, position))) {
        if (performance.now() > untilMs) throw new ReplicaProblem('it is behind')
        await sleep(REPLAY_LOOK_MS)
      }
      return client
    } catch (error) {
      // After a ReplicaProblem the connection itself works, so it returns to the pool.
      client.release(!(error instanceof ReplicaProblem))
      throw error
    }
  }

  // Probes the replica. Calls during a probe share it. A probe finds a problem within PROBE_MAX_MS, and then
  // fails the callers that wait for the replica.
  probe(): Promise<void> {
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined
    })
    return this.#probing
  }

  async end(): Promise<void> {
    clearInterval(this.#timer)
    await this.#probing
    await Promise.all([this.#pool.end(), this.#probes.end()])
  }

  async #hasReplayed(client: pg.PoolClient, position: Position): Promise<boolean> {
    const { rows } = await client.query<Row>(STANDBY)
    return this.#replayedPositionOf(rows[0], position.timeline) >= position.lsn
  }

  // Returns the position that the replica has replayed. Throws if it is not a standby of this primary on its
  // timeline.
  #replayedPositionOf(row: Row | undefined, timeline: number): bigint {
    if (!row?.isStandby || row.lsn === null) throw new ReplicaProblem('it is no standby')
    if (row.identity !== this.#identity) throw new ReplicaProblem('it is no copy of the primary')
    if (row.timeline !== timeline) throw new ReplicaProblem('it is on another timeline')
    return parseLsn(row.lsn)
  }

  // Probes the replica once, and makes it usable or unusable.
  async #probeOnce(): Promise<void> {
    const position = await this.position().catch(() => undefined)
    if (!position) return // The primary is unreachable, which every read reports.
    try {
      this.#identity ??= await this.#identify()
      const replayed = await this.#readReplayedPosition(position.timeline)
      this.#lagMs = this.#measureLag(position.lsn, replayed)
      const isBehind = this.#lagMs > LAG_MAX_MS
      this.#setUsable(isBehind ? new ReplicaProblem('it is behind') : undefined)
    } catch (error) {
      this.#setUsable(error as Error)
      if (error instanceof ReplicaProblem) return
      // Callers that wait for the replica fail at once and ask the primary.
      for (const client of this.#connected) destroy(client)
    }
  }

  // Reads the identity of the primary, which the replica must share.
  async #identify(): Promise<string | undefined> {
    const text = `select ${IDENTITY} as identity`
    const { rows } = await this.#primary.query<{ identity: string }>({ name: 'identity', text })
    return rows[0]?.identity
  }

  // Reads the position of the replica, and destroys the connection if it does not answer in time.
  async #readReplayedPosition(timeline: number): Promise<bigint> {
    const client = await this.#probes.connect()
    const late = setTimeout(() => destroy(client), PROBE_MAX_MS)
    try {
      const { rows } = await client.query<Row>(STANDBY)
      const replayed = this.#replayedPositionOf(rows[0], timeline)
      client.release()
      return replayed
    } catch (error) {
      client.release(true)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  // Returns how long ago the primary reached the first position that the replica has not replayed.
  #measureLag(lsn: bigint, replayed: bigint): number {
    const nowMs = performance.now()
    this.#unreplayed = this.#unreplayed.filter((position) => position.lsn > replayed)
    const since = this.#unreplayed[0]?.atMs ?? nowMs
    if (lsn > replayed && this.#unreplayed.length < POSITIONS_MAX)
      this.#unreplayed.push({ atMs: nowMs, lsn })
    return nowMs - since
  }

  // Makes the replica usable if there is no problem, and logs a change.
  #setUsable(problem: Error | undefined): void {
    const isUsable = problem === undefined
    if (isUsable === this.#isUsable) return
    this.#isUsable = isUsable
    if (isUsable) this.#log.info('replica answers reads')
    else this.#log.warn({ err: problem }, 'replica not usable; the primary answers reads')
  }
}

// Parses a position in the log, such as 16/B374D848: two 32-bit numbers in hex.
function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

// Closes the socket at once, so that queries that wait for the silent replica fail.
function destroy(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.destroy(new Error('Connection terminated: the replica was silent'))
}

// The reads of marked handlers (src/http/app.ts) go to the replica. Each such handler has a position of the
// primary, which the replica must have replayed before it answers. The asynchronous context carries the
// position, so that code that reads does not know of the replica.
//
// If the replica fails a read, the primary answers this read and all later reads of the request, so that a
// later read of a request never sees older data.

const SQL_STATE = /^[0-9A-Z]{5}$/
const QUERY_CANCELED = '57014' // The query reached its time limit. The primary would take as long.

type ConnectionSource = { connect(): Promise<pg.PoolClient> }
type Served = (by: 'replica' | 'primary') => void

const currentReading = new AsyncLocalStorage<{ position: Promise<Position>; isPrimary: boolean }>()

// Runs `work`, whose reads the replica may answer. They see everything acknowledged before this call.
export function readingFromReplica<T>(replica: Replica, work: () => T): T {
  const isPrimary = !replica.isUsable
  // Reads on the primary do not use the position.
  const position = isPrimary ? Promise.resolve({ lsn: 0n, timeline: 0 }) : replica.position()
  position.catch(() => {}) // A failure is handled where the position is awaited, if at all.
  return currentReading.run({ position, isPrimary }, work)
}

// Lets work that continues after its handler has returned, such as a stream, read as the handler does.
export function keepReading<T>(work: () => T): () => T {
  const reading = currentReading.getStore()
  return reading ? () => currentReading.run(reading, work) : work
}

const readers = new WeakMap<object, ReplicatedReads>()

// Wraps the primary's pool for handlers that may read from the replica. The replica answers single statements
// and snapshots, never other transactions.
export function replicatedPool(primary: Pool, replica: Replica, onServed: Served): Pool {
  const reads = new ReplicatedReads(primary, replica, onServed)
  const query = (...args: unknown[]) =>
    reads.read((source) =>
      source === primary ? queryWith(primary, args) : queryOnOwnConnection(source, args),
    )
  const pool = { query, connect: () => primary.connect() } as unknown as Pool
  readers.set(pool, reads)
  return pool
}

// Runs `work`, which has several reads, on the replica if the request may use it. If the replica fails,
// `work` runs a second time, on the primary.
function readFrom<T>(pool: Pool, work: (source: ConnectionSource) => Promise<T>): Promise<T> {
  return readers.get(pool)?.read(work) ?? work(pool)
}

// Sends reads to the replica or to the primary.
class ReplicatedReads {
  readonly #primary: Pool
  readonly #replica: Replica
  readonly #onServed: Served

  constructor(primary: Pool, replica: Replica, onServed: Served) {
    this.#primary = primary
    this.#replica = replica
    this.#onServed = onServed
  }

  // Runs the work on the replica if the request may use it, and on the primary if the replica fails.
  async read<T>(work: (source: ConnectionSource) => Promise<T>): Promise<T> {
    const reading = currentReading.getStore()
    if (!reading) return work(this.#primary)
    if (!reading.isPrimary) {
      try {
        const answer = await work(this.#connectionsAt(await reading.position))
        this.#onServed('replica')
        return answer
      } catch (error) {
        if (!isReplicaFault(error)) throw error
        reading.isPrimary = true
      }
    }
    this.#onServed('primary')
    return work(this.#primary)
  }

  // Returns a source of connections that have replayed this position. It connects only once: when replay
  // cancels a conflicting read, withTransaction() connects again for its retry, which the primary must
  // answer.
  #connectionsAt(position: Position): ConnectionSource {
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

// Returns whether the primary must answer the read instead. An error of the statement itself also counts: the
// primary then reports it again.
function isReplicaFault(error: unknown): boolean {
  if (error instanceof ReplicaProblem || isConnectionLost(error)) return true
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && SQL_STATE.test(code) && code !== QUERY_CANCELED
}

// Calls `query` with the arguments of the caller, in any form that the driver accepts.
function queryWith(
  target: Pick<pg.ClientBase, 'query'>,
  args: readonly unknown[],
): Promise<unknown> {
  return Reflect.apply(target.query, target, args)
}

// Runs one query on its own connection. Closes the connection instead of giving it back if it was lost.
async function queryOnOwnConnection(
  source: ConnectionSource,
  args: readonly unknown[],
): Promise<unknown> {
  const client = await source.connect()
  try {
    const answer = await queryWith(client, args)
    client.release()
    return answer
  } catch (error) {
    client.release(isConnectionLost(error))
    throw error
  }
}

// Runs several reads in one read-only, repeatable-read transaction. It takes no lock that blocks a writer.
export function withSnapshot<T>(pool: Pool, work: (tx: Transaction) => Promise<T>): Promise<T> {
  return readFrom(pool, (source) => withTransaction(source, work, { isReadOnly: true }))
}
