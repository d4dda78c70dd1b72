// A connector in an npm package serves a bank like a built-in one. An unusable package gives one
// sentence at start-up.

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { connectBank } from '#banks/connectors.ts'
import { bankConfigurations, readBanks } from '#config/bank-settings.ts'
import { loadConfig } from '#config/config.ts'
import { installPackage, installTemplate, PACKAGE } from '../support/connector-package.ts'
import { startTestService } from '../support/running-service.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { hmac, readSample } from './connector-case.ts'

const RANGES = { static: { from: 1, to: 99 }, dynamic: { from: 100, to: 199 } }
const KEY = 'the-key-of-acme'
const env = { ACME_KEY: KEY, ACME_API_KEY: 'the-api-key' }
const BANK = {
  code: '101',
  name: 'Acme Bank',
  connector: { package: PACKAGE },
  settings: { baseUrl: 'http://127.0.0.1:9' },
  secrets: { signingKey: 'ACME_KEY', apiKey: 'ACME_API_KEY' },
  ...RANGES,
}

// Reads a banks file. Returns its banks and the problems found.
function read(folder: string, banks: readonly object[], mode: 'sandbox' | 'live' = 'sandbox') {
  const problems: string[] = []
  const read = readBanks(JSON.stringify(banks), { mode, env, folder }, (each) =>
    problems.push(each),
  )
  return { banks: read, problems }
}

test('a bank is connected by the connector of a package that lies beside the banks file', async () => {
  using folder = createTempFolder()
  installTemplate(folder.path)
  const banksFile = join(folder.path, 'banks.json')
  writeFileSync(banksFile, JSON.stringify([BANK]))
  await using bench = await startTestService({ env: { ...env, MANILLA_BANKS_FILE: banksFile } })
  const body = readSample('template', 'transfer.json')
  const signedHeaders = (key: string) => ({
    'content-type': 'application/json',
    'x-acme-signature': hmac('sha256', key, body).digest('hex'),
  })
  const url = '/rails/101/credits'

  const forged = await bench.call({
    method: 'POST',
    url,
    body,
    headers: signedHeaders('x'),
    token: null,
  })
  assert.equal(forged.statusCode, 401)
  const accepted = await bench.call({
    method: 'POST',
    url,
    body,
    headers: signedHeaders(KEY),
    token: null,
  })
  assert.deepEqual(
    [accepted.statusCode, accepted.json()],
    [200, { reference: '000013261115084200000000000077', received: true }],
  )
  const [bank] = (await bench.call({ url: '/api/v1/operator/banks' })).json().data
  assert.equal(bank.connector, 'acme')
})

test('one package may serve two banks, and live mode too', () => {
  using folder = createTempFolder()
  installTemplate(folder.path)
  const settings = { baseUrl: 'https://bank.example.com' }
  const other = { ...BANK, code: '102', name: 'Second', settings }
  const { banks, problems } = read(folder.path, [{ ...BANK, settings }, other], 'live')
  assert.deepEqual(problems, [])
  assert.deepEqual(
    banks?.map(({ connector }) => connector),
    ['acme', 'acme'],
  )
})

test('settings that a packaged connector does not have are reported as those of any other', () => {
  using folder = createTempFolder()
  installTemplate(folder.path)
  const { problems } = read(folder.path, [{ ...BANK, settings: { baseURL: 'x' }, secrets: {} }])
  assert.match(problems.join('\n'), /^bank 1: secrets\.signingKey is missing/)
  assert.match(problems.join('\n'), /bank 1: settings has unknown field "baseURL"/)
})

const CONNECTOR = 'name: "acme", needsKnownSource: false'
// These functions describe the files of a test package: with this module, with a connector whose `connect`
// has this body, and with these fields in its package.json.
const packageWithModule = (text: string) => ({ files: { 'connector.js': text } })
const packageWithConnector = (connect: string) =>
  packageWithModule(`export default { ${CONNECTOR}, connect() { ${connect} } }`)
const packageWithManifest = (packageJson: object) => ({ packageJson, ...packageWithConnector('') })
const SHAPE =
  'exports no connector: its default export needs name (lower-case letters, digits and hyphens), ' +
  'needsKnownSource (true or false) and connect (a function)'

const UNUSABLE: [what: string, Parameters<typeof installPackage>[2], problem: string][] = [
  [
    'of a newer kit',
    packageWithManifest({ manilla: { kit: 2 } }),
    'is for kit 2, and this Manilla has kit 1',
  ],
  [
    'of no kit',
    packageWithManifest({ manilla: undefined }),
    'does not say for which kit it is: its package.json needs "manilla": {"kit": 1}',
  ],
  ['without a default export', packageWithModule('export const name = "acme"'), SHAPE],
  [
    'with another name',
    packageWithModule(`export default { ...{ ${CONNECTOR} }, name: "A b" }`),
    SHAPE,
  ],
  ['without connect', packageWithModule(`export default { ${CONNECTOR} }`), SHAPE],
  [
    'with the name of a built-in connector',
    packageWithModule('export default { name: "providus", needsKnownSource: true, connect() {} }'),
    'has the name "providus", which a connector of Manilla has',
  ],
  ['that throws', packageWithModule('throw new Error("boom\\nat x")'), 'cannot be loaded (boom)'],
]

for (const [what, content, problem] of UNUSABLE) {
  test(`a package ${what} is refused in one sentence`, () => {
    using folder = createTempFolder()
    installPackage(folder.path, PACKAGE, content)
    const { banks, problems } = read(folder.path, [{ ...BANK, settings: {}, secrets: {} }])
    assert.equal(banks, undefined)
    assert.deepEqual(problems, [`bank 1: connector package "${PACKAGE}" ${problem}`])
  })
}

test('a connector package for another kit version is not executed', () => {
  using folder = createTempFolder()
  const files = { 'connector.js': 'globalThis.wasRun = true' }
  installPackage(folder.path, PACKAGE, { packageJson: { manilla: { kit: 2 } }, files })
  read(folder.path, [BANK])
  assert(!('wasRun' in globalThis))
})

test('a package that is not installed, or no package at all, is named', () => {
  using folder = createTempFolder()
  const problemsOf = (connector: unknown) => read(folder.path, [{ ...BANK, connector }]).problems
  assert.deepEqual(problemsOf({ package: PACKAGE }), [
    `bank 1: connector package "${PACKAGE}" is not installed in ${folder.path}/node_modules nor ` +
      'beside Manilla',
  ])
  for (const name of ['../acme', '/tmp/acme', 'node:fs', 'fs', '', 'Acme', 7, null, undefined]) {
    assert.deepEqual(problemsOf({ package: name }), [
      'bank 1: connector.package must be the name of an npm package',
    ])
  }
  assert.deepEqual(problemsOf({ package: PACKAGE, version: 2 }), [
    'bank 1: connector must be a name or {"package": …}',
  ])
  // A mistyped name is never read as a package.
  assert.match(problemsOf('acme').join(), /connector "acme" is unknown; allowed: manilla, /)
})

test('two packages with connectors of one name are refused', () => {
  using folder = createTempFolder()
  installTemplate(folder.path)
  installPackage(folder.path, 'acme-two', packageWithConnector(''))
  const other = { ...BANK, code: '102', connector: { package: 'acme-two' } }
  const { problems } = read(folder.path, [BANK, other])
  assert(
    problems.includes(
      `bank 2: connector packages "${PACKAGE}" and "acme-two" have the same name, "acme"`,
    ),
    problems.join('\n'),
  )
})

test('a packaged connector that connects to nothing, or throws, is a sentence', () => {
  for (const [connect, problem] of [
    ['', 'connector acme returned no connection'],
    ['throw new Error("boom")', 'connector acme failed (boom)'],
    [
      'return { calls: {} }',
      'connector acme returned no connection: it needs authenticate, findFormat, nameEnquiry and calls',
    ],
  ] as const) {
    using folder = createTempFolder()
    installPackage(folder.path, PACKAGE, packageWithConnector(connect))
    const { problems } = read(folder.path, [{ ...BANK, settings: {}, secrets: {} }])
    assert.deepEqual(problems, [`bank 1: ${problem}`])
  }
})

test('a packaged connector that throws over a payout leaves it unknown', async () => {
  using folder = createTempFolder()
  const failing = 'async () => { throw new Error("boom") }'
  installPackage(
    folder.path,
    PACKAGE,
    packageWithConnector(
      `return { authenticate() {}, findFormat() {}, nameEnquiry: {}, calls: {
         sendMoney: ${failing}, findPayout: ${failing}, findTransfer: ${failing} } }`,
    ),
  )
  const { banks, problems } = read(folder.path, [{ ...BANK, settings: {}, secrets: {} }])
  assert.deepEqual(problems, [])
  const [configuration] = bankConfigurations({ banks: banks ?? [], mode: 'sandbox' })
  const calls = configuration && connectBank(configuration, assert.fail)?.calls
  const reason = 'the connector failed: boom'
  assert.deepEqual(await calls?.findPayout?.('p-1', {}), { status: 'unknown', reason })
  assert.deepEqual(await calls?.findTransfer?.({ kind: 'session_id', value: 'x' }, {}), {
    status: 'no_answer',
    reason,
  })
  const to = { bankCode: '058', accountNumber: '0123456789', accountName: 'A' }
  const order = { reference: 'p-1', amountKobo: 5n as never, currency: 'NGN', to, narration: '' }
  assert.deepEqual(await calls?.sendMoney?.(order, {}), { status: 'unknown', reason })
})

// Every role loads the settings in the same way as `serve`.
test('every role tells of a package that is missing', () => {
  using folder = createTempFolder()
  const path = join(folder.path, 'banks.json')
  writeFileSync(path, JSON.stringify([BANK]))
  const sentence = `MANILLA_BANKS_FILE bank 1: connector package "${PACKAGE}" is not installed`
  for (const role of ['serve', 'api', 'worker', 'migrate']) {
    const settings = {
      ...env,
      MANILLA_BANKS_FILE: path,
      DATABASE_URL: 'postgres://127.0.0.1:1/none',
    }
    assert.throws(
      () => loadConfig(settings, role),
      (error: Error) => error.message.includes(sentence),
      role,
    )
  }
})
