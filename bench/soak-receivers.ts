// Starts the webhook receivers of a soak: one always answers, one is sometimes down, and one misbehaves (it
// hangs, resets, fails, or answers without end).

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '#clock.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { createEndpoint } from '#webhooks/endpoints.ts'
import type { BenchDatabase } from './database.ts'

const UP_MS = 90_000
const DOWN_MS = 30_000
const FLOOD_BYTES = 1_000_000

type Handler = (request: IncomingMessage, response: ServerResponse) => void

// Starts three receivers of webhooks and registers them as endpoints of the only client: one always answers,
// one is down now and then, and one misbehaves. Events from before are marked as dispatched, so that only
// those of the soak are delivered.
export async function startReceivers({ db }: BenchDatabase) {
  const received = { steady: 0, flapping: 0, rude: 0 }
  const steady = await listen((_request, response) => {
    received.steady++
    response.end()
  })
  // Answers while it is up; goDownForAWhile() closes it now and then.
  const flapping = await listen((_request, response) => {
    received.flapping++
    response.end()
  })
  const rude = await listen((request, response) => {
    received.rude++
    misbehave(request, response)
  })
  await db.query(
    `insert into dispatch_cursors (client_id, sequence)
     select client_id, sequence from event_counters
     on conflict (client_id) do update set sequence = excluded.sequence`,
  )
  const { rows } = await db.query<{ id: ClientId }>('select id from clients')
  const clientId = rows[0]?.id as ClientId
  const add = (url: string, eventTypes: string[] | null) =>
    withTransaction(db, (tx) =>
      createEndpoint(tx, systemClock(), { clientId, url, eventTypes } as never),
    )
  await add(steady.url, null) // `null` subscribes to events of all types.
  await add(flapping.url, ['payment.processing', 'payment.successful', 'account.created'])
  await add(rude.url, ['account.created'])
  const timer = setInterval(() => goDownForAWhile(flapping), UP_MS + DOWN_MS)
  return {
    summary: () =>
      `webhooks: ${Object.entries(received)
        .map((each) => each.reverse().join(' '))
        .join(', ')}`,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      for (const { server } of [steady, flapping, rude]) server.close().closeAllConnections()
    },
  }
}

// Closes the receiver and opens it again on the same port after DOWN_MS.
function goDownForAWhile({ server, port }: { server: Server; port: number }): void {
  server.close().closeAllConnections()
  setTimeout(() => server.listen(port, '127.0.0.1'), DOWN_MS).unref()
}

const RUDE_ANSWERS: readonly Handler[] = [
  () => {}, // Hangs.
  ({ socket }) => void socket.resetAndDestroy(),
  (_request, response) => void response.writeHead(500).end('no'),
  (_request, response) => void response.writeHead(301, { location: '/again' }).end(),
  (_request, response) => void response.end('x'.repeat(FLOOD_BYTES)),
  ({ socket }) => void socket.end('HTTP/1.1 2'),
  (_request, response) => void response.end(),
]

const misbehave: Handler = (request, response) =>
  RUDE_ANSWERS[Math.floor(Math.random() * RUDE_ANSWERS.length)]?.(request, response)

// Starts an HTTP server that reads each request and passes it to the handler.
async function listen(handle: Handler) {
  // resume() reads the body of the request, which no handler needs, and discards it.
  const server = createServer((request, response) => {
    request.resume()
    handle(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, port, url: `http://127.0.0.1:${port}/hook` }
}
