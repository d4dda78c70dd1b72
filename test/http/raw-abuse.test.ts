// Sends bytes that no HTTP client sends over real sockets: half requests, smuggling, other protocols,
// garbage. `npm run fuzz` sends the same to its own service.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RAW_ABUSES, rawFaults } from '../../fuzz/raw-abuse.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const address = await bench.service.app.listen({ host: '127.0.0.1', port: 0 })

test('no abuse of a connection breaks the service, or is taken for a request', async () => {
  const found = await Promise.all(Object.keys(RAW_ABUSES).map((name) => rawFaults(address, name)))

  assert.deepEqual(found.flat(), [])
  assert.doesNotMatch(bench.logText(), /"level":"error"/)
})
