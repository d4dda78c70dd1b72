// A statement line shows that the bank paid a payout which is failed or unknown in the books.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { watchStatements } from '#reconciliation/daily-proof.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { mt940 } from '../support/bank-statements.ts'
import { assertLinesExplained, outcomeOf, RECONCILIATION, resolve } from '../support/differences.ts'
import { recordMovements } from '../support/movements.ts'
import {
  assertGreen,
  balances,
  debit,
  differenceTexts,
  found,
  givenBack,
  KOBO,
  PAID,
  REJECTED,
  rematch,
  settled,
  statement,
} from '../support/payout-lines.ts'
import { getPayout, OPERATOR_PAYOUTS } from '../support/payouts.ts'
import { UNKNOWN } from '../support/scripted-bank.ts'

test('a failed payout that the bank paid is a debt of its client, once booked', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  assert.equal(await world.status(), 'failed')
  const bankCode = await statement(bench, [debit(reference)])
  assert.deepEqual(await differenceTexts(bench), [
    'payout_paid -1000 of a failed payout: book, note',
  ])
  const [{ id, payout }] = await found(bench)
  assert.deepEqual(payout, { reference, status: 'failed', amount: 1000, booking: 'paid' })
  const before = await balances(bench)
  const { moves, events } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')

  assert.deepEqual(await moves(), [`paid: receivable → bank ${bankCode} 1000.00`])
  assert.deepEqual(await events(), [])
  assert.deepEqual(before, { gross: 5000, net: 5000, available: 5000, paidOut: 0, receivable: 0 })
  const owing = { ...before, paidOut: 1000, receivable: 1000 }
  assert.deepEqual(await balances(bench), owing)
  const refused = await bench.call({
    url: '/api/v1/payouts',
    body: { amount: '4500', narration: 'All' },
  })
  assert.equal(refused.json().code, 'insufficient_balance')
  const { history } = await getPayout(bench, reference)
  assert.deepEqual([history.at(-1).change, history.at(-1).detail], ['paid_at_bank', '1000.00 NGN'])
  await assertGreen(bench, bankCode)
})

test('a paid payout is no fee under any narration, also where many are booked at once', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  const narration = `SCHOOL FEES ${reference}`
  const bankCode = await statement(bench, [{ kobo: -KOBO, narration }], mt940)
  const [{ id, kind, line }] = await found(bench)
  assert.deepEqual([kind, line.kind], ['payout_paid', 'fee'])
  const { moves } = await recordMovements(bench)

  const body = { ids: [id, id], action: 'book', reason: 'All of them' }
  const answer = await bench.call({ url: `${RECONCILIATION}/resolve`, body })

  assert.deepEqual(answer.json().data, [
    { id, ok: true },
    { id, ok: true },
  ])
  assert.deepEqual(await moves(), [`paid: receivable → bank ${bankCode} 1000.00`])
  await assertGreen(bench, bankCode)
})

test('the bank’s charge for a failed payout is a fee', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  await statement(bench, [{ kobo: -1_075n, narration: `NIP FEE ${reference}` }], mt940)

  assert.deepEqual(await differenceTexts(bench), [
    'fee_differs -10.75 of a undefined payout: book, note',
  ])
})

test('the excess over the payout is a charge of the bank’s', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  const bankCode = await statement(bench, [debit(reference, { kobo: -KOBO - 1_075n })])
  const [{ id }] = await found(bench)
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  const [rest] = await found(bench)
  assert.deepEqual([rest.kind, rest.amount, rest.payout], ['fee_differs', -10.75, null])
  assert.equal(await outcomeOf(resolve(bench, rest.id, 'book')), 'cleared')

  assert.deepEqual(await moves(), [
    `paid: receivable → bank ${bankCode} 1000.00`,
    `bank_charge: bank_cost ${bankCode} → bank ${bankCode} 10.75`,
  ])
  await assertGreen(bench, bankCode)
})

test('a second debit of what was booked as paid is not booked again', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  await statement(bench, [debit(reference), debit(reference, { bankReference: 'FT9' })])
  const [one, other] = await found(bench)

  assert.equal(await outcomeOf(resolve(bench, one.id, 'book')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, other.id, 'book')), 'action_not_allowed')

  assert.deepEqual(await differenceTexts(bench), ['payout_paid -1000 of a failed payout: note'])
  assert.equal((await balances(bench)).receivable, 1000)
  await assertCleanBooks(bench)
})

test('an unknown payout is pointed out, and matched once it is confirmed', async () => {
  await using world = await settled(UNKNOWN)
  const { bench, reference } = world
  const bankCode = await statement(bench, [debit(reference)])
  const [{ id }] = await found(bench)
  assert.deepEqual(await differenceTexts(bench), ['payout_paid -1000 of a unknown payout: note'])
  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'action_not_allowed')

  const url = `${OPERATOR_PAYOUTS}/${reference}/confirm`
  const confirmed = await bench.call({ url, body: { bankReference: 'FT1' } })
  assert.equal(confirmed.statusCode, 200, confirmed.body)
  await rematch(bench, bankCode)

  const kinds = (await found(bench)).map(({ kind }) => kind)
  assert.deepEqual(kinds, []) // The payout's cost belongs to the next day.
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

for (const { name, outcome, lines, detail } of [
  {
    name: 'a payout that failed here and was paid',
    outcome: REJECTED,
    lines: (reference: string) => [debit(reference)],
    detail: { status: 'confirmed', problem: 'on_statement', inBooks: 'failed' },
  },
  {
    name: 'a confirmed payout whose money came back',
    outcome: PAID,
    lines: (reference: string) => [debit(reference), givenBack(reference)],
    detail: { status: 'reversed', problem: 'on_statement', inBooks: 'confirmed' },
  },
]) {
  test(`operators get one alert, as soon as a statement is matched, about ${name}`, async () => {
    await using world = await settled(outcome)
    const { bench, reference } = world
    const raised = async () =>
      (await bench.call({ url: '/api/v1/operator/alerts?kind=payout_contradicted' })).json().data

    const bankCode = await statement(bench, lines(reference))
    const [alert] = await raised()
    assert.equal(alert.subject, `payout/${reference}`)
    assert.deepEqual(alert.detail, { ...detail, bankCode })
    await bench.call({ url: `/api/v1/operator/alerts/${alert.id}/acknowledge`, body: {} })
    await rematch(bench, bankCode)
    await withTransaction(bench.db, (tx) => watchStatements(tx, bench.clock(), bench.config.banks))

    assert.equal((await raised()).length, 1)
  })
}

test('a statement that agrees with a payout raises no alert', async () => {
  await using world = await settled(PAID)
  await statement(world.bench, [debit(world.reference)])
  const { data } = (
    await world.bench.call({ url: '/api/v1/operator/alerts?kind=payout_contradicted' })
  ).json()
  assert.deepEqual(data, [])
})
