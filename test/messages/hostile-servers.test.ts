// Hostile input to mail: a mail server that quotes credentials or links in its responses gets them into no
// log, and a merchant's branding adds no recipient.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SAMPLES } from '#notices/routes.ts'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { type MailFault, startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const deps = mailingOf(bench, { smtpPort: server.port })
const TOKEN = 'kJ8mQ2vX7rT4wZ9bN6cF1hL3pS5dG0yEaUiOqWtRxVs'

let lastAddress = 0

// Sends a mail to a server with this fault; returns the problem that the log of messages shows.
async function problemAfter(fault: Pick<MailFault, 'at' | 'answer'>): Promise<string | null> {
  const to = `hostile${++lastAddress}@example.com`
  server.faults.push(fault)
  const reference = await queue(bench, { to })
  await work(deps)
  server.faults.length = 0
  return (await logged(bench, reference)).problem
}

test('a server that repeats our credentials does not put them into the log', async () => {
  const secret = Buffer.from('\0mailer\0hunter2hunter2').toString('base64')
  const answer = `500 5.5.2 unknown command: AUTH PLAIN ${secret} (hunter2hunter2)` as const
  assert.equal(await problemAfter({ at: 'AUTH', answer }), 'the mail server answered 500 5.5.2')
  const text = await databaseText(bench)
  assert(!text.includes('hunter2') && !text.includes(secret.slice(0, 12)))
})

test('a server that quotes a link of the mail does not put it into the log', async () => {
  for (const quoted of [
    `https://pay.example/dashboard/password-reset#${TOKEN}`,
    `password-reset#${TOKEN}`,
    `HTTPS://PAY.EXAMPLE/x#${TOKEN.slice(0, 8)}`,
  ]) {
    const answer = `554 5.7.1 spam: <${quoted}> is listed` as const
    const problem = await problemAfter({ at: 'DOT', answer })
    assert.match(problem ?? '', /^the mail server answered 554 5\.7\.1 spam: <?…/)
    assert(!problem?.includes(TOKEN.slice(0, 8)), problem ?? '')
  }
})

test('without a secure connection nothing is sent to a server that needs one', async () => {
  const smtp = { ...deps.messages.smtp, needsTls: true } as never
  const reference = await queue(bench, { to: 'tls@example.com' })
  const before = server.commands.length
  await work({ ...deps, messages: { ...deps.messages, smtp } })

  const { state, problem } = await logged(bench, reference)
  assert.equal(state, 'queued')
  assert.match(problem ?? '', /mail server/)
  assert.doesNotMatch(server.commands.slice(before).join('\n'), /^(AUTH|MAIL|RCPT|DATA)/m)
})

test('a support address that names two mailboxes is no Reply-To', async () => {
  // Sends the receipt of a merchant with this support address; returns the Reply-To header of the mail.
  const replyTo = async (address: string) => {
    await bench.db.query('update clients set brand_support_email = $1 where client_id = $2', [
      address,
      'MAN0000001',
    ])
    const to = `reply${++lastAddress}@example.com`
    bench.advance(3_600_000)
    await queue(bench, { to, kind: 'payer.receipt', facts: SAMPLES['payer.receipt'] } as never)
    await work(deps)
    const [mail] = server.mails.filter((each) => each.to === to)
    assert(mail, 'the mail is sent')
    return /^Reply-To: (.*)$/im.exec(mail.raw)?.[1]?.trim()
  }
  assert.equal(await replyTo('help@obi.example'), 'help@obi.example')
  assert.equal(await replyTo('eve@evil.example,help@obi.example'), undefined)
  assert.equal(await replyTo('help@\u043ebi.example'), 'help@xn--bi-emc.example')
})
