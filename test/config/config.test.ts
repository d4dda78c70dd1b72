// Promises to an operator who configures the service: it does not start with an invalid setting, ignores no
// setting silently, reports all errors at once, and prints no secret.

import assert from 'node:assert/strict'
import { resolve } from 'node:path'
import { test } from 'node:test'
import { SANDBOX_RAIL_SECRET } from '#config/bank-settings.ts'
import {
  ConfigProblem,
  type Environment,
  type Files,
  loadConfig,
  SETTINGS,
} from '#config/config.ts'
import { RATES } from '#config/policy-settings.ts'

const KEY = Buffer.alloc(32, 'k').toString('base64')
const OTHER_KEY = Buffer.alloc(32, 'o').toString('base64')
const RAIL_SECRET = `whsec_${KEY}`
const SECRETS = {
  MANILLA_TOKEN_SECRETS: KEY,
  MANILLA_DATA_KEYS: `1:${KEY}`,
  MANILLA_HASH_KEY: KEY,
}
const BANK = {
  code: '035',
  name: 'Wema Bank',
  static: { from: 0, to: 9 },
  dynamic: { from: 10, to: 19 },
  railSecrets: [RAIL_SECRET],
}
const LIVE: Environment = {
  ...SECRETS,
  MANILLA_MODE: 'live',
  PUBLIC_URL: 'https://pay.shop.ng/',
  DATABASE_URL: 'postgres://manilla:hunter2@db.internal/manilla',
  MANILLA_BANKS_FILE: 'banks.json',
}

test('a sandbox needs no setting at all', () => {
  const config = loadConfig({}, undefined, files())

  const { secrets, banks, chart: _, ...plain } = config
  assert.deepEqual(plain, {
    role: 'serve',
    mode: 'sandbox',
    host: '127.0.0.1',
    port: 8080,
    processes: 1,
    language: 'en',
    publicUrl: 'http://localhost:8080',
    trustedProxies: [],
    rates: RATES.sandbox,
    dataDir: resolve('data'),
    databaseUrl: undefined,
    replicaUrl: undefined,
    backupDir: undefined,
    workerPort: undefined,
    logLevel: 'info',
    loggedShare: 0,
    tracing: undefined,
    metricsToken: undefined,
    collectionBankCode: '035',
    statementsFolder: undefined,
    statementProfiles: undefined,
    identity: { service: undefined, timeoutMs: 10_000 },
    messages: {
      smtp: undefined,
      from: undefined,
      gateway: undefined,
      quietHours: { from: 1_200, to: 480 },
    },
    policy: {
      tokenTtlSeconds: 3600,
      expirySeconds: 1800,
      graceSeconds: 300,
      quarantineDays: 30,
      approverWaitHours: 0,
      bankTimeMaxAgeHours: 72,
      suspiciousKobo: 100_000_000_000n,
      screeningLateMinutes: 5,
      accountName: '{merchant}/{customer}',
      limits: { perCreditKobo: null, perDayKobo: null },
    },
  })
  assert.equal(secrets.hash.length, 32)
  assert.equal(banks.length, 15)
})

test('a live service uses the settings as they are, and listens on all addresses', () => {
  const config = loadConfig(LIVE, 'api', files())

  assert.equal(config.mode, 'live')
  assert.equal(config.host, '0.0.0.0')
  assert.equal(config.policy.approverWaitHours, 24)
  assert.deepEqual(config.rates, RATES.live)
  assert.equal(config.publicUrl, 'https://pay.shop.ng')
  assert.equal(config.databaseUrl, LIVE.DATABASE_URL)
  assert.deepEqual(config.banks, [BANK])
})

test('the configuration cannot be changed afterwards, at any depth', () => {
  const config = loadConfig({}, undefined, files())

  for (const part of [config, config.policy, config.secrets, config.secrets.data, config.banks]) {
    assert(Object.isFrozen(part))
  }
  assert(config.banks.every((bank) => Object.isFrozen(bank) && Object.isFrozen(bank.static)))
})

test('all problems are reported at once, each with the name of its setting', () => {
  const env = {
    MANILLA_MODE: 'Live',
    HOST: 'not a host',
    PORT: '65536',
    PUBLIC_URL: 'pay.shop.ng',
    MANILLA_TRUSTED_PROXIES: 'proxy.internal',
    MANILLA_RATE_LIMITS: 'logins=30',
    DATABASE_URL: 'mysql://db/manilla',
    MANILLA_TOKEN_SECRETS: 'c2hvcnQ=',
    MANILLA_DATA_KEYS: `0:${KEY}`,
    MANILLA_HASH_KEY: 'c2hvcnQ=',
    MANILLA_BANKS_FILE: 'nowhere.json',
    MANILLA_TOKEN_TTL_SECONDS: '59',
    MANILLA_EXPIRY_SECONDS: '172801',
    MANILLA_GRACE_SECONDS: '-1',
    MANILLA_QUARANTINE_DAYS: '0',
    LOG_LEVEL: 'loud',
    MANILLA_GRACE: '1',
  }

  const problems = problemsOf(env, 'cook')

  const named = problems.map((problem) => problem.split(' ')[0])
  assert.deepEqual(named.toSorted(), [...Object.keys(env), 'Role'].toSorted())
})

test('live mode names every required setting, with the command that creates a secret', () => {
  const problems = problemsOf({ MANILLA_MODE: 'live' }, undefined)

  const { MANILLA_MODE: _, ...needed } = LIVE
  assert.deepEqual(
    problems.map((problem) => /^(\w+) is missing/.exec(problem)?.[1]).toSorted(),
    Object.keys(needed).toSorted(),
  )
  const withCommand = problems.filter((problem) => problem.includes('randomBytes(32)'))
  assert.equal(withCommand.length, 3)
})

test('live mode refuses banks that share secrets or serials; the sandbox accepts them', () => {
  const file = files(JSON.stringify([BANK, { ...BANK, code: '058' }]))

  assert.equal(problemsOf(LIVE, undefined, file).length, 2)
  assert.equal(loadConfig({ ...LIVE, MANILLA_MODE: 'sandbox' }, undefined, file).banks.length, 2)
})

test('live mode refuses plain http and the documented secrets of the sandbox', () => {
  const banks = JSON.stringify([{ ...BANK, railSecrets: [RAIL_SECRET, SANDBOX_RAIL_SECRET] }])

  const problems = problemsOf({ ...LIVE, PUBLIC_URL: 'http://pay.shop.ng' }, 'serve', files(banks))

  assert.equal(problems.length, 2)
  assert.match(problems[0] ?? '', /^PUBLIC_URL must start with https/)
  assert.match(problems[1] ?? '', /^MANILLA_BANKS_FILE bank 1: the sandbox rail secret/)
})

for (const role of ['api', 'worker', 'migrate']) {
  test(`the role ${role} needs a database and secrets that others can share`, () => {
    const problems = problemsOf({}, role)

    const names = problems.map((problem) => problem.split(' ')[0])
    assert.deepEqual(names, ['DATABASE_URL', ...Object.keys(SECRETS)])
    loadConfig({ ...SECRETS, DATABASE_URL: 'postgresql:///manilla?host=/tmp' }, role, files())
  })
}

test('no problem quotes a value that may be secret', () => {
  const secret = 'hunter2-very-secret'
  const everything = Object.keys(SETTINGS).map((name) => [name, `${secret} ${name}`])
  const torn = `[{"code": "035", "railSecrets": [${secret}]}]`

  const problems = [
    ...problemsOf(Object.fromEntries(everything), secret),
    ...problemsOf({ MANILLA_BANKS_FILE: 'banks.json' }, 'serve', files(torn)),
    ...problemsOf({ MANILLA_DATA_KEYS: `1:${secret},${secret}:${KEY}` }, 'serve'),
    ...problemsOf({ DATABASE_URL: `postgres://u:${secret}@ho st/db` }, 'serve'),
  ]

  assert(problems.length > 12)
  assert.doesNotMatch(problems.join('\n'), /hunter2/)
})

test('a mistyped name is a problem, with the name that was meant', () => {
  const meant = {
    MANILLA_MOD: 'MANILLA_MODE',
    MANILLA_PORT: 'PORT',
    manilla_hash_key: 'MANILLA_HASH_KEY',
    MANILLA_TOKEN_SECRET: 'MANILLA_TOKEN_SECRETS',
  }

  for (const [typed, right] of Object.entries(meant)) {
    assert.deepEqual(problemsOf({ [typed]: '' }, undefined), [
      `${typed} is not a setting; did you mean ${right}?`,
    ])
  }
})

test('the shell that starts the service may set the address that `npx manilla` uses', () => {
  const client = { MANILLA_URL: 'http://localhost:8081', MANILLA_CLIENT_ID: 'MAN0000001' }

  assert.deepEqual(loadConfig(client, undefined, files()), loadConfig({}, undefined, files()))
})

test('an empty or blank setting counts as absent', () => {
  const blank = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, ' ']))
  assert.deepEqual(loadConfig(blank, undefined, files()), loadConfig({}, undefined, files()))
})

test('several secrets stay in order, and the first is used', () => {
  const { secrets } = loadConfig(
    {
      MANILLA_TOKEN_SECRETS: `${OTHER_KEY}, ${KEY}`,
      MANILLA_DATA_KEYS: `255:${OTHER_KEY},1:${KEY}`,
      MANILLA_HASH_KEY: KEY,
    },
    undefined,
    files(),
  )

  assert.deepEqual(secrets.token.map(String), ['o'.repeat(32), 'k'.repeat(32)])
  assert.deepEqual(
    secrets.data.map(({ id, key }) => [id, String(key)]),
    [
      [255, 'o'.repeat(32)],
      [1, 'k'.repeat(32)],
    ],
  )
})

test('valid values are read as intended', () => {
  const read = (env: Environment) => loadConfig(env, 'serve', files())

  assert.equal(read({ PORT: '0' }).port, 0)
  assert.equal(read({ PORT: '9000', HOST: '0.0.0.0' }).publicUrl, 'http://localhost:9000')
  assert.equal(read({ HOST: '::1' }).host, '::1')
  assert.equal(read({ PUBLIC_URL: 'https://Shop.ng:443/pay//' }).publicUrl, 'https://shop.ng/pay')
  const proxies = '10.0.0.0/8, 192.0.2.1,2001:db8::/32'
  assert.deepEqual(read({ MANILLA_TRUSTED_PROXIES: proxies }).trustedProxies, [
    '10.0.0.0/8',
    '192.0.2.1/32',
    '2001:db8::/32',
  ])
  const rates = { ...RATES.sandbox, login: 30, client: 0 }
  assert.deepEqual(read({ MANILLA_RATE_LIMITS: 'login=30, client = 0' }).rates, rates)
  assert.equal(read({ MANILLA_DATA_DIR: 'x/y' }).dataDir, resolve('x/y'))
  const urls = ['postgres://%2Ftmp/db', 'postgres://u@/db?host=/tmp', 'postgresql://h:1/db']
  for (const url of urls) assert.equal(read({ DATABASE_URL: url }).databaseUrl, url)
})

// Returns the problems for which the configuration is refused, none if it is valid.
function problemsOf(env: Environment, role: string | undefined, from = files()) {
  try {
    loadConfig(env, role, from)
  } catch (error) {
    assert(error instanceof ConfigProblem)
    assert(error.problems.every((problem) => error.message.includes(problem)))
    return error.problems
  }
  return []
}

// Returns fake files: one banks file, and the secrets of an earlier start.
function files(banks = JSON.stringify([BANK])): Files {
  return {
    readText: (path) => {
      if (path.endsWith('/banks.json')) return banks
      throw Object.assign(new Error(), { code: 'ENOENT' })
    },
    findSecrets: () => SECRETS,
    makeSecrets: () => assert.fail('there are secrets already'),
  }
}

test('an identity service takes an address and a secret, and https in live mode', () => {
  const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  const service = {
    MANILLA_IDENTITY_URL: 'http://localhost:9/id/',
    MANILLA_IDENTITY_SECRET: secret,
  }
  // Returns the problems of this environment that concern identity checks.
  const problemsOf = (env: Record<string, string>) => {
    try {
      loadConfig(env, undefined, files())
      return []
    } catch (error) {
      return (error as ConfigProblem).problems.filter((each) => each.includes('IDENTITY'))
    }
  }

  assert.deepEqual(loadConfig(service, undefined, files()).identity, {
    service: { url: 'http://localhost:9/id', secret },
    timeoutMs: 10_000,
  })
  const together = 'MANILLA_IDENTITY_URL and MANILLA_IDENTITY_SECRET must be set together'
  assert.deepEqual(problemsOf({ MANILLA_IDENTITY_URL: 'https://id.example' }), [together])
  assert.deepEqual(problemsOf({ MANILLA_IDENTITY_SECRET: secret }), [together])
  assert.deepEqual(problemsOf({ ...service, MANILLA_IDENTITY_SECRET: 'whsec_short' }), [
    'MANILLA_IDENTITY_SECRET must be whsec_ and the base64 of 24 to 64 bytes',
  ])
  assert.deepEqual(problemsOf({ ...service, MANILLA_MODE: 'live' }), [
    'MANILLA_IDENTITY_URL must start with https:// in live mode',
  ])
})
