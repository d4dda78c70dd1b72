// An empty Fastify route in a process of its own: what HTTP alone can do here.

import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

process.on('message', async () => {
  const app = Fastify()
  app.get('/', async () => ({ isSuccessful: true }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  process.send?.({ port: (app.server.address() as AddressInfo).port })
})
process.on('disconnect', () => process.exit(0))
