// Real receivers on a free port, each counting its connections and requests.

import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { certificate, privateKey } from './self-signed.ts'

// Starts a receiver over plain HTTP.
export async function httpReceiver(answer: RequestListener) {
  const receiver = await open(createHttpServer(), 'http')
  receiver.server.on('request', (request, response) => {
    receiver.requests++
    answer(request, response)
  })
  return receiver
}

// Starts a receiver over HTTPS, with a self-signed certificate.
export async function httpsReceiver(answer: RequestListener) {
  const server = createHttpsServer({ cert: certificate, key: privateKey })
  const receiver = await open(server, 'https')
  server.on('request', (request, response) => {
    receiver.requests++
    answer(request, response)
  })
  return receiver
}

// Starts a receiver that calls `talk` with the socket once the first bytes of a request have arrived.
export async function rawReceiver(talk: (socket: Socket) => void) {
  const receiver = await open(createServer(), 'http')
  receiver.server.on('connection', (socket: Socket) => socket.once('data', () => talk(socket)))
  return receiver
}

// Opens a server on a free port. Disposing of it closes its connections too.
async function open(server: Server, scheme: 'http' | 'https') {
  const sockets = new Set<Socket>()
  const receiver = {
    server,
    port: 0,
    url: '',
    connections: 0,
    requests: 0,
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
  server.on('connection', (socket: Socket) => {
    receiver.connections++
    sockets.add(socket)
    socket.on('error', () => {}) // Several tests are about clients that leave early.
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  receiver.port = (server.address() as AddressInfo).port
  receiver.url = `${scheme}://127.0.0.1:${receiver.port}/hook`
  return receiver
}

// A port on which nothing listens, because its receiver was closed.
export async function closedPort(): Promise<number> {
  await using receiver = await rawReceiver(() => {})
  return receiver.port
}
