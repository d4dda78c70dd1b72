// A TCP proxy between the test and its database that can fail silently. While it stalls, it accepts data and
// passes nothing on, in either direction.

import { startFaultyLink } from '../../torture/faulty-link.ts'

// Starts the proxy in front of the database with this connection string.
export async function startStallingProxy(connectionString: string) {
  const url = new URL(connectionString.replace('@/', '@localhost/'))
  const path = `${url.searchParams.get('host')}/.s.PGSQL.${url.searchParams.get('port')}`
  const link = await startFaultyLink({ path })
  return {
    connectionString: `postgres://manilla@127.0.0.1:${link.port}${url.pathname}?sslmode=disable`,
    open: link.open,
    stall: link.halfOpen,
    letNewOnes: link.heal, // Stalled connections stay half open.
    [Symbol.asyncDispose]: link[Symbol.asyncDispose],
  }
}
