// Account numbers of banks that identify the customer of each reservation (I101): one number for each
// request, even if the request is repeated or an answer is lost. The reservation stores no identity.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchAccount } from '../support/account-calls.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { BANK_CODE, naira } from '../support/fake-bank.ts'
import {
  ACCOUNTS,
  accountBody,
  assertRefused,
  balanceOf,
  createAccount,
  databaseText,
  dataOf,
  UUID,
} from '../support/fixtures.ts'
import { type Fate, startIdentifying as start } from '../support/identifying-bank.ts'
import { poolStates, sendBankChanges } from '../support/reserving-bank.ts'
import type { Bench } from '../support/running-service.ts'

const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
type Options = Pick<Parameters<Bench['call']>[0], 'token'>
const tryCreate = (bench: Bench, changes: object = {}, key?: string, more: Options = {}) =>
  bench.call({
    url: ACCOUNTS,
    body: accountBody({ ...changes }),
    ...(key ? keyed(key) : {}),
    ...more,
  })
const tryAdd = (bench: Bench, accountNumber: string, more: Options = {}) =>
  bench.call({
    method: 'POST',
    url: `${ACCOUNTS}/${accountNumber}/numbers`,
    body: { bankCode: BANK_CODE },
    ...more,
  })
// Counts the reserved numbers of the bank by purpose and state.
const states = (bench: Bench) => poolStates(bench, BANK_CODE)

const BVN = '22212345654'

for (const connector of ['monnify', 'squad']) {
  test(`${connector}: an account gets a number that the bank reserved for its customer`, async () => {
    await using world = await start(connector)
    const { bench, bank, wire } = world

    const made = await createAccount(bench, { nin: '12345678901' })

    assert.equal(made.bankCode, BANK_CODE)
    const [call, ...others] = wire.asked
    assert.deepEqual(others, [])
    assert.equal(call?.body.bvn, BVN)
    if (connector === 'monnify') assert.equal(call?.body.customerEmail, 'ada@example.com')
    else assert.equal(call?.body.mobile_num, '08012345678')
    const name = call?.body.accountName ?? call?.body.business_name
    assert.equal(name, 'Sandbox Merchant/Ada Obi')
    assert.match(world.references()[0] ?? '', UUID)

    bank.transfer({ accountNumber: made.accountNumber, amountKobo: naira(500) })
    await bank.sendDue()
    assert.equal(await balanceOf(bench, made.accountNumber), 500)
    const text = await databaseText(bench)
    assert(!text.includes(BVN) && !text.includes('12345678901'))
    const { rows } = await bench.db.query(
      'select state, request_hash, account_name from reserved_numbers',
    )
    assert.deepEqual(rows, [{ state: 'used', requestHash: null, accountName: '' }])
    await assertCleanBooks(bench)
  })

  test(`${connector}: a retry after a lost answer gets the number that the bank reserved`, async () => {
    await using world = await start(connector)
    const { bench, wire } = world
    const fates: Fate[] = ['unsent', 'answer lost']
    wire.decide(() => fates.shift() ?? 'as usual')

    const silent = { status: 503, code: 'bank_silent' }
    assertRefused(await tryCreate(bench, {}, 'K-1'), silent)
    assertRefused(await tryCreate(bench, {}, 'K-1'), silent)
    assert.deepEqual(await states(bench), { 'static asked': 1 })
    const made = dataOf(await tryCreate(bench, {}, 'K-1'))
    const replay = await tryCreate(bench, {}, 'K-1')

    assert.equal(replay.headers['idempotent-replayed'], 'true')
    assert.equal(dataOf(replay).accountNumber, made.accountNumber)
    assert.equal(wire.asked.length, 3)
    assert.equal(world.references().length, 1)
    assert.deepEqual(await states(bench), { 'static used': 1 })
    assertRefused(await tryCreate(bench, { merchantId: 'M-2' }, 'K-1'), {
      code: 'idempotency_key_reused',
    })
    assert.equal(wire.asked.length, 3)
    await assertCleanBooks(bench)
  })

  for (const key of ['K-1', undefined]) {
    const which = key ? 'with a key' : 'without a key'
    test(`${connector}: concurrent equal requests ${which} make one account with one number`, async () => {
      await using world = await start(connector)
      const { bench, wire } = world
      await using twin = await startTwin(bench)
      const token = await bench.login()
      let release = () => {}
      const all = new Promise<void>((resolve) => {
        release = resolve
      })
      wire.decide(async () => {
        if (wire.asked.length === 4) release()
        await all
        return 'as usual' as const
      })

      const answers = await Promise.all(
        [bench, twin, bench, twin].map((each) => tryCreate(each, {}, key, { token })),
      )

      const numbers = answers.map((answer) => dataOf(answer).accountNumber)
      assert.equal(new Set(numbers).size, 1)
      assert.equal(world.references().length, 1)
      assert.deepEqual(await states(bench), { 'static used': 1 })
      await assertCleanBooks(bench)
    })
  }

  test(`${connector}: what the bank refuses is told to the caller, who may correct it`, async () => {
    await using world = await start(connector)
    const { bench, wire } = world
    const reason = 'The BVN does not match the name'
    const body =
      connector === 'monnify'
        ? { requestSuccessful: false, responseMessage: reason, responseCode: '99' }
        : { status: 400, success: false, message: reason, data: {} }
    wire.decide(() => ({ status: connector === 'monnify' ? 422 : 400, body }))

    const refused = await tryCreate(bench, { accountName: 'Bola Eze' }, 'K-1')

    assertRefused(refused, { code: 'customer_refused' })
    assert.deepEqual(refused.json().errors, [{ field: `bank ${BANK_CODE}`, message: reason }])
    const { rows } = await bench.db.query('select from collection_accounts')
    assert.equal(rows.length, 0)
    wire.decide(() => 'as usual')
    dataOf(await tryCreate(bench, {}, 'K-1'))
    assert.equal(world.references().length, 2)
    await assertCleanBooks(bench)
  })

  test(`${connector}: operators see a reservation whose account was never created`, async () => {
    await using world = await start(connector)
    const { bench, wire } = world
    wire.decide(() => 'answer lost')
    await tryCreate(bench, {}, 'K-1')
    // Returns the reservations that operators see as abandoned.
    const viewAbandoned = async () => {
      const { data } = (await bench.call({ url: '/api/v1/operator/banks' })).json()
      const found = data.find(({ code }: { code: string }) => code === BANK_CODE)
      return found.abandonedReservations.map(({ askedAt, ...rest }: Record<string, unknown>) => {
        assert.match(String(askedAt), /^2026-/)
        return rest
      })
    }
    bench.advance(3_600_000)
    assert.deepEqual(await viewAbandoned(), [], 'its request may still be repeated')
    bench.advance(1_000)
    const [reference] = world.references()
    assert.deepEqual(await viewAbandoned(), [{ reference, accountNumber: null }])

    wire.decide(() => 'as usual')
    dataOf(await tryCreate(bench, {}, 'K-1'))
    assert.deepEqual(await viewAbandoned(), [])
  })

  test(`${connector}: a number whose account was not created is for the same request alone`, async () => {
    await using world = await start(connector)
    const { bench, wire } = world
    const both = { banks: ['058'] }
    dataOf(await tryCreate(bench, { ...both, merchantId: 'M-1' }))

    const exhausted = { status: 503, code: 'numbers_exhausted' }
    assertRefused(await tryCreate(bench, { ...both, merchantId: 'M-2' }), exhausted)
    assertRefused(await tryCreate(bench, { ...both, merchantId: 'M-2' }), exhausted)

    assert.equal(wire.asked.length, 2)
    assert.deepEqual(await states(bench), { 'static available': 1, 'static used': 1 })
    dataOf(await tryCreate(bench, { merchantId: 'M-2' }))
    assert.equal(world.references().length, 3)
    assert.deepEqual(await states(bench), { 'static available': 1, 'static used': 2 })
    await assertCleanBooks(bench)
  })

  test(`${connector}: an account is given one number at a further bank, however often asked`, async () => {
    await using world = await start(connector, { isLast: true })
    const { bench, wire } = world
    await using twin = await startTwin(bench)
    const token = await bench.login()
    const { accountNumber } = await createAccount(bench)
    assert.equal(wire.asked.length, 0)
    const fates: Fate[] = ['answer lost']
    wire.decide(() => fates.shift() ?? 'as usual')

    assertRefused(await tryAdd(bench, accountNumber), {
      status: 503,
      code: 'bank_silent',
    })
    const answers = await Promise.all(
      [bench, twin, bench].map((each) => tryAdd(each, accountNumber, { token })),
    )
    answers.push(await tryAdd(bench, accountNumber))

    const added = answers.map((answer) => dataOf(answer).accounts[1].accountNumber)
    assert.equal(new Set(added).size, 1)
    assert.equal(world.references().length, 1)
    assert.equal(wire.asked[0]?.body.bvn, BVN)
    assert.deepEqual(await states(bench), { 'static used': 1 })
    await assertCleanBooks(bench)
  })
}

test('a request without a key makes another account once the first is there', async () => {
  await using world = await start('monnify')

  const one = await createAccount(world.bench)
  const other = await createAccount(world.bench)

  assert.notEqual(one.accountNumber, other.accountNumber)
  assert.equal(world.references().length, 2)
})

test('an account that could not be created otherwise asks no bank', async () => {
  await using world = await start('monnify')
  const { bench, wire } = world

  assertRefused(await tryCreate(bench, { splitCode: 'SPL_none' }))

  assert.equal(wire.asked.length, 0)
  assert.deepEqual(await states(bench), {})
})

test('accounts in bulk are refused where the bank must know each customer', async () => {
  await using world = await start('squad', { isLast: true })
  const { bench, wire } = world
  const accounts = [accountBody(), accountBody({ banks: [BANK_CODE] })]

  const answer = await bench.call({ url: `${ACCOUNTS}/bulk`, body: { accounts } })

  const { results } = dataOf(answer)
  assert.deepEqual(
    results.map(({ code }: { code: string | null }) => code),
    [null, 'numbers_per_customer'],
  )
  assert.equal(wire.asked.length, 0)
})

test('a change that such a bank has no call for does not wait for ever', async () => {
  await using world = await start('monnify')
  const { bench } = world
  const { accountNumber } = await createAccount(bench)

  dataOf(await patchAccount(bench, accountNumber, { accountName: 'Ada Eze' }))
  await sendBankChanges(bench)

  const { rows } = await bench.db.query('select change, state from bank_account_changes')
  assert.deepEqual(rows, [{ change: 'rename', state: 'dropped' }])
})
