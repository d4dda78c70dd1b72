// Clients log in for tokens: only the right secret gives a token, and a token works only within its hour
// and if this service signed it for itself.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose'
import { costsOf } from '../support/cheap-hashing.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  accountBody,
  assertAlike,
  assertRefused,
  refusalFaults,
} from '../support/fixtures.ts'
import { SECRETS, startTestService } from '../support/running-service.ts'

const LOGIN = '/api/Account/login'
const OAUTH = '/oauth/token'
const GRANT = 'grant_type=client_credentials'
const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const SIGNING_KEY = Buffer.from(SECRETS.MANILLA_TOKEN_SECRETS, 'base64')
const RIGHT = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
const HOUR_SECONDS = 3600

const bench = closeAfterTests(await startTestService())

test('the sandbox client logs in and gets a bearer token for an hour', async () => {
  const answer = await bench.call({ url: LOGIN, body: RIGHT, token: null })

  assert.equal(answer.statusCode, 200)
  const { access_token, ...rest } = answer.json()
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: HOUR_SECONDS })
  const { iat, exp, iss, aud } = decodeJwt(access_token)
  assert.equal(Number(exp) - Number(iat), HOUR_SECONDS)
  assert(iss && aud)
  assert.match(String(decodeProtectedHeader(access_token).alg), /^(HS256|EdDSA)$/)
  assert.equal((await readWith(access_token)).json().code, 'account_not_found')
})

test('OAuth gives the same token for a form or for Basic', async () => {
  const form = `${GRANT}&client_id=MAN0000001&client_secret=sandbox-secret`
  const basic = { authorization: `Basic ${btoa('MAN0000001:sandbox-secret')}` }
  const escaped = { authorization: `Basic ${btoa('MAN%30000001:sandbox%2Dsecret')}` }
  const byForm = await requestToken(form)
  const byBasic = await requestToken(`${GRANT}&scope=all&audience=whatever`, basic)
  const byEscaped = await requestToken(GRANT, escaped)

  for (const answer of [byForm, byBasic, byEscaped]) {
    assert.equal(answer.statusCode, 200, answer.body)
    const { access_token, ...rest } = answer.json()
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: HOUR_SECONDS })
    assert.equal((await readWith(access_token)).json().code, 'account_not_found')
  }
})

test('no answer with a token in it may be kept by a cache', async () => {
  const login = await bench.call({ url: LOGIN, body: RIGHT, token: null })
  const form = `${GRANT}&client_id=MAN0000001&client_secret=sandbox-secret`
  const oauth = await requestToken(form)

  assert.equal(login.headers['cache-control'], 'no-store')
  assert.equal(oauth.headers['cache-control'], 'no-store')
})

test('an unknown client and a wrong secret get the same 401', async () => {
  const wrong = { ...RIGHT, clientSecret: 'sandbox-secreT' }
  const unknown = { clientId: 'MAN9999999', clientSecret: 'sandbox-secret' }
  const one = await bench.call({ url: LOGIN, body: wrong, token: null })
  const other = await bench.call({ url: LOGIN, body: unknown, token: null })

  assertRefused(one, { status: 401, code: 'invalid_credentials' })
  assertAlike(one, other)
})

test('an unknown client takes as long to refuse as a wrong secret', async () => {
  const assertLoginRefused = async (body: typeof RIGHT) => {
    const answer = await bench.call({ url: LOGIN, body, token: null })
    assert.equal(answer.statusCode, 401)
  }
  const wrong = await costsOf(() => assertLoginRefused({ ...RIGHT, clientSecret: 'wrong' }))
  const unknown = await costsOf(() => assertLoginRefused({ ...RIGHT, clientId: 'NOBODY' }))

  assert.deepEqual(wrong, [2 ** 14])
  assert.deepEqual(unknown, wrong)
})

test('OAuth refuses in the words of RFC 6749', async () => {
  const right = 'client_id=MAN0000001&client_secret=sandbox-secret'
  const cases = [
    [400, 'unsupported_grant_type', `grant_type=password&${right}`],
    [400, 'invalid_request', right],
    [400, 'invalid_request', ''],
    [400, 'invalid_request', `${GRANT}&client_id=MAN0000001&${right}`],
    [401, 'invalid_client', `${GRANT}&client_id=MAN0000001&client_secret=no`],
    [401, 'invalid_client', `${GRANT}&client_id=NOBODY&client_secret=sandbox-secret`],
  ] as const

  for (const [status, error, body] of cases) {
    const answer = await requestToken(body)
    assert.equal(answer.statusCode, status, `${body}: ${answer.body}`)
    assert.equal(answer.json().error, error, body)
    assert.equal(typeof answer.json().error_description, 'string')
    assert.doesNotMatch(answer.body, /see errors/) // OAuth answers have no list of errors to refer to.
  }
})

test('OAuth answers wrong Basic credentials with the scheme to use', async () => {
  for (const credentials of ['MAN0000001:no', 'NOBODY:sandbox-secret', 'no-colon', '']) {
    const authorization = `Basic ${btoa(credentials)}`
    const answer = await requestToken(GRANT, { authorization })
    assert.equal(answer.statusCode, 401, `${credentials}: ${answer.body}`)
    assert.equal(answer.json().error, 'invalid_client')
    assert.match(String(answer.headers['www-authenticate']), /^Basic\b/)
  }
})

test('a token works only within its hour, and only if this service signed it for itself', async () => {
  const genuine = await bench.login()
  const claims = decodeJwt(genuine)
  const header = decodeProtectedHeader(genuine) as { alg: string }
  assert.equal((await readWith(await forge({}))).json().code, 'account_not_found')

  const now = Math.floor(bench.clock().getTime() / 1000)
  const [head = '', body = '', signature = ''] = genuine.split('.')
  const forged: Record<string, string> = {
    'wrong issuer': await forge({ iss: 'somebody' }),
    'wrong audience': await forge({ aud: 'somebody' }),
    'no issuer': await forge({ iss: undefined }),
    'no audience': await forge({ aud: undefined }),
    'no expiry': await forge({ exp: undefined }),
    'no subject': await forge({ sub: undefined }),
    'a client that does not exist': await forge({ sub: 'NOBODY' }),
    'not yet valid': await forge({ nbf: now + HOUR_SECONDS }),
    'expired by a second': await forge({ exp: now - 1 }),
    'expired at this instant': await forge({ exp: now }),
    'another secret': await forge({}, header, Buffer.alloc(32, 'x')),
    'an empty secret of zeros': await forge({}, header, Buffer.alloc(32)),
    'another algorithm': await forge({}, { ...header, alg: 'HS512' }, Buffer.alloc(64, 't')),
    'a tampered claim': [head, encodePart({ ...claims, sub: 'MAN0000002' }), signature].join('.'),
    'a longer life': [head, encodePart({ ...claims, exp: now * 2 }), signature].join('.'),
    'a tampered signature': [head, body, changeSignature(signature)].join('.'),
    'no signature': [head, body, ''].join('.'),
    'alg none': [encodePart({ alg: 'none', typ: 'JWT' }), body, ''].join('.'),
    'alg None, signed': [encodePart({ ...header, alg: 'None' }), body, signature].join('.'),
    'two parts': [head, body].join('.'),
    'four parts': [genuine, 'x'].join('.'),
    'no token at all': 'x',
  }

  const faults: string[] = []
  for (const [name, token] of Object.entries(forged)) {
    const answer = await readWith(token)
    faults.push(...refusalFaults(answer, 'account', [401]).map((fault) => `${name}: ${fault}`))
  }
  assert.deepEqual(faults, [])

  // Signs a token with some claims, the header or the key changed.
  function forge(changes: Record<string, unknown>, protectedHeader = header, key = SIGNING_KEY) {
    return new SignJWT({ ...claims, ...changes }).setProtectedHeader(protectedHeader).sign(key)
  }
})

test('a token lasts its whole hour and not a second longer', async () => {
  const token = await bench.login()

  bench.advance((HOUR_SECONDS - 1) * 1000)
  const inTime = await readWith(token)
  bench.advance(1000)
  const tooLate = await readWith(token)

  assert.equal(inTime.json().code, 'account_not_found')
  assertRefused(tooLate, { status: 401, code: 'token_expired' })
})

test('no endpoint that needs a token works without one, whatever stands in its place', async () => {
  const token = await bench.login()
  const basic = `Basic ${btoa('MAN0000001:sandbox-secret')}`
  const wrong = ['', 'Bearer', 'Bearer ', token, basic, `Bearer ${token} x`, `Bearer x${token}`]

  const faults: string[] = []
  for (const authorization of [undefined, ...wrong]) {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    for (const [method, url, family] of GUARDED) {
      const body = method === 'POST' ? accountBody() : undefined
      const answer = await bench.call({ method, url, body, headers, token: null })
      const found = refusalFaults(answer, family, [401])
      faults.push(...found.map((fault) => `${url} with ${authorization}: ${fault}`))
      if (!/^Bearer\b/.test(String(answer.headers['www-authenticate']))) {
        faults.push(`${url} with ${authorization}: does not ask for a bearer`)
      }
    }
  }
  assert.deepEqual([...new Set(faults)], [])
})

test('the name of the scheme may be written in any case', async () => {
  const authorization = `bearer ${await bench.login()}`

  const answer = await bench.call({ url: `${ACCOUNTS}/1`, headers: { authorization }, token: null })

  assert.equal(answer.json().code, 'account_not_found')
})

const GUARDED = [
  ['POST', ACCOUNTS, 'account'],
  ['GET', `${ACCOUNTS}/0000000000`, 'account'],
  ['POST', '/Payment/advice', 'payment'],
  ['GET', '/Payment/advice/6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10', 'payment'],
  ['POST', '/Payment/process/banktransfer/simulate/payment', 'payment'],
  ['GET', '/api/Transaction/bypaymentreference/x', 'payment'],
  ['GET', '/api/Transaction/byadvicereference/x', 'payment'],
] as const

function readWith(token: string) {
  return bench.call({ url: `${ACCOUNTS}/0000000000`, token })
}

function requestToken(body: string, headers: Record<string, string> = {}) {
  return bench.call({ url: OAUTH, body, headers: { ...FORM, ...headers }, token: null })
}

// Encodes the header or the claims of a token.
function encodePart(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}

// Changes the first character of a signature. The last one is unsuitable, because a decoder ignores some of
// its bits.
function changeSignature(signature: string): string {
  return (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
}
