// A keep-alive connection that costs as little CPU as possible: of a response only the status and
// the body are read. One request at a time.

import { connect } from 'node:net'

export type Connection = { sentAtMs: number; send(request: Uint8Array): void; close(): void }
export type Handlers = {
  onResponse: (connection: Connection, status: number, body: Buffer) => void
  onLost: (error: Error) => void
}

const BUFFER_BYTES = 16_384

export function openConnection(port: number, { onResponse, onLost }: Handlers): Connection {
  // One buffer for the life of the connection: nothing is allocated per response.
  const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
  let rest = Buffer.alloc(0)
  const callback = (length: number) => {
    const chunk = buffer.subarray(0, length)
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const headEnd = bytes.indexOf('\r\n\r\n')
    const head = headEnd === -1 ? '' : bytes.toString('latin1', 0, headEnd)
    const bodyEnd = headEnd + 4 + Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? 0)
    const isWhole = headEnd !== -1 && bytes.length >= bodyEnd
    rest = Buffer.from(isWhole ? '' : bytes)
    if (isWhole) onResponse(connection, Number(head.slice(9, 12)), bytes.subarray(headEnd + 4))
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } })
  socket.on('error', onLost)
  socket.on('end', () => onLost(new Error('the server closed a connection')))
  const close = () => void socket.removeAllListeners('end').destroy()
  const send = (request: Uint8Array) => void socket.write(request)
  const connection = { sentAtMs: 0, send, close }
  return connection
}
