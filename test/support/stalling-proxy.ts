// A network that can fail as networks do: without a word. Between us and the test database, over
// TCP; told to stall, it takes what is sent and passes nothing on, in either direction.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

type Pair = { near: Socket; far: Socket }

export async function startStallingProxy(connectionString: string) {
  const url = new URL(connectionString.replace('@/', '@localhost/'))
  const path = `${url.searchParams.get('host')}/.s.PGSQL.${url.searchParams.get('port')}`
  const pairs = new Set<Pair>()
  let isStalled = false

  const server = createServer((near) => {
    const far = connect(path)
    const pair = { near, far }
    pairs.add(pair)
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on('error', () => {})
      one.once('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
    if (!isStalled) join(pair)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    connectionString: `postgres://manilla@127.0.0.1:${port}${url.pathname}?sslmode=disable`,
    open: () => pairs.size,
    stall() {
      isStalled = true
      for (const pair of pairs) part(pair)
    },
    // New connections work again; those that stalled stay as they are, half open.
    letNewOnes() {
      isStalled = false
    },
    async [Symbol.asyncDispose]() {
      for (const { near, far } of pairs) {
        near.destroy()
        far.destroy()
      }
      await new Promise((closed) => server.close(closed))
    },
  }
}

function join({ near, far }: Pair): void {
  near.pipe(far)
  far.pipe(near)
}

// Ends are still noticed, so that a connection that we give up is seen to be gone.
function part({ near, far }: Pair): void {
  near.unpipe(far).resume()
  far.unpipe(near).resume()
}
