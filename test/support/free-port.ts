// A port that nobody listens on now: for what is told its port before it starts, or must come back on
// the same one. Below those that systems give out by themselves, which anybody may be given meanwhile.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const [FIRST, PAST] = [10_240, 32_768]

export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, PAST)
  return (await isFree(port)) ? port : freePort()
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
