// The operator sets a floor for a client's reserve: the client may reserve more, never less (I96).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { until } from '../support/embedded-bench.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { pay as payIn } from '../support/refunding.ts'
import { addClient, type Bench, startTestService } from '../support/running-service.ts'
import { closeSettlement, SETTINGS, setBankAccount, setSettings } from '../support/settlements.ts'

// Starts a service with an operator who sets the floor.
async function startWithOperator() {
  const bench = await startTestService()
  await addClient(bench.db, bench.clock(), { clientId: 'OPERATOR01', isOperator: true })
  const token = await bench.login('OPERATOR01', 's3cret')
  await setBankAccount(bench)
  const url = '/api/v1/operator/clients/MAN0000001/payout-settings'
  const setFloor = (body: object, by: object = { token }) =>
    bench.call({ method: 'PATCH', url, body, ...by })
  return { bench, setFloor, [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose]() }
}

const settingsOf = async (bench: Bench) => {
  const { reservePercent, reserveDays, reserveFloorPercent, reserveFloorDays } = dataOf(
    await bench.call({ url: SETTINGS }),
  )
  return [reservePercent, reserveDays, reserveFloorPercent, reserveFloorDays]
}

// Settles a new credit; returns the reserved amount.
async function settle(bench: Bench, naira: string) {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, naira)
  return (await closeSettlement(bench)).reserved
}

test('a client cannot hold back less than the operator’s floor, however it sets it', async () => {
  await using started = await startWithOperator()
  const { bench, setFloor } = started
  dataOf(await setSettings(bench, { schedule: 'manual', reservePercent: 5, reserveDays: 3 }))
  const floor = dataOf(await setFloor({ reserveFloorPercent: 10, reserveFloorDays: 7 }))
  assert.deepEqual([floor.reserveFloorPercent, floor.reserveFloorDays], [10, 7])

  assert.deepEqual(await settingsOf(bench), [10, 7, 10, 7])
  assert.equal(await settle(bench, '1000'), 100)
  for (const reserve of [
    { reservePercent: 9.99, reserveDays: 7 },
    { reservePercent: 50, reserveDays: 6 },
  ]) {
    const answer = await setSettings(bench, { schedule: 'manual', ...reserve })
    assertRefused(answer, { status: 409, code: 'reserve_below_floor' })
  }
  dataOf(await setSettings(bench, { schedule: 'manual' }))
  assert.deepEqual(await settingsOf(bench), [10, 7, 10, 7])
  assert.equal(await settle(bench, '1000'), 100)
  dataOf(await setSettings(bench, { schedule: 'manual', reservePercent: 20, reserveDays: 9 }))
  assert.deepEqual(await settingsOf(bench), [20, 9, 10, 7])
  assert.equal(await settle(bench, '1000'), 200)
  await assertCleanBooks(bench)
})

test('a client without settings of its own has the floor; lifted, its own reserve is back', async () => {
  await using started = await startWithOperator()
  const { bench, setFloor } = started
  await setFloor({ reserveFloorPercent: 2.5, reserveFloorDays: 30 })
  assert.deepEqual(await settingsOf(bench), [2.5, 30, 2.5, 30])
  assert.equal(await settle(bench, '1000'), 25)
  await setFloor({ dailyLimit: 5_000_000 }) // Another setting leaves it unchanged.
  assert.deepEqual(await settingsOf(bench), [2.5, 30, 2.5, 30])

  await setFloor({ reserveFloorPercent: 0, reserveFloorDays: 0 })

  assert.deepEqual(await settingsOf(bench), [0, 0, 0, 0])
  assert.equal(await settle(bench, '1000'), 0)
})

test('only an operator sets the floor, and every bad one is named', async () => {
  await using started = await startWithOperator()
  const { bench, setFloor } = started
  const token = await bench.newClient('NO-OPERATOR')
  const own = await setFloor({ reserveFloorPercent: 1, reserveFloorDays: 1 }, { token })
  assertRefused(own, { status: 403, code: 'scope_missing' })
  for (const [percent, days] of [
    [101, 1],
    [-1, 1],
    [1.005, 1],
    ['10', 1],
    [10, 366],
    [10, 1.5],
    [10, 0],
    [0, 10],
    [10, undefined],
    [undefined, 10],
    [null, null],
  ]) {
    const body = { reserveFloorPercent: percent, reserveFloorDays: days }
    assertRefused(await setFloor(body), { code: 'invalid_request' })
  }
  assert.deepEqual(await settingsOf(bench), [0, 0, 0, 0])
})

const FLOOR = { reserveFloorPercent: 10, reserveFloorDays: 7 }

// Starts the service of startWithOperator() with money on a collection account. `pay` requests a payout.
async function startWithMoney(naira: string) {
  const started = await startWithOperator()
  const { accountNumber } = await createAccount(started.bench)
  await credit(started.bench, accountNumber as string, naira)
  const pay = (amount: string) => {
    const body = { amount, narration: 'Rent' }
    return started.bench.call({ url: '/api/v1/payouts', body })
  }
  return Object.assign(started, { pay, accountNumber: accountNumber as string })
}

test('a client draws no more by payouts than a settlement would pay', async () => {
  await using started = await startWithMoney('1000')
  const { bench, setFloor, pay } = started
  await setFloor(FLOOR)
  const over = await pay('900.01')
  assertRefused(over, { status: 409, code: 'reserve_floor_reached' })
  assert.match(over.json().errors[0].message, /100\.0/)
  assert.equal((await pay('1000.01')).json().code, 'insufficient_balance')
  dataOf(await pay('500'))
  dataOf(await pay('400'))
  assertRefused(await pay('0.01'), { status: 409, code: 'reserve_floor_reached' })

  // A settlement in between does not free the reserved money either.
  const { reserved, net } = await closeSettlement(bench)
  assert.deepEqual([reserved, net], [100, 0])
  await assertCleanBooks(bench)
})

test('concurrent payouts leave the floor, and those that fail give its room back', async () => {
  await using started = await startWithMoney('1000')
  const { bench, setFloor, pay } = started
  await setFloor(FLOOR)
  const answers = await Promise.all(Array.from({ length: 5 }, () => pay('300')))
  const made = answers.filter(({ statusCode }) => statusCode === 200)
  assert.equal(made.length, 3)
  const [first] = made
  const reference = first?.json().data.reference
  const url = `/api/v1/payouts/${reference}/cancel`
  dataOf(await bench.call({ url, body: { reason: 'Not now' } }))
  dataOf(await pay('300'))
  assertRefused(await pay('1'), { status: 409, code: 'reserve_floor_reached' })
})

test('a settlement with an earlier cut-off holds back for payouts since then, once', async () => {
  await using started = await startWithMoney('1000')
  const { bench, setFloor, pay } = started
  await setFloor(FLOOR)
  bench.advance(60_000)
  const cutOff = bench.clock().toISOString()
  bench.advance(60_000)
  dataOf(await pay('900'))

  const { reserved, net } = await closeSettlement(bench, { cutOff })
  assert.deepEqual([reserved, net], [100, 0])

  const { accountNumber } = started
  await credit(bench, accountNumber, '1000')
  bench.advance(60_000)
  assert.equal((await closeSettlement(bench)).reserved, 100)
  await assertCleanBooks(bench)
})

test('payouts of a process whose clock is ahead, and to another bank account, count', async () => {
  await using started = await startWithMoney('1000')
  const { bench, setFloor, pay } = started
  await setFloor(FLOOR)
  await bench.db.query(
    `insert into bank_accounts (reference, client_id, bank_code, account_number_sealed,
                                account_number_hash, account_name, name_at_bank, status,
                                is_default, created_by, created_at)
     select 'BAC000000000000099', client_id, '232', account_number_sealed, account_number_hash,
            account_name, name_at_bank, status, false, created_by, created_at
       from bank_accounts`,
  )
  const ahead = { ...bench, clock: () => new Date(bench.clock().getTime() + 50) }
  await using twin = await startTwin(ahead)
  const body = { amount: '900', narration: 'Rent', bankAccount: 'BAC000000000000099' }
  const call = { url: '/api/v1/payouts', body, token: await bench.login() }

  // The lock makes both payouts wait, so that neither has committed when the other reads what the floor
  // covers.
  const holder = await bench.db.connect()
  await holder.query('begin')
  await holder.query('select from ledger_accounts for update')
  const both = Promise.all([twin.call(call), pay('90')])
  await until('both payouts wait', async () => {
    const { rows } = await bench.db.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows[0]?.waiting === 2
  })
  await holder.query('commit')
  holder.release()
  const answers = await both

  const paid = answers.filter(({ statusCode }) => statusCode === 200)
  assert.equal(paid.length, 1, answers.map((answer) => answer.body).join())
  if (answers[0]?.statusCode !== 200)
    dataOf(await twin.call({ ...call, body: { ...body, amount: '810' } }))
  assertRefused(await pay('0.01'), { status: 409, code: 'reserve_floor_reached' })
})

test('a payout that is older than the days of the floor needs no reserve', async () => {
  await using started = await startWithMoney('1000')
  const { bench, setFloor, pay } = started
  await setFloor(FLOOR)
  dataOf(await pay('900'))
  bench.advance(6 * 86_400_000)
  assertRefused(await pay('50'), { status: 409, code: 'reserve_floor_reached' })
  bench.advance(86_400_000 + 60_000)
  dataOf(await pay('90'))
  assertRefused(await pay('1'), { status: 409, code: 'reserve_floor_reached' })
})

test('a floor of all money lets no payout go, and a refund goes whatever the floor', async () => {
  await using started = await startWithMoney('1000')
  const { bench, setFloor, pay, accountNumber } = started
  const { sessionId } = await payIn(bench, accountNumber, '50')
  await setFloor({ reserveFloorPercent: 100, reserveFloorDays: 7 })
  assertRefused(await pay('0.01'), { status: 409, code: 'reserve_floor_reached' })
  const refund = { amount: '50', reason: 'Wrong size' }
  dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}/refunds`, body: refund }))
})
