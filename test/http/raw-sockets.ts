// HTTP as bytes on a socket, for requests that no client would send.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export async function openSocket(url: string, { allowHalfOpen = true } = {}) {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  // Some tests expect to be cut off while we write.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const ended = Promise.race([closed, once(socket, 'end').catch(() => {})])
  await Promise.race([once(socket, 'connect').catch(() => {}), closed])
  return {
    socket,
    send: (bytes: string | Buffer) => socket.write(bytes),
    half: () => socket.end(),
    received: () => text,
    // Everything until the other side hung up.
    async rest(): Promise<string> {
      await ended
      return text
    },
    async until(mark: string, times = 1): Promise<string> {
      while (text.split(mark).length <= times && !socket.closed && !socket.readableEnded) {
        await Promise.race([once(socket, 'data').catch(() => {}), ended])
      }
      return text
    },
    [Symbol.dispose]() {
      socket.destroy()
    },
  }
}

// The answers on a connection, in order.
export function answersIn(text: string): { status: number; head: string; body: string }[] {
  const answers: { status: number; head: string; body: string }[] = []
  let rest = text
  while (rest.startsWith('HTTP/1.1 ')) {
    const headEnd = rest.indexOf('\r\n\r\n')
    const head = rest.slice(0, headEnd).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
    const bodyEnd = headEnd + 4 + length
    answers.push({
      status: Number(rest.slice(9, 12)),
      head,
      body: rest.slice(headEnd + 4, bodyEnd),
    })
    rest = rest.slice(bodyEnd)
  }
  return answers
}
