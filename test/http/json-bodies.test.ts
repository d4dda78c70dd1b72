// Bodies without a content type: the contract requires one for one endpoint only.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAdvice, INITIATE, refusalFaults } from '../support/fixtures.ts'
import { requestOf, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

test('a body that does not say what it is is JSON', async () => {
  const url = `${INITIATE}/${(await createAdvice(bench)).adviceReference}`
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
