// Only a bank reports money: every rail call is signed with that bank's own secret, over the raw body,
// within five minutes.

import assert from 'node:assert/strict'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import { loadSecret, sign } from '#standard-webhooks.ts'
import { assertCleanBooks, OWN_RAIL_SECRET, startWithBanks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { databaseText } from '../support/fixtures.ts'
import { newSessionId, postRail, type Signing, signedHeaders } from '../support/rail.ts'

const NEW_SECRET = `whsec_${Buffer.alloc(24, 'n').toString('base64')}`
const OTHER_SECRET = `whsec_${Buffer.alloc(64, 'o').toString('base64')}`
const WINDOW_SECONDS = 300

const bench = closeAfterTests(
  await startWithBanks([
    {
      code: '035',
      static: { from: 100_000_000, to: 100_000_999 },
      dynamic: { from: 200_000_000, to: 200_000_999 },
      railSecrets: [OWN_RAIL_SECRET, NEW_SECRET],
    },
    { code: '058', railSecrets: [OTHER_SECRET] },
  ]),
)
const nowSeconds = Math.floor(bench.clock().getTime() / 1000)
const CALLS = ['credits', 'name-enquiry', 'reversals', 'returns']

const newCredit = () => ({
  sessionId: newSessionId(),
  accountNumber: '0123456789',
  amount: '5.00',
})
const post = (signing: Signing, body: unknown = newCredit(), path = '035/credits') =>
  postRail(bench, path, body, { secrets: [OWN_RAIL_SECRET], ...signing })
const send = (body: string, headers: Record<string, string>, path = '035/credits') =>
  bench.call({ url: `/rails/${path}`, body, headers, token: null })

type Sent = Awaited<ReturnType<typeof post>>

// Asserts that a call is refused because of its signature: HTTP status 401 and the response code 02.
function assertUnsigned(answer: Sent, code = 'invalid_signature', about = ''): void {
  assert.equal(answer.statusCode, 401, `${about} ${answer.body}`)
  const { responseCode, code: found } = answer.json()
  assert.deepEqual([responseCode, found], ['02', code], about)
}

test('both secrets of a bank are good while it changes over, alone or together', async () => {
  const signings = [[OWN_RAIL_SECRET], [NEW_SECRET], [OTHER_SECRET, NEW_SECRET]]

  for (const secrets of signings) {
    const answer = await post({ secrets })
    assert.deepEqual([answer.statusCode, answer.json().responseCode], [200, '00'])
  }
})

test('another bank’s secret, the sandbox’s, or a missing one is refused on every call', async () => {
  const before = await databaseText(bench)

  for (const call of CALLS) {
    for (const secret of [OTHER_SECRET, SANDBOX_RAIL_SECRET]) {
      assertUnsigned(await post({ secrets: [secret] }, newCredit(), `035/${call}`))
    }
    const body = JSON.stringify(newCredit())
    const { 'webhook-signature': _, ...unsigned } = signedHeaders(bench, body)
    assertUnsigned(await send(body, unsigned, `035/${call}`))
    assertUnsigned(await send(body, {}, `035/${call}`))
  }
  assert.equal(await databaseText(bench), before)
})

test('each of the three headers is needed, and each byte of the body counts', async () => {
  const body = JSON.stringify(newCredit())
  const headers = signedHeaders(bench, body, { secrets: [OWN_RAIL_SECRET] })
  const changed = body.replace('5.00', '6.00')

  for (const name of ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const) {
    const { [name]: value, ...others } = headers
    assertUnsigned(await send(body, others), 'invalid_signature', `without ${name}`)
    assertUnsigned(await send(body, { ...others, [name]: '' }), 'invalid_signature', name)
    const other = name === 'webhook-timestamp' ? String(nowSeconds + 1) : `${value}x`
    assertUnsigned(await send(body, { ...others, [name]: other }), 'invalid_signature', name)
  }
  assertUnsigned(await send(changed, headers))
  assertUnsigned(await send(`${body} `, headers))
  assert.equal((await send(body, headers)).json().responseCode, '00')
})

test('a signature is good for five minutes either way, to the second', async () => {
  const cases = [
    [-WINDOW_SECONDS, 'taken'],
    [WINDOW_SECONDS, 'taken'],
    [-WINDOW_SECONDS - 1, 'refused'],
    [WINDOW_SECONDS + 1, 'refused'],
    [-86_400, 'refused'],
    [86_400_000, 'refused'],
  ] as const

  for (const [offset, expected] of cases) {
    const answer = await post({ atSeconds: nowSeconds + offset })
    if (expected === 'taken') assert.equal(answer.json().responseCode, '00', String(offset))
    else assertUnsigned(answer, 'signature_too_old', String(offset))
  }
})

test('a timestamp that is no plain number of seconds is refused', async () => {
  const body = JSON.stringify(newCredit())
  const secret = loadSecret(OWN_RAIL_SECRET)
  const headers = signedHeaders(bench, body)

  for (const written of [
    `0${nowSeconds}`,
    `+${nowSeconds}`,
    `${nowSeconds}.0`,
    '-1',
    'now',
    '1e9',
  ]) {
    const signature = sign({ secrets: [secret], id: 'msg_1', timestampSeconds: nowSeconds, body })
    const answer = await send(body, {
      ...headers,
      'webhook-id': 'msg_1',
      'webhook-timestamp': written,
      'webhook-signature': signature,
    })
    assertUnsigned(answer, 'invalid_signature', written)
  }
})

test('a recorded call that is sent again is answered 01 and books once', async () => {
  const credit = newCredit()
  const body = JSON.stringify(credit)
  const headers = signedHeaders(bench, body, { secrets: [OWN_RAIL_SECRET] })

  const first = await send(body, headers)
  const replays = await Promise.all([send(body, headers), send(body, headers)])

  assert.equal(first.json().responseCode, '00')
  assert.deepEqual(
    replays.map((each) => each.json().responseCode),
    ['01', '01'],
  )
  const { rows } = await bench.db.query(
    'select count(*)::int as count from credits where session_id = $1',
    [credit.sessionId],
  )
  assert.deepEqual(rows, [{ count: 1 }])
})

test('a call recorded for one rail is refused on another bank’s', async () => {
  const body = JSON.stringify(newCredit())
  const headers = signedHeaders(bench, body, { secrets: [OWN_RAIL_SECRET] })

  assertUnsigned(await send(body, headers, '058/credits'))
})

test('an unknown bank has no rail, however well the call is signed', async () => {
  for (const bank of ['044', '0035', '35', 'abc', '035%20', '035%00', '..', '__proto__']) {
    const answer = await post({}, newCredit(), `${bank}/credits`)
    assert([400, 404].includes(answer.statusCode), `${bank}: ${answer.statusCode} ${answer.body}`)
    if (/^\w+$/.test(bank)) assert.equal(answer.json().code, 'bank_not_supported', bank)
  }
})

test('a body of another content type is refused, signed or not', async () => {
  const body = JSON.stringify(newCredit())
  const signing = { secrets: [OWN_RAIL_SECRET] }

  for (const contentType of ['text/plain', 'application/x-www-form-urlencoded', 'json', '*/*']) {
    const answer = await post({ contentType }, body)
    assert.equal(answer.statusCode, 415, `${contentType} ${answer.body}`)
    assert.equal(answer.json().code, 'media_type_unsupported')
  }
  const untyped = { ...signedHeaders(bench, body, signing), 'content-type': '' }
  assert.equal((await send(body, untyped)).statusCode, 415)
  assert.equal((await post({}, body, '035/credits?format=mt940')).statusCode, 415)
  assert.equal((await post({ contentType: 'application/xml' }, body)).statusCode, 400)
  const spelt = await post({ contentType: 'Application/JSON ; charset=utf-8' }, body)
  assert.equal(spelt.json().responseCode, '00')
})

// This test uses a socket, because only there a header can be sent twice.
test('a header that is sent twice never makes an invalid call valid', async () => {
  await bench.service.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = bench.service.app.server.address() as AddressInfo
  const body = JSON.stringify(newCredit())
  const good = signedHeaders(bench, body, { secrets: [OWN_RAIL_SECRET] })
  const bad = signedHeaders(bench, body, { secrets: [OTHER_SECRET] })
  // Sends the credit with these headers, and returns the HTTP status.
  const sendOnSocket = async (headers: Record<string, string | string[]>): Promise<number> => {
    const call = request({ port, method: 'POST', path: '/rails/035/credits', headers })
    call.end(body)
    const [answer] = await new Promise<[import('node:http').IncomingMessage]>((resolve, reject) => {
      call.on('response', (message) => resolve([message])).on('error', reject)
    })
    await readText(answer)
    return answer.statusCode as number
  }
  const sendWithHeaderTwice = (name: keyof typeof good, other: string) =>
    sendOnSocket({ ...good, [name]: [good[name], other] })

  assert.equal(await sendWithHeaderTwice('webhook-id', good['webhook-id']), 401)
  assert.equal(await sendWithHeaderTwice('webhook-timestamp', good['webhook-timestamp']), 401)
  assert.equal(
    await sendOnSocket({ ...bad, 'webhook-signature': Array(2).fill(bad['webhook-signature']) }),
    401,
  )
  assert.equal(await sendOnSocket(good), 200)
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
