// A banks file is checked completely before the service issues a number from it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  checkDistinct,
  readBanks,
  SANDBOX_BANKS,
  SANDBOX_RAIL_SECRET,
  SERIAL_MAX,
} from '#config/bank-settings.ts'

const WEMA = {
  code: '035',
  name: 'Wema Bank',
  static: { from: 0, to: 9 },
  dynamic: { from: 10, to: SERIAL_MAX },
  railSecrets: [SANDBOX_RAIL_SECRET],
}
const KUDA = { code: '50211', name: 'Kuda', railSecrets: [SANDBOX_RAIL_SECRET] }

const RESERVING = {
  code: '232',
  name: 'Sterling Bank',
  numbers: 'reserved',
  settings: { baseUrl: 'https://bank.example' },
  secrets: { apiKey: 'STERLING_KEY' },
  railSecrets: [SANDBOX_RAIL_SECRET],
}

const PROVIDUS = {
  code: '101',
  name: 'Providus Bank',
  connector: 'providus',
  numbers: 'reserved',
  settings: { baseUrl: 'https://bank.example', clientId: 'us' },
  secrets: { clientSecret: 'STERLING_KEY' },
}
const MONNIFY = {
  ...PROVIDUS,
  connector: 'monnify',
  settings: {
    baseUrl: 'https://bank.example',
    apiKey: 'MK',
    contractCode: '1000000001',
    emailDomain: 'example.com',
  },
}

const AROUND = { mode: 'sandbox', env: { STERLING_KEY: 'key' } } as const

test('a valid banks file is read as it is, in its order', () => {
  assert.deepEqual(read([KUDA, WEMA]), { banks: [KUDA, WEMA], problems: [] })
})

test('the banks of the sandbox pass the same checks, and no two share a serial', () => {
  assert.deepEqual(read(SANDBOX_BANKS).problems, [])

  const ranges = SANDBOX_BANKS.flatMap((bank) => [bank.static, bank.dynamic])
  ranges.slice(1).forEach((range, at) => {
    assert.equal(range?.from, (ranges[at]?.to ?? 0) + 1)
  })
  assert.deepEqual(SANDBOX_BANKS[14]?.dynamic, { from: 825_000_000, to: 849_999_999 })
})

// Returns the bank with a debit account for payout files.
function withPayoutFiles(changes: object) {
  const payoutFiles = { accountNumber: '0123456789', accountName: 'Manilla', ...changes }
  return { ...WEMA, payoutFiles }
}

for (const [what, bank, problem] of [
  ['a code of four digits', { ...WEMA, code: '0035' }, 'code must be'],
  ['a code that is a number', { ...WEMA, code: 35 }, 'code must be'],
  ['a blank name', { ...WEMA, name: '  ' }, 'name must be'],
  ['a name with a control character', { ...WEMA, name: 'We\u0000ma' }, 'name must be'],
  ['a range upside down', { ...WEMA, static: { from: 9, to: 0 } }, 'static must be'],
  ['a range with half a serial', { ...WEMA, static: { from: 0, to: 1.5 } }, 'static must be'],
  ['a negative serial', { ...WEMA, static: { from: -1, to: 1 } }, 'static must be'],
  ['a serial of ten digits', { ...WEMA, dynamic: { from: 10, to: 1e9 } }, 'dynamic must be'],
  ['a range of texts', { ...WEMA, dynamic: { from: '10', to: '20' } }, 'dynamic must be'],
  ['a null range', { ...WEMA, dynamic: null }, 'dynamic must be'],
  ['ranges that touch', { ...WEMA, dynamic: { from: 9, to: 20 } }, 'static and dynamic must not'],
  ['a range inside another', { ...WEMA, dynamic: { from: 3, to: 4 } }, 'static and dynamic must'],
  ['no secret', { ...WEMA, railSecrets: [] }, 'railSecrets must be'],
  ['three secrets', { ...WEMA, railSecrets: Array(3).fill(SANDBOX_RAIL_SECRET) }, 'railSecrets'],
  ['a secret without its prefix', { ...WEMA, railSecrets: ['bWFu'] }, 'railSecrets entry 1'],
  ['a short secret', { ...WEMA, railSecrets: ['whsec_bWFu'] }, 'railSecrets entry 1'],
  ['ranges beside reserved numbers', { ...RESERVING, static: { from: 0, to: 9 } }, 'static and'],
  ['another kind of numbers', { ...WEMA, numbers: 'bought' }, 'numbers must be'],
  ['a pool beside ranges', { ...WEMA, pool: { static: 5 } }, 'pool requires numbers "reserved"'],
  ['half a number', { ...RESERVING, pool: { static: 0.5 } }, 'pool must be'],
  ['a pool of less than none', { ...RESERVING, pool: { dynamic: -1 } }, 'pool must be'],
  ['a pool beyond bounds', { ...RESERVING, pool: { dynamic: 10_001 } }, 'pool must be'],
  ['a pool of texts', { ...RESERVING, pool: { static: '5' } }, 'pool must be'],
  ['a null pool', { ...RESERVING, pool: null }, 'pool must be'],
  ['a mistyped pool', { ...RESERVING, pool: { statik: 5 } }, 'pool must be'],
  ['a blank name of a pool', { ...RESERVING, pool: { accountName: ' ' } }, 'pool must be'],
  [
    'a bank that cannot be asked to reserve',
    { ...RESERVING, settings: {} },
    'numbers "reserved" requires a connector that reserves accounts',
  ],
  [
    'a pool of dynamic numbers that the bank takes back',
    PROVIDUS,
    'pool.dynamic must be 0: the bank',
  ],
  ['a pool at a bank that must know the customer', MONNIFY, 'numbers "reserved" needs a pool, and'],
  [
    'numbers of customers at a bank that knows none',
    { ...PROVIDUS, numbers: 'perCustomer' },
    'connector providus reserves numbers for a pool: use numbers "reserved"',
  ],
  [
    'numbers of customers without a call for them',
    { ...MONNIFY, numbers: 'perCustomer', settings: {} },
    'numbers "perCustomer" requires a connector that reserves accounts',
  ],
  [
    'a pool beside numbers of customers',
    { ...MONNIFY, numbers: 'perCustomer', pool: { static: 5 } },
    'pool requires numbers "reserved"',
  ],
  [
    'ranges beside numbers of customers',
    { ...MONNIFY, numbers: 'perCustomer', dynamic: { from: 0, to: 9 } },
    'static and dynamic ranges do not apply to numbers "perCustomer"',
  ],
  ['an account for files that is a text', { ...WEMA, payoutFiles: '0123456789' }, 'payoutFiles'],
  ['one of nine digits', withPayoutFiles({ accountNumber: '012345678' }), 'payoutFiles must be'],
  ['one without a name', withPayoutFiles({ accountName: ' ' }), 'payoutFiles must be'],
  [
    'one with a customer that is no id',
    withPayoutFiles({ customerId: 'a b' }),
    'payoutFiles must be',
  ],
  ['a mistyped account for files', withPayoutFiles({ acountName: 'A' }), 'payoutFiles must be'],
  ['statements that are a text', { ...WEMA, statements: 'csv' }, 'statements must be'],
  ['a format nobody reads', { ...WEMA, statements: { format: 'pdf' } }, 'statements.format must'],
  ['a profile with a path', { ...WEMA, statements: { profile: '../a' } }, 'statements.profile'],
  ['days on the way that are none', { ...WEMA, statements: { timingDays: 1.5 } }, 'statements.t'],
  ['a time that is none', { ...WEMA, statements: { expectedAt: '24:00' } }, 'statements.expect'],
  ['a mistyped setting', { ...WEMA, statements: { fromat: 'csv' } }, 'statements has unknown'],
  ['a mistyped field', { ...WEMA, statik: {} }, 'has unknown field "statik"'],
] as const) {
  test(`${what} is a problem`, () => {
    const { banks, problems } = read([bank, { ...WEMA, code: '058' }])

    assert.equal(banks, undefined)
    assert.equal(problems.length, 1)
    assert(problems[0]?.startsWith(`bank 1: ${problem}`), problems[0])
  })
}

test('banks that share a rail secret or serials are reported in one sentence each', () => {
  const secret = (letter: string) => `whsec_${Buffer.alloc(32, letter).toString('base64')}`
  const range = (from: number) => ({ from, to: from + 9 })
  const bank = { name: 'Bank', static: range(0), dynamic: range(10), railSecrets: [secret('a')] }
  const near = { static: range(100), dynamic: range(19), railSecrets: [secret('b')] }
  const far = { static: range(109), dynamic: range(200), railSecrets: [secret('c'), secret('a')] }
  const problems: string[] = []
  const banks = [
    { ...bank, code: '035' },
    { ...bank, code: '058', ...near },
    { ...bank, code: '101', ...far },
  ]

  checkDistinct(banks, (sentence) => problems.push(sentence))

  const serials = 'have overlapping number ranges'
  assert.deepEqual(problems, [
    `banks 035 and 058 ${serials}`,
    'banks 035 and 101 share a secret; each needs its own',
    `banks 058 and 101 ${serials}`,
  ])
})

test('two banks with the same code are a problem', () => {
  assert.deepEqual(read([WEMA, KUDA, WEMA]).problems, ['bank 3 repeats the code of bank 1'])
})

test('some bank must be able to issue static numbers, and some bank dynamic ones', () => {
  assert.deepEqual(read([KUDA]).problems, [
    'must define a static range for at least one bank',
    'must define a dynamic range for at least one bank',
  ])
})

test('reserved numbers count as ranges, for the purposes that have a pool', () => {
  assert.deepEqual(read([RESERVING]).problems, [])
  assert.deepEqual(read([{ ...RESERVING, pool: { static: 0 } }]).problems, [
    'must define a static range for at least one bank',
  ])
  assert.deepEqual(read([{ ...RESERVING, pool: { dynamic: 0 } }]).problems, [
    'must define a dynamic range for at least one bank',
  ])
})

test('numbers of customers count as a static range', () => {
  assert.deepEqual(read([{ ...MONNIFY, numbers: 'perCustomer' }]).problems, [
    'must define a dynamic range for at least one bank',
  ])
})

test('every problem of every bank is reported', () => {
  const { problems } = read([{}, 'bank', { ...WEMA, code: '', name: '' }])
  assert.equal(problems.length, 3 + 1 + 2)
})

test('a malformed list of banks is a problem of one sentence', () => {
  for (const text of ['', '{', '{}', 'null', '"banks"']) {
    const problems: string[] = []
    readBanks(text, AROUND, (sentence) => problems.push(sentence))
    assert.equal(problems.length, 1, text)
  }
})

// Reads a banks file. Returns its banks and the problems found.
function read(content: unknown) {
  const problems: string[] = []
  const banks = readBanks(JSON.stringify(content), AROUND, (sentence) => problems.push(sentence))
  return { banks, problems }
}

test('a bank that takes dynamic numbers back may still reserve static ones', () => {
  const bank = { ...PROVIDUS, pool: { dynamic: 0 } }
  assert.deepEqual(read([bank, WEMA]).problems, [])
})
