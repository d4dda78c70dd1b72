// A proxy between an API client and the service that fails on demand: it loses the response to a request
// that was served, responds in the service's place, or stays silent. For tests of the SDK's retries.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

// `lose` resets the connection after the service has responded, `drop` before the request arrives. `stall`
// never responds. An object is sent instead of the service's response.
export type Fault =
  | 'lose'
  | 'drop'
  | 'stall'
  | { status: number; body: string; retryAfter?: string }
type Seen = { method: string; url: string; key: string | undefined; token: string | undefined }

// Starts the proxy in front of the service at `target`.
export async function startFlakyProxy(target: string) {
  const seen: Seen[] = []
  const faults: { on: string; fault: Fault }[] = []

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const key = headers['idempotency-key'] as string | undefined
    seen.push({ method, url, key, token: headers.authorization })
    const index = faults.findIndex(({ on }) => url.startsWith(on))
    const fault = index < 0 ? undefined : faults.splice(index, 1)[0]?.fault
    if (fault === 'stall') return
    if (fault === 'drop') return request.socket.destroy()
    if (typeof fault === 'object') {
      const after = fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }
      return response.writeHead(fault.status, after).end(fault.body)
    }
    const answer = await passOn(target, request)
    if (fault === 'lose') return request.socket.destroy()
    await reply(response, answer)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    // The requests to paths with this prefix.
    to: (path: string) => seen.filter(({ url }) => url.startsWith(path)),
    // Applies the faults, one each, to the next requests to paths with this prefix.
    fail: (on: string, ...next: Fault[]) => faults.push(...next.map((fault) => ({ on, fault }))),
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

// Sends the request to the service, without the headers that belong to the connection.
async function passOn(target: string, request: IncomingMessage): Promise<Response> {
  const { method = 'GET', url = '' } = request
  const body = await buffer(request)
  const { connection: _, host: __, 'content-length': ___, ...headers } = request.headers
  return fetch(target + url, {
    method,
    headers: headers as Record<string, string>,
    ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
  })
}

// Sends the service's response to the client. Leaves out the headers content-encoding, transfer-encoding and
// connection, because `fetch` has decoded the body.
async function reply(response: ServerResponse, answer: Response): Promise<void> {
  const headers = [...answer.headers].filter(
    ([name]) => !/^(?:content-e|transfer-e|conn)/.test(name),
  )
  response.writeHead(answer.status, Object.fromEntries(headers))
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => {})
  else response.end()
}
