// A replica that answers reads (docs/decisions/0020-reads-from-a-replica.md).
//
// I83: it answers only on a connection that has replayed all that the primary had committed when the
// request came, and only if it is a standby of the same cluster on the primary's timeline: whoever reads sees
// all that anybody was told before. In any doubt the primary answers.
//
//   usable ──silent, gone, behind by a second, promoted, of another timeline──▶ unusable
//      ▲                                                                            │
//      └──────────────── all is well again, as a probe finds it ────────────────────┘

import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Logger } from '#log.ts'
import { createPool, type Pool, type Queryable } from './pool.ts'

const CONNECTIONS_MAX = 10
const CONNECT_MAX_MS = 500
const REPLAY_WAIT_MAX_MS = 200 // It is some milliseconds behind, which nobody feels.
const REPLAY_LOOK_MS = 4
const PROBE_EVERY_MS = 250
const PROBE_MAX_MS = 500
const LAG_MAX_MS = 1_000

// Of the primary: what is committed and acknowledged is before it. A promotion begins a new timeline.
export type Position = { lsn: bigint; timeline: number }

const PRIMARY = {
  name: 'primary-position',
  text: `select pg_current_wal_flush_lsn()::text as lsn,
                ('x' || left(pg_walfile_name(pg_current_wal_flush_lsn()), 8))::bit(32)::int as timeline`,
}
// A standby is a copy of all bytes, this number and the names of its databases included.
const IDENTITY = `(select system_identifier from pg_control_system()) || '/' || current_database()`
// Its timeline is that of its last restart point: for a while after a failover an old one, and then the
// primary answers.
const STANDBY = {
  name: 'standby-position',
  text: `select pg_is_in_recovery() as "isStandby", pg_last_wal_replay_lsn()::text as lsn,
                (select timeline_id from pg_control_checkpoint()) as timeline,
                ${IDENTITY} as identity`,
}

type Row = { isStandby: boolean; lsn: string | null; timeline: number; identity: string }

// Why the replica does not answer.
export class ReplicaProblem extends Error {}

type Options = { connectionString: string; primary: Queryable; log: Logger }

export class Replica {
  readonly #pool: Pool
  readonly #probes: Pool // So that reads using every connection do not look like silence.
  readonly #primary: Queryable
  readonly #log: Logger
  readonly #connected = new Set<pg.PoolClient>()
  readonly #timer: NodeJS.Timeout
  #passed: { atMs: number; lsn: bigint }[] = [] // Positions of the primary that it had not replayed.
  #asking: Promise<Position> | undefined
  #probing: Promise<void> | undefined
  #identity: string | undefined // Of the primary.
  #isUsable = false
  #lagMs = 0

  constructor({ connectionString, primary, log }: Options) {
    this.#primary = primary
    this.#log = log
    const shared = { connectionString, connectMaxMs: CONNECT_MAX_MS, onIdleError: () => {} }
    this.#pool = createPool({ ...shared, max: CONNECTIONS_MAX })
    this.#probes = createPool({ ...shared, max: 1 })
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

  // As of now or later; those who ask within one turn of the event loop share an answer.
  position(): Promise<Position> {
    this.#asking ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#asking = undefined
      const { rows } = await this.#primary.query<{ lsn: string; timeline: number }>(PRIMARY)
      const [{ lsn, timeline } = { lsn: '0/0', timeline: 0 }] = rows
      return { lsn: parseLsn(lsn), timeline }
    })
    return this.#asking
  }

  // A connection that has replayed as much. The caller releases it.
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
      client.release(!(error instanceof ReplicaProblem))
      throw error
    }
  }

  // One at a time. Finds within PROBE_MAX_MS what is wrong, and ends what waits for an answer.
  probe(): Promise<void> {
    this.#probing ??= this.#look().finally(() => {
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
    return this.#replayed(rows[0], position.timeline) >= position.lsn
  }

  // How far it has, once it is known to be the right server.
  #replayed(row: Row | undefined, timeline: number): bigint {
    if (!row?.isStandby || row.lsn === null) throw new ReplicaProblem('it is no standby')
    if (row.identity !== this.#identity) throw new ReplicaProblem('it is no copy of the primary')
    if (row.timeline !== timeline) throw new ReplicaProblem('it is on another timeline')
    return parseLsn(row.lsn)
  }

  async #look(): Promise<void> {
    const position = await this.position().catch(() => undefined)
    if (!position) return // The primary is what is missing, and all reads say so.
    try {
      this.#identity ??= await this.#identify()
      const replayed = await this.#ask(position.timeline)
      this.#lagMs = this.#measureLag(position.lsn, replayed)
      const isBehind = this.#lagMs > LAG_MAX_MS
      this.#set(isBehind ? new ReplicaProblem('it is behind') : undefined)
    } catch (error) {
      this.#set(error as Error)
      // Whoever waits for an answer from it is to ask the primary.
      if (error instanceof ReplicaProblem) return
      for (const client of this.#connected) destroy(client)
    }
  }

  async #identify(): Promise<string | undefined> {
    const text = `select ${IDENTITY} as identity`
    const { rows } = await this.#primary.query<{ identity: string }>({ name: 'identity', text })
    return rows[0]?.identity
  }

  async #ask(timeline: number): Promise<bigint> {
    const client = await this.#probes.connect()
    const late = setTimeout(() => destroy(client), PROBE_MAX_MS)
    try {
      const { rows } = await client.query<Row>(STANDBY)
      const replayed = this.#replayed(rows[0], timeline)
      client.release()
      return replayed
    } catch (error) {
      client.release(true)
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  // Since when the primary has been where the replica is not yet.
  #measureLag(lsn: bigint, replayed: bigint): number {
    const nowMs = performance.now()
    this.#passed = this.#passed.filter((each) => each.lsn > replayed)
    const since = this.#passed[0]?.atMs ?? nowMs
    if (lsn > replayed && this.#passed.length < LAG_MAX_MS) this.#passed.push({ atMs: nowMs, lsn })
    return nowMs - since
  }

  #set(problem: Error | undefined): void {
    const isUsable = problem === undefined
    if (isUsable === this.#isUsable) return
    this.#isUsable = isUsable
    if (isUsable) this.#log.info('replica answers reads')
    else this.#log.warn({ err: problem }, 'replica not usable; the primary answers reads')
  }
}

function parseLsn(text: string): bigint {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

function destroy(client: pg.PoolClient): void {
  const { connection } = client as unknown as { connection: { stream: Socket } }
  connection.stream.destroy(new Error('Connection terminated: the replica was silent'))
}
