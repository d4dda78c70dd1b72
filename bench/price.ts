// `npm run bench -- --only price`: measures the bytes that one credit writes in PostgreSQL's log and on
// disk, by table. One connection sends arrays of 100 credits, spread over all accounts, so every batch has
// 100 credits. Then the bench dispatches their events to one endpoint, in rounds of 100. No webhook is sent.
//
// The bytes do not depend on the speed of the machine. Full pages, which PostgreSQL logs at the first
// change after a checkpoint, depend on the number of accounts and are counted separately.

import { systemClock } from '#clock.ts'
import { withTransaction } from '#db/transaction.ts'
import { dispatchEvents } from '#webhooks/dispatch.ts'
import { createEndpoint } from '#webhooks/endpoints.ts'
import { startService } from './cluster.ts'
import type { BenchDatabase } from './database.ts'
import { send } from './rows.ts'
import type { Testbed } from './testbed.ts'
import { type Account, skipHistory } from './webhook-loads.ts'

const PER_REQUEST = 100
const REQUESTS = 500
const ENOUGH_MS = 600_000 // The load ends when all requests are answered.
const LOG_BYTES_MAX = 1_350
const STORED_BYTES_MAX = 950

// Tables with less than this many bytes per credit are summed up in one row.
const LISTED_MIN = 1

type Written = { name: string; log: number; pages: number; stored: number }

// Books the credits, dispatches their events, and returns a report of the bytes written for each credit. No
// worker runs, so the deliveries are stored and never sent.
export async function runPrice(bed: Testbed): Promise<string> {
  const database = await bed.newDatabase('price')
  const { connectionString, db } = database
  const { accounts } = bed.options
  const [{ clientId }] = (await skipHistory(database, 1)) as [Account]
  await withTransaction(db, (tx) =>
    createEndpoint(tx, systemClock(), { clientId, url: 'http://127.0.0.1:9/', eventTypes: null }),
  )
  await db.query('create extension if not exists pg_walinspect')
  await database.settle()
  const [storedBefore, logBefore] = [await readStored(database), await readPosition(database)]
  await using service = await startService(bed.cluster, connectionString)
  const runTarget = { ports: [service.port], pids: [service.pid], accounts, database }
  const credits = { accounts, perRequest: PER_REQUEST, count: REQUESTS }
  const first = bed.nextCredits(PER_REQUEST * REQUESTS)
  const workload = { kind: 'credits', first, ...credits } as const
  const { acknowledged } = await send(bed, runTarget, workload, {
    connections: 1,
    warmUpMs: 0,
    sliceMs: ENOUGH_MS,
  })
  const deliveries = await dispatchAll(database)
  if (deliveries !== acknowledged) throw new Error(`${deliveries} deliveries of ${acknowledged}`)
  const logAfter = await readPosition(database)
  const log = await readLog(database, logBefore, logAfter)
  const stored = await readStored(database)
  const names = new Set([...log.keys(), ...stored.keys()])
  const written = [...names].map((name) => ({
    name,
    log: (log.get(name)?.log ?? 0) / acknowledged,
    pages: (log.get(name)?.pages ?? 0) / acknowledged,
    stored: ((stored.get(name) ?? 0) - (storedBefore.get(name) ?? 0)) / acknowledged,
  }))
  return render(written, acknowledged)
}

// Dispatches the events of all credits, as a worker does. Returns the number of new deliveries.
async function dispatchAll({ db }: BenchDatabase): Promise<number> {
  let deliveries = 0
  for (;;) {
    const now = systemClock()
    const round = await withTransaction(db, (tx) =>
      dispatchEvents(tx, now, { eventsMax: PER_REQUEST }),
    )
    if (round.events === 0) return deliveries
    deliveries += round.deliveries
  }
}

// Returns the current end of PostgreSQL's log.
async function readPosition({ db }: BenchDatabase): Promise<string> {
  const { rows } = await db.query<{ at: string }>('select pg_current_wal_flush_lsn()::text as at')
  return rows[0]?.at as string
}

// SQL scalar: the table of the relation `c`; for a partition, the partitioned table.
const TABLE = `coalesce(pg_partition_root(c.oid), c.oid)::regclass::text`

// Returns the bytes on disk of each table, with its indexes.
async function readStored({ db }: BenchDatabase): Promise<Map<string, number>> {
  const { rows } = await db.query<{ name: string; bytes: string }>(
    `select ${TABLE} as name, sum(pg_total_relation_size(c.oid))::text as bytes
       from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      group by 1`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

// Reads the bytes of the log by table. A record is attributed to the table of its first page. Commits and the
// server's own records have no table. `pages` are full images of pages, and `log` is everything else.
async function readLog({ db }: BenchDatabase, from: string, to: string) {
  const { rows } = await db.query<{ name: string; log: string; pages: string }>(
    `with blocks as (
       select start_lsn, block_id, relfilenode, record_length, coalesce(block_fpi_length, 0) as fpi
         from pg_get_wal_block_info($1::pg_lsn, $2::pg_lsn, false)
     ), records as (
       select start_lsn, (array_agg(relfilenode order by block_id))[1] as relfilenode,
              sum(fpi) as pages, max(record_length) - sum(fpi) as log
         from blocks group by start_lsn
     ), by_file as (
       select relfilenode, sum(log) as log, sum(pages) as pages from records group by relfilenode
     ), tables as (
       select c.relfilenode, ${TABLE} as name
         from pg_class c where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
       union all
       select i.relfilenode, ${TABLE}
         from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
        where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
     ), found as (
       select coalesce(t.name, 'catalogues') as name, sum(f.log) as log, sum(f.pages) as pages
         from by_file f left join tables t using (relfilenode) group by 1
     )
     select name, log::text, pages::text from found
     union all
     select 'commits and the rest', ($2::pg_lsn - $1::pg_lsn - sum(log) - sum(pages))::text, '0'
       from found`,
    [from, to],
  )
  return new Map(
    rows.map(({ name, log, pages }) => [name, { log: Number(log), pages: Number(pages) }]),
  )
}

// Renders the bytes per credit by table, and compares the sums with the goals.
function render(written: readonly Written[], credits: number): string {
  const isListed = ({ log, stored }: Written) => log >= LISTED_MIN || stored >= LISTED_MIN
  const otherTables = sum(
    'other tables',
    written.filter((table) => !isListed(table)),
  )
  const listed = written.filter(isListed).sort((one, other) => other.log - one.log)
  const all = sum('all', written)
  if (all.log > LOG_BYTES_MAX || all.stored > STORED_BYTES_MAX) process.exitCode = 1
  const lines = [...listed, otherTables, all].map(({ name, log, pages, stored }) =>
    [`| ${name}`, ...[log, pages, stored].map((bytes) => bytes.toFixed(0))]
      .join(' | ')
      .concat(' |'),
  )
  const mark = (bytes: number, goalMax: number) => (bytes <= goalMax ? '✓' : '✗')
  const booked = `${credits.toLocaleString('en')} credits in batches of ${PER_REQUEST}`
  const [log, stored] = [all.log, all.stored].map((bytes) => bytes.toFixed(0))
  return [
    `${booked}, one delivery each; bytes a credit`,
    [
      '| table | log | full pages in the log | stored |',
      '| --- | ---: | ---: | ---: |',
      ...lines,
    ].join('\n'),
    [
      `- ${mark(all.log, LOG_BYTES_MAX)} ${log} bytes of log; goal ≤ ${LOG_BYTES_MAX}`,
      `- ${mark(all.stored, STORED_BYTES_MAX)} ${stored} bytes stored; goal ≤ ${STORED_BYTES_MAX}`,
    ].join('\n'),
  ].join('\n\n')
}

// Adds up the bytes of several tables as one row.
function sum(name: string, written: readonly Written[]): Written {
  const total = (of: (each: Written) => number) =>
    written.reduce((bytes, each) => bytes + of(each), 0)
  return {
    name,
    log: total(({ log }) => log),
    pages: total(({ pages }) => pages),
    stored: total(({ stored }) => stored),
  }
}
