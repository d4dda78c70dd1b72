// Each alert is posted to the operators' chat once, whatever the chat answers. The chat's address stays
// secret and cannot lead into our own network.

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { postToChatRound } from '#chat/workers.ts'
import { withTransaction } from '#db/transaction.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { requestFailure } from '../support/failing.ts'
import { assertRefused, databaseText } from '../support/fixtures.ts'
import { createFile, queuePayouts, startFileService } from '../support/payout-desk.ts'
import { newBrowser, newClientWithOwner } from '../support/people.ts'

const CHAT = '/api/v1/operator/chat'
const SECRET = 'T0001-B0001-secret-of-the-hook'

const bench = closeAfterTests(await startFileService())

// A fake chat that stores the texts it receives. Tests set the status of its answers.
class ChatServer {
  readonly texts: string[] = []
  status = 200
  readonly #server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      if (this.status === 200) this.texts.push(JSON.parse(body).text)
      response.writeHead(this.status).end('ok')
    })
  })

  async start(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/services/${SECRET}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

const chat = closeAfterTests(new ChatServer())
const url = await chat.start()
const operator = await newBrowser(bench, 'operator')
const { data, hash } = bench.config.secrets
const parts = { db: bench.db, clock: bench.clock, sealer: new Sealer(data, hash) }
// Runs one round of the worker that posts alerts.
const postRound = () =>
  postToChatRound({ ...parts, mode: 'sandbox', publicUrl: 'https://pay.example.com' })(
    new AbortController().signal,
  )
const setChat = (body: object) => operator.call({ method: 'PUT', url: CHAT, body })
const raiseAlert = (subject: string) =>
  withTransaction(bench.db, (tx) =>
    raiseAlerts(tx, bench.clock(), [{ kind: 'pool_low', subject, detail: {} }]),
  )

test('an operator sets the chat; its address is encrypted and never shown', async () => {
  assertRefused(await operator.call({ url: CHAT }), {
    status: 404,
    code: 'chat_not_found',
  })
  const answer = await setChat({ url })
  assert.equal(answer.statusCode, 200, answer.body)
  const { host, waiting, problem } = (await operator.call({ url: CHAT })).json().data
  assert.deepEqual([host, waiting, problem], [new URL(url).host, 0, null])
  assert.ok(!answer.body.includes(SECRET))
  assert.ok(!(await databaseText(bench)).includes(SECRET))
  assert.ok(!bench.logText().includes(SECRET))
})

test('only operators set the chat, and an address inside our own network is refused', async () => {
  const { browser: owner } = await newClientWithOwner(bench)
  const refused = { status: 403, code: 'role_not_allowed' }
  assertRefused(await owner.call({ method: 'PUT', url: CHAT, body: { url } }), refused)
  assertRefused(await owner.call({ url: CHAT }), refused)
  for (const bad of [
    '',
    'x',
    'ftp://chat.example',
    'http://169.254.169.254/x',
    `https://x/${'y'.repeat(3_000)}`,
  ]) {
    assertRefused(await setChat({ url: bad }), { status: 400, code: 'invalid_request' })
  }
})

test('the test button posts at once, and says what is wrong', async () => {
  const sendTestPost = async () =>
    (await operator.call({ url: `${CHAT}/test`, body: {} })).json().data
  assert.deepEqual(await sendTestPost(), { ok: true, problem: null })
  assert.equal(chat.texts.length, 1)
  chat.status = 403
  assert.deepEqual(await sendTestPost(), { ok: false, problem: 'the receiver answered 403' })
  chat.status = 200
})

test('an alert is posted once, by however many workers, after failures too', async () => {
  chat.texts.length = 0
  chat.status = 500
  await raiseAlert('bank/035<!channel>')
  await Promise.all([postRound(), postRound(), postRound()])
  assert.deepEqual(chat.texts, [])
  const failing = (await operator.call({ url: CHAT })).json().data
  assert.deepEqual([failing.waiting, failing.problem], [1, 'the receiver answered 500'])
  await postRound()
  chat.status = 200
  bench.advance(10_000)
  await Promise.all([postRound(), postRound(), postRound()])
  await postRound()
  assert.equal(chat.texts.length, 1)
  assert.match(chat.texts[0] ?? '', /few are left.*\(bank\/035&lt;!channel&gt;\)/)
  assert.match(chat.texts[0] ?? '', /https:\/\/pay\.example\.com\/dashboard\/alerts\/\d+$/)
  assert.equal((await operator.call({ url: CHAT })).json().data.waiting, 0)
})

test('a request that waits for a second person is posted once, without names or amounts', async () => {
  chat.texts.length = 0
  const [reference = ''] = await queuePayouts(bench)
  await createFile(bench)
  await requestFailure(bench, reference)
  await postRound()
  await postRound()
  const text =
    '*A request to fail a payout waits for approval*\nhttps://pay.example.com/dashboard/payouts'
  assert.deepEqual(chat.texts, [text])
})

test('a process that dies while it posts leaves the post to the next one', async () => {
  chat.texts.length = 0
  await raiseAlert('bank/044')
  await bench.db.query(
    `insert into chat_posts (subject, text, created_at, attempts, next_attempt_at)
     select 'alert/' || max(id), 'claimed', $1::timestamptz, 1,
            $1::timestamptz + interval '1 minute' from alerts`,
    [bench.clock()],
  )
  await postRound()
  assert.deepEqual(chat.texts, [])
  bench.advance(60_000)
  await postRound()
  assert.deepEqual(chat.texts, ['claimed'])
})

test('a removed chat gets no posts, and a chat that is set again gets no earlier ones', async () => {
  chat.texts.length = 0
  chat.status = 500
  await raiseAlert('bank/050')
  await postRound()
  chat.status = 200
  assert.equal((await operator.call({ method: 'DELETE', url: CHAT })).statusCode, 200)
  bench.advance(3_600_000)
  await postRound()
  const back = await newBrowser(bench, 'operator')
  await back.call({ method: 'PUT', url: CHAT, body: { url } })
  await postRound()
  assert.deepEqual(chat.texts, [])
})

test('the chat gets alerts of its minimum severity and above', async () => {
  chat.texts.length = 0
  const operator = await newBrowser(bench, 'operator')
  const put = (body: object) => operator.call({ method: 'PUT', url: CHAT, body })
  const refused = { status: 400, code: 'invalid_request' }
  assertRefused(await put({ url, alertSeverity: 'loud' }), refused)
  assert.equal((await put({ url, alertSeverity: 'critical' })).statusCode, 200)
  await raiseAlert('bank/070')
  await withTransaction(bench.db, (tx) =>
    raiseAlerts(tx, bench.clock(), [{ kind: 'audit_failed', subject: 'books', detail: {} }]),
  )
  await postRound()
  assert.equal(chat.texts.length, 1)
  assert.match(chat.texts[0] ?? '', /The books don’t balance/)
})

test('an alert that commits after later ones is posted, and old alerts are not read again', async () => {
  chat.texts.length = 0
  const operator = await newBrowser(bench, 'operator')
  bench.advance(1_000)
  await operator.call({ method: 'PUT', url: CHAT, body: { url } })
  const late = await bench.db.connect()
  await late.query('begin')
  await late.query(
    `insert into alerts (kind, subject, detail, raised_at) values ('bank_silent', 'bank/late', '{}', $1)`,
    [bench.clock()],
  )
  await raiseAlert('bank/early')
  await postRound()
  bench.advance(59 * 60_000)
  await postRound()
  await late.query('commit')
  late.release()
  await postRound()
  assert.equal(chat.texts.length, 2, chat.texts.join())
  bench.advance(2 * 60_000)
  await postRound()
  const { rows } = await bench.db.query(
    'select alerts_after = (select max(id) from alerts) as is_passed from operator_chat',
  )
  assert.deepEqual(rows, [{ isPassed: true }])
  await postRound()
  assert.equal(chat.texts.length, 2)
})
