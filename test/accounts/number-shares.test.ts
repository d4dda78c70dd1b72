// No client uses up the account numbers of a bank: ceilings, default shares, and the last part of a range.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recountSharesRound } from '#accounts/workers.ts'
import { startTwin, startWithBanks, tally } from '../support/bank-calls.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  createAdvice,
  dataOf,
  INITIATE,
  startPayment,
} from '../support/fixtures.ts'
import { addClient, type Bench } from '../support/running-service.ts'

const STATIC = { from: 100_000_000, to: 100_000_999 }
const DYNAMIC = { from: 200_000_000, to: 200_000_999 }
const BANKS = [{ code: '035', static: STATIC, dynamic: DYNAMIC }]
const UNPAYABLE = { status: 400, code: 'number_ceiling_reached' }
const DAY_MS = 86_400_000
const CEILINGS = '/api/v1/operator/clients/MAN0000001/number-ceilings'

const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))

// Initiates the payment of a new advice of a client.
async function tryInitiate(bench: Bench, on: Bench = bench, token?: string) {
  const { adviceReference } = await createAdvice(bench, {}, token === undefined ? {} : { token })
  const url = `${INITIATE}/${adviceReference}`
  return on.call({ method: 'POST', url, body: { bankCode: '035' }, token: null })
}

const tryAccount = (bench: Bench, token?: string) =>
  bench.call({ url: ACCOUNTS, body: accountBody(), ...(token === undefined ? {} : { token }) })

const benchesWithOperator = new WeakSet<object>()

// Returns a new token of the operator of the service.
async function operatorToken(bench: Bench): Promise<string> {
  const { db, clock } = bench
  if (!benchesWithOperator.has(db)) {
    await addClient(db, clock(), { clientId: 'OPERATOR01', isOperator: true })
    benchesWithOperator.add(db)
  }
  return bench.login('OPERATOR01', 's3cret')
}

async function setCeilings(bench: Bench, ceilings: { accounts?: number; leases?: number }) {
  const token = await operatorToken(bench)
  const body = { banks: [{ bankCode: '035', ...ceilings }] }
  return bench.call({ method: 'PUT', url: CEILINGS, body, token })
}

async function heldBy(bench: Bench) {
  const { rows } = await bench.db.query(
    'select purpose, held from number_shares where held > 0 order by client_id, purpose',
  )
  return rows.map(({ purpose, held }) => `${purpose} ${held}`)
}

// Uses up the range but for `free` numbers, as if another client or an earlier time had.
const leaveFree = (bench: Bench, free: number) =>
  bench.db.query('update number_ranges set next_index = last_serial - first_serial + 1 - $1', [
    free,
  ])

test('parallel leases and accounts of two processes never exceed the ceilings of a client', async () => {
  await using bench = await startWithBanks(BANKS)
  await using twin = await startTwin(bench)
  dataOf(await setCeilings(bench, { accounts: 7, leases: 9 }))
  const other = await bench.newClient('OTHER')

  const token = await bench.login()
  const leases = await Promise.all(times(30, (at) => tryInitiate(bench, at % 2 ? twin : bench)))
  const accounts = await Promise.all(times(30, (at) => tryAccount(at % 2 ? twin : bench, token)))

  const codeOf = (answer: { json(): { code?: string } }) => answer.json().code ?? 'number'
  assert.deepEqual(tally(leases.map(codeOf)), { number: 9, number_ceiling_reached: 21 })
  assert.deepEqual(tally(accounts.map(codeOf)), { number: 7, number_ceiling_reached: 23 })
  assert.deepEqual(await heldBy(bench), ['dynamic 9', 'static 7'])
  const { rows } = await bench.db.query('select count(*)::int as count from numbers')
  assert.deepEqual(rows, [{ count: 16 }])
  dataOf(await tryInitiate(bench, bench, other), 'payment') // Another client is not concerned.
  dataOf(await tryAccount(bench, other))
  const refused = await tryAccount(bench)
  assertRefused(refused, { status: 400, code: 'number_ceiling_reached' })
  const alerts = await bench.db.query(`select kind, subject from alerts order by subject`)
  assert.deepEqual(alerts.rows, [
    { kind: 'number_ceiling_reached', subject: '035 dynamic MAN0000001' },
    { kind: 'number_ceiling_reached', subject: '035 static MAN0000001' },
  ])
})

test('a lease that has ended makes room, and so does a higher ceiling', async () => {
  await using bench = await startWithBanks(BANKS)
  dataOf(await setCeilings(bench, { leases: 2 }))
  await startPayment(bench)
  bench.advance(DAY_MS)
  await startPayment(bench)
  assertRefused(await tryInitiate(bench), UNPAYABLE, 'payment')
  const { rows } = await bench.db.query('select min(reusable_at) as at from numbers')
  bench.advance(rows[0].at.getTime() - bench.clock().getTime())
  dataOf(await tryInitiate(bench), 'payment')
  assertRefused(await tryInitiate(bench), UNPAYABLE, 'payment')
  dataOf(await setCeilings(bench, { leases: 3 }))
  dataOf(await tryInitiate(bench), 'payment')
  dataOf(await setCeilings(bench, {}))
  dataOf(await tryInitiate(bench), 'payment')
})

test('the last part of a range is for clients within their share', async () => {
  await using bench = await startWithBanks(BANKS)
  const other = await bench.newClient('OTHER')
  await startPayment(bench)
  await createAccount(bench)
  const above = `update number_shares set held = 500, counted_at = $1`
  await bench.db.query(above, [bench.clock()])
  await leaveFree(bench, 201)
  dataOf(await tryInitiate(bench), 'payment') // Above its share, while more than a fifth is free.
  dataOf(await tryAccount(bench))
  const refusal = { status: 400, code: 'number_ceiling_reached' }
  assertRefused(await tryInitiate(bench), UNPAYABLE, 'payment')
  assertRefused(await tryAccount(bench), refusal)
  assert.deepEqual(await heldBy(bench), ['dynamic 501', 'static 501'])
  dataOf(await tryInitiate(bench, bench, other), 'payment')
  dataOf(await tryAccount(bench, other))
  // Where none is free at all, the range is exhausted for everybody.
  await leaveFree(bench, 0)
  for (const by of [undefined, other]) {
    const exhausted = { status: 503, code: 'numbers_exhausted' }
    assertRefused(await tryInitiate(bench, bench, by), exhausted, 'payment')
    assertRefused(await tryAccount(bench, by), exhausted)
  }
  // Numbers that are reusable again are free.
  await bench.db.query(
    `update numbers set reusable_at = $1
      where account_number = (select min(account_number) from numbers where payment_id is not null)`,
    [bench.clock()],
  )
  await leaveFree(bench, 200)
  dataOf(await tryInitiate(bench), 'payment')
  // A ceiling of the operator counts instead of the share.
  dataOf(await setCeilings(bench, { accounts: 600 }))
  dataOf(await tryAccount(bench))
})

test('numbers that nobody gets are given back to the count', async () => {
  await using bench = await startWithBanks([
    { code: '035', static: STATIC, dynamic: DYNAMIC },
    { code: '058', static: { from: 1, to: 1 } },
  ])
  await leaveFree(bench, 0)
  const exhausted = { status: 503, code: 'numbers_exhausted' }
  assertRefused(await tryInitiate(bench), exhausted, 'payment')
  assertRefused(await tryAccount(bench), exhausted)
  assert.deepEqual(await heldBy(bench), [])
  await bench.db.query('update number_ranges set next_index = 0')
  const createWithBoth = () =>
    bench.call({ url: ACCOUNTS, body: { ...accountBody(), banks: ['058'] } })
  dataOf(await createWithBoth())
  assertRefused(await createWithBoth(), exhausted)
  assert.deepEqual(await heldBy(bench), ['static 1', 'static 1'])
})

test('a worker counts again what other releases drew, and what a wrong clock counted', async () => {
  await using bench = await startWithBanks(BANKS)
  await startPayment(bench)
  await createAccount(bench)
  const { db, clock } = bench
  const round = recountSharesRound({ db, clock })
  const signal = new AbortController().signal
  for (const shift of ['-11 minutes', '1 year']) {
    const miscount = `update number_shares set held = 77, counted_at = $1::timestamptz + $2::interval`
    await db.query(miscount, [clock(), shift])
    await round(signal)
    assert.deepEqual(await heldBy(bench), ['dynamic 1', 'static 1'])
  }
})

test('operators set ceilings and see what a client holds; nobody else does', async () => {
  await using bench = await startWithBanks(BANKS)
  await startPayment(bench)
  const token = await operatorToken(bench)
  const expected = {
    ...{ bankCode: '035', accounts: null, leases: 4, accountsHeld: 0, leasesHeld: 1 },
    ...{ defaultAccounts: 500, defaultLeases: 500 },
  }
  assert.deepEqual(dataOf(await setCeilings(bench, { leases: 4 })), { banks: [expected] })
  const read = await bench.call({ method: 'GET', url: CEILINGS, token })
  assert.deepEqual(dataOf(read), { banks: [expected] })
  const wrong = [
    { banks: [{ bankCode: '999' }] },
    { banks: [{ bankCode: '035' }, { bankCode: '035' }] },
    { banks: [{ bankCode: '035', leases: -1 }] },
    { banks: [{ bankCode: '035', leases: 1.5 }] },
    { banks: [{ bankCode: '035', leases: '4' }] },
    { banks: [{ bankCode: '035', leases: 1e12 }] },
    {},
  ]
  for (const body of wrong) {
    assertRefused(await bench.call({ method: 'PUT', url: CEILINGS, body, token }), {
      status: 400,
      code: 'invalid_request',
    })
  }
  const { rows } = await bench.db.query(
    `select detail from audit_log where action = 'client.number_ceilings'`,
  )
  assert.deepEqual(rows, [
    { detail: { before: [], after: [{ bankCode: '035', accounts: null, leases: 4 }] } },
  ])
})
