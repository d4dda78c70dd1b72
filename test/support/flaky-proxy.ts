// A network between a client and the service that fails on demand: it loses the answer of a served
// request, answers in the service's place, or stays silent.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'

// `lose` resets the connection after the service has answered; `drop` before the request arrives; `stall`
// never answers; a number is answered instead.
export type Fault =
  | 'lose'
  | 'drop'
  | 'stall'
  | { status: number; body: string; retryAfter?: string }
type Seen = { method: string; url: string; key: string | undefined; token: string | undefined }

export async function startFlakyProxy(target: string) {
  const seen: Seen[] = []
  const faults: { on: string; fault: Fault }[] = []

  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const key = headers['idempotency-key'] as string | undefined
    seen.push({ method, url, key, token: headers.authorization })
    const at = faults.findIndex(({ on }) => url.startsWith(on))
    const fault = at < 0 ? undefined : faults.splice(at, 1)[0]?.fault
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
    to: (path: string) => seen.filter(({ url }) => url.startsWith(path)),
    // Applies to the next request to a path with this prefix.
    fail: (on: string, ...next: Fault[]) => faults.push(...next.map((fault) => ({ on, fault }))),
    cut: () => server.closeAllConnections(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

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

async function reply(response: ServerResponse, answer: Response): Promise<void> {
  const headers = [...answer.headers].filter(
    ([name]) => !/^(?:content-e|transfer-e|conn)/.test(name),
  )
  response.writeHead(answer.status, Object.fromEntries(headers))
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => {})
  else response.end()
}
