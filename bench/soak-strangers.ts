// Opens hostile or broken connections to the service during a soak, a few every second: connections that
// are cut in the middle, stay silent, send garbage, or never read. The service must free everything that
// they use.

import { connect, type Socket } from 'node:net'

const HOST = 'host: x\r\n'
const LENGTH = 'content-type: application/json\r\ncontent-length: 1000\r\n'
const LEAVES_AFTER_MS = 20_000

type Abuse = (socket: Socket) => void

// Closes the socket after some milliseconds.
const leave = (socket: Socket, ms: number) => void setTimeout(() => socket.destroy(), ms).unref()

export const ABUSES: Record<string, Abuse> = {
  'connects and leaves': (socket) => socket.destroy(),
  resets: (socket) => socket.write('GET / HTTP/1.1\r\n', () => socket.resetAndDestroy()),
  'sends half a head': (socket) => {
    socket.write(`POST /api/v1/accounts/static HTTP/1.1\r\n${HOST}`)
    leave(socket, 500)
  },
  'sends half a body': (socket) => {
    socket.write(`POST /rails/058/credits HTTP/1.1\r\n${HOST}${LENGTH}\r\n{"sessionId":`)
    leave(socket, 500)
  },
  'says nothing': (socket) => leave(socket, LEAVES_AFTER_MS),
  'sends garbage': (socket) => socket.write(Buffer.alloc(100_000, 0x16)),
  'asks much and reads nothing': (socket) => {
    socket.pause()
    socket.write(`GET /openapi.json HTTP/1.1\r\n${HOST}\r\n`.repeat(5))
    leave(socket, LEAVES_AFTER_MS)
  },
  'opens a stream and leaves': (socket) => {
    socket.write(`GET /pay/api/stream?adviceReference=x HTTP/1.1\r\n${HOST}\r\n`)
    leave(socket, 1_000)
  },
  'pipelines and leaves': (socket) => {
    socket.write(`GET /health HTTP/1.1\r\n${HOST}\r\n`.repeat(50))
    leave(socket, 20)
  },
}

// Opens the connections of ABUSES in turn, until the caller stops it.
export function abuseConnections(port: number, perSecond: number) {
  const names = Object.keys(ABUSES)
  let made = 0
  // Opens one more connection, and abuses it in the way whose turn it is.
  const timer = setInterval(() => {
    const abuse = ABUSES[names[made++ % names.length] as string] as Abuse
    const socket = connect({ port, host: '127.0.0.1' })
    socket.on('error', () => {}) // Most of these connections are cut off.
    socket.once('connect', () => abuse(socket))
    socket.resume()
  }, 1_000 / perSecond)
  return {
    stop: () => clearInterval(timer),
    summary: () => `${made.toLocaleString('en')} connections of strangers (${names.join(', ')})`,
  }
}
