// Invalid paths: any text in place of a reference gets a refusal in the shape of the path's family, which
// reveals nothing about the service's internals.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  ACCOUNTS,
  ADVICE,
  assertRefused,
  BY_ADVICE,
  BY_PAYMENT,
  databaseText,
  INITIATE,
  refusalFaults,
  SIMULATE,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())

const PARAMETERS = [
  '..%2f',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2e%2e%2f',
  '%',
  '%0',
  '%zz',
  '%00',
  'a%00b',
  '%ff',
  '%c3%28',
  '%ed%a0%80',
  '%20',
  '%0d%0aSet-Cookie:%20x=1',
  "'%20or%20'1'='1",
  '%F0%9F%8F%A6',
  '%D9%A1%D9%A2%D9%A3%D9%A4%D9%A5%D9%A6%D9%A7%D9%A8%D9%A9%D9%A0',
  'null',
  'undefined',
  '__proto__',
  '0',
  '-1',
  '1e3',
  '1,000',
  '12345678901',
  '6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d1',
  '6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d1g',
  '%7B6f1c2f0e-3f53-4d0e-9c43-9a4a3c1b2d10%7D',
  'x'.repeat(99),
  'x'.repeat(101),
  'x'.repeat(5000),
  '9'.repeat(5000),
]

const BY_PARAMETER = [
  { url: ACCOUNTS, family: 'account', body: undefined },
  { url: ADVICE, family: 'payment', body: undefined },
  { url: BY_PAYMENT, family: 'payment', body: undefined },
  { url: BY_ADVICE, family: 'payment', body: undefined },
  { url: INITIATE, family: 'payment', body: { bankCode: '035' } },
] as const

for (const { url, family, body } of BY_PARAMETER) {
  test(`${url}/{…} refuses whatever is not a reference`, async () => {
    const before = await databaseText(bench)
    const faults: string[] = []
    for (const parameter of PARAMETERS) {
      const answer = await bench.call({ url: `${url}/${parameter}`, body })
      const found = refusalFaults(answer, family, [400])
      faults.push(...found.slice(0, 1).map((fault) => `${parameter.slice(0, 60)}: ${fault}`))
    }
    assert.deepEqual(faults, [])
    assert.equal(await databaseText(bench), before)
  })
}

test('an empty parameter is refused where it belongs, and never answered as the list', async () => {
  const paths = Object.entries((await bench.call({ url: '/openapi.json' })).json().paths)
  // Selects the paths whose only parameter is their last part. `parent` is the path without it.
  const items = paths.flatMap(([path, methods]) => {
    const [, parent] = /^([^{]+)\/\{\w+\}$/.exec(path) ?? []
    return parent ? Object.keys(methods as object).map((method) => ({ parent, method })) : []
  })
  assert(items.length > 40)

  const faults: string[] = []
  for (const { parent, method } of items) {
    for (const url of [
      `${parent}/`,
      `${parent.toUpperCase()}/?limit=1`,
      `/%61${parent.slice(2)}/`,
    ]) {
      const body = ['get', 'delete'].includes(method) ? undefined : {}
      const answer = await bench.call({ method: method.toUpperCase() as 'GET', url, body })
      if (![400, 401, 403, 404].includes(answer.statusCode)) {
        faults.push(`${method} ${url}: ${answer.statusCode}`)
      }
    }
  }

  assert.deepEqual(faults, [])
  assertRefused(await bench.call({ url: `${ACCOUNTS}/` }), { status: 400 })
})

test('a trailing slash behind which nothing belongs is ignored', async () => {
  const login = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
  const answers = await Promise.all([
    bench.call({ url: '/api/Account/login/', body: login, token: null }),
    bench.call({ url: '/Payment/banktransfer/supportedbank/?a=/', token: null }),
    bench.call({ url: '/api/v1/overview/' }),
  ])
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [200, 200, 200],
  )
})

const ADDRESSES = [
  ['/api/Account/login', 'account'],
  [ACCOUNTS, 'account'],
  [`${ACCOUNTS}/0000000000`, 'account'],
  [ADVICE, 'payment'],
  [SIMULATE, 'payment'],
  [`${BY_PAYMENT}/x`, 'payment'],
] as const

test('a method that an address does not know is refused in its family', async () => {
  const faults: string[] = []
  for (const [url, family] of ADDRESSES) {
    for (const method of ['PUT', 'PATCH', 'DELETE'] as const) {
      if (method === 'PATCH' && url.startsWith(`${ACCOUNTS}/`)) continue // These paths support PATCH.
      const answer = await bench.call({ method, url, body: {} })
      const found = refusalFaults(answer, family, [404, 405])
      faults.push(...found.map((fault) => `${method} ${url}: ${fault}`))
    }
  }
  assert.deepEqual(faults, [])
})

test('an address that does not exist is refused in the family it looks like', async () => {
  const addresses = [
    ['/nowhere', 'account'],
    ['/%', 'account'],
    [`/${'x'.repeat(5000)}`, 'account'],
    ['/api/v1/nowhere', 'account'],
    ['/Payment', 'payment'],
    ['/payment/nowhere', 'payment'],
    ['/PAYMENT/%', 'payment'],
    ['/Payment//advice', 'payment'],
    ['/api/transaction/nowhere', 'payment'],
    ['/api/WebHook/nowhere', 'payment'],
  ] as const

  const faults: string[] = []
  for (const [url, family] of addresses) {
    const answer = await bench.call({ url, token: null })
    const found = refusalFaults(answer, family, [400, 401, 404]).slice(0, 1)
    faults.push(...found.map((fault) => `${url.slice(0, 60)}: ${fault}`))
  }
  assert.deepEqual(faults, [])
})

test('an address with escapes is refused in the family of the route that it leads to', async () => {
  for (const url of ['/%50ayment/advice', '/Payment/%61dvice', '/p%61YMENT/advice']) {
    const answer = await bench.call({ method: 'POST', url, body: {}, token: null })
    assertRefused(answer, { status: 401 }, 'payment')
  }
})
