// A keep-alive connection that costs as little CPU as possible: of a response only the status and
// the body are read. One request at a time.

import { connect, type Socket } from 'node:net'

export type OnResponse = (connection: HttpConnection, status: number, body: Buffer) => void

const BUFFER_BYTES = 65_536

export class HttpConnection {
  sentAtMs = 0
  readonly #socket: Socket
  readonly #onResponse: OnResponse
  #rest: Buffer | undefined

  constructor(port: number, onResponse: OnResponse, onLost: (error: Error) => void) {
    this.#onResponse = onResponse
    // One buffer for the life of the connection: nothing is allocated per response.
    const buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES)
    this.#socket = connect({
      port,
      host: '127.0.0.1',
      noDelay: true,
      onread: { buffer, callback: (length) => this.#read(buffer.subarray(0, length)) },
    })
    this.#socket.on('error', onLost)
    this.#socket.on('end', () => onLost(new Error('the server closed a connection')))
  }

  send(request: Uint8Array): void {
    this.#socket.write(request)
  }

  close(): void {
    this.#socket.removeAllListeners('end')
    this.#socket.destroy()
  }

  #read(chunk: Buffer): boolean {
    const bytes = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    const headEnd = bytes.indexOf('\r\n\r\n')
    const head = headEnd === -1 ? '' : bytes.toString('latin1', 0, headEnd)
    const length = Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? 0)
    const bodyEnd = headEnd + 4 + length
    if (headEnd === -1 || bytes.length < bodyEnd) {
      this.#rest = Buffer.from(bytes)
      return true
    }
    this.#rest = undefined
    this.#onResponse(this, Number(head.slice(9, 12)), bytes.subarray(headEnd + 4, bodyEnd))
    return true
  }
}
