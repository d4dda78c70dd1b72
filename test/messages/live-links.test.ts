// In live mode with a mail server, only the recipient of a mail sees the link of an invitation or password
// reset. The link is in no response, log, audit log, event, log of messages or database column.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerResetRequestsRound } from '#access/workers.ts'
import { OWN_RAIL_SECRET, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { startMailServer } from '../support/mail-server.ts'
import { mailingOf, work } from '../support/mailing.ts'
import { type Browser, newBrowser, newClientWithOwner, USERS_URL } from '../support/people.ts'
import { addClient } from '../support/running-service.ts'

const server = await startMailServer()
closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
const bank = {
  ...{ code: '035', railSecrets: [OWN_RAIL_SECRET] },
  static: { from: 100_000_000, to: 100_999_999 },
  dynamic: { from: 200_000_000, to: 200_999_999 },
}
const env = {
  MANILLA_MODE: 'live',
  PUBLIC_URL: 'https://pay.example.com',
  MANILLA_SMTP_URL: `smtp://mailer:hunter2hunter2@127.0.0.1:${server.port}`,
  MANILLA_MAIL_FROM: 'Manilla <no-reply@pay.example.com>',
}
const bench = closeAfterTests(await startWithBanks([bank as never], env))
const deps = mailingOf(bench, { smtpPort: server.port })
const description = (await bench.call({ url: '/openapi.json', token: null })).json()
const password = 'seven words that nobody else would choose'

await addClient(bench.db, bench.clock(), { clientId: 'OPERATOR', isOperator: true })
const operator = await newBrowser(bench, 'operator', 'OPERATOR')
const { clientId, browser: owner } = await newClientWithOwner(bench)

// All lists and settings that a user can read without naming an object, and each message, as one text.
async function everythingFor(browser: Browser): Promise<string> {
  const paths = Object.entries<object>(description.paths).flatMap(([path, operations]) =>
    'get' in operations && !path.includes('{') && !path.endsWith('/stream') ? [path] : [],
  )
  assert(paths.length > 80, 'the description lists what can be read')
  const { data } = (await browser.call({ url: '/api/v1/messages?limit=100' })).json()
  const messages = data.flatMap(({ reference }: { reference: string }) => [
    `/api/v1/messages/${reference}`,
    `/api/v1/messages/${reference}/content`,
  ])
  const bodies: string[] = []
  for (const url of [...paths, ...messages]) bodies.push((await browser.call({ url })).body)
  return bodies.join('\n')
}

// The token of the link in the last mail to an address.
async function tokenMailedTo(email: string): Promise<string> {
  const mails = server.mails.filter(({ to }) => to === email)
  const raw = mails.at(-1)?.raw.replaceAll('=\r\n', '') ?? ''
  const [, token] = /#([\w-]{43})\b/.exec(raw) ?? []
  assert(token, `a link was mailed to ${email}`)
  return token
}

// Asserts that the link's token is nowhere but in the mail, both while the mail is queued and after it was
// sent. Returns the token.
async function assertOnlyMailed(email: string, answers: string): Promise<string> {
  const whileQueued = [await everythingFor(owner), await everythingFor(operator)]
  const stored = await databaseText(bench)
  await work(deps)
  const token = await tokenMailedTo(email)
  const texts = [
    ...[answers, ...whileQueued, stored, await everythingFor(owner), await everythingFor(operator)],
    ...[await databaseText(bench), bench.logText()],
  ]
  for (const text of texts) assert(!text.includes(token), 'the token is in the mail alone')
  for (const text of texts) assert.doesNotMatch(text, /dashboard\/(invitation|password-reset)#/)
  return token
}

const accept = (what: 'invitation' | 'password-reset', token: string) =>
  bench.call({ url: `/dashboard/api/${what}/accept`, body: { token, password }, token: null })

test('the link of an invitation is in the mail alone, also when the call is repeated', async () => {
  for (const [by, email] of [
    [owner, 'ada@live.example'],
    [operator, 'bea@live.example'],
  ] as const) {
    const body = { email, role: 'finance', ...(by === operator ? { clientId } : {}) }
    const headers = { 'idempotency-key': email }
    const call = { url: USERS_URL, body, headers }
    const answers = [await by.call(call), await by.call(call)]
    for (const answer of answers) {
      const { invitationLink, temporaryPassword, isMailed } = answer.json().data
      assert.deepEqual([invitationLink, temporaryPassword, isMailed], [null, null, true])
    }
    const token = await assertOnlyMailed(email, answers.map(({ body }) => body).join())
    assert.equal((await accept('invitation', token)).statusCode, 200)
  }
})

test('the link of a reset by an administrator is in the mail alone', async () => {
  const { data } = (await owner.call({ url: USERS_URL })).json()
  const user = data.find(({ email }: { email: string }) => email === 'ada@live.example')
  const answer = await owner.call({ url: `${USERS_URL}/${user.id}/reset-password`, body: {} })
  const token = await assertOnlyMailed(user.email, answer.body)
  assert.equal((await accept('invitation', token)).statusCode, 200)
})

test('the link that a user asked for is in the mail alone', async () => {
  const email = 'bea@live.example'
  const url = '/dashboard/api/password-reset/request'
  const answer = await bench.call({ url, body: { email }, token: null })
  await answerResetRequestsRound({ ...deps, publicUrl: env.PUBLIC_URL })(
    new AbortController().signal,
  )
  const token = await assertOnlyMailed(email, answer.body)
  assert.equal((await accept('password-reset', token)).statusCode, 200)
  assert(!bench.logText().includes(token), 'opening the link logs nothing of it')
})

test('the credentials of the mail server are in no log and no response', async () => {
  const all = [await everythingFor(operator), bench.logText(), await databaseText(bench)]
  for (const text of all) assert(!text.includes('hunter2'))
})
