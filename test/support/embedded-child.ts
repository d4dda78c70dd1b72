// The program of the process that tests kill together with its embedded server (spawnHolder). It waits for a
// line on its input, starts the server in the folder that its first argument names, and prints the result. On
// SIGINT it queries the server once more, which succeeds only if SIGINT did not also stop the server.

import { once } from 'node:events'
import pg from 'pg'
import { startEmbedded } from '#embedded/embedded.ts'

// Messages are lines of JSON.
const say = (message: object) => process.stdout.write(`${JSON.stringify(message)}\n`)

say({ loaded: true })
await once(process.stdin, 'data')
process.stdin.pause()

try {
  const server = await startEmbedded({ dataDir: process.argv[2] as string })
  const { pid, connectionString, firstStart } = server
  process.once('SIGINT', async () => {
    const client = new pg.Client({ connectionString })
    await client.connect()
    const { rows } = await client.query("select 'drained' as answer")
    await client.end()
    await server.stop()
    say({ answer: rows[0].answer })
    process.exit(0)
  })
  say({ ready: true, pid, connectionString, firstStart })
} catch (error) {
  say({ problem: (error as Error).message, name: (error as Error).name })
  process.exit(1)
}
