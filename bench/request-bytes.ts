// HTTP requests as bytes, and the signature a bank puts on its own.

import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadSecret, sign } from '#domain/webhooks/signature.ts'

const secret = loadSecret(SANDBOX_RAIL_SECRET)

// Where a body must have an address: nothing leaves this machine, and nobody answers there.
export const NOBODY_URL = 'http://127.0.0.1:9/'

export function getText(path: string, token?: string): string {
  return `GET ${path} HTTP/1.1\r\nhost: bench\r\n${bearer(token)}\r\n`
}

export function postText(path: string, body: string, token?: string, more = ''): string {
  const length = Buffer.byteLength(body)
  return (
    `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\n` +
    `content-length: ${length}\r\n${bearer(token)}${more}\r\n${body}`
  )
}

export function signedPostText(path: string, id: string, body: string, nowMs: number): string {
  const timestamp = Math.floor(nowMs / 1000)
  const signature = sign({ secrets: [secret], id, timestampSeconds: timestamp, body })
  return postText(
    path,
    body,
    undefined,
    `webhook-id: ${id}\r\nwebhook-timestamp: ${timestamp}\r\nwebhook-signature: ${signature}\r\n`,
  )
}

function bearer(token: string | undefined): string {
  return token === undefined ? '' : `authorization: Bearer ${token}\r\n`
}

// Many requests, made beforehand, in one piece of memory: all ASCII.
export class RequestStore {
  readonly #parts: Buffer[] = []
  #next = 0

  add(text: string): void {
    this.#parts.push(Buffer.from(text, 'latin1'))
  }

  next(): Buffer | undefined {
    const request = this.#parts[this.#next]
    this.#parts[this.#next++] = undefined as never // Sent: it need not be kept.
    return request
  }
}
