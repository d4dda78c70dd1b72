// Finds a free port for programs that need their port before they start, or that restart on the same port.
// The port is below the ephemeral ports, which the system may assign to others meanwhile.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const [FIRST, PAST] = [10_240, 32_768]

// Tries random ports until one is free.
export async function freePort(): Promise<number> {
  const port = randomInt(FIRST, PAST)
  return (await isFree(port)) ? port : freePort()
}

// Whether a server can listen on the port.
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
