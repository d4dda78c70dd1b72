// Hostile queries for credits: any query or path gets a refusal in plain words or an empty list, never a 5xx.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, refusalFaults } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { BALANCES, CREDITS, MERCHANTS } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const { accountNumber } = await createAccount(bench)
const STATEMENT = `/api/v1/accounts/static/${accountNumber}/transactions`

const BAD_PAGES = [
  'limit=0',
  'limit=101',
  'limit=-1',
  'limit=1.5',
  'limit=1e1',
  'limit=',
  'limit=ten',
  'limit=%00',
  'limit=٣',
  'limit= 5',
  `limit=${'9'.repeat(400)}`,
  'limit=1&limit=2',
  'limit[]=1',
  'limits=5',
  '__proto__=1',
  'constructor=1',
  'cursor=a&cursor=b',
]

const BAD_WINDOWS = [
  'from=',
  'from=yesterday',
  'from=2026-02-30',
  'from=2026-13-01',
  'from=2026-11-15T25:00:00Z',
  'from=1763193600000',
  'from=0000-00-00',
  'to=%00',
  'to=2026-11-15%00',
  'to=infinity',
  'to=now',
  'to=𝟚𝟘𝟚𝟞-11-15',
  `to=${'2026-11-15T00:00:00'.repeat(50)}`,
  'from=2026-11-15&from=2026-11-16',
  'from=2026-11-16&to=2026-11-15',
  'from=2026-11-15&to=2026-11-15',
]

const BAD_FILTERS = [
  'sessionId=',
  `sessionId=${'1'.repeat(65)}`,
  'sessionId=%20',
  `sessionId=${'1'.repeat(29)}%00`,
  `sessionId=${'1'.repeat(30)}&sessionId=${'2'.repeat(30)}`,
  'accountNumber=12345',
  'accountNumber=01234567٣9',
  'accountNumber=-123456789',
  'paymentReference=nonsense',
  'paymentReference=6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d1g',
  'paymentReference=%00',
  'adviceReference=',
  'merchantRef=',
  'merchantRef=%00',
  'merchantRef=a%0Ab',
  `merchantRef=${'x'.repeat(101)}`,
  'merchantRef=a&merchantRef=b',
  'outcome=lost',
  'outcome=BOOKED',
  "outcome=booked' or '1'='1",
  'outcome=booked&outcome=suspended',
  'payee=me',
]

test('an invalid query is refused, and every invalid field named', async () => {
  const cases = [
    ...[...BAD_PAGES, ...BAD_WINDOWS, ...BAD_FILTERS].map((query) => `${CREDITS}?${query}`),
    ...[...BAD_PAGES, ...BAD_WINDOWS].map((query) => `${STATEMENT}?${query}`),
    ...BAD_PAGES.map((query) => `${MERCHANTS}?${query}`),
    `${BALANCES}?limit=5`,
    `${CREDITS}/1?verbose=1`,
    '/api/v1/payments/x?verbose=1',
  ]
  const faults: string[] = []
  for (const url of cases) {
    const answer = await bench.call({ url: encodeURI(url).replaceAll('%25', '%') })
    faults.push(...refusalFaults(answer, 'account', [400]).map((fault) => `${url}: ${fault}`))
    if (answer.json().code !== 'invalid_request') faults.push(`${url}: ${answer.body}`)
  }
  assert.deepEqual(faults, [])

  const many = await bench.call({ url: `${CREDITS}?limit=0&sessionId=&outcome=x&typo=1` })
  assert.deepEqual(
    many
      .json()
      .errors.map(({ field }: { field: string }) => field)
      .sort(),
    ['limit', 'outcome', 'sessionId', 'typo'],
  )
})

test('a path that does not exist always gets the same 404', async () => {
  const names = [
    '0',
    '-1',
    '1.0',
    '01',
    '9'.repeat(18),
    '9'.repeat(19),
    '9'.repeat(30),
    '9'.repeat(31),
    'null',
    'x%00y',
    '%00',
    'a%0Ab',
    '%F0%9F%8F%A6',
    '%27%3B%20drop%20table%20credits%3B--',
    '..%2F..%2Fetc',
    '%D9%A1%D9%A2',
    'x'.repeat(200),
  ]
  const faults: string[] = []
  for (const name of names) {
    for (const [url, code] of [
      [`${CREDITS}/${name}`, 'credit_not_found'],
      [`/api/v1/payments/${name}`, 'payment_not_found'],
      [`/api/v1/accounts/static/${name}/transactions`, 'account_not_found'],
    ] as const) {
      const answer = await bench.call({ url })
      faults.push(...refusalFaults(answer, 'account', [404]).map((fault) => `${url}: ${fault}`))
      if (answer.json().code !== code) faults.push(`${url}: ${answer.body}`)
    }
  }
  assert.deepEqual(faults, [])
})

test('a path that is no text, or longer than any name of ours, is refused', async () => {
  for (const name of ['%FF', '%ZZ', '9'.repeat(300)]) {
    for (const url of [`${CREDITS}/${name}`, `/api/v1/payments/${name}`]) {
      const answer = await bench.call({ url })
      assert.deepEqual(refusalFaults(answer, 'account', [400, 404]), [], url)
    }
  }
})
