// Where webhooks arrive, in a process of its own: takes them as fast as Node can, hangs on those to
// /hang, and counts each delivery once, however often it comes.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type LoadResult, latencyOf, type Report } from './load.ts'

export type ReceiverOrder = {
  expected: number // Deliveries to wait for.
  warmUp: number // Of these, before it is measured …
  hanging: number // … and requests that hang.
  measureMs: number
  timesDelays: boolean // From the moment of the event.
}

const STALLED_MS = 60_000
const LOOK_MS = 20

const seen = new Set<string>()
const delays: number[] = []
let hanging = 0
let order: ReceiverOrder | undefined
let warmAtMs = 0
let countAtWarm = 0

process.on('message', async (message: ReceiverOrder | { listen: true }) => {
  if ('listen' in message) {
    const server = createServer(take)
    server.listen(0, '127.0.0.1', () => {
      process.send?.({ port: (server.address() as AddressInfo).port })
    })
    return
  }
  order = message
  report({ at: 'ready' })
  report({ at: 'done', ...(await run(message)) })
})
process.on('disconnect', () => process.exit(0))

function report(message: Report): void {
  process.send?.(message)
}

function take(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? ''
  if (path.startsWith('/hang')) {
    hanging++
    request.resume()
    return
  }
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const key = `${path} ${request.headers['webhook-id']}`
    if (!seen.has(key) && order?.timesDelays && warmAtMs > 0) {
      const { createdAt } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
      delays.push(Date.now() - Date.parse(createdAt))
    }
    seen.add(key)
    response.end()
  })
}

async function run({ expected, warmUp, hanging: hung, measureMs }: ReceiverOrder) {
  await until(() => seen.size >= warmUp && hanging >= hung)
  warmAtMs = performance.now()
  countAtWarm = seen.size
  report({ at: 'warm' })
  await until(() => seen.size >= expected || performance.now() - warmAtMs >= measureMs)
  const items = seen.size - countAtWarm
  const seconds = (performance.now() - warmAtMs) / 1000
  report({ at: 'measured' })
  await until(() => seen.size >= expected)
  const failures: LoadResult['failures'] =
    seen.size < expected
      ? { count: expected - seen.size, first: 'it was never delivered' }
      : { count: 0, first: undefined }
  const latency = latencyOf(Float32Array.from(delays))
  return { acknowledged: seen.size, failures, items, seconds, latency } satisfies LoadResult
}

// Gives up when nothing has come for a long while: what is missing is then told.
async function until(isSo: () => boolean): Promise<void> {
  let count = -1
  let sinceMs = performance.now()
  while (!isSo() && performance.now() - sinceMs < STALLED_MS) {
    if (seen.size !== count) sinceMs = performance.now()
    count = seen.size
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}
