// The identity service's HTTP API: which responses the client accepts as an answer, and which it rejects.

import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { httpIdentityService } from '#identity/identity-api.ts'
import { loadSecret, sign, signatureHeaders, toUnixSeconds, verify } from '#standard-webhooks.ts'
import { closeAfterTests } from '../support/closing.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const NOW = new Date('2026-11-18T09:00:00Z')
const QUESTION = {
  reference: '0b8f1f6e-7f0c-4d3c-9a45-1a2b3c4d5e6f',
  identifier: 'bvn',
  number: '22212345654',
  name: 'Ada Obi',
} as const
const FOUND = { reference: QUESTION.reference, status: 'found', name: 'OBI ADA NGOZI' }

type Reply = {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  isSilent?: boolean
}
let reply: Reply = {}
let received: { url: string | undefined; headers: IncomingHttpHeaders; body: string } | undefined

// An identity service that records the last request and sends the reply that the test has set.
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    received = {
      url: request.url,
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    if (reply.isSilent) return
    const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body)
    response.writeHead(reply.status ?? 200, {
      'content-type': 'application/json',
      ...reply.headers,
    })
    response.end(body)
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const { port } = server.address() as AddressInfo
closeAfterTests({
  async [Symbol.asyncDispose]() {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  },
})

const serviceAt = (url: string) =>
  httpIdentityService({ url, secret: SECRET, timeoutMs: 300, clock: () => NOW })
const ask = () => serviceAt(`http://127.0.0.1:${port}`)(QUESTION, new AbortController().signal)

// A response with a valid signature. A test that changes the body after signing sets `signedBody` to the body
// that the signature belongs to.
function signed(
  body: unknown,
  { secret = SECRET, id = QUESTION.reference as string, at = NOW, signedBody = body } = {},
): Reply {
  const timestampSeconds = toUnixSeconds(at)
  const secrets = [loadSecret(secret)]
  const signature = sign({ secrets, id, timestampSeconds, body: textOf(signedBody) })
  return { body, headers: signatureHeaders(id, at, signature) }
}

const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

test('the question is one signed POST', async () => {
  reply = signed(FOUND)
  await ask()

  assert.equal(received?.url, '/verifications')
  assert.deepEqual(JSON.parse(received?.body ?? ''), QUESTION)
  const header = (name: string) => received?.headers[`webhook-${name}`] as string
  const verdict = verify({
    secrets: [loadSecret(SECRET)],
    headers: { id: header('id'), timestamp: header('timestamp'), signature: header('signature') },
    body: received?.body ?? '',
    nowMs: NOW.getTime(),
  })
  assert.deepEqual([verdict, header('id')], ['ok', QUESTION.reference])
})

test('a signed answer to this question counts', async () => {
  reply = signed(FOUND)
  assert.deepEqual(await ask(), { status: 'found', name: 'OBI ADA NGOZI' })
  reply = signed({ reference: QUESTION.reference, status: 'not_found', further: 'field' })
  assert.deepEqual(await ask(), { status: 'not_found' })
})

const { reference } = QUESTION
const NO_ANSWERS: Record<string, () => Reply> = {
  'without a signature': () => ({ body: FOUND }),
  'signed by somebody else': () => signed(FOUND, { secret: OTHER_SECRET }),
  'changed after it was signed': () =>
    signed(FOUND, { signedBody: { ...FOUND, name: 'SOMEBODY ELSE' } as typeof FOUND }),
  'of an hour ago': () => signed(FOUND, { at: new Date(NOW.getTime() - 3_600_000) }),
  'to another question': () => signed({ ...FOUND, reference: 'another' }),
  'under another id': () => signed(FOUND, { id: 'another' }),
  'with HTTP 500': () => ({ ...signed(FOUND), status: 500 }),
  'with HTTP 404': () => ({ ...signed({ reference, status: 'not_found' }), status: 404 }),
  'with a redirect': () => ({ ...signed(FOUND), status: 302 }),
  'of an unknown status': () => signed({ reference, status: 'maybe' }),
  'that names nobody': () => signed({ reference, status: 'found' }),
  'with a blank name': () => signed({ ...FOUND, name: ' ' }),
  'with a name that is no text': () => signed({ ...FOUND, name: ['OBI ADA'] as never }),
  'with a name that is too long': () => signed({ ...FOUND, name: 'X'.repeat(201) }),
  'that is no object': () => signed('"found"'),
  'that is no JSON': () => signed('<html>22212345654</html>'),
  'that is empty': () => signed(''),
  'that never comes': () => ({ isSilent: true }),
}

for (const [name, make] of Object.entries(NO_ANSWERS)) {
  test(`an answer ${name} is no answer, and nothing that it says is repeated`, async () => {
    reply = make()
    const answer = await ask()

    assert.equal(answer.status, 'no_answer')
    assert(!JSON.stringify(answer).includes(QUESTION.number))
    assert(!JSON.stringify(answer).includes('OBI'))
  })
}

test('a service that cannot be reached has not answered', async () => {
  const answer = await serviceAt('http://127.0.0.1:1')(QUESTION, new AbortController().signal)
  assert.deepEqual(answer, { status: 'no_answer', reason: 'ECONNREFUSED' })
})
