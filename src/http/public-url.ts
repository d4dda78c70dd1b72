// The public URL of the service: PUBLIC_URL, or this machine. With port 0 the system picks a free
// port, known once the server listens.

import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const ANY_PORT = /:0$/

export function publicAddress(publicUrl: string, server: Server): string {
  const bound = ANY_PORT.test(publicUrl) ? (server.address() as AddressInfo | null) : null
  return bound ? publicUrl.replace(ANY_PORT, `:${bound.port}`) : publicUrl
}
