// A child process of the idle bench (idle-connections.ts) that holds idle connections to a port. Each
// connection has received one response and then stays open until the parent sends `release`.

import { OPENED_AT_ONCE, openConnection } from './http-connection.ts'

export type Holding = { port: number; connections: number; paths: readonly string[] }

const openedConnections: { close(): void }[] = []

process.on('message', (message: Holding | 'release') => {
  if (message === 'release') {
    for (const connection of openedConnections.splice(0)) connection.close()
    process.send?.({ released: true })
  } else {
    void openIdle(message).then((lost) => process.send?.({ held: openedConnections.length, lost }))
  }
})
process.on('disconnect', () => process.exit(0))

// Opens connections in bursts and sends one request on each. Returns how many connections were lost.
async function openIdle({ port, connections, paths }: Holding): Promise<number> {
  let lost = 0
  for (let from = 0; from < connections; from += OPENED_AT_ONCE) {
    // Opens this burst's connections at once. Each promise resolves with the connection's first response.
    const burst = Array.from({ length: Math.min(OPENED_AT_ONCE, connections - from) }, (_, at) => {
      const path = paths[(from + at) % paths.length] as string
      return new Promise<void>((resolve) => {
        // A refused or broken connection is counted, and no longer waited for.
        const onLost = () => {
          lost++
          resolve()
        }
        const connection = openConnection(port, { onResponse: () => resolve(), onLost })
        openedConnections.push(connection)
        connection.send(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: idle\r\n\r\n`))
      })
    })
    await Promise.all(burst)
  }
  return lost
}
