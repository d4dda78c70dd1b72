// A worker that was paused for longer than its claim lasts does not change a message that another worker has
// claimed since (I150).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CLAIM_MS } from '#messages/send.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { type MailFault, startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const deps = { ...mailingOf(bench, { smtpPort: server.port }), attemptMaxMs: 60_000 }
const mailsTo = (address: string) => server.mails.filter(({ to }) => to === address)

// Worker A hangs until its claim has ended, and worker B begins to send the same message. `a` and `b` are
// their hanging connections to the mail server.
async function pauseFirst(to: string) {
  const reference = await queue(bench, { to, kind: 'user.new_device', facts: DEVICE } as never)
  server.faults.push({ at: 'DATA', to, answer: 'hang' }, { at: 'DOT', to, answer: 'hang' })
  const first = work(deps)
  const a = await hangingAt('DATA')
  bench.advance(CLAIM_MS + 60_000)
  const second = work(deps)
  const b = await hangingAt('DOT')
  return { reference, a, b, first, second }
}

const DEVICE = { at: '2026-11-18T12:00:00Z', address: '192.0.2.7', device: 'Firefox' }

// Waits for a connection that hangs at this command.
async function hangingAt(at: MailFault['at']) {
  await until(`a conversation hangs at ${at}`, () =>
    server.hanging.some((connection) => connection.at === at),
  )
  const [hanging] = server.hanging.splice(0)
  assert(hanging)
  return hanging
}

test('a paused worker whose connection drops does not queue the mail that another sends', async () => {
  const to = 'ada@stale.example'
  const { reference, a, b, first, second } = await pauseFirst(to)
  a.drop()
  await first
  assert.equal((await logged(bench, reference)).state, 'sending')
  b.goOn()
  await second

  assert.equal((await logged(bench, reference)).state, 'sent')
  bench.advance(3_600_000)
  await work(deps)
  assert.equal(mailsTo(to).length, 1)
})

test('a paused worker that is refused does not fail the mail that another sends', async () => {
  const to = 'bea@stale.example'
  const { reference, a, b, first, second } = await pauseFirst(to)
  a.answer('554 5.7.1 too late')
  await first
  assert.equal((await logged(bench, reference)).state, 'sending')
  b.goOn()
  await second

  assert.equal((await logged(bench, reference)).state, 'sent')
  assert.equal(mailsTo(to).length, 1)
})

test('a paused worker that nobody replaced does not hand over after its claim', async () => {
  const to = 'cleo@stale.example'
  const reference = await queue(bench, { to, kind: 'user.new_device', facts: DEVICE } as never)
  server.faults.push({ at: 'DATA', to, answer: 'hang' })
  const first = work(deps)
  const a = await hangingAt('DATA')
  bench.advance(CLAIM_MS + 60_000)
  a.goOn()
  await first

  assert.equal((await logged(bench, reference)).state, 'queued')
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'sent')
  assert.equal(mailsTo(to).length, 1)
})

test('an acceptance that comes after the claim still counts', async () => {
  const to = 'dora@stale.example'
  const reference = await queue(bench, { to, kind: 'user.new_device', facts: DEVICE } as never)
  server.faults.push({ at: 'DOT', to, answer: 'hang' })
  const first = work(deps)
  const a = await hangingAt('DOT')
  bench.advance(CLAIM_MS + 60_000)
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'unknown')
  a.goOn()
  await first

  assert.equal((await logged(bench, reference)).state, 'sent')
  assert.equal(mailsTo(to).length, 1)
})
