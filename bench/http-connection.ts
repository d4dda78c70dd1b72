// A minimal HTTP client on a keep-alive connection, so that the load costs as little CPU as possible. It
// reads only the status and the body of a response, and sends one request at a time.

import { connect } from 'node:net'

export type Connection = {
  opened: Promise<void>
  sentAtMs: number
  send(request: Uint8Array): void
  close(): void
}
export type Handlers = {
  onResponse: (connection: Connection, status: number, body: Buffer) => void
  onLost: (error: Error) => void
}

const BUFFER_BYTES = 16_384

// The number of connections that are opened at the same time. It is so small that a server's queue for new
// connections (511 by default) never overflows; the kernel would reset the connections beyond the queue.
export const OPENED_AT_ONCE = 200

// Opens `count` connections, spread evenly over the ports.
export async function openConnections(
  count: number,
  ports: readonly number[],
  handlers: Handlers,
): Promise<Connection[]> {
  const connections: Connection[] = []
  while (connections.length < count) {
    const burst = Math.min(OPENED_AT_ONCE, count - connections.length)
    const opening = Array.from({ length: burst }, (_, at) =>
      openConnection(ports[(connections.length + at) % ports.length] as number, handlers),
    )
    await Promise.all(opening.map(({ opened }) => opened))
    connections.push(...opening)
  }
  return connections
}

// Opens one connection. `onResponse` gets each whole response; `onLost` runs if the connection breaks or
// the server closes it.
export function openConnection(port: number, { onResponse, onLost }: Handlers): Connection {
  // The connection uses one buffer throughout, so no response allocates memory.
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  let unread = Buffer.alloc(0) // The beginning of a response whose end has not arrived yet.
  // Reads the socket's data until a response is whole. A response may arrive in several pieces.
  const callback = (length: number) => {
    const chunk = buffer.subarray(0, length)
    const bytes = unread.length > 0 ? Buffer.concat([unread, chunk]) : chunk
    const headEnd = bytes.indexOf('\r\n\r\n')
    const head = headEnd === -1 ? '' : bytes.toString('latin1', 0, headEnd)
    const bodyEnd = headEnd + 4 + Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? 0)
    const isWhole = headEnd !== -1 && bytes.length >= bodyEnd
    unread = Buffer.from(isWhole ? '' : bytes)
    // The status code is at positions 9 to 11 of a head such as `HTTP/1.1 200 OK`.
    if (isWhole) onResponse(connection, Number(head.slice(9, 12)), bytes.subarray(headEnd + 4))
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
  socket.on('error', onLost)
  socket.on('end', () => onLost(new Error('the server closed a connection')))
  const close = () => void socket.removeAllListeners('end').destroy()
  const send = (request: Uint8Array) => void socket.write(request)
  const opened = new Promise<void>((resolve) => socket.once('connect', resolve))
  const connection = { opened, sentAtMs: 0, send, close }
  return connection
}
