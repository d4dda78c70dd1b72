// Two ways to reach a service: inside this process without a socket, and over HTTP. Only the
// beginning of a stream is read.

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

// Streams need a socket, so the app must listen.
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

export function doorTo(address: string): Door {
  const { hostname, port } = new URL(address)
  const agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX })
  const send = (sent: Sent, isStream: boolean): Promise<Answer> => {
    const { method, url, headers, payload } = sent
    return new Promise<Answer>((resolve, reject) => {
      const length = { 'content-length': Buffer.byteLength(payload ?? '') }
      const closing = isStream ? { connection: 'close' } : {}
      const all = { ...headers, ...length, ...closing }
      const where = { hostname, port, method, path: writable(url), headers: all }
      const call = httpRequest(isStream ? where : { ...where, agent })
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

// Node refuses to send these characters. A test of raw sockets sends them.
function writable(url: string): string {
  return url.replaceAll(/[^\x21-\x7e]/g, encodeURIComponent)
}
