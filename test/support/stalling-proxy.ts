// A TCP network between us and the test database that can fail silently. Stalled, it accepts data and
// passes nothing on, in either direction.

import { startFaultyLink } from '../../torture/faulty-link.ts'

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
