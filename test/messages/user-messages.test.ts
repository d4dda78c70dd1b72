// Messages to users of the dashboard: a former user gets none, a suppression by hand does not stop security
// mail, and only those who manage the user can read a link.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { UserId } from '#ids.ts'
import { settleAfterRestore } from '#payouts/holds.ts'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { makeUser, newBrowser, newClientWithOwner, USERS_URL, userIdOf } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const deps = mailingOf(bench, { smtpPort: server.port })
const count = (address: string) => server.mails.filter(({ to }) => to === address).length

const RECEIPT = {
  ...{ amount: 1, currency: 'NGN', reference: 'R', link: 'https://x' },
  at: '2026-11-18T12:00:00Z',
}

// Queues a message to the dashboard user with this email address.
async function queueFor(email: string, changes: object = {}) {
  const userId: UserId = await userIdOf(bench, email)
  return queue(bench, { to: email, about: { userId }, ...changes })
}

test('a queued message to a user who is disabled or removed is cancelled', async () => {
  const owner = await newBrowser(bench)
  const [disabled, removed] = [await makeUser(bench), await makeUser(bench)]
  const references = [await queueFor(disabled), await queueFor(removed)]
  const [one, other] = [await userIdOf(bench, disabled), await userIdOf(bench, removed)]
  const off = { method: 'PATCH', url: `${USERS_URL}/${one}`, body: { isActive: false } } as const
  assert.equal((await owner.call(off)).statusCode, 200)
  const gone = await owner.call({ method: 'DELETE', url: `${USERS_URL}/${other}` })
  assert.equal(gone.statusCode, 200, gone.body)
  await work(deps)

  for (const reference of references) {
    const { state, hasFacts, hasAddress, problem } = await logged(bench, reference)
    assert.deepEqual([state, hasFacts, hasAddress], ['cancelled', false, false])
    assert.equal(problem, 'the user was removed or disabled')
  }
  assert.deepEqual([count(disabled), count(removed)], [0, 0])
})

test('a user who is disabled while the mail is on its way gets nothing', async () => {
  const email = await makeUser(bench)
  const reference = await queueFor(email)
  server.faults.push({ at: 'RCPT', to: email, answer: 'hang' })
  const round = work(deps)
  while (server.hanging.length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
  await bench.db.query('update users set is_active = false where email = $1', [email])
  for (const { goOn } of server.hanging.splice(0)) goOn()
  await round

  assert.equal(count(email), 0)
  bench.advance(3_600_000 / 2)
  await work(deps)
  assert.equal((await logged(bench, reference)).state, 'cancelled')
})

test('an address suppressed by hand gets no payer’s mail, and still gets security mail', async () => {
  const email = await makeUser(bench)
  const url = '/api/v1/message-suppressions'
  assert.equal((await bench.call({ url, body: { address: email } })).statusCode, 200)
  const security = await queueFor(email)
  const receipt = await queue(bench, {
    ...{ to: email, kind: 'payer.receipt' },
    facts: RECEIPT,
  } as never)
  await work(deps)

  assert.equal((await logged(bench, security)).state, 'sent')
  assert.equal((await logged(bench, receipt)).state, 'suppressed')
})

test('the words of the mail server are stored without the address', async () => {
  const email = 'ngozi.adichie@secret.example'
  const words =
    `550 5.1.1 <${email}> "Ngozi.Adichie" unknown; Ngozi.Adichie@Secret.Example` as const
  server.faults.push({ at: 'RCPT', to: email, answer: words as never })
  const bounced = await queue(bench, { to: email })
  await work(deps)
  const outage = `451 4.3.0 ${email} try later` as const
  server.faults.push({ at: 'MAIL', answer: outage as never })
  await queue(bench, { to: email.replace('ngozi', 'bola') })
  await work(deps)

  const { state, problem } = await logged(bench, bounced)
  assert.equal(state, 'failed')
  assert.match(problem ?? '', /^the mail server answered 550 5\.1\.1 <…> "…" unknown; …$/)
  const text = await databaseText(bench)
  assert.doesNotMatch(text, /\.adichie|secret\.example/i)
})

test('direction marks in a merchant’s name do not turn the sender around', async () => {
  const to = 'payer@sender.example'
  await bench.db.query('update clients set brand_name = $1 where client_id = $2', [
    'Obi \u202emoc.knab\u2066',
    'MAN0000001',
  ])
  await queue(bench, { to, kind: 'payer.receipt', facts: RECEIPT } as never)
  await work(deps)
  const [mail] = server.mails.filter((each) => each.to === to)
  assert.match(mail?.raw ?? '', /^From: "?Obi +moc\.knab +via Manilla"? <no-reply@pay\.example>/m)
})

test('messages are deleted 90 days after their end', async () => {
  const email = await makeUser(bench)
  const ended = await queueFor(email)
  await work(deps)
  bench.advance(89 * 86_400_000)
  const later = await queueFor(email)
  await work(deps)
  assert.equal((await logged(bench, ended)).state, 'sent')
  bench.advance(86_400_000)
  await work(deps)

  assert.equal(await logged(bench, ended), undefined)
  assert.equal((await logged(bench, later)).state, 'sent')
})

test('in a sandbox the link of an owner is shown to owners, not to developers', async () => {
  const { clientId, browser: owner } = await newClientWithOwner(bench)
  const developer = await newBrowser(bench, 'developer', clientId)
  const email = 'invited@user-messages.example'
  const made = await owner.call({ url: USERS_URL, body: { email, role: 'owner' } })
  assert.equal(made.statusCode, 200, made.body)
  await work({ ...deps, mode: 'sandbox' })
  const [message] = (await owner.call({ url: '/api/v1/messages' })).json().data
  assert.equal(message.kind, 'user.invitation')
  const url = `/api/v1/messages/${message.reference}/content`

  assert.equal((await owner.call({ url })).statusCode, 200)
  assert.equal((await developer.call({ url })).json().code, 'role_not_allowed')
})

test('a restored database does not send what was queued before the restore', async () => {
  const email = await makeUser(bench)
  const before = await queueFor(email)
  bench.advance(1_000)
  const now = bench.clock()
  await withTransaction(bench.db, (tx) =>
    settleAfterRestore(tx, { now, restoredTo: now, by: 'test' }),
  )
  bench.advance(1_000)
  const after = await queueFor(email)
  await work(deps)

  assert.equal((await logged(bench, before)).state, 'cancelled')
  assert.equal((await logged(bench, after)).state, 'sent')
  assert.equal(count(email), 1)
})
