// Measures how fast the worker delivers a backlog of webhooks, and how long a healthy endpoint waits beside
// a thousand that hang. The real worker runs on its own database, and this process receives the webhooks.
// Every event must arrive at every endpoint; a second arrival is ignored.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#clock.ts'
import { withTransaction } from '#db/transaction.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { kobo } from '#money.ts'
import { appendEvents } from '#records/events.ts'
import { createEndpoint } from '#webhooks/endpoints.ts'
import { startService } from './cluster.ts'
import type { BenchDatabase } from './database.ts'
import { cpuBetween, readCpu } from './process-stats.ts'
import { latencyOf, type Slice } from './slice.ts'
import type { Testbed } from './testbed.ts'

const ENDPOINTS = 8
const BACKLOG_PER_SECOND = 8_000
const DEAD = 1_000
const EVENTS_PER_DEAD = 5
const HEALTHY_PER_SECOND = 50
const EVENT_BATCH = 500
const STALLED_MS = 60_000
const POLL_MS = 20

export type Account = { id: AccountId; clientId: ClientId }
type Work = { expected: number; isWarm: () => boolean; whileMeasured?: () => Promise<void> }

const seconds = ({ options }: Testbed) => (options.slices * options.sliceMs) / 1000

// Measures how fast the worker delivers a backlog of events to eight endpoints of one client.
export async function deliverBacklog(bed: Testbed): Promise<Slice> {
  const events = (BACKLOG_PER_SECOND * seconds(bed)) / ENDPOINTS
  const database = await bed.newDatabase('webhooks')
  await using receiver = await startReceiver()
  const [account] = (await skipHistory(database, 1)) as [Account]
  for (let at = 0; at < ENDPOINTS; at++) {
    const endpoint = { ...account, url: `${receiver.url}/${at}`, eventTypes: null }
    await withTransaction(database.db, (tx) => createEndpoint(tx, systemClock(), endpoint))
  }
  await writeEvents(database, [account], events)
  await database.settle()
  // The first fifth of the deliveries is the warm-up.
  const isWarm = () => receiver.seen.size >= (events * ENDPOINTS) / 5
  return await deliver(bed, database, receiver, { expected: events * ENDPOINTS, isWarm })
}

// Measures the delay of events for one healthy account while a thousand other accounts' addresses never
// answer.
export async function deliverBesideDead(bed: Testbed): Promise<Slice> {
  const count = HEALTHY_PER_SECOND * seconds(bed)
  const database = await bed.newDatabase('dead_webhooks')
  await using receiver = await startReceiver()
  const [healthy, ...dead] = (await skipHistory(database, DEAD + 1)) as [Account, ...Account[]]
  await database.db.query(
    `update collection_accounts
        set notification_url = $1 || case when id = $2 then '/healthy' else '/hang/' || id end
      where id = any($3)`,
    [receiver.url, healthy.id, [healthy, ...dead].map(({ id }) => id)],
  )
  // Gives the healthy account's address a successful delivery before the backlog.
  await writeEvents(database, [healthy], 1)
  await writeEvents(database, dead, DEAD * EVENTS_PER_DEAD)
  const isWarm = () => receiver.seen.size > 0 && receiver.hanging.size >= DEAD
  // Sends events for the healthy account at a steady rate, beside the backlog of the dead ones.
  const whileMeasured = async () => {
    for (let sent = 0; sent < count; sent++) {
      await writeEvents(database, [healthy], 1)
      await sleep(1000 / HEALTHY_PER_SECOND)
    }
  }
  // Expects one event more than `count`: the one that was sent before the backlog.
  return await deliver(bed, database, receiver, { expected: count + 1, isWarm, whileMeasured })
}

// Starts a worker, waits until it is warm, and measures until every expected event has arrived.
async function deliver(
  { cluster }: Testbed,
  database: BenchDatabase,
  { seen, delaysMs }: Receiver,
  { expected, isWarm, whileMeasured }: Work,
): Promise<Slice> {
  const { connectionString } = database
  await using worker = await startService(cluster, connectionString, { role: 'worker' })
  const pids = { service: [worker.pid], postgres: cluster.pid, load: process.pid }
  await untilOrStalled(seen, isWarm)
  const bytes = await database.written()
  const [before, warmUp, fromMs] = [readCpu(pids), seen.size, performance.now()]
  await whileMeasured?.()
  await untilOrStalled(seen, () => seen.size >= expected)
  const [cpu, elapsedMs] = [cpuBetween(before, readCpu(pids)), performance.now() - fromMs]
  const { logBytes, storedBytes } = await database.written()
  const written = {
    logBytes: logBytes - bytes.logBytes,
    storedBytes: storedBytes - bytes.storedBytes,
  }
  const failures = { count: expected - seen.size, first: 'it was never delivered' }
  const [acknowledged, items, latency] = [seen.size, seen.size - warmUp, latencyOf(delaysMs)]
  return { acknowledged, items, seconds: elapsedMs / 1000, failures, cpu, latency, written }
}

// Waits until `isDone`. Gives up if nothing has arrived for STALLED_MS; the missing events are then a
// failure.
async function untilOrStalled(seen: ReadonlySet<string>, isDone: () => boolean): Promise<void> {
  let [count, sinceMs] = [-1, performance.now()]
  while (!isDone() && performance.now() - sinceMs < STALLED_MS) {
    if (seen.size !== count) [count, sinceMs] = [seen.size, performance.now()]
    await sleep(POLL_MS)
  }
}

type Receiver = Awaited<ReturnType<typeof startReceiver>>

// Starts a receiver. It notes every webhook once in `seen`, never answers below /hang, and measures the
// delay from the event to its arrival at /healthy.
async function startReceiver() {
  const [seen, hanging, delaysMs] = [new Set<string>(), new Set<string>(), [] as number[]]
  // Leaves a webhook below /hang without an answer; notes and answers every other.
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url as string
    const body = await text(request)
    if (path.startsWith('/hang')) return hanging.add(path)
    seen.add(`${path} ${request.headers['webhook-id']}`)
    if (path === '/healthy') delaysMs.push(Date.now() - Date.parse(JSON.parse(body).createdAt))
    return response.end()
  }
  const server = createServer((request, response) => void receive(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async () => void server.close().closeAllConnections()
  return { url, seen, hanging, delaysMs, [Symbol.asyncDispose]: close }
}

// Marks the history as delivered, so that only new events are sent. Returns the first accounts.
export async function skipHistory({ db }: BenchDatabase, accounts: number): Promise<Account[]> {
  await db.query(
    `insert into dispatch_cursors (client_id, sequence)
     select client_id, sequence from event_counters
     on conflict (client_id) do update set sequence = excluded.sequence`,
  )
  const { rows } = await db.query<Account>(
    `select id, client_id as "clientId" from collection_accounts order by id limit $1`,
    [accounts],
  )
  return rows
}

// Writes `count` events, spread evenly over the accounts.
async function writeEvents({ db }: BenchDatabase, accounts: readonly Account[], count: number) {
  for (let from = 0; from < count; from += EVENT_BATCH) {
    // The next batch of events, in which the accounts take turns.
    const events = Array.from({ length: Math.min(EVENT_BATCH, count - from) }, (_, at) => {
      const { id, clientId } = accounts[(from + at) % accounts.length] as Account
      const facts = { accountBalanceKobo: kobo(0n), isActive: true, isDefault: false, changes: [] }
      return { clientId, type: 'account.updated' as const, collectionAccountId: id, facts }
    })
    await withTransaction(db, (tx) => appendEvents(tx, systemClock(), events))
  }
}
