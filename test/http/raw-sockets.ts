// Sends HTTP as bytes on a socket, for tests with requests that no HTTP client would send.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

// Opens a socket that collects everything it receives.
export async function openSocket(url: string, { allowHalfOpen = true } = {}) {
  const { hostname, port } = new URL(url)
  const socket: Socket = connect({ host: hostname, port: Number(port), allowHalfOpen })
  let text = ''
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
  })
  // Some tests expect the service to cut the connection while the test writes.
  socket.on('error', () => {})
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  const ended = Promise.race([closed, once(socket, 'end').catch(() => {})])
  await Promise.race([once(socket, 'connect').catch(() => {}), closed])
  return {
    socket,
    send: (bytes: string | Buffer) => socket.write(bytes),
    // Ends our direction of the connection, and still receives.
    half: () => socket.end(),
    received: () => text,
    // Returns everything received until the service closed the connection.
    async rest(): Promise<string> {
      await ended
      return text
    },
    // Returns everything received once the mark arrived so many times, or the connection has ended.
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

// Splits the received text into the responses, in order. The length of each body is in its header
// `content-length`.
export function answersIn(text: string): { status: number; head: string; body: string }[] {
  const answers: { status: number; head: string; body: string }[] = []
  let unread = text
  while (unread.startsWith('HTTP/1.1 ')) {
    const headEnd = unread.indexOf('\r\n\r\n')
    const head = unread.slice(0, headEnd).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
    const bodyEnd = headEnd + 4 + length
    answers.push({
      status: Number(unread.slice(9, 12)),
      head,
      body: unread.slice(headEnd + 4, bodyEnd),
    })
    unread = unread.slice(bodyEnd)
  }
  return answers
}
