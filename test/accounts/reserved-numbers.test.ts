// The service keeps a pool of numbers that a bank reserved, so that no request waits for the bank. Each
// number is used once. A failing bank costs no number and gets no more calls than necessary.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nuban } from '#banks/nuban.ts'
import { SKEW_MAX_MS } from '#db/health.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  createAccount,
  createAdvice,
  INITIATE,
  startPayment,
} from '../support/fixtures.ts'
import { reportCredit } from '../support/rail.ts'
import {
  poolStates,
  refillPools,
  reservingSettings,
  standingAlerts,
  startReservingBank,
  startWithReserving,
} from '../support/reserving-bank.ts'

const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))
const DAY_MS = 86_400_000
const SECOND_MS = 1_000

test('a pool is filled to its target, and stays so', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 5, dynamic: 30 })

  await refillPools(bench)
  await refillPools(bench)

  assert.deepEqual(await poolStates(bench), { 'static available': 5, 'dynamic available': 30 })
  assert.equal(bank.calls.length, 35)
  assert.equal(new Set(bank.calls.map(({ body }) => body.reference)).size, 35)
  assert(bank.calls.every(({ body }) => body.accountName === 'Virtual account'))
  assert.deepEqual(await standingAlerts(bench), [])
})

test('accounts and payments get numbers while the bank hangs, without a call to it', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 3, dynamic: 3 })
  await refillPools(bench)
  const reserved = [...bank.accounts.keys()]
  bank.behave(() => 'hang')
  bank.calls.length = 0

  const accounts = await Promise.all(times(3, () => createAccount(bench)))
  const payments = await Promise.all(times(3, () => startPayment(bench)))

  const numbers = [
    ...accounts.map(({ accountNumber }) => accountNumber),
    ...payments.map(({ bankAccount }) => bankAccount),
  ]
  assert.deepEqual(numbers.toSorted(), reserved.toSorted())
  assert.deepEqual(bank.calls, [])
  const credited = await reportCredit(bench, { accountNumber: numbers[0], amount: '100.00' })
  assert.equal(credited.responseCode, '00')
  await assertCleanBooks(bench)
})

test('used numbers are replaced by new reservations, for each purpose', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 4, dynamic: 4 })
  await refillPools(bench)
  await Promise.all(times(2, () => createAccount(bench)))
  await startPayment(bench)

  await refillPools(bench)

  assert.deepEqual(await poolStates(bench), {
    'dynamic available': 4,
    'dynamic used': 1,
    'static available': 4,
    'static used': 2,
  })
  await assertCleanBooks(bench)
})

test('an exhausted pool is refused plainly, with an alert until it is refilled', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 1, dynamic: 1 })
  await refillPools(bench)
  await createAccount(bench)
  await startPayment(bench)
  const { adviceReference } = await createAdvice(bench)

  const account = await bench.call({ url: ACCOUNTS, body: accountBody() })
  const url = `${INITIATE}/${adviceReference}`
  const payment = await bench.call({ url, body: { bankCode: '035' }, token: null })

  assertRefused(account, { status: 503, code: 'numbers_exhausted' })
  assertRefused(payment, { status: 503, code: 'numbers_exhausted' }, 'payment')
  assert.deepEqual(await standingAlerts(bench), [
    'numbers_exhausted 035 dynamic',
    'numbers_exhausted 035 static',
  ])
  await refillPools(bench)
  assert.deepEqual(await standingAlerts(bench), [])
  await createAccount(bench)
})

test('a low pool that the bank does not refill raises an alert, which ends when it is full', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 10, dynamic: 0 })
  await refillPools(bench)
  bank.behave(() => 'break')

  await Promise.all(times(8, () => createAccount(bench)))
  await refillPools(bench)
  const atTwo = await standingAlerts(bench)
  await createAccount(bench)
  await refillPools(bench)
  const atOne = await standingAlerts(bench)
  bank.behave(() => 'as usual')
  bench.advance(DAY_MS)
  await refillPools(bench)

  assert.deepEqual(atTwo, [], 'a fifth is not under a fifth')
  assert.deepEqual(atOne, ['pool_low 035 static'])
  assert.deepEqual(await standingAlerts(bench), [])
  assert.equal((await poolStates(bench))['static available'], 10)
})

test('a failing bank is called again later, with longer and longer pauses', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 2, dynamic: 0 })
  bank.behave(() => ({ status: 503, body: {} }))

  // Lets time pass and the worker run. Returns whether the bank was called.
  const callsAfter = async (ms: number) => {
    bench.advance(ms)
    bank.calls.length = 0
    await refillPools(bench)
    return bank.calls.length > 0
  }

  assert.equal(await callsAfter(0), true)
  assert.equal(await callsAfter(1_999), false)
  assert.equal(await callsAfter(1), true)
  assert.equal(await callsAfter(2 * SECOND_MS), false)
  assert.equal(await callsAfter(2 * SECOND_MS), true)
  bank.behave(() => 'as usual')
  assert.equal(await callsAfter(DAY_MS), true)
  assert.equal((await poolStates(bench))['static available'], 2)
})

test('a reservation whose answer was lost is repeated with its reference; no number is lost', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 2, dynamic: 0 })
  bank.behave((call) => {
    bank.answerAsUsual(call) // The bank reserves a number, and its answer is lost.
    return 'break'
  })
  await refillPools(bench)
  assert.deepEqual(await poolStates(bench), { 'static asked': 2 })
  bank.behave(() => 'as usual')
  bench.advance(DAY_MS)

  await refillPools(bench)

  assert.deepEqual(await poolStates(bench), { 'static available': 2 })
  assert.equal(bank.accounts.size, 2, 'no more than two were ever reserved')
})

test('a reserved number that is malformed or already in use is refused with an alert', async () => {
  await using bank = await startReservingBank('91')
  await using second = await startReservingBank('92')
  await using bench = await startWithReserving(bank, { static: 1, dynamic: 0 }, [
    { code: '058', static: { from: 1, to: 9 }, dynamic: { from: 10, to: 19 } },
    reservingSettings('232', second, { static: 1, dynamic: 0 }),
  ])
  await refillPools(bench)
  const [reserved = ''] = [...bank.accounts.keys()]
  const payment = await startPayment(bench, {}, '058')
  await createAccount(bench)

  const answers = ['12345', '12345678901', 'ABCDEFGHIJ', reserved, payment.bankAccount]
  answers.push([...second.accounts.keys()][0] as string)
  for (const accountNumber of answers) {
    bank.behave(() => ({ status: 200, body: { accountNumber, accountName: 'Ada' } }))
    await refillPools(bench)
    bench.advance(DAY_MS)
  }

  assert.deepEqual(await poolStates(bench), { 'static used': 1 })
  assert.deepEqual(
    (await standingAlerts(bench)).filter((alert) => alert.startsWith('number_refused')),
    answers.map((accountNumber) => `number_refused 035 ${accountNumber}`).toSorted(),
  )
  bank.behave(() => 'as usual')
  await refillPools(bench)
  assert.equal((await poolStates(bench))['static available'], 1)
  await assertCleanBooks(bench)
})

test('two processes that refill at once reserve no more than the target', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 15, dynamic: 45 })
  await using twin = await startTwin(bench)

  await Promise.all([refillPools(bench), refillPools(twin), refillPools(bench), refillPools(twin)])
  await refillPools(bench)

  assert.deepEqual(await poolStates(bench), { 'static available': 15, 'dynamic available': 45 })
  assert.equal(bank.accounts.size, 60)
})

test('fifty at once through two processes get fifty reserved numbers, or as many as there are', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 40, dynamic: 0 })
  await using twin = await startTwin(bench)
  await refillPools(bench)
  const token = await bench.login()

  const answers = await Promise.all(
    times(50, (at) =>
      (at % 2 ? twin : bench).call({ method: 'POST', url: ACCOUNTS, body: accountBody(), token }),
    ),
  )

  const numbers = answers.flatMap((answer) => answer.json().data?.accountNumber ?? [])
  assert.equal(numbers.length, 40)
  assert.equal(new Set(numbers).size, 40)
  await assertCleanBooks(bench)
})

test('a dynamic number is leased again after its quarantine, before another is taken', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 1, dynamic: 2 })
  await refillPools(bench)
  const first = await startPayment(bench)
  const early = await startPayment(bench)
  bench.advance(400 * DAY_MS)

  const later = await startPayment(bench)

  assert.notEqual(early.bankAccount, first.bankAccount)
  assert([first.bankAccount, early.bankAccount].includes(later.bankAccount))
  await assertCleanBooks(bench)
})

test('a range never gives out what another bank reserved', async () => {
  const accountNumber = nuban('058', 500_000_000)
  const range = { from: 500_000_000, to: 500_000_000 }
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 1, dynamic: 0 }, [
    { code: '058', dynamic: range },
  ])
  bank.behave(() => ({ status: 200, body: { accountNumber, accountName: 'Ada' } }))
  await refillPools(bench)
  const { adviceReference } = await createAdvice(bench)

  const url = `${INITIATE}/${adviceReference}`
  const refused = await bench.call({ url, body: { bankCode: '058' }, token: null })

  assertRefused(refused, { status: 503, code: 'numbers_exhausted' }, 'payment')
  assert.equal((await createAccount(bench)).accountNumber, accountNumber)
  await assertCleanBooks(bench)
})

test('a bank’s text that the database cannot store stops no refill', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 1, dynamic: 0 })
  const unstorable = '\u0000\ud83d'

  bank.behave(() => ({ status: 422, body: { message: `Later${unstorable}` } }))
  await refillPools(bench)
  bench.advance(DAY_MS)
  bank.behave(() => ({ status: 200, body: { accountNumber: `12345${unstorable}` } }))
  await refillPools(bench)
  bench.advance(DAY_MS)
  const named = { accountNumber: '9100000001', accountName: `Ada${unstorable}` }
  bank.behave(() => ({ status: 200, body: named }))
  await refillPools(bench)

  assert.deepEqual(await poolStates(bench), { 'static available': 1 })
  assert.deepEqual(await standingAlerts(bench), ['number_refused 035 12345 \ufffd'])
})

test('a pool waits for no lease and no retry of a clock that was ahead', async () => {
  await using bank = await startReservingBank()
  await using bench = await startWithReserving(bank, { static: 1, dynamic: 0 })
  // Sets a time of the pool to this many ms from now: the end of a lease, or the next retry.
  const setPoolTime = (column: string, ms: number) =>
    bench.db.query(
      `insert into number_pools (bank_code, ${column}) values ('035', $1)
       on conflict (bank_code) do update set ${column} = $1`,
      [new Date(bench.clock().getTime() + ms)],
    )
  for (const [column, waitMs] of [
    ['leased_until', 60_000],
    ['retry_at', 300_000],
  ] as const) {
    await setPoolTime(column, waitMs)
    await refillPools(bench)
    assert.deepEqual(await poolStates(bench), {}, column)
    await setPoolTime(column, waitMs + SKEW_MAX_MS + 1)
  }
  await refillPools(bench)

  assert.deepEqual(await poolStates(bench), { 'static available': 1 })
})
