// The operator's ceilings on the limits of a client's collection accounts. The client may set lower limits
// (I142).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { fieldsOf, patchAccount } from '../support/account-calls.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { CLIENTS } from '../support/clients.ts'
import { closeAfterTests } from '../support/closing.ts'
import { ACCOUNTS, assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { LIMIT_PROFILES, profileBody } from '../support/limit-profiles.ts'
import { credit } from '../support/movements.ts'
import { addClient, startTestService } from '../support/running-service.ts'
import { verifyAll } from '../support/verified.ts'

const OWN = '/api/v1/collection-ceilings'
const OF_CLIENT = `${CLIENTS}/MAN0000001/collection-ceilings`

const bench = closeAfterTests(await startTestService())
await addClient(bench.db, bench.clock(), { clientId: 'OPERATOR01', isOperator: true })
const token = await bench.login('OPERATOR01', 's3cret')

// Sets the ceilings of the client by KYC tier, as the operator unless another caller is named.
const setCeilings = (tiers: unknown, by: object = { token }) =>
  bench.call({ method: 'PUT', url: OF_CLIENT, body: { tiers }, ...by })

// Returns an account's limits in force: for each credit, for each day, and for the balance.
async function limitsOf(accountNumber: string) {
  const url = `${ACCOUNTS}/${accountNumber}/details`
  return Object.values(dataOf(await bench.call({ url })).limits)
}

// Reports a credit. Returns the answer to the bank, such as "00 booked" or "00 suspended
// over_credit_limit".
const outcomeOfCredit = async (accountNumber: string, amount: string) =>
  (await credit(bench, accountNumber, amount)).says

test('a ceiling applies from the next credit on, and no limit of the client raises it', async () => {
  const { accountNumber } = await createAccount(bench)
  assert.equal(await outcomeOfCredit(accountNumber, '5000'), '00 booked')

  dataOf(await setCeilings([{ tier: 1, perCredit: 1_000, perDay: 7_000, balanceMax: 6_500 }]))
  assert.deepEqual(await limitsOf(accountNumber), [1_000, 7_000, 6_500])
  assert.equal(await outcomeOfCredit(accountNumber, '1000.01'), '00 suspended over_credit_limit')

  dataOf(await bench.call({ url: LIMIT_PROFILES, body: profileBody({ tiers: [1] }) }))
  const limits = { perCredit: 1_000_000, perDay: 2_000_000, balanceMax: null }
  await patchAccount(bench, accountNumber, { limits })
  assert.deepEqual(await limitsOf(accountNumber), [1_000, 7_000, 6_500])
  assert.equal(await outcomeOfCredit(accountNumber, '1000.01'), '00 suspended over_credit_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '1000'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '1000'), '00 suspended over_balance_limit')

  await patchAccount(bench, accountNumber, { limits: { perCredit: 200 } })
  assert.deepEqual(await limitsOf(accountNumber), [200, 7_000, 6_500])
  assert.equal(await outcomeOfCredit(accountNumber, '200.01'), '00 suspended over_credit_limit')
})

test('money received earlier that day counts for a new daily ceiling', async () => {
  dataOf(await setCeilings([]))
  const { accountNumber } = await createAccount(bench)
  await patchAccount(bench, accountNumber, { limits: { perDay: null } })
  assert.equal(await outcomeOfCredit(accountNumber, '600'), '00 booked')

  dataOf(await setCeilings([{ tier: 1, perDay: 1_000 }]))

  assert.equal(await outcomeOfCredit(accountNumber, '400.01'), '00 suspended over_daily_limit')
  assert.equal(await outcomeOfCredit(accountNumber, '400'), '00 booked')
})

test('each tier has its own ceiling, and a verified account leaves that of tier 1', async () => {
  dataOf(
    await setCeilings([
      { tier: 1, perCredit: 50 },
      { tier: 3, perCredit: 500 },
    ]),
  )
  const { accountNumber } = await createAccount(bench, { nin: '33398765432' })
  assert.equal(await outcomeOfCredit(accountNumber, '50.01'), '00 suspended over_credit_limit')
  await verifyAll(bench)
  assert.equal(await outcomeOfCredit(accountNumber, '50.01'), '00 booked')
  assert.equal(await outcomeOfCredit(accountNumber, '500.01'), '00 suspended over_credit_limit')
})

test('the limits in force are never above the ceiling, whatever the client sets', async () => {
  const { accountNumber } = await createAccount(bench)
  const amount = fc.option(fc.integer({ min: 1, max: 100 }), { nil: null })
  const three = fc.record({ perCredit: amount, perDay: amount, balanceMax: amount })
  await fc.assert(
    fc.asyncProperty(three, three, async (ceiling, limits) => {
      await setCeilings([{ tier: 1, ...ceiling }])
      await patchAccount(bench, accountNumber, { limits })
      const inForce = await limitsOf(accountNumber)
      return Object.values(ceiling).every((most, at) => {
        return most === null || ((inForce[at] as number | null) ?? Infinity) <= most
      })
    }),
    { numRuns: 25 },
  )
})

test('the client reads its ceilings and cannot set any; another client has none of them', async () => {
  dataOf(await setCeilings([{ tier: 2, perDay: 300 }]))
  const expected = [
    { tier: 1, perCredit: null, perDay: null, balanceMax: null },
    { tier: 2, perCredit: null, perDay: 300, balanceMax: null },
    { tier: 3, perCredit: null, perDay: null, balanceMax: null },
  ]

  assert.deepEqual(dataOf(await bench.call({ url: OWN })).tiers, expected)
  assert.deepEqual(dataOf(await bench.call({ url: OF_CLIENT, token })).tiers, expected)
  const other = await bench.newClient('CEILINGS01')
  const put = { method: 'PUT', body: { tiers: [] }, token: other } as const
  for (const url of [OF_CLIENT, `${CLIENTS}/CEILINGS01/collection-ceilings`]) {
    assertRefused(await bench.call({ ...put, url }), {
      status: 403,
      code: 'scope_missing',
    })
  }
  assert.equal((await bench.call({ ...put, url: OWN })).statusCode, 405)
  const { tiers } = dataOf(await bench.call({ url: OWN, token: other }))
  assert.equal(tiers[1].perDay, null)
})

test('invalid ceilings are refused by their field, and change nothing', async () => {
  const wrong: readonly (readonly [tiers: unknown, field: string])[] = [
    [{}, 'tiers'],
    [null, 'tiers'],
    [[{ tier: 0 }], 'tiers.0.tier'],
    [[{ tier: '1' }], 'tiers.0.tier'],
    [[{}], 'tiers.0.tier'],
    [[{ tier: 1, perDay: 0 }], 'tiers.0.perDay'],
    [[{ tier: 1, perDay: -5 }], 'tiers.0.perDay'],
    [[{ tier: 1, perDay: '1e9' }], 'tiers.0.perDay'],
    [[{ tier: 1, perDay: 1.001 }], 'tiers.0.perDay'],
    [[{ tier: 1 }, { tier: 1 }], 'tiers'],
    [[{ tier: 1, perWeek: 5 }], 'tiers.0.perWeek'],
  ]
  for (const [tiers, field] of wrong) {
    const answer = await setCeilings(tiers)
    assertRefused(answer, { code: 'invalid_request' })
    assert.deepEqual(fieldsOf(answer), [field], JSON.stringify(tiers))
  }
  assert.equal(dataOf(await bench.call({ url: OWN })).tiers[1].perDay, 300)
})

test('a change is in the operator’s audit log with the amounts before and after', async () => {
  await setCeilings([{ tier: 3, balanceMax: 9 }])

  const { data } = (await bench.call({ url: '/api/v1/audit-log?limit=1', token })).json()
  assert.equal(data[0].action, 'client.ceilings')
  assert.deepEqual(data[0].detail.after[2], {
    tier: 3,
    perCredit: null,
    perDay: null,
    balanceMax: '9.00',
  })
})

test('the books agree with all of it', () => assertCleanBooks(bench))
