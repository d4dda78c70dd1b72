// Our webhook signatures equal the signatures of other implementations, and are valid only for the signed
// content.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { loadSecret, makeSecret, sign, type Verification, verify } from '#standard-webhooks.ts'

const NOW_MS = 1_767_225_600_000
const NOW_SECONDS = NOW_MS / 1000
const BODY = '{"id":"evt_1","amount":6000.5,"name":"Adé"}'
const SANDBOX_RAIL_SECRET = 'whsec_bWFuaWxsYS1zYW5kYm94LXJhaWwtc2VjcmV0LTAwMDA='

type Vector = { id: string; timestamp: number; body: string; secrets: string[]; signature: string }
const vectors: Vector[] = JSON.parse(
  readFileSync(new URL('./webhooks/vector.json', import.meta.url), 'utf8'),
).vectors

const ids = fc.string({ unit: fc.constantFrom(...'azAZ09_-:/+=~!'), minLength: 1, maxLength: 256 })

test('the published vectors hold, and the public package agrees with them', () => {
  for (const { id, timestamp, body, secrets, signature } of vectors) {
    assert.equal(
      sign({ secrets: secrets.map(loadSecret), id, timestampSeconds: timestamp, body }),
      signature,
    )
    const theirs = secrets.map((s) => new Webhook(s).sign(id, new Date(timestamp * 1000), body))
    assert.equal(theirs.join(' '), signature)
  }
})

test('the public package verifies our signatures', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: NOW_MS }) // The package reads the clock itself.
  fc.assert(
    fc.property(ids, fc.jsonValue(), (id, value) => {
      const secret = makeSecret(randomBytes)
      const body = JSON.stringify(value)
      const headers = {
        'webhook-id': id,
        'webhook-timestamp': String(NOW_SECONDS),
        'webhook-signature': sign({
          secrets: [loadSecret(secret)],
          id,
          timestampSeconds: NOW_SECONDS,
          body: Buffer.from(body),
        }),
      }
      new Webhook(secret).verify(body, headers)
    }),
    { numRuns: 50 },
  )
})

test('we verify signatures of the public package, as text and as bytes', () => {
  fc.assert(
    fc.property(ids, fc.string({ unit: 'grapheme' }), (id, body) => {
      const secret = makeSecret(randomBytes)
      const signature = new Webhook(secret).sign(id, new Date(NOW_MS), body)
      const signed = { secrets: [loadSecret(secret)], headers: signatureHeaders({ id, signature }) }
      assert.equal(verify({ ...signed, body, nowMs: NOW_MS }), 'ok')
      assert.equal(verify({ ...signed, body: Buffer.from(body), nowMs: NOW_MS }), 'ok')
    }),
    { numRuns: 50 },
  )
})

test('a change to the id, the timestamp, the body or the signature is noticed', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 127 }), (at, difference) => {
      const { headers, body } = signed()
      // Asserts that the signed message is no longer valid after this change.
      const assertRejected = (change: Partial<Verification>) =>
        assert.notEqual(verify({ ...signed(), ...change }), 'ok')
      assertRejected({ body: withChangedCharacter(String(body), at, difference) })
      assertRejected({
        headers: { ...headers, id: withChangedCharacter(headers.id as string, at, difference) },
      })
      assertRejected({ headers: { ...headers, timestamp: String(NOW_SECONDS + 1 + (at % 299)) } })
      const signature = withChangedCharacter(headers.signature as string, at, difference)
      assertRejected({ headers: { ...headers, signature } })
    }),
  )
  assert.equal(verify({ ...signed(), body: '' }), 'wrong')
  assert.equal(verify({ ...signed(), body: `${BODY} ` }), 'wrong')
  assert.equal(verify({ ...signed(), secrets: [loadSecret(makeSecret(randomBytes))] }), 'wrong')
  assert.equal(verify({ ...signed(), secrets: [] }), 'wrong')
})

test('another spelling of the same signature bytes is refused', () => {
  const { headers } = signed()
  const good = headers.signature as string
  const last = good.at(-2) as string
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  // 32 bytes are 256 bits, but 43 letters of base64 hold 258. So flipping the lowest bit of the last letter
  // gives another text that decodes to the same bytes.
  const sibling = alphabet[alphabet.indexOf(last) ^ 1] as string
  const respelt = `${good.slice(0, -2)}${sibling}=`
  assert.deepEqual(Buffer.from(respelt.slice(3), 'base64'), Buffer.from(good.slice(3), 'base64'))
  assert.equal(verify({ ...signed(), headers: { ...headers, signature: respelt } }), 'wrong')
})

test('during a rotation the old and the new secret are good on either side', () => {
  const [older, newer] = [makeSecret(randomBytes), makeSecret(randomBytes)] as const
  const secrets = [loadSecret(newer), loadSecret(older)]
  const both = sign({ secrets, id: 'evt_1', timestampSeconds: NOW_SECONDS, body: BODY })
  assert.equal(both.split(' ').length, 2)

  for (const secret of secrets) {
    const alone = sign({
      secrets: [secret],
      id: 'evt_1',
      timestampSeconds: NOW_SECONDS,
      body: BODY,
    })
    assert.equal(verify({ ...signed({ signature: both }), secrets: [secret] }), 'ok')
    assert.equal(verify({ ...signed({ signature: alone }), secrets }), 'ok')
  }
})

test('entries of other versions are passed over, before and after a good one', () => {
  const good = signed().headers.signature as string
  const value = good.slice(3)
  const verdict = (signature: string) => verify(signed({ signature }))
  for (const other of ['v1a,AAAA', `v2,${value}`, `v1a,${value}`, 'v1,short', 'junk', '']) {
    assert.equal(verdict(`${other} ${good}`), 'ok')
    assert.equal(verdict(`${good} ${other}`), 'ok')
  }
  for (const alone of [`v2,${value}`, `v1a,${value}`, value, `V1,${value}`, 'v1,', `v1${value}`]) {
    assert.equal(verdict(alone), 'wrong')
  }
  assert.equal(verdict(`v1,${'é'.repeat(44)}`), 'wrong')
  assert.equal(verdict(`v1,${'é'.repeat(22)}`), 'wrong')
})

test('the window is five minutes to either side, to the second', () => {
  // Verifies a message that was signed this many seconds after the time of the verification.
  const verifyAt = (seconds: number, toleranceSeconds?: number) => {
    const timestamp = String(NOW_SECONDS + seconds)
    const signature = sign({
      secrets: [loadSecret(SANDBOX_RAIL_SECRET)],
      id: 'evt_1',
      timestampSeconds: Number(timestamp),
      body: BODY,
    })
    const tolerance = toleranceSeconds === undefined ? {} : { toleranceSeconds }
    return verify({ ...signed({ timestamp, signature }), ...tolerance })
  }
  assert.deepEqual(
    [verifyAt(-300), verifyAt(-301), verifyAt(300), verifyAt(301)],
    ['ok', 'too_old', 'ok', 'too_new'],
  )
  assert.deepEqual([verifyAt(-10, 10), verifyAt(-11, 10)], ['ok', 'too_old'])
})

test('a header that is missing or malformed is told apart from a wrong one', () => {
  for (const name of ['id', 'timestamp', 'signature'] as const) {
    assert.equal(verify(signed({ [name]: undefined })), 'missing')
    assert.equal(verify(signed({ [name]: '' })), 'missing')
  }
  const malformedIds = ['a.b', 'a b', 'evt_1, evt_1', 'é', 'a\n', 'x'.repeat(257)]
  for (const id of malformedIds) assert.equal(verify(signed({ id })), 'malformed')
  for (const timestamp of ['now', '-1', '+1', '1.5', ' 1', '0x10', '1e9', '01', '9'.repeat(13)]) {
    assert.equal(verify(signed({ timestamp })), 'malformed')
  }
  assert.equal(verify(signed({ signature: 'v1,'.padEnd(5_000, 'A') })), 'malformed')
})

test('a secret is whsec_ and the base64 of 24 to 64 bytes, and no error quotes it', () => {
  assert.match(makeSecret(randomBytes), /^whsec_[A-Za-z0-9+/]{43}=$/)
  for (const size of [24, 32, 64]) loadSecret(`whsec_${randomBytes(size).toString('base64')}`)
  const encoded = randomBytes(32).toString('base64')
  const short = `whsec_${randomBytes(23).toString('base64')}`
  const long = `whsec_${randomBytes(65).toString('base64')}`
  for (const bad of ['', 'whsec_', encoded, `whsk_${encoded}`, short, long, `whsec_${encoded}\n`]) {
    assert.throws(
      () => loadSecret(bad),
      (error: Error) => bad.length < 8 || !error.message.includes(bad.slice(6)),
    )
  }
})

test('we never sign with an id that a receiver would refuse, nor without a secret', () => {
  const secrets = [loadSecret(SANDBOX_RAIL_SECRET)]
  assert.throws(() => sign({ secrets, id: 'a.b', timestampSeconds: NOW_SECONDS, body: BODY }))
  assert.throws(() =>
    sign({ secrets, id: 'evt_1', timestampSeconds: NOW_SECONDS + 0.5, body: BODY }),
  )
  assert.throws(() => sign({ secrets: [], id: 'evt_1', timestampSeconds: NOW_SECONDS, body: BODY }))
})

// Returns the headers of a valid signature of BODY, with changes.
function signatureHeaders(change: Partial<Verification['headers']>): Verification['headers'] {
  const signature = sign({
    secrets: [loadSecret(SANDBOX_RAIL_SECRET)],
    id: 'evt_1',
    timestampSeconds: NOW_SECONDS,
    body: BODY,
  })
  return { id: 'evt_1', timestamp: String(NOW_SECONDS), signature, ...change }
}

// Returns the arguments that verify BODY's signature, with changed headers.
function signed(change: Partial<Verification['headers']> = {}): Verification {
  const secrets = [loadSecret(SANDBOX_RAIL_SECRET)]
  return { secrets, headers: signatureHeaders(change), body: BODY, nowMs: NOW_MS }
}

// Returns the text with the bits of `difference` flipped in one character.
function withChangedCharacter(text: string, at: number, difference: number): string {
  const index = at % text.length
  const code = text.charCodeAt(index) ^ difference
  return text.slice(0, index) + String.fromCharCode(code) + text.slice(index + 1)
}
