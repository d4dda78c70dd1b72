// A client of server-sent events over a real connection. It reads one block at a time: an event, a comment or
// a retry hint.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export type Block = { id?: string; event?: string; data?: string; retry?: string; comment?: string }

// Lets the app listen on a free port of the loopback interface; returns its URL.
export async function listenLocally(app: FastifyInstance): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

// Opens a stream of events. Disposing the result disconnects.
export async function openStream(url: string, headers: Record<string, string> = {}) {
  const disconnecting = new AbortController()
  const answer = await fetch(url, { headers, signal: disconnecting.signal })
  assert.equal(answer.status, 200)
  const blocks = blocksOf(answer.body as ReadableStream<Uint8Array>)
  return {
    headers: answer.headers,
    // Undefined once the server has ended the stream.
    async next(): Promise<Block | undefined> {
      const { value } = await blocks.next()
      return value
    },
    // Skips comments and retry hints.
    async nextEvent(): Promise<Block> {
      for (;;) {
        const block = await this.next()
        assert(block, 'the stream ended')
        if (block.data !== undefined) return block
      }
    },
    async take(count: number): Promise<Block[]> {
      const events: Block[] = []
      while (events.length < count) events.push(await this.nextEvent())
      return events
    },
    async [Symbol.asyncDispose]() {
      disconnecting.abort()
    },
  }
}

// Splits the body at blank lines, wherever the chunks of the network end.
async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Block, undefined> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never)) {
    const parts = (text + chunk).split('\n\n')
    text = parts.pop() as string
    for (const part of parts) yield blockOf(part)
  }
}

// The fields of a block by name; a line that begins with a colon is a comment.
function blockOf(part: string): Block {
  const block: Block = {}
  for (const line of part.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) as RegExpExecArray
    block[(name === '' ? 'comment' : name) as keyof Block] = value
  }
  return block
}
