// Webhooks: how fast a backlog is delivered, and how long a healthy receiver waits beside a thousand
// that hang. The worker is the real one, in a process of its own on a database of its own; what it
// is to deliver stands there before it starts.

import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '#clock.ts'
import { withTransaction } from '#db/transaction.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { createEndpoint } from '#domain/webhooks/webhook-endpoints.ts'
import type { AccountId, ClientId } from '#ids.ts'
import { kobo } from '#money.ts'
import type { Books } from './books.ts'
import { ask, measure, startChild } from './children.ts'
import { residentBytes } from './processes.ts'
import type { ReceiverOrder } from './receiver.ts'
import type { Result, Row } from './rows.ts'
import { startWorker } from './service-process.ts'
import type { Stage } from './stage.ts'

const ENDPOINTS = 8
const AHEAD = 8_000 // Deliveries a second that there is work for.
const BACKLOG = 1_000_000
const DEAD = 1_000
const EVENTS_OF_DEAD = 5
const HEALTHY_PER_SECOND = 50
const EVENT_BATCH = 500
const MEMORY_EVERY_MS = 500

type Written = { clientId: ClientId; accountIds: readonly AccountId[] }

export const WEBHOOK_ROWS: readonly Row[] = [
  { name: 'webhooks', title: `webhooks, ${ENDPOINTS} endpoints`, run: backlog },
  { name: 'dead', title: `webhook beside ${DEAD.toLocaleString('en')} dead ones`, run: besideDead },
]

// Every event goes to every endpoint.
async function backlog(stage: Stage): Promise<Result> {
  const { backlog: isWhole, measureMs, warmUpMs } = stage.options
  const expected = isWhole ? BACKLOG : Math.ceil((AHEAD * (measureMs + warmUpMs)) / 1000)
  const { books } = await stage.newBooks('webhooks')
  await using receiver = startChild('receiver.ts')
  const { port } = await ask<{ port: number }>(receiver, { listen: true })
  const written = await openAccounts(books, [''])
  await forgetEarlier(books)
  for (let at = 0; at < ENDPOINTS; at++) {
    const url = `http://127.0.0.1:${port}/${at}`
    await withTransaction(books.db, (tx) =>
      createEndpoint(tx, systemClock(), { clientId: written.clientId, url, eventTypes: null }),
    )
  }
  const events = Math.ceil(expected / ENDPOINTS)
  await writeEvents(books, written, events)
  await books.settle()
  const job = {
    expected: events * ENDPOINTS,
    warmUp: Math.min(expected / 5, 20_000),
    hanging: 0,
    measureMs: isWhole ? Number.POSITIVE_INFINITY : measureMs,
    timesDelays: false,
  } satisfies ReceiverOrder
  await using worker = startWorker(stage.service, books.connectionString)
  const cast = { server: worker.pid, postgres: stage.cast.postgres, generator: receiver.pid }
  const memory: number[] = []
  const sampler = setInterval(() => memory.push(residentBytes(cast) ?? 0), MEMORY_EVERY_MS)
  const measured = await measure(receiver, job, cast)
  clearInterval(sampler)
  return { ...measured, problems: missing(measured), memory: spanOf(memory) }
}

async function besideDead(stage: Stage): Promise<Result> {
  const { measureMs } = stage.options
  const { books } = await stage.newBooks('dead_webhooks')
  await using receiver = startChild('receiver.ts')
  const { port } = await ask<{ port: number }>(receiver, { listen: true })
  const dead = await openAccounts(
    books,
    Array.from({ length: DEAD }, (_, at) => `http://127.0.0.1:${port}/hang/${at}`),
  )
  await forgetEarlier(books)
  const healthy = await openAccounts(books, [`http://127.0.0.1:${port}/healthy`])
  await writeEvents(books, dead, DEAD * EVENTS_OF_DEAD)
  const count = Math.ceil((HEALTHY_PER_SECOND * measureMs) / 1000)
  // With one that the opening of an account is told by.
  const job = { expected: count + 1, warmUp: 1, hanging: DEAD, measureMs, timesDelays: true }
  await using worker = startWorker(stage.service, books.connectionString)
  const cast = { server: worker.pid, postgres: stage.cast.postgres, generator: receiver.pid }
  const warm = new Promise<void>((resolve) => {
    receiver.process.on('message', (said: { at?: string }) => said.at === 'warm' && resolve())
  })
  const measuring = measure(receiver, job satisfies ReceiverOrder, cast)
  await Promise.race([warm, measuring])
  for (let sent = 0; sent < count; sent++) {
    await writeEvents(books, healthy, 1)
    await sleep(1000 / HEALTHY_PER_SECOND)
  }
  const measured = await measuring
  return { ...measured, problems: missing(measured) }
}

async function openAccounts(books: Books, urls: readonly string[]): Promise<Written> {
  const numbers = await books.openAccounts(urls.length, (at) => urls[at] as string)
  const { rows } = await books.db.query<{ id: AccountId; clientId: ClientId }>(
    `select id, client_id as "clientId" from collection_accounts
      where account_number = any($1::text[])`,
    [numbers],
  )
  return { clientId: rows[0]?.clientId as ClientId, accountIds: rows.map((row) => row.id) }
}

// As if a worker had been there all along: what was written so far is not to be delivered.
async function forgetEarlier({ db }: Books): Promise<void> {
  await db.query(
    `insert into dispatch_cursors (client_id, sequence)
     select client_id, sequence from event_counters
     on conflict (client_id) do update set sequence = excluded.sequence`,
  )
}

// Spread evenly over the accounts.
async function writeEvents(books: Books, { clientId, accountIds }: Written, count: number) {
  for (let from = 0; from < count; from += EVENT_BATCH) {
    const events = Array.from({ length: Math.min(EVENT_BATCH, count - from) }, (_, at) => ({
      clientId,
      type: 'account.updated' as const,
      collectionAccountId: accountIds[(from + at) % accountIds.length] as AccountId,
      facts: { accountBalanceKobo: kobo(0n), isActive: true, isDefault: false, changes: [] },
    }))
    await withTransaction(books.db, (tx) => appendEvents(tx, systemClock(), events))
  }
}

function missing({ failures }: Pick<Result, 'failures'>): string[] {
  return failures.count > 0 ? [`${failures.count} were not delivered`] : []
}

// After the first quarter, and the most that it was from then on.
function spanOf(bytes: readonly number[]): Result['memory'] {
  const settled = bytes.slice(Math.floor(bytes.length / 4))
  return settled.length === 0
    ? undefined
    : { first: settled[0] as number, peak: Math.max(...settled) }
}
