// Answers that no bank should give, such as an endless list: they delay no other query and are not repeated
// for ever.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankCalls, TransferListAnswer } from '#banks/connector.ts'
import { checkCredit } from '#banks/credit-fields.ts'
import { noAnswer } from '#banks/json-calls.ts'
import { FAILURES_TO_PAUSE } from '#records/call-rates.ts'
import { requeryTransfersRound } from '#requery/workers.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, dataOf, startPayment, verify } from '../support/fixtures.ts'
import { newSessionId } from '../support/rail.ts'
import {
  BANK,
  type RequeryBench,
  requeriesOf,
  requeryRounds,
  startRequeryBench,
} from '../support/requery-bench.ts'

const HOUR_MS = 3_600_000

// Requery rounds with these calls in place of the connector's.
function roundsWith(bench: RequeryBench, calls: BankCalls) {
  const connections = new Map([[BANK, { ...bench.connection, calls }]])
  return requeryRounds(bench, { connections })
}

// Plans only the sweep of the last minutes.
async function sweep(bench: RequeryBench) {
  await bench.plan()
  await bench.db.query(`delete from requeries where subject not like 'sweep/5min%'`)
}

// The recorded answer and error of each query to the bank, oldest first.
const lastAnswers = async ({ db }: RequeryBench) => {
  const { rows } = await db.query('select answer, error from requery_attempts order by id')
  return rows.map(({ answer, error }) => [answer, error])
}

for (const [how, cursor] of [
  ['the same cursor again', 'same'],
  ['an empty cursor', ''],
] as const) {
  test(`a list that goes on with ${how} ends there`, async () => {
    await using bench = await startRequeryBench()
    const cursors: (string | null)[] = []
    // A list that never ends: each page has the same cursor of a next page.
    const listTransfers = async (query: { cursor: string | null }): Promise<TransferListAnswer> => {
      cursors.push(query.cursor)
      assert(cursors.length < 5, 'it is asked for ever')
      return { status: 'listed', items: [], nextCursor: cursor }
    }
    const rounds = roundsWith(bench, { listTransfers })
    await sweep(bench)

    await rounds.ask()
    await rounds.close()

    assert.deepEqual(cursors, cursor === '' ? [null] : [null, 'same'])
    assert.deepEqual((await requeriesOf(bench))[0]?.state, 'not_found')
  })
}

for (const [how, nextCursor] of [
  ['holds NUL', 'page\u00002'],
  ['is a megabyte long', 'x'.repeat(1_000_000)],
] as const) {
  test(`credits that come with a cursor that ${how} are booked, and the list is read again`, async () => {
    await using bench = await startRequeryBench()
    const { accountNumber } = await createAccount(bench)
    const item = checkCredit({ sessionId: newSessionId(), accountNumber, amount: '5.00' })
    const listTransfers = async () => ({ status: 'listed' as const, items: [item], nextCursor })
    const rounds = roundsWith(bench, { listTransfers })
    await sweep(bench)

    await rounds.askOnce()
    await rounds.close()

    const { rows } = await bench.db.query('select count(*)::int as n from credits')
    assert.equal(rows[0].n, 1)
    assert.deepEqual((await requeriesOf(bench))[0]?.state, 'open')
    assert.deepEqual(await lastAnswers(bench), [['no_answer', 'the cursor cannot be used']])
  })
}

test('a call that takes longer than its requery is leased for is no answer, and counts', async () => {
  await using bench = await startRequeryBench()
  const listTransfers = () => new Promise<never>(() => {})
  const connection = { ...bench.connection, calls: { listTransfers } }
  const round = requeryTransfersRound(
    { ...bench.deps, askMaxMs: 10 },
    { bankCode: BANK, connection },
  )
  await sweep(bench)

  await round(new AbortController().signal)

  assert.deepEqual(await lastAnswers(bench), [['no_answer', 'no answer within 10 ms']])
  const { rows } = await bench.db.query('select failures from bank_health')
  assert.deepEqual(rows, [{ failures: 1 }])
})

for (const [httpStatus, failures] of [
  [400, 0],
  [422, 0],
  [401, FAILURES_TO_PAUSE],
  [429, FAILURES_TO_PAUSE],
  [500, FAILURES_TO_PAUSE],
] as const) {
  test(`ids that a bank answers with ${httpStatus} are ${failures} failures of the bank`, async () => {
    await using bench = await startRequeryBench({ settings: { concurrency: 1 } })
    const rounds = roundsWith(bench, { findTransfer: async () => noAnswer(httpStatus) })
    const { paymentReference } = await startPayment(bench)
    const url = `/api/v1/payments/${paymentReference}/requery`
    for (let at = 0; at < FAILURES_TO_PAUSE; at++) {
      dataOf(await bench.call({ url, body: { sessionId: `no such id ${at}` } }))
    }

    await rounds.ask()
    await rounds.close()

    assert.equal((await lastAnswers(bench)).length, FAILURES_TO_PAUSE)
    const { rows } = await bench.db.query('select failures from bank_health')
    assert.deepEqual(rows, [{ failures }])
    assert((await requeriesOf(bench)).every(({ state }) => state === 'open'))
  })
}

test('a transfer from before the number was leased pays for no payment of today', async () => {
  await using bench = await startRequeryBench()
  const results: [string, string | null][] = []
  for (const hoursAgo of [25, 23]) {
    const { bankAccount, paymentReference } = await startPayment(bench)
    const transactionTime = new Date(bench.clock().getTime() - hoursAgo * HOUR_MS).toISOString()
    const { sessionId } = bench.transfer(bankAccount, '6000.00', { transactionTime })
    const url = `/api/v1/payments/${paymentReference}/requery`
    dataOf(await bench.call({ url, body: { sessionId } }))
    await bench.ask()
    const { rows } = await bench.db.query('select reason from credits where session_id = $1', [
      sessionId,
    ])
    const { transactionStatus } = await verify(bench, paymentReference)
    results.push([transactionStatus, rows[0].reason])
  }

  assert.deepEqual(results, [
    ['Processing', 'late'],
    ['Successful', null],
  ])
  await assertCleanBooks(bench)
})

test('an answer about no money leaves the transfer to be asked for', async () => {
  await using bench = await startRequeryBench()
  const { paymentReference } = await startPayment(bench)
  const sessionId = newSessionId()
  bench.bank.transfers.push({ sessionId })
  const url = `/api/v1/payments/${paymentReference}/requery`
  dataOf(await bench.call({ url, body: { sessionId } }))

  await bench.ask()

  assert.deepEqual(await lastAnswers(bench), [['not_found', null]])
  assert.equal((await requeriesOf(bench))[0]?.state, 'open')
})
