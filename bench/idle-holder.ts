// Holds idle connections to a port, in its own process. Each has had one answer and waits.

import { OPENED_AT_ONCE, openConnection } from './http-connection.ts'

export type Holding = { port: number; connections: number; paths: readonly string[] }

const held: { close(): void }[] = []

process.on('message', (message: Holding | 'release') => {
  if (message === 'release') {
    for (const each of held.splice(0)) each.close()
    process.send?.({ released: true })
  } else void hold(message).then((lost) => process.send?.({ held: held.length, lost }))
})
process.on('disconnect', () => process.exit(0))

async function hold({ port, connections, paths }: Holding): Promise<number> {
  let lost = 0
  for (let from = 0; from < connections; from += OPENED_AT_ONCE) {
    const burst = Array.from({ length: Math.min(OPENED_AT_ONCE, connections - from) }, (_, at) => {
      const path = paths[(from + at) % paths.length] as string
      return new Promise<void>((resolve) => {
        const onLost = () => {
          lost++
          resolve()
        }
        const connection = openConnection(port, { onResponse: () => resolve(), onLost })
        held.push(connection)
        connection.send(Buffer.from(`GET ${path} HTTP/1.1\r\nhost: idle\r\n\r\n`))
      })
    })
    await Promise.all(burst)
  }
  return lost
}
