// Asks one server what it is: writable, read-only, a standby, or not to be reached. Answers within the
// limit, whatever the server or the network does.

import type { Socket } from 'node:net'
import pg from 'pg'

export type Finding =
  | { state: 'writable'; timeline: number }
  | { state: 'read-only' | 'standby' }
  | { state: 'unreachable'; reason: string }

const STATE = `select pg_is_in_recovery() as "isStandby",
                      current_setting('transaction_read_only') = 'on' as "isReadOnly"`
// A promotion begins a new one: of two servers that take writes, the newer is the promoted.
const TIMELINE = `select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`

export async function probeHost(connectionString: string, maxMs: number): Promise<Finding> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => {}) // It fails what is awaited, too.
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  const late = setTimeout(() => stream.destroy(new Error('timeout expired')), maxMs)
  try {
    await client.connect()
    const { rows } = await client.query<{ isStandby: boolean; isReadOnly: boolean }>(STATE)
    const [{ isStandby, isReadOnly } = { isStandby: true, isReadOnly: true }] = rows
    if (isStandby) return { state: 'standby' }
    if (isReadOnly) return { state: 'read-only' }
    return { state: 'writable', timeline: await findTimeline(client) }
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    // Words of the server, such as "password authentication failed", or else the system's code.
    const reason = error instanceof pg.DatabaseError ? message : (code ?? message)
    return { state: 'unreachable', reason }
  } finally {
    clearTimeout(late)
    client.end().catch(() => {})
  }
}

// 0 where the server does not tell, as some that are not quite PostgreSQL.
async function findTimeline(client: pg.Client): Promise<number> {
  try {
    const { rows } = await client.query<{ timeline: number }>(TIMELINE)
    return rows[0]?.timeline ?? 0
  } catch {
    return 0
  }
}
