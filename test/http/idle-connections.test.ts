// Hundreds of idle connections, some of them event streams: other requests are served meanwhile, and
// everything is freed when the connections close. `npm run bench -- --only idle` does this with 10,000.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { BANKS, createAdvice } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const IDLE = 450
const STREAMS_PER_ADVICE = 10
const STREAMS = 50

const bench = closeAfterTests(await startTestService())
const { app } = bench.service
const address = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))

test('five hundred idle connections keep nobody waiting, and leave nothing behind', async () => {
  const advices = await Promise.all(
    Array.from({ length: STREAMS / STREAMS_PER_ADVICE }, () => createAdvice(bench)),
  )
  // Spreads the streams evenly over the advices, ten to each.
  const streams = Array.from({ length: STREAMS }, (_, at) => {
    const { adviceReference } = advices[at % advices.length] as { adviceReference: string }
    return `/pay/api/stream?adviceReference=${adviceReference}`
  })
  const paths = [...Array.from({ length: IDLE }, () => '/health'), ...streams]

  const sockets = await Promise.all(paths.map(openIdle))
  const open = await countConnections()
  const served = await fetch(new URL(BANKS, address))
  for (const socket of sockets) socket.destroy()
  await untilAllClosed()

  assert.equal(open, IDLE + STREAMS)
  assert.equal(served.status, 200)
  assert(sockets.every((socket) => socket.closed || socket.destroyed))
})

// Opens a connection that gets one response and then stays idle.
async function openIdle(path: string): Promise<Socket> {
  const socket = connect({ host: address.hostname, port: Number(address.port) })
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 200/)
  return socket.resume()
}

function countConnections(): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((_error, count) => resolve(count)))
}

// Waits until all connections have closed, except the one that fetch keeps open.
async function untilAllClosed(): Promise<void> {
  while ((await countConnections()) > 1) await new Promise((resolve) => setImmediate(resolve))
}
