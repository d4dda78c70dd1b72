// A request that gets no answer in time is answered with a refusal, and answered requests are left alone.

import assert from 'node:assert/strict'
import { createServer, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import Fastify from 'fastify'
import { enforceResponseDeadline, RESPONSE_MAX_MS, timedResponse } from '#http/requests.ts'

test('a request without a response by the deadline is told to try again, once', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let passedMs = 0
  const now = performance.now.bind(performance)
  t.mock.method(performance, 'now', () => now() + passedMs)
  const app = Fastify({
    serverFactory: (handler) =>
      createServer({ ServerResponse: timedResponse(ServerResponse as never) as never }, handler),
  })
  t.after(() => app.close())
  enforceResponseDeadline(app)
  const hanging = Promise.withResolvers<void>()
  app.get('/answers', async () => ({ ok: true }))
  app.get('/hangs', () => hanging.resolve())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const get = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)

  const answered = await get('/answers')
  const hung = get('/hangs')
  await hanging.promise
  t.mock.timers.tick(1_000)
  passedMs = RESPONSE_MAX_MS + 1
  t.mock.timers.tick(1_000)

  assert.deepEqual(await answered.json(), { ok: true })
  assert.equal(((await (await hung).json()) as { code: string }).code, 'try_again')
})
