// A client that is restricted to some merchants cannot read or change objects that concern all merchants.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLIENTS, registerOf } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, databaseText } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const { make } = registerOf(bench)

test('operations on all merchants are refused: the audit log, and resetting the sandbox', async () => {
  const { clientId, secret } = await make({ merchantCodes: ['OURS'] })
  const token = await bench.login(clientId, secret)
  const before = await databaseText(bench)

  const calls = [
    { url: '/api/v1/audit-log', token },
    { method: 'POST' as const, url: '/sandbox/reset', body: {}, token },
  ]
  for (const call of calls) {
    const answer = await bench.call(call)
    assertRefused(answer, { status: 403, code: 'merchants_restricted' })
  }
  assert.equal(await databaseText(bench), before)
  const body = { merchantCodes: null }
  await bench.call({ method: 'PATCH', url: `${CLIENTS}/${clientId}`, body })
  for (const call of calls) assert.equal((await bench.call(call)).statusCode, 200, call.url)
})
