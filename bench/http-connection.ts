// One keep-alive connection that costs its process as little as possible: bytes out, and of what
// comes in just the status and where the body is. One request at a time.

import { connect, type Socket } from 'node:net'

export type OnAnswer = (connection: HttpConnection, status: number, body: Buffer) => void

const BUFFER_BYTES = 65_536

export class HttpConnection {
  readonly place: number
  sentAtMs = 0
  readonly #socket: Socket
  readonly #onAnswer: OnAnswer
  #rest: Buffer | undefined

  constructor(place: number, port: number, onAnswer: OnAnswer, onLost: (error: Error) => void) {
    this.place = place
    this.#onAnswer = onAnswer
    // One buffer for the life of the connection: nothing is allocated per answer.
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
    const bodyEnd = headEnd + 4 + lengthOf(head)
    if (headEnd === -1 || bytes.length < bodyEnd) {
      this.#rest = this.#rest ? bytes : Buffer.from(bytes)
      return true
    }
    this.#rest = undefined
    this.#onAnswer(this, Number(head.slice(9, 12)), bytes.subarray(headEnd + 4, bodyEnd))
    return true
  }
}

function lengthOf(head: string): number {
  const at = head.indexOf('content-length: ')
  return at === -1 ? 0 : Number.parseInt(head.slice(at + 16, at + 26), 10)
}
