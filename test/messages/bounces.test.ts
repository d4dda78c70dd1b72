// After a bounce, the service sends an address nothing more for a while, but it does not lock a user out of
// security mail.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SAMPLES } from '#notices/routes.ts'
import { closeAfterTests } from '../support/closing.ts'
import { startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { makeUser, newBrowser, USERS_URL, userIdOf } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const deps = mailingOf(bench, { smtpPort: server.port })
const HOUR_MS = 3_600_000
const NO_MAILBOX = '550 5.1.1 no such user'

type Kind = keyof typeof SAMPLES

// Sends a message to an address, to which the mail server responds with `answer`; returns the message's
// state.
async function send(email: string, kind: Kind = 'user.password_reset', answer?: typeof NO_MAILBOX) {
  if (answer) server.faults.push({ at: 'RCPT', to: email, answer })
  const about = kind.startsWith('payer.') ? {} : { about: { userId: await userIdOf(bench, email) } }
  const message = { to: email, kind, facts: SAMPLES[kind], ...about }
  const reference = await queue(bench, message as never)
  await work(deps)
  server.faults.length = 0
  return (await logged(bench, reference)).state
}

// The entry of the suppression list for an address.
const suppressionOf = async (email: string, { call }: Pick<Bench, 'call'> = bench) => {
  const { data } = (await call({ url: '/api/v1/message-suppressions?limit=100' })).json()
  return data.find(({ recipient }: { recipient: string }) => recipient === email)
}

test('security mail is tried again a day after a bounce, and its acceptance ends the bounce', async () => {
  const email = await makeUser(bench)
  assert.equal(await send(email, 'user.password_reset', NO_MAILBOX), 'failed')
  bench.advance(23 * HOUR_MS)
  assert.equal(await send(email), 'suppressed')
  assert.equal(await send(email, 'user.new_device'), 'suppressed')
  bench.advance(HOUR_MS)
  assert.equal(await send(email, 'merchant.daily_summary'), 'suppressed')
  assert.equal(await send(email, 'payer.receipt'), 'suppressed')

  assert.equal(await send(email), 'sent')
  assert.equal(await suppressionOf(email), undefined)
  assert.equal(await send(email, 'merchant.daily_summary'), 'sent')
})

test('a second bounce silences for another day', async () => {
  const email = await makeUser(bench)
  await send(email, 'user.password_reset', NO_MAILBOX)
  const before = await suppressionOf(email)
  bench.advance(25 * HOUR_MS)
  assert.equal(await send(email, 'user.password_reset', NO_MAILBOX), 'failed')
  assert.equal(await send(email), 'suppressed')
  const after = await suppressionOf(email)

  assert.equal(after.id, before.id)
  assert(after.createdAt > before.createdAt)
})

for (const kind of ['user.invitation', 'user.account_reset'] as const) {
  test(`mail that an administrator sends is tried after a bounce: ${kind}`, async () => {
    const email = await makeUser(bench)
    await send(email, 'user.password_reset', NO_MAILBOX)
    assert.equal(await send(email, kind), 'sent')
    assert.equal(await send(email), 'sent')
  })
}

test('a suppression by hand is not ended by mail that the server accepts', async () => {
  const email = await makeUser(bench)
  const url = '/api/v1/message-suppressions'
  assert.equal((await bench.call({ url, body: { address: email } })).statusCode, 200)
  assert.equal(await send(email), 'sent')
  assert.equal((await suppressionOf(email)).reason, 'manual')
  assert.equal(await send(email, 'payer.receipt'), 'suppressed')
})

test('an administrator of a user sees that the mail did not arrive, until some does', async () => {
  const owner = await newBrowser(bench)
  const email = await makeUser(bench)
  // Returns the problem with the user's mail that the list of users shows to the owner.
  const readMailProblem = async () => {
    const { data } = (await owner.call({ url: `${USERS_URL}?limit=100` })).json()
    return data.find((user: { email: string }) => user.email === email).mailProblem
  }
  assert.equal(await readMailProblem(), null)
  await send(email, 'user.password_reset', NO_MAILBOX)
  assert.equal(await readMailProblem(), `the mail server answered ${NO_MAILBOX}`)
  await send(email)
  assert.equal(await readMailProblem(), 'the address is on the suppression list')
  await send(email, 'user.account_reset')
  assert.equal(await readMailProblem(), null)
})
