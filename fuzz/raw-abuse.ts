// Sends bytes that no HTTP client sends to the port of a service. The service must never answer
// with a 5xx, reveal how it is made, or read two requests where there is one. It must answer each
// connection or end it soon.

import { connect, type Socket } from 'node:net'

const HOST = 'host: x\r\n'
const GET = `GET /health HTTP/1.1\r\n${HOST}\r\n`
const POST = `POST /api/v1/accounts/static HTTP/1.1\r\n${HOST}content-type: application/json\r\n`
const SMUGGLED = `GET /smuggled HTTP/1.1\r\n${HOST}\r\n`
const QUIET_MS = 1_500
const PATIENCE_MS = 30_000 // Long enough for a busy machine.
const DRIP_MS = 100
const GARBAGE_BYTES = 10_000_000
const INSIDES = /node_modules|HPE_|llhttp|fastify|postgres|\n\s+at .+:\d+/i

type Expected = 'any' | 'refused' | 'served' // Refused: no 2xx. Served: a 2xx comes first.
// `act` runs after the bytes were written, such as to close the socket.
type Abuse = { bytes: string | Buffer; expected: Expected; act?: (socket: Socket) => void }

const refused = (bytes: string | Buffer): Abuse => ({ bytes, expected: 'refused' })
const any = (bytes: string | Buffer): Abuse => ({ bytes, expected: 'any' })
const served = (bytes: string): Abuse => ({ bytes, expected: 'served' })
const chunked = (body: string) => `${POST}transfer-encoding: chunked\r\n\r\n${body}`
// A request with ambiguous framing, followed by bytes that would be a second request if it were misread.
const smuggling = (headers: string, body = '0\r\n\r\n') =>
  refused(`${POST}${headers}\r\n${body}${SMUGGLED}`)

const upgrading = (to: string, headers: string) =>
  `GET /health HTTP/1.1\r\n${HOST}connection: Upgrade\r\nupgrade: ${to}\r\n${headers}\r\n`

export const RAW_ABUSES: Record<string, Abuse> = {
  'half a request line': refused('GET /hea'),
  'half a head': refused(`GET /health HTTP/1.1\r\n${HOST}x: `),
  'half a body': refused(`${POST}content-length: 100\r\n\r\n{"accountName"`),
  'an early close': {
    ...any(`${POST}content-length: 100\r\n\r\n{`),
    act: (socket) => socket.end(),
  },
  'a reset': {
    ...any(`${POST}content-length: 9\r\n\r\n`),
    act: (socket) => socket.resetAndDestroy(),
  },
  'a hundred pipelined requests': served(GET.repeat(100)),
  'a pipeline with garbage in it': any(`${GET}\0\0\0\r\n\r\n${GET}`),
  'a header of 100 kB': refused(`GET /health HTTP/1.1\r\n${HOST}x: ${'y'.repeat(100_000)}\r\n\r\n`),
  'ten thousand headers': refused(
    `GET /health HTTP/1.1\r\n${HOST}${'x: y\r\n'.repeat(10_000)}\r\n`,
  ),
  'an address of 100 kB': refused(`GET /${'x'.repeat(100_000)} HTTP/1.1\r\n${HOST}\r\n`),
  'a length and chunks': smuggling('content-length: 5\r\ntransfer-encoding: chunked\r\n'),
  'chunks and a length': smuggling('transfer-encoding: chunked\r\ncontent-length: 5\r\n'),
  'two lengths': smuggling('content-length: 5\r\ncontent-length: 0\r\n'),
  'a list of lengths': smuggling('content-length: 5, 5\r\n'),
  'a length with a sign': smuggling('content-length: +5\r\n'),
  'a length in hexadecimal': smuggling('content-length: 0x5\r\n'),
  'chunked, but not last': smuggling('transfer-encoding: chunked, identity\r\n'),
  'chunked twice': smuggling('transfer-encoding: chunked\r\ntransfer-encoding: identity\r\n'),
  'chunked with a tab': smuggling('transfer-encoding:\tchunked\r\ncontent-length: 5\r\n'),
  'a blank before the colon': smuggling('transfer-encoding : chunked\r\n'),
  'chunked in quotes': smuggling('transfer-encoding: "chunked"\r\n'),
  'a line feed alone': smuggling('x: y\ntransfer-encoding: chunked\r\ncontent-length: 5\r\n'),
  'a chunk of no size': refused(chunked('zz\r\n')),
  'a chunk of a negative size': refused(chunked('-1\r\n')),
  'a chunk larger than memory': refused(chunked('ffffffffffffffffff\r\nx')),
  'a chunk longer than it says': refused(chunked('1\r\nxx\r\n0\r\n\r\n')),
  'a chunk extension of 100 kB': refused(chunked(`1;${'x'.repeat(100_000)}\r\nx\r\n0\r\n\r\n`)),
  'a trailer that is a header': refused(chunked('0\r\nauthorization: Bearer x\r\n\r\n')),
  'HTTP/0.9': refused('GET /health\r\n'),
  'HTTP/1.0': served('GET /health HTTP/1.0\r\n\r\n'),
  'HTTP/2': refused('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  'HTTP/9.9': refused(`GET /health HTTP/9.9\r\n${HOST}\r\n`),
  'HTTP/1.1 without a host': refused('GET /health HTTP/1.1\r\n\r\n'),
  'two hosts': any(`GET /health HTTP/1.1\r\n${HOST}host: y\r\n\r\n`),
  'an h2c upgrade': any(upgrading('h2c', 'http2-settings: AAMAAABkAAQAAP__\r\n')),
  'a WebSocket upgrade': any(upgrading('websocket', 'sec-websocket-version: 13\r\n')),
  'a tunnel': refused(`CONNECT 127.0.0.1:22 HTTP/1.1\r\n${HOST}\r\n`),
  'an address of another host': any(`GET http://169.254.169.254/ HTTP/1.1\r\n${HOST}\r\n`),
  'expect: 100-continue': any(`${POST}expect: 100-continue\r\ncontent-length: 2\r\n\r\n`),
  'an expectation that is none': any(`${POST}expect: x\r\ncontent-length: 2\r\n\r\n{}`),
  'a TLS hello': refused(Buffer.from('160301020001000001fc0303', 'hex')),
  'an SSH hello': refused('SSH-2.0-OpenSSH_9.9\r\n'),
  'a line of Redis': refused('*1\r\n$4\r\nPING\r\n'),
  'a NUL in a header': refused(`GET /health HTTP/1.1\r\n${HOST}x: a\0b\r\n\r\n`),
  'a folded header': refused(`GET /health HTTP/1.1\r\n${HOST}x: a\r\n b\r\n\r\n`),
  '10 MB of zeros': refused(Buffer.alloc(GARBAGE_BYTES)),
  '10 MB of a request line': refused(Buffer.alloc(GARBAGE_BYTES, 'G')),
  '10 MB after a request': served(GET + '\r\n'.repeat(GARBAGE_BYTES / 2)),
  slowloris: {
    ...refused(`GET /health HTTP/1.1\r\n${HOST}`),
    act: (socket) => {
      const drips = setInterval(() => socket.write('x: y\r\n'), DRIP_MS)
      socket.once('close', () => clearInterval(drips))
    },
  },
}

// Sends one abuse, and returns the faults of the response and of the service's health afterwards.
export async function rawFaults(address: string, name: string): Promise<string[]> {
  const { bytes, expected, act } = RAW_ABUSES[name] as Abuse
  const text = await exchange(address, { bytes, expected, ...(act ? { act } : {}) })
  const statuses = [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => Number(status))
  const health = await fetch(`${address}/health`).then(
    ({ status }) => status,
    () => 0,
  )
  const faults = [
    statuses.some((status) => status >= 500) && `answers ${statuses}`,
    INSIDES.test(text) && `reveals ${INSIDES.exec(text)?.[0]}`,
    // The path of the smuggled request is in the text only if the service has answered that request.
    text.includes('/smuggled') && 'took one request for two',
    expected === 'refused' && statuses.some((status) => status < 300) && `is served: ${statuses}`,
    expected === 'served' && statuses[0] !== 200 && `is not served: ${statuses}`,
    health !== 200 && `leaves the service ill: ${health}`,
  ]
  return faults.flatMap((fault) => (fault ? [`${name}: ${fault}\n  ${text.slice(0, 200)}`] : []))
}

// Sends the bytes and returns everything that the service answers until it closes the connection, or until
// nothing has arrived for QUIET_MS.
function exchange(address: string, { bytes, expected, act }: Abuse): Promise<string> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    let text = ''
    const leave = () => socket.destroy()
    let timer = setTimeout(leave, expected === 'served' ? PATIENCE_MS : QUIET_MS)
    socket.setEncoding('latin1').on('data', (chunk) => {
      text += chunk
      clearTimeout(timer)
      timer = setTimeout(leave, QUIET_MS)
    })
    socket.on('error', () => {}) // The service may cut the connection while we write.
    socket.once('end', () => socket.destroy())
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(text)
    })
    socket.once('connect', () => {
      socket.write(bytes)
      act?.(socket)
    })
  })
}
