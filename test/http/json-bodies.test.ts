// A body without a content type is read as JSON. The contract requires a content type for one endpoint only.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAdvice, INITIATE, refusalFaults } from '../support/fixtures.ts'
import { requestOf, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

test('a body without a content type is read as JSON', async () => {
  const url = `${INITIATE}/${(await createAdvice(bench)).adviceReference}`
  // Sends a body without a content type.
  const send = (body: string) => {
    const request = requestOf({ url, body }, null)
    const { 'content-type': _, ...headers } = request.headers as Record<string, string>
    return bench.service.app.inject({ ...request, headers })
  }

  const answer = await send('{"bankCode":"035"}')
  const refused = await send('bankCode=035')

  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(refusalFaults(refused, 'payment', [400]), [])
})
