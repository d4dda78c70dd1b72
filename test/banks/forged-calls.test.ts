// Every connector refuses callers without the bank's secret, and compares secrets in constant time.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SANDBOX_CONNECTORS } from '#banks/connectors.ts'
import { isSecretEqual } from '#banks/notifications.ts'
import { connect, countKept, railCall, report, shareConnected, signed } from './connector-bench.ts'
import { type ConnectorCase, type Headers, readSample } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'

const SOURCES = join(import.meta.dirname, '..', '..', 'src', 'banks')
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`

function sampleOf({ connector, samples }: ConnectorCase): Buffer {
  return readSample(connector, samples[0]?.file ?? '')
}

// Returns forged calls, each with its description, body and headers.
function forgeries(connectorCase: ConnectorCase): (readonly [string, Buffer, Headers])[] {
  const body = sampleOf(connectorCase)
  const validHeaders = signed(connectorCase, body)
  const signature = validHeaders[connectorCase.signatureHeader] ?? ''
  const headersWithSignature = (text: string) => ({
    ...validHeaders,
    [connectorCase.signatureHeader]: text,
  })
  const { [connectorCase.signatureHeader]: _, ...unsignedHeaders } = validHeaders
  // Changes the third character from the end.
  const changedSignature = signature.replace(/.(?=.{2}$)/, (mark) => (mark === '1' ? '2' : '1'))
  return [
    ['no signature', body, unsignedHeaders],
    ['an empty signature', body, headersWithSignature('')],
    ['its first half', body, headersWithSignature(signature.slice(0, signature.length / 2))],
    ['all of it but the last character', body, headersWithSignature(signature.slice(0, -1))],
    ['more than it', body, headersWithSignature(`${signature}0`)],
    ['one character changed', body, headersWithSignature(changedSignature)],
    // In Standard Webhooks the signature header is a list, in which one valid signature is enough.
    ...(connectorCase.signatureHeader === 'webhook-signature'
      ? []
      : ([
          ['the header twice', body, headersWithSignature(`${signature}, ${signature}`)],
        ] as const)),
    ['another secret', body, signed({ ...connectorCase, secret: OTHER_SECRET }, body)],
  ]
}

// Returns a call with these fields: added to a signed credit, outside of its signature, if the signature
// covers fields only; otherwise as a signed body.
function callWithFields(connectorCase: ConnectorCase, fields: object): [Buffer, Headers] {
  if (!connectorCase.signsFields) {
    const body = Buffer.from(JSON.stringify(fields))
    return [body, signed(connectorCase, body)]
  }
  const credit = sampleOf(connectorCase)
  const body = Buffer.from(JSON.stringify({ ...JSON.parse(String(credit)), ...fields }))
  return [body, signed(connectorCase, credit)]
}

for (const connectorCase of CONNECTOR_CASES) {
  const connected = shareConnected(connectorCase)

  test(`${connectorCase.label}: forgeries are refused, and nothing is kept of them`, async () => {
    const bench = await connected()
    const before = await countKept(bench)
    for (const [what, body, headers] of forgeries(connectorCase)) {
      const answer = await report(bench, body, headers)
      assert.equal(answer.statusCode, 401, what)
    }
    assert.deepEqual(await countKept(bench), before)
  })

  test(`${connectorCase.label}: other calls are taken where all of the body is authentic`, async () => {
    const bench = await connected()
    const sent = sampleOf(connectorCase)
    const { statusCode } = await report(bench, sent, signed(connectorCase, sent))
    assert.equal(statusCode, 200)
    for (const call of ['name-enquiry', 'reversals', 'returns']) {
      const [body, headers] = callWithFields(connectorCase, {
        accountNumber: '0000000001',
        ...{ sessionId: 'R', originalSessionId: 'O', amount: 1 },
        ...{ reference: 'RTN000000000001', status: 'confirmed' },
      })
      const url = `/rails/101/${call}`
      const answer = await bench.call({ method: 'POST', url, body, headers, token: null })
      const isRefused = answer.json().code === 'invalid_signature'
      const isSigned = !connectorCase.signsFields && !connectorCase.hintsOnly
      assert.equal(isRefused, !isSigned, `${call} ${answer.body}`)
    }
  })

  test(`${connectorCase.label}: a header that comes twice, as a list, is refused`, () => {
    const body = sampleOf(connectorCase)
    const right = signed(connectorCase, body)
    const signature = right[connectorCase.signatureHeader] ?? ''
    const { connection } = connect(connectorCase)
    assert.equal(connection?.authenticate(railCall(right, body)), 'ok')

    const twice = { ...right, [connectorCase.signatureHeader]: [signature, signature] }

    assert.equal(connection.authenticate(railCall(twice, body)), 'invalid_signature')
  })

  for (const other of CONNECTOR_CASES.filter(
    ({ connector }) => connector !== connectorCase.connector,
  )) {
    test(`${connectorCase.label}: a call of ${other.label} is refused`, () => {
      const { connection } = connect(connectorCase)
      const body = sampleOf(other)
      const headers = signed(other, body)
      // The connectors manilla and iso20022 share a rail and, in the sandbox, its secret.
      const isOurs = [connectorCase, other].every(({ connector }) =>
        /^(manilla|iso20022)$/.test(connector),
      )
      const verdict = connection?.authenticate(railCall(headers, body))
      assert.equal(verdict, isOurs ? 'ok' : 'invalid_signature')
    })
  }
}

for (const connectorCase of CONNECTOR_CASES.filter(({ signedPart }) => signedPart !== null)) {
  test(`${connectorCase.label}: a body that was changed is refused`, () => {
    const [part, forged] = connectorCase.signedPart ?? ['', '']
    const body = sampleOf(connectorCase)
    const changed = Buffer.from(String(body).replace(part, forged))
    assert.notDeepEqual(changed, body)
    const { connection } = connect(connectorCase)

    const verdict = connection?.authenticate(railCall(signed(connectorCase, body), changed))

    assert.equal(verdict, 'invalid_signature')
  })
}

test('secrets of any lengths are compared without an early end', () => {
  assert(isSecretEqual('secret', 'secret'))
  for (const guess of [
    '',
    's',
    'secre',
    'secret ',
    'Secret',
    'secretsecret',
    'x'.repeat(100_000),
  ]) {
    assert(!isSecretEqual(guess, 'secret'), guess.slice(0, 20))
  }
  const text = readFileSync(join(SOURCES, 'notifications.ts'), 'utf8')
  assert.match(text, /timingSafeEqual\(digest\(value\), digest\(secret\)\)/)
})

for (const { name } of SANDBOX_CONNECTORS) {
  test(`${name}: its secret is compared by nothing else`, () => {
    const text = readFileSync(join(SOURCES, name, 'connector.ts'), 'utf8')
    // verify() and the Manilla connector also compare in constant time.
    const byStandard = /\bverify\(|manillaConnector\.connect\(/
    assert.match(text, new RegExp(`isSecretEqual\\(|${byStandard.source}`))
    assert.doesNotMatch(text, /[!=]==? *(?:header|expected|signature|secret|token|value)\b/)
    assert.doesNotMatch(text, /\b(?:header|expected|signature)(?:\.\w+\(\))? *[!=]==?/)
  })
}
