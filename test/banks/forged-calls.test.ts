// Every connector refuses callers without the bank's secret, in constant time.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SANDBOX_CONNECTORS } from '#banks/connectors.ts'
import { isSecretEqual } from '#banks/notifications.ts'
import { connect, railCall, report, signed, startConnected } from './connector-bench.ts'
import { type ConnectorCase, type Headers, readSample } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'

const SOURCES = join(import.meta.dirname, '..', '..', 'src', 'banks')
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 'x').toString('base64')}`

function sampleOf({ connector, samples }: ConnectorCase): Buffer {
  return readSample(connector, samples[0]?.file ?? '')
}

// Each with its description, body and headers.
function forgeries(each: ConnectorCase): (readonly [string, Buffer, Headers])[] {
  const body = sampleOf(each)
  const right = signed(each, body)
  const signature = right[each.signatureHeader] ?? ''
  const changed = (text: string) => ({ ...right, [each.signatureHeader]: text })
  const { [each.signatureHeader]: _, ...without } = right
  const flipped = signature.replace(/.(?=.{2}$)/, (mark) => (mark === '1' ? '2' : '1'))
  return [
    ['no signature', body, without],
    ['an empty signature', body, changed('')],
    ['its first half', body, changed(signature.slice(0, signature.length / 2))],
    ['all of it but the last character', body, changed(signature.slice(0, -1))],
    ['more than it', body, changed(`${signature}0`)],
    ['one character changed', body, changed(flipped)],
    // In Standard Webhooks that header is a list, and one valid signature in it is enough.
    ...(each.signatureHeader === 'webhook-signature'
      ? []
      : ([['the header twice', body, changed(`${signature}, ${signature}`)]] as const)),
    ['another secret', body, signed({ ...each, secret: OTHER_SECRET }, body)],
  ]
}

// Adds unsigned fields to a credit under its signature.
function carrying(each: ConnectorCase, fields: object): [Buffer, Headers] {
  if (!each.signsFields) {
    const body = Buffer.from(JSON.stringify(fields))
    return [body, signed(each, body)]
  }
  const credit = sampleOf(each)
  const body = Buffer.from(JSON.stringify({ ...JSON.parse(String(credit)), ...fields }))
  return [body, signed(each, credit)]
}

for (const each of CONNECTOR_CASES) {
  test(`${each.label}: forgeries are refused, and nothing is kept of them`, async () => {
    await using bench = await startConnected(each)
    for (const [what, body, headers] of forgeries(each)) {
      const answer = await report(bench, body, headers)
      assert.equal(answer.statusCode, 401, what)
    }
    const { rows } = await bench.db.query(
      `select (select count(*)::int from credits) as credits,
              (select count(*)::int from rail_items) as items,
              (select count(*)::int from requeries) as questions`,
    )
    assert.deepEqual(rows, [{ credits: 0, items: 0, questions: 0 }])
  })

  test(`${each.label}: other calls are taken where all of the body is authentic`, async () => {
    await using bench = await startConnected(each)
    const sent = sampleOf(each)
    const { statusCode } = await report(bench, sent, signed(each, sent))
    assert.equal(statusCode, 200)
    for (const call of ['name-enquiry', 'reversals', 'returns']) {
      const [body, headers] = carrying(each, {
        accountNumber: '0000000001',
        ...{ sessionId: 'R', originalSessionId: 'O', amount: 1 },
        ...{ reference: 'RTN000000000001', status: 'confirmed' },
      })
      const url = `/rails/101/${call}`
      const answer = await bench.call({ method: 'POST', url, body, headers, token: null })
      const isRefused = answer.json().code === 'invalid_signature'
      const isSigned = !each.signsFields && !each.hintsOnly
      assert.equal(isRefused, !isSigned, `${call} ${answer.body}`)
    }
  })

  test(`${each.label}: a header that comes twice, as a list, is refused`, () => {
    const body = sampleOf(each)
    const right = signed(each, body)
    const signature = right[each.signatureHeader] ?? ''
    const { connection } = connect(each)
    assert.equal(connection?.authenticate(railCall(right, body)), 'ok')

    const twice = { ...right, [each.signatureHeader]: [signature, signature] }

    assert.equal(connection.authenticate(railCall(twice, body)), 'invalid_signature')
  })

  for (const other of CONNECTOR_CASES.filter(({ connector }) => connector !== each.connector)) {
    test(`${each.label}: a call of ${other.label} is refused`, () => {
      const { connection } = connect(each)
      const body = sampleOf(other)
      const headers = signed(other, body)
      // Our own connectors share a rail and, in the sandbox, its secret.
      const isOurs = [each, other].every(({ connector }) => /^(manilla|iso20022)$/.test(connector))
      const verdict = connection?.authenticate(railCall(headers, body))
      assert.equal(verdict, isOurs ? 'ok' : 'invalid_signature')
    })
  }
}

for (const each of CONNECTOR_CASES.filter(({ signedPart }) => signedPart !== null)) {
  test(`${each.label}: a body that was changed is refused`, () => {
    const [part, forged] = each.signedPart ?? ['', '']
    const body = sampleOf(each)
    const changed = Buffer.from(String(body).replace(part, forged))
    assert.notDeepEqual(changed, body)
    const { connection } = connect(each)

    const verdict = connection?.authenticate(railCall(signed(each, body), changed))

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
    const byStandard = /\bverify\(|manillaConnector\.connect\(/ // They use timingSafeEqual too.
    assert.match(text, new RegExp(`isSecretEqual\\(|${byStandard.source}`))
    assert.doesNotMatch(text, /[!=]==? *(?:header|expected|signature|secret|token|value)\b/)
    assert.doesNotMatch(text, /\b(?:header|expected|signature)(?:\.\w+\(\))? *[!=]==?/)
  })
}
