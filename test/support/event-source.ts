// Reads a stream of server-sent events over a real connection, one block at a time.

import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export type Block = { id?: string; event?: string; data?: string; retry?: string; comment?: string }

export async function listenLocally(app: FastifyInstance): Promise<string> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
}

export async function openStream(url: string, headers: Record<string, string> = {}) {
  const leaving = new AbortController()
  const answer = await fetch(url, { headers, signal: leaving.signal })
  assert.equal(answer.status, 200)
  const blocks = blocksOf(answer.body as ReadableStream<Uint8Array>)
  return {
    headers: answer.headers,
    // Undefined: the server ended the stream.
    async next(): Promise<Block | undefined> {
      const { value } = await blocks.next()
      return value
    },
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
      leaving.abort()
    },
  }
}

async function* blocksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Block, undefined> {
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream() as never)) {
    const parts = (text + chunk).split('\n\n')
    text = parts.pop() as string
    for (const part of parts) yield blockOf(part)
  }
}

function blockOf(part: string): Block {
  const block: Block = {}
  for (const line of part.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) as RegExpExecArray
    block[(name === '' ? 'comment' : name) as keyof Block] = value
  }
  return block
}
