// The service tells the issuing bank about a new account name and about a closed account. It calls the bank
// after the commit, retries until the bank answers, and sends the latest name last.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SKEW_MAX_MS } from '#db/health.ts'
import { patchAccount, switchAccount } from '../support/account-calls.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { erase } from '../support/erasing.ts'
import { ACCOUNTS, createAccount } from '../support/fixtures.ts'
import {
  poolStates,
  refillPools,
  sendBankChanges,
  standingAlerts,
  startReservingBank,
  startWithReserving,
} from '../support/reserving-bank.ts'
import type { Bench } from '../support/running-service.ts'

const HOUR_MS = 3_600_000

// Starts a service and a bank that reserves numbers, with a full pool.
async function startWithFullPool() {
  const bank = await startReservingBank()
  const bench = await startWithReserving(bank, { static: 5, dynamic: 0 })
  await refillPools(bench)
  bank.calls.length = 0
  return { bank, bench }
}

// Returns the entries about the number in the account's timeline.
async function timelineOf(bench: Bench, accountNumber: string): Promise<string[]> {
  const { data } = (await bench.call({ url: `${ACCOUNTS}/${accountNumber}/timeline` })).json()
  return data
    .filter(({ kind }: { kind: string }) => kind === 'number')
    .map(({ description }: { description: string }) => description)
}

test('the bank gets the name of a number’s account, as name enquiries show it', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench

  const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' })
  const before = await timelineOf(bench, accountNumber)
  await sendBankChanges(bench)
  await sendBankChanges(bench)

  assert.equal(bank.accounts.get(accountNumber)?.name, 'Sandbox Merchant/Ada Obi')
  assert.equal(bank.calls.length, 1)
  const queued = 'Rename requested at Bank 035.'
  assert.deepEqual(before, [queued])
  assert.deepEqual(await timelineOf(bench, accountNumber), [queued, 'Renamed at Bank 035.'])
})

test('an unanswered change is sent again, later each time, and the bank then has the last name', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  bank.behave(() => 'break')
  const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' })
  // Lets time pass and the worker run, and returns the number of calls to the bank.
  const callsAfter = async (ms: number) => {
    bench.advance(ms)
    bank.calls.length = 0
    await sendBankChanges(bench)
    return bank.calls.length
  }

  assert.equal(await callsAfter(0), 1)
  assert.equal(await callsAfter(29_999), 0)
  assert.equal(await callsAfter(1), 1)
  assert.equal(await callsAfter(59_999), 0)
  await patchAccount(bench, accountNumber, { accountName: 'Ada Okafor' })
  assert.equal(await callsAfter(0), 0, 'the later change waits for the earlier')
  bank.behave(() => 'as usual')
  assert.equal(await callsAfter(1), 2)

  assert.equal(bank.accounts.get(accountNumber)?.name, 'Sandbox Merchant/Ada Okafor')
  assert.equal(await callsAfter(HOUR_MS), 0)
})

test('a change of a clock that is ahead is sent at once, and retried in real time', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' })
  const setNextAttempt = (at: number) =>
    bench.db.query('update bank_account_changes set next_attempt_at = $1', [new Date(at)])
  const nowMs = bench.clock().getTime()

  await setNextAttempt(nowMs + 60_000) // A change that was never tried is sent, although its time is ahead.
  bank.behave(() => 'break')
  await sendBankChanges(bench)
  assert.equal(bank.calls.length, 1)
  await setNextAttempt(nowMs + HOUR_MS) // A retry may be as far ahead as this, so it is not due yet.
  await sendBankChanges(bench)
  assert.equal(bank.calls.length, 1)
  await setNextAttempt(nowMs + HOUR_MS + SKEW_MAX_MS + 1)
  bank.behave(() => 'as usual')
  await sendBankChanges(bench)

  assert.equal(bank.accounts.get(accountNumber)?.name, 'Sandbox Merchant/Ada Obi')
})

test('a name that changes while the old one is being sent is sent after it', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  await using twin = await startTwin(bench)
  const { accountNumber } = await createAccount(bench, { accountName: 'Ada Obi' })
  const arrived = Promise.withResolvers<void>()
  const mayAnswer = Promise.withResolvers<'as usual'>()
  bank.behave(() => {
    arrived.resolve()
    return mayAnswer.promise
  })

  const sending = sendBankChanges(bench)
  await arrived.promise
  await patchAccount(bench, accountNumber, { accountName: 'Ada Okafor' })
  await sendBankChanges(twin)
  const callsMeanwhile = bank.calls.length
  mayAnswer.resolve('as usual')
  await sending

  assert.equal(callsMeanwhile, 1)
  assert.deepEqual(
    bank.calls.map(({ body }) => body.accountName),
    ['Sandbox Merchant/Ada Obi', 'Sandbox Merchant/Ada Okafor'],
  )
})

test('a change that concerns no name is not sent to the bank', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  const { accountNumber } = await createAccount(bench)
  await sendBankChanges(bench)
  bank.calls.length = 0

  await patchAccount(bench, accountNumber, { email: 'new@example.com' })
  await switchAccount(bench, accountNumber, 'deactivate')
  await sendBankChanges(bench)

  assert.deepEqual(bank.calls, [])
  assert.equal(bank.accounts.get(accountNumber)?.isActive, true)
})

test('an erased account is blocked at its bank, which is no longer told a name', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  const { accountNumber } = await createAccount(bench, { accountName: 'Ngozi Adichie' })

  assert.equal((await erase(bench, accountNumber)).statusCode, 200)
  await sendBankChanges(bench)

  assert.deepEqual(bank.calls, [
    { method: 'PATCH', path: `/accounts/${accountNumber}`, body: { isActive: false } },
  ])
  assert.equal(bank.accounts.get(accountNumber)?.isActive, false)
  assert.deepEqual(await poolStates(bench), { 'static available': 4, 'static blocked': 1 })
  const { rows } = await bench.db.query(
    'select change, state from bank_account_changes order by id',
  )
  assert.deepEqual(rows, [
    { change: 'rename', state: 'dropped' },
    { change: 'block', state: 'done' },
  ])
  await assertCleanBooks(bench)
})

test('a change that a bank refuses is not sent again, and an operator is alerted', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  bank.behave(() => ({ status: 422, body: { message: 'Name not allowed' } }))
  const { accountNumber } = await createAccount(bench)

  await sendBankChanges(bench)
  bench.advance(HOUR_MS)
  await sendBankChanges(bench)

  assert.equal(bank.calls.length, 1)
  assert.deepEqual(await standingAlerts(bench), [`account_change_refused 035 ${accountNumber}`])
  assert.match((await timelineOf(bench, accountNumber)).at(-1) ?? '', /^Rename refused by Bank 035/)
})

test('two processes that send a change at once call the bank once', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  await using twin = await startTwin(bench)
  await Promise.all(
    ['Ada', 'Bola', 'Chidi'].map((accountName) => createAccount(bench, { accountName })),
  )

  await Promise.all([sendBankChanges(bench), sendBankChanges(twin)])

  assert.equal(bank.calls.length, 3)
  assert.equal(new Set(bank.calls.map(({ path }) => path)).size, 3)
})

test('a refusal in words that the database cannot store still counts as a refusal', async () => {
  const { bank, bench } = await startWithFullPool()
  await using _ = bank
  await using __ = bench
  bank.behave(() => ({ status: 422, body: { message: `No\u0000${'\u{1f6ab}'.repeat(150)}` } }))
  const { accountNumber } = await createAccount(bench)

  await sendBankChanges(bench)
  bench.advance(HOUR_MS)
  await sendBankChanges(bench)

  assert.equal(bank.calls.length, 1)
  assert.deepEqual(await standingAlerts(bench), [`account_change_refused 035 ${accountNumber}`])
})
