// Two "doors", which are ways to send a request to a service: inside this process without a socket, and over
// HTTP. Both read only the beginning of an event stream. Tests use the first, `npm run fuzz` the second.

import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance, InjectOptions } from 'fastify'

export type Sent = {
  method: string
  url: string
  headers: Record<string, string>
  payload: string | Buffer | undefined
}
export type Answer = { statusCode: number; headers: IncomingHttpHeaders; body: string }
export type Door = (sent: Sent, isStream: boolean) => Promise<Answer>

const SOCKETS_MAX = 64

// Sends requests into an app of this process. Streams need a socket, so the app must also listen at
// `address`.
export function doorInto(app: FastifyInstance, address: string): Door {
  const overHttp = doorTo(address)
  return async (sent, isStream) => {
    if (isStream) return overHttp(sent, true)
    const { method, url, headers, payload } = sent
    const options = { method, url, headers, ...(payload === undefined ? {} : { payload }) }
    const { statusCode, headers: answered, body } = await app.inject(options as InjectOptions)
    return { statusCode, headers: answered as IncomingHttpHeaders, body }
  }
}

// Sends requests over HTTP.
export function doorTo(address: string): Door {
  const { hostname, port } = new URL(address)
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX })
  // Sends one request. A stream has a connection of its own, which is cut after the response's headers.
  const send = (sent: Sent, isStream: boolean): Promise<Answer> => {
    const { method, url, headers, payload } = sent
    return new Promise<Answer>((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(payload ?? '') }
      const closing = isStream ? { connection: 'close' } : {}
      const allHeaders = { ...headers, ...length, ...closing }
      const requestOptions = { hostname, port, method, path: writable(url), headers: allHeaders }
      const call = httpRequest(isStream ? requestOptions : { ...requestOptions, agent })
      // The service may close a connection just as it is reused. That is no fault.
      let isAnswered = false
      const isRaced = () => call.reusedSocket && !isAnswered
      call.on('error', (error) => (isRaced() ? resolve(send(sent, isStream)) : reject(error)))
      call.on('response', (response) => {
        isAnswered = true
        const { statusCode = 0, headers: answered } = response
        const chunks: Buffer[] = []
        const done = () =>
          resolve({ statusCode, headers: answered, body: Buffer.concat(chunks).toString('utf8') })
        // A stream never ends, so only its status and headers are read.
        if (String(answered['content-type']).startsWith('text/event-stream')) {
          done()
          return void call.destroy()
        }
        response.on('data', (chunk) => chunks.push(chunk))
        response.on('end', done).on('error', reject)
      })
      call.end(payload)
    })
  }
  return send
}

// Encodes the characters that Node's HTTP client refuses to send. raw-abuse.ts sends them unencoded.
function writable(url: string): string {
  return url.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent)
}
