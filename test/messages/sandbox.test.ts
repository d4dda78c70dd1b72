// A sandbox sends no message (I151): it keeps the messages, and users with permission can read them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { newBrowser, userIdOf } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const deps = { ...mailingOf(bench, { smtpPort: server.port }), mode: 'sandbox' as const }
const contentOf = (reference: string | undefined) => `/api/v1/messages/${reference}/content`

test('a sandbox with a mail server sends nothing to it', async () => {
  const reference = await queue(bench, { to: 'ada@example.com' })
  await work(deps)

  assert.equal((await logged(bench, reference)).state, 'caught')
  assert.deepEqual([server.mails, server.commands], [[], []])
})

test('the link of a password reset is shown to a person at the dashboard, and nowhere else', async () => {
  const owner = await newBrowser(bench)
  const userId = await userIdOf(bench, owner.user.email)
  const reference = await queue(bench, { to: 'ada@example.com', about: { userId } })
  await work(deps)
  const seen = await owner.call({ url: contentOf(reference) })
  assert.match(seen.json().data.html, /reset#t0ken/)

  const byClient = await bench.call({ url: contentOf(reference) })
  assert.equal(byClient.json().code, 'people_only')
  const list = await bench.call({ url: '/api/v1/messages' })
  assert.doesNotMatch(list.body, /t0ken|ada@/)
  const other = await bench.newClient('OTHER00001')
  for (const url of [`/api/v1/messages/${reference}`, contentOf(reference)]) {
    assert.equal((await bench.call({ url, token: other })).json().code, 'message_not_found')
  }
  const suppressions = '/api/v1/message-suppressions'
  const body = { address: 'eve@example.com' }
  const { id } = (await bench.call({ url: suppressions, body })).json().data
  const remove = { method: 'DELETE', url: `${suppressions}/${id}` } as const
  const removed = await bench.call({ ...remove, token: other })
  assert.equal(removed.json().code, 'suppression_not_found')
  assert.equal((await bench.call(remove)).statusCode, 200)
  assert.doesNotMatch(await databaseText(bench), /t0ken/)
  assert.doesNotMatch(bench.logText(), /t0ken/)
})

test('the same key queues one message; an invalid address fails without stopping the change', async () => {
  const first = await queue(bench, { to: 'ada@example.com', key: 'once' })
  assert.equal(await queue(bench, { to: 'ada@example.com', key: 'once' }), undefined)
  assert(first)
  const bad = await queue(bench, { to: 'ada@example.com\r\nBcc: eve@example.com' })
  const { state, problem, hasFacts } = await logged(bench, bad)
  assert.deepEqual([state, hasFacts], ['failed', false])
  assert.match(problem ?? '', /not an email address/)
})
