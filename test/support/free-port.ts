// A port that is free now: for programs that get their port before they start, or come back on the same
// one. Below the ephemeral ports, which the system may assign meanwhile.

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
