// A wrongly configured connector does not start, and says why in one sentence per problem.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBanks } from '#config/bank-settings.ts'
import type { Bench } from '../support/running-service.ts'
import { BANK_CODE, connect, signed, startConnected } from './connector-bench.ts'
import { type ConnectorCase, readSample } from './connector-case.ts'
import { CONNECTOR_CASES } from './connector-cases.ts'
import { FULL_CASES } from './full-cases.ts'

const FINGERPRINT = 'ab'.repeat(32)
const leavesAmountUnsigned = ({ signsNoAmount }: ConnectorCase) => signsNoAmount === true
// The template may serve a bank only in the sandbox.
const isForLive = ({ connector }: ConnectorCase) => connector !== 'template'

for (const connectorCase of [...CONNECTOR_CASES, ...FULL_CASES]) {
  const { label, settings, secrets } = connectorCase

  test(`${label}: the right configuration has no problem`, () => {
    assert.deepEqual(connect(connectorCase).problems, [])
    assert(connect(connectorCase).connection)
  })

  for (const name of Object.keys(secrets)) {
    test(`${label}: without the secret ${name} it does not start`, () => {
      const { [name]: _, ...rest } = secrets
      const { connection, problems } = connect({ ...connectorCase, secrets: rest })
      assert.equal(connection, undefined)
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0] ?? '', new RegExp(`secrets\\.${name} is missing`))
    })
  }

  test(`${label}: each setting of another type is named, and no value is quoted`, () => {
    for (const name of Object.keys(settings)) {
      const { connection, problems } = connect({
        ...connectorCase,
        settings: { ...settings, [name]: [7] },
      })
      assert.equal(connection, undefined)
      assert.match(problems.join('\n'), new RegExp(`settings\\.${name} must be `))
    }
  })

  test(`${label}: unknown settings and secrets are named`, () => {
    const { connection, problems } = connect({
      ...connectorCase,
      settings: { ...settings, tiemoutMs: 5 },
      secrets: { ...secrets, passwrod: 'hidden' },
    })
    assert.equal(connection, undefined)
    assert.equal(problems.length, 2)
    assert.match(problems.join('\n'), /settings has unknown field "tiemoutMs"; allowed: .*allow/)
    assert.match(problems.join('\n'), /secrets has unknown field "passwrod"; allowed: \w/)
    assert(!problems.join().includes('hidden'))
  })

  test(`${label}: all problems are told at once`, () => {
    const { problems } = connect({
      ...connectorCase,
      settings: { timeoutMs: 1, allow: ['x'] },
      secrets: {},
    })
    assert(problems.length >= 3, problems.join('\n'))
    for (const problem of problems) assert.match(problem, /^[a-z].{10,200}$/i)
  })
}

for (const connectorCase of CONNECTOR_CASES.filter(({ hintsOnly }) => hintsOnly)) {
  test(`${connectorCase.label}: it does not start where its bank cannot be asked`, () => {
    const { connection, problems } = connect({ ...connectorCase, settings: {} })
    assert.equal(connection, undefined)
    assert.equal(problems.length, 1)
    assert.match(problems[0] ?? '', /signs nothing: settings\.baseUrl is required/)
  })
}

test('wema needs to be told how it authenticates', () => {
  const { problems } = connect({ connector: 'wema', settings: {}, secrets: {} })
  assert.deepEqual(problems, ['settings.authentication is missing'])
})

for (const connectorCase of FULL_CASES.filter(isForLive)) {
  test(`${connectorCase.label}: in live mode, its API is called over https only`, () => {
    const allow = { allow: ['10.1.2.0/24'] }
    const problemsWithUrl = (baseUrl: string) =>
      connect(
        { ...connectorCase, settings: { ...connectorCase.settings, ...allow, baseUrl } },
        'live',
      ).problems
    assert.deepEqual(problemsWithUrl('https://bank.example.com/api'), [])
    assert.match(
      problemsWithUrl('http://bank.example.com/api').join(),
      /^settings\.baseUrl must be an https/,
    )
  })
}

test('the template is for the sandbox only', () => {
  const { connection, problems } = connect(
    { connector: 'template', settings: {}, secrets: { signingKey: 'k' } },
    'live',
  )
  assert.equal(connection, undefined)
  assert.match(problems.join(), /^connector "template" is unknown; allowed: manilla, /)
  assert.doesNotMatch(problems.join().split('allowed:')[1] ?? '', /template/)
})

for (const connectorCase of CONNECTOR_CASES.filter(isForLive)) {
  test(`${connectorCase.label}: live mode requires a known source where amounts are not signed`, () => {
    const problemsWith = (more: object) =>
      connect({ ...connectorCase, settings: { ...connectorCase.settings, ...more } }, 'live')
        .problems
    const mutualTls = { header: 'x-client-cert-sha256', fingerprints: [FINGERPRINT] }
    assert.deepEqual(problemsWith({ allow: ['10.1.2.0/24'] }), [])
    assert.deepEqual(problemsWith({ mutualTls }), [])
    const [problem, ...others] = problemsWith({})
    assert.deepEqual(others, [])
    if (leavesAmountUnsigned(connectorCase))
      assert.match(problem ?? '', /does not sign amounts: live mode requires/)
    else if (connectorCase.signsFields)
      assert.match(problem ?? '', /signs some fields only: live mode req/)
    else assert.equal(problem, undefined)
  })
}

test('a problem of a connector stops the start, under the number of its bank', () => {
  const problems: string[] = []
  const bank = {
    code: '101',
    name: 'Providus',
    connector: 'providus',
    secrets: { clientSecret: 'S' },
  }
  const ranges = { static: { from: 1, to: 2 }, dynamic: { from: 3, to: 4 } }
  const banks = readBanks(
    JSON.stringify([{ ...bank, ...ranges }]),
    { mode: 'live', env: { S: 'secret' } },
    (problem) => problems.push(problem),
  )
  assert.equal(banks, undefined)
  assert.deepEqual(problems, [
    'bank 1: settings.clientId is missing',
    'bank 1: connector providus does not sign amounts: live mode requires settings.allow or ' +
      'settings.mutualTls',
  ])
})

for (const connectorCase of CONNECTOR_CASES.filter(leavesAmountUnsigned)) {
  test(`${connectorCase.label}: a right token from another address is refused`, async () => {
    await using bench = await startConnected(connectorCase, {
      settings: { allow: ['10.1.2.0/24'] },
    })
    assert.equal(
      (await reportFrom(bench, connectorCase, { remoteAddress: '10.1.2.9' })).statusCode,
      200,
    )

    const refused = await reportFrom(bench, connectorCase, { remoteAddress: '10.1.3.9' })

    assert.equal(refused.statusCode, 401)
    assert.match(refused.body, /Calls from this address are not allowed/)
  })

  test(`${connectorCase.label}: a certificate counts from a trusted proxy only`, async () => {
    const header = 'x-client-cert-sha256'
    await using bench = await startConnected(connectorCase, {
      settings: { mutualTls: { header, fingerprints: [FINGERPRINT.toUpperCase()] } },
      env: { MANILLA_TRUSTED_PROXIES: '10.9.0.1' },
    })
    const statusFrom = async (remoteAddress: string, fingerprint: string) =>
      (
        await reportFrom(bench, connectorCase, {
          remoteAddress,
          headers: { [header]: fingerprint },
        })
      ).statusCode

    assert.equal(await statusFrom('10.9.0.1', FINGERPRINT), 200)
    assert.equal(await statusFrom('10.9.0.2', FINGERPRINT), 401)
    assert.equal(await statusFrom('10.9.0.1', 'cd'.repeat(32)), 401)
  })
}

// Sends the connector's first sample to the service from an IP address.
function reportFrom(
  bench: Bench,
  connectorCase: ConnectorCase,
  { remoteAddress, headers = {} }: { remoteAddress: string; headers?: Record<string, string> },
) {
  const body = readSample(connectorCase.connector, connectorCase.samples[0]?.file ?? '')
  return bench.service.app.inject({
    method: 'POST',
    url: `/rails/${BANK_CODE}/credits`,
    payload: body,
    headers: { ...signed(connectorCase, body), ...headers },
    remoteAddress,
  })
}
