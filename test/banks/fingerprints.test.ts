// The fingerprint of a connection differs wherever the bank may not know our payouts, and is the
// same wherever it does. So a payout is never failed because another connection has no record of it
// (I47).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from './connector-bench.ts'
import { FULL_CASES, type FullCase, fullCase } from './full-cases.ts'
import { SQUAD_BODY } from './squad/conformance-case.ts'

const SENDING = FULL_CASES.filter((each) => connect(each).connection?.calls.sendMoney)

function fingerprintOf(each: FullCase, settings: object = {}, secrets: object = {}): string {
  const { connection, problems } = connect({
    ...each,
    settings: { ...each.settings, ...settings },
    secrets: { ...each.secrets, ...secrets },
  })
  assert(connection, problems.join('\n'))
  return connection.fingerprint
}

test('each connector, address, merchant, wallet or business has another', () => {
  const all = [
    ...SENDING.map((each) => fingerprintOf(each)),
    ...SENDING.map((each) => fingerprintOf(each, { baseUrl: 'http://127.0.0.1:10' })),
    ...SENDING.flatMap((each) =>
      each.api.otherScope ? [fingerprintOf(each, each.api.otherScope)] : [],
    ),
  ]
  assert(SENDING.some(({ api }) => api.otherScope))
  assert.equal(new Set(all).size, all.length)
})

for (const each of SENDING) {
  test(`${each.label}: rotated secrets and limits leave it the same, and it is stable`, () => {
    const secrets = Object.keys(each.secrets).filter((name) => name !== 'railSecret')
    const rotated = Object.fromEntries(secrets.map((name) => [name, 'another-secret']))
    const limits = { ratePerSecond: 7, timeoutMs: 5_000, baseUrl: 'http://127.0.0.1:9/' }
    assert.equal(fingerprintOf(each, limits, rotated), fingerprintOf(each))
    assert.match(fingerprintOf(each), /^[0-9a-f]{16}$/)
  })
}

test('it stays what it is: it is kept with payouts', () => {
  assert.equal(fingerprintOf(fullCase(SQUAD_BODY)), '99b97a0a61f5cf0a')
})
