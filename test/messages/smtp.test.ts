// The mail server accepts each mail at most once, and no mail is lost, whatever the server does (I150).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { type MailFault, startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { patience } from '../support/patience.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const deps = mailingOf(bench, { smtpPort: server.port })
// Long enough to hand a mail over on a busy machine, and short enough to wait for.
const HANG_MAX_MS = patience(100)

let last = 0
const newAddress = () => `ada${++last}@example.com`

const mailsTo = (address: string) => server.mails.filter(({ to }) => to === address)

// Sends a mail while the server has this fault; returns the stored message.
async function sendWith(fault: MailFault) {
  const to = newAddress()
  server.faults.push({ to, ...fault })
  const reference = await queue(bench, { to })
  await work(deps)
  server.faults.length = 0
  return { to, ...(await logged(bench, reference)), reference }
}

test('a queued message is sent once, with its reference as Message-ID, and its facts are gone', async () => {
  const to = newAddress()
  const reference = await queue(bench, { to })
  await work(deps)
  await work(deps)

  const mails = mailsTo(to)
  assert.equal(mails.length, 1)
  assert.equal(mails[0]?.from, 'no-reply@pay.example')
  assert.match(mails[0]?.raw ?? '', new RegExp(`^Message-ID: <${reference}@pay\\.example>`, 'mi'))
  const { state, hasFacts } = await logged(bench, reference)
  assert.deepEqual({ state, hasFacts }, { state: 'sent', hasFacts: false })
})

test('a server that refuses for now gets the message again later', async () => {
  const { to, state, problem, reference, nextAttemptAt } = await sendWith({
    at: 'RCPT',
    answer: '450 4.7.1 greylisted',
  })

  assert.equal(state, 'queued')
  assert.match(problem ?? '', /450 4\.7\.1 greylisted/)
  assert(nextAttemptAt > bench.clock())
  bench.advance(60_000)
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'sent')
  assert.equal(mailsTo(to).length, 1)
})

test('a mail that was accepted without an answer is unknown, and never sent again', async () => {
  const { to, state, reference, hasFacts } = await sendWith({
    at: 'DOT',
    accepts: true,
    answer: 'drop',
  })

  assert.deepEqual({ state, hasFacts }, { state: 'unknown', hasFacts: false })
  bench.advance(3_600_000)
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'unknown')
  assert.equal(mailsTo(to).length, 1)
})

test('a server that hangs after the mail leaves it unknown', async () => {
  const slow = { ...deps, attemptMaxMs: HANG_MAX_MS }
  const to = newAddress()
  server.faults.push({ at: 'DOT', to, answer: 'hang' })
  const reference = await queue(bench, { to })
  await work(slow)

  assert.equal((await logged(bench, reference)).state, 'unknown')
  bench.advance(3_600_000)
  await work(deps)
  assert.equal(mailsTo(to).length, 0)
})

const BEFORE: readonly MailFault['at'][] = ['CONNECT', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA']

for (const at of BEFORE) {
  for (const answer of ['drop', 'hang'] as const) {
    test(`a mail whose server does ${answer} at ${at} is sent later, once`, async () => {
      const to = newAddress()
      const isEarly = at !== 'RCPT' && at !== 'DATA'
      server.faults.push({ at, answer, ...(isEarly ? {} : { to }) })
      const reference = await queue(bench, { to })
      await work({ ...deps, attemptMaxMs: HANG_MAX_MS })
      server.faults.length = 0

      assert.equal((await logged(bench, reference)).state, 'queued')
      assert.equal(mailsTo(to).length, 0)
      bench.advance(600_000)
      await work(deps)
      assert.equal((await logged(bench, reference)).state, 'sent')
      assert.equal(mailsTo(to).length, 1)
    })
  }
}

test('an address without mailbox bounces: it fails, and gets no further message of the client', async () => {
  const { to, state } = await sendWith({ at: 'RCPT', answer: '550 5.1.1 no such user' })
  const next = await queue(bench, { to })
  await work(deps)

  assert.equal(state, 'failed')
  assert.equal((await logged(bench, next)).state, 'suppressed')
  const { data } = (await bench.call({ url: '/api/v1/message-suppressions' })).json()
  const [suppression] = data.filter((each: { recipient: string }) => each.recipient === to)
  assert.equal(suppression.reason, 'bounced')
  assert.match(suppression.detail, /550 5\.1\.1/)
})

for (const answer of ['554 5.7.1 relay denied', '552 5.2.2 mailbox full'] as const) {
  test(`a refusal that says nothing about the address suppresses nothing: ${answer}`, async () => {
    const { to, state } = await sendWith({ at: 'RCPT', answer })
    const next = await queue(bench, { to })
    await work(deps)

    assert.equal(state, 'failed')
    assert.equal((await logged(bench, next)).state, 'sent')
  })
}

test('a mail that the server refuses after it read it is neither sent again nor lost', async () => {
  const later = await sendWith({ at: 'DOT', answer: '451 4.3.0 try later' })
  const never = await sendWith({ at: 'DOT', answer: '554 5.6.0 content refused' })

  assert.deepEqual([later.state, never.state], ['queued', 'failed'])
  bench.advance(600_000)
  await work(deps)
  assert.deepEqual([mailsTo(later.to).length, mailsTo(never.to).length], [1, 0])
})

test('wrong credentials lose nothing, and pause the server until a probe succeeds', async () => {
  server.faults.push({ at: 'AUTH', answer: '535 5.7.8 wrong', isLasting: true })
  const references = []
  for (let each = 0; each < 8; each++) references.push(await queue(bench, { to: newAddress() }))
  for (let round = 0; round < 6; round++) {
    await work(deps)
    bench.advance(40_000)
  }
  const logins = server.commands.filter((line) => line.startsWith('AUTH')).length
  for (let round = 0; round < 5; round++) await work(deps)
  const loginsLater = server.commands.filter((line) => line.startsWith('AUTH')).length
  server.faults.length = 0
  assert(loginsLater - logins <= 1, 'it asks once after a pause')

  for (let round = 0; round < 30; round++) {
    bench.advance(300_000)
    await work(deps)
  }
  const states = await Promise.all(
    references.map(async (each) => (await logged(bench, each)).state),
  )
  // Some failed meanwhile: a password reset expires after an hour.
  assert.deepEqual(
    [...new Set(states)].sort().filter((each) => each !== 'failed'),
    ['sent'],
  )
})
