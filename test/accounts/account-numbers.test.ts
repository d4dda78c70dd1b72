// Each account number has one owner at a time, is valid, and cannot be guessed. A request for a number of
// an exhausted range is refused with one alert, and never gets a number that is in use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, startTwin, startWithBanks, tally } from '../support/bank-calls.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  createAdvice,
  dataOf,
  INITIATE,
  initiate,
  startPayment,
} from '../support/fixtures.ts'
import { isNuban } from '../support/nuban.ts'
import type { Bench } from '../support/running-service.ts'

const STATIC = { from: 100_000_000, to: 100_000_011 }
const DYNAMIC = { from: 200_000_000, to: 200_000_011 }
const SIZE = 12

const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))
// The first nine digits of an account number are its serial, the last is the check digit.
const serial = (accountNumber: string) => Number(accountNumber.slice(0, 9))
const isInRange = ({ from, to }: typeof STATIC, accountNumber: string) =>
  serial(accountNumber) >= from && serial(accountNumber) <= to

// Creates an advice on one service and initiates its payment on another one, by default the same. That
// fails if the bank has no free number.
async function tryInitiate(bench: Bench, on: Bench = bench, bankCode = '035') {
  const { adviceReference } = await createAdvice(bench)
  return on.call({
    method: 'POST',
    url: `${INITIATE}/${adviceReference}`,
    body: { bankCode },
    token: null,
  })
}

// Returns each open alert as one text: its kind and its subject.
async function openAlerts(bench: Bench): Promise<string[]> {
  const { rows } = await bench.db.query(
    `select kind || ' ' || subject as alert from alerts where cleared_at is null order by 1`,
  )
  return rows.map((row) => row.alert)
}

test('a range is given out to its last serial, each number valid and once, in no order', async () => {
  await using bench = await startWithBanks([{ code: '035', static: STATIC, dynamic: DYNAMIC }])

  const accounts = await Promise.all(times(SIZE, () => createAccount(bench)))
  const payments = await Promise.all(times(SIZE, () => startPayment(bench)))

  const fixed = accounts.map((account) => account.accountNumber)
  const leased = payments.map((payment) => payment.bankAccount)
  assert.equal(new Set([...fixed, ...leased]).size, 2 * SIZE)
  assert([...fixed, ...leased].every((number) => isNuban('035', number)))
  assert(fixed.every((number) => isInRange(STATIC, number)))
  assert(leased.every((number) => isInRange(DYNAMIC, number)))
  for (const numbers of [fixed, leased]) {
    const steps = numbers
      .slice(1)
      .map((number, at) => serial(number) - serial(numbers[at] as string))
    assert(new Set(steps).size > 2, `guessable steps: ${steps}`)
  }
  await assertCleanBooks(bench)
})

test('requests for an exhausted range are refused plainly, with a single open alert', async () => {
  await using bench = await startWithBanks([
    { code: '035', static: STATIC, dynamic: DYNAMIC },
    { code: '058', dynamic: { from: 300_000_000, to: 300_000_001 } },
  ])
  await using twin = await startTwin(bench)
  await Promise.all(times(SIZE, () => createAccount(bench)))
  await Promise.all(times(SIZE, () => startPayment(bench)))

  const refusals = await Promise.all(times(10, (at) => tryInitiate(bench, at % 2 ? twin : bench)))
  const account = await bench.call({ url: ACCOUNTS, body: accountBody() })
  await bench.call({ url: ACCOUNTS, body: accountBody() })

  for (const answer of refusals) {
    assertRefused(answer, { status: 503, code: 'numbers_exhausted' }, 'payment')
    assert.match(answer.json().message, /another bank/)
  }
  assertRefused(account, { status: 503, code: 'numbers_exhausted' })
  assert.deepEqual(await openAlerts(bench), [
    'numbers_exhausted 035 dynamic',
    'numbers_exhausted 035 static',
  ])
  dataOf(await tryInitiate(bench, bench, '058'), 'payment') // Another bank still has free numbers.
  const { rows } = await bench.db.query('select count(*)::int as count from payments')
  assert.deepEqual(rows, [{ count: SIZE + 1 }])
  await assertCleanBooks(bench)
})

test('a payment without a free number does not start, but starts at another bank', async () => {
  await using bench = await startWithBanks([
    { code: '035', static: STATIC, dynamic: { from: 1, to: 1 } },
    { code: '058', dynamic: DYNAMIC },
  ])
  await startPayment(bench)
  const { adviceReference } = await createAdvice(bench)

  const url = `${INITIATE}/${adviceReference}`
  const refused = await bench.call({ url, body: { bankCode: '035' }, token: null })
  const payment = await initiate(bench, adviceReference, '058')
  const further = await bench.call({ url, body: { bankCode: '035' }, token: null })

  assertRefused(refused, { status: 503, code: 'numbers_exhausted' }, 'payment')
  assertRefused(further, { status: 503, code: 'numbers_exhausted' }, 'payment')
  assert.equal((await initiate(bench, adviceReference, '058')).bankAccount, payment.bankAccount)
})

test('fifty at once through two processes draw fifty numbers, or as many as there are', async () => {
  const dynamic = { from: 200_000_000, to: 200_000_039 }
  await using bench = await startWithBanks([{ code: '035', static: STATIC, dynamic }])
  await using twin = await startTwin(bench)
  const advices = await Promise.all(times(50, () => createAdvice(bench)))

  const answers = await Promise.all(
    advices.map(({ adviceReference }, at) =>
      (at % 2 ? twin : bench).call({
        method: 'POST',
        url: `${INITIATE}/${adviceReference}`,
        body: { bankCode: '035' },
        token: null,
      }),
    ),
  )

  assert.deepEqual(tally(answers.map((answer) => answer.json().code ?? 'number')), {
    number: 40,
    numbers_exhausted: 10,
  })
  const numbers = answers.flatMap((answer) => answer.json().responseData?.bankAccount ?? [])
  assert.equal(new Set(numbers).size, 40)
})

// The codes 011, 044 and 055 give the same serial the same check digit. Two banks could therefore issue the
// same account number.
test('two banks with the same range never share a live number', async () => {
  const dynamic = { from: 700_000_000, to: 700_000_019 }
  await using bench = await startWithBanks([
    { code: '011', static: { from: 700_000_005, to: 700_000_009 }, dynamic: { from: 1, to: 2 } },
    { code: '044', dynamic },
    { code: '055', dynamic },
  ])
  const advices = await Promise.all(times(24, () => createAdvice(bench)))

  const answers = await Promise.all([
    ...times(5, () => bench.call({ url: ACCOUNTS, body: accountBody() })),
    ...advices.map(({ adviceReference }, at) =>
      bench.call({
        url: `${INITIATE}/${adviceReference}`,
        body: { bankCode: at % 2 ? '044' : '055' },
        token: null,
      }),
    ),
  ])

  // Collects the account numbers. A request gets none if the range is exhausted, and an account and a payment
  // name their number differently.
  const numbers = answers.flatMap((answer) => {
    const { data, responseData, code } = answer.json()
    assert(code === undefined || code === 'numbers_exhausted', answer.body)
    return data?.accountNumber ?? responseData?.bankAccount ?? []
  })
  assert.equal(numbers.length, 20, 'every serial of the range is used')
  assert.equal(new Set(numbers).size, 20)
  await assertCleanBooks(bench)
})

test('two processes that start at once register a range once, and agree on its order', async () => {
  await using bench = await startWithBanks([{ code: '035', static: STATIC, dynamic: DYNAMIC }])
  await using twin = await startTwin(bench)

  const accounts = []
  for (const at of times(SIZE, (n) => n)) {
    const answer = await (at % 2 ? twin : bench).call({
      method: 'POST',
      url: ACCOUNTS,
      body: accountBody(),
      token: await bench.login(),
    })
    accounts.push(dataOf(answer).accountNumber)
  }

  assert.equal(new Set(accounts).size, SIZE)
  const { rows } = await bench.db.query('select count(*)::int as count from number_ranges')
  assert.deepEqual(rows, [{ count: 2 }])
})
