// The fingerprint of a connection changes whenever the new connection may reach an account at the bank that
// does not know our earlier payouts, and only then. So a payout is never failed because another connection
// has no record of it (I47).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connect } from './connector-bench.ts'
import { FULL_CASES, type FullCase, fullCase } from './full-cases.ts'
import { SQUAD_BODY } from './squad/conformance-case.ts'

const SENDING = FULL_CASES.filter(
  (connectorCase) => connect(connectorCase).connection?.calls.sendMoney,
)

// Returns the fingerprint of the connection with these settings and secrets changed.
function fingerprintOf(
  connectorCase: FullCase,
  settings: object = {},
  secrets: object = {},
): string {
  const { connection, problems } = connect({
    ...connectorCase,
    settings: { ...connectorCase.settings, ...settings },
    secrets: { ...connectorCase.secrets, ...secrets },
  })
  assert(connection, problems.join('\n'))
  return connection.fingerprint
}

test('each connector, address, merchant, wallet or business has another', () => {
  const all = [
    ...SENDING.map((connectorCase) => fingerprintOf(connectorCase)),
    ...SENDING.map((connectorCase) =>
      fingerprintOf(connectorCase, { baseUrl: 'http://127.0.0.1:10' }),
    ),
    ...SENDING.flatMap((connectorCase) =>
      connectorCase.api.otherScope
        ? [fingerprintOf(connectorCase, connectorCase.api.otherScope)]
        : [],
    ),
  ]
  assert(SENDING.some(({ api }) => api.otherScope))
  assert.equal(new Set(all).size, all.length)
})

for (const connectorCase of SENDING) {
  test(`${connectorCase.label}: rotated secrets and limits leave it the same, and it is stable`, () => {
    const secrets = Object.keys(connectorCase.secrets).filter((name) => name !== 'railSecret')
    const rotated = Object.fromEntries(secrets.map((name) => [name, 'another-secret']))
    const limits = { ratePerSecond: 7, timeoutMs: 5_000, baseUrl: 'http://127.0.0.1:9/' }
    assert.equal(fingerprintOf(connectorCase, limits, rotated), fingerprintOf(connectorCase))
    assert.match(fingerprintOf(connectorCase), /^[0-9a-f]{16}$/)
  })
}

test('a fingerprint never changes, because it is stored with payouts', () => {
  assert.equal(fingerprintOf(fullCase(SQUAD_BODY)), '99b97a0a61f5cf0a')
})
