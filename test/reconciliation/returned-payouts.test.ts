// A statement line that gives a payout back is recognized as such, and not booked as a customer's money.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pass } from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { wemaCsv } from '../support/bank-statements.ts'
import {
  assertLinesExplained,
  decide,
  outcomeOf,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { recordMovements } from '../support/movements.ts'
import {
  assertGreen,
  balances,
  DAY,
  debit,
  differenceTexts,
  found,
  givenBack,
  KOBO,
  PAID,
  REJECTED,
  settled,
  statement,
} from '../support/payout-lines.ts'
import { createPayout, getPayout, ledger } from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { imported } from '../support/statement-files.ts'

test('a confirmed payout that comes back is available again, and no customer’s money', async () => {
  await using world = await settled(PAID)
  const { bench, reference } = world
  const bankCode = await statement(bench, [debit(reference), givenBack(reference)])
  const [back, ...others] = (await found(bench)).filter(({ kind }) => kind !== 'missing_at_bank')
  assert.deepEqual([back.kind, back.amount, others], ['payout_returned', 1000, []])
  assert.deepEqual([back.payout.booking, back.actions], ['returned', ['book', 'note']])
  const before = await balances(bench)
  const { moves, events } = await recordMovements(bench)

  const body = { ids: [back.id], action: 'book', reason: 'All of them' }
  const answer = await bench.call({ url: `${RECONCILIATION}/resolve`, body })

  assert.deepEqual(answer.json().data, [{ id: back.id, ok: true }])
  assert.deepEqual(await moves(), [`paid: bank ${bankCode} → available 1000.00`])
  assert.deepEqual(await events(), ['payout.returned'])
  assert.deepEqual(before, {
    gross: 5000,
    net: 5000,
    available: 4000,
    paidOut: 1000,
    receivable: 0,
  })
  assert.deepEqual(await balances(bench), { ...before, available: 5000, paidOut: 0 })
  const { status, history } = await getPayout(bench, reference)
  assert.deepEqual([status, history.at(-1).change], ['confirmed', 'returned_by_bank'])
  const again = await createPayout(bench, { amount: 5000 })
  assert.equal(again.status, 'queued')
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('no more comes back than was paid', async () => {
  await using world = await settled(PAID)
  const { bench, reference } = world
  const more = givenBack(reference, { kobo: KOBO + 1_075n })
  await statement(bench, [debit(reference), more, givenBack(reference, { bankReference: 'FT3' })])
  const lines = (await found(bench)).filter(({ kind }) => kind === 'payout_returned')
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(bench, lines[0].id, 'book')), 'cleared')
  assert.equal(await outcomeOf(resolve(bench, lines[1].id, 'book')), 'action_not_allowed')

  assert.match((await moves()).join(), /^paid: bank \d+ → available 1000.00$/)
  const rest = (await found(bench)).find(({ kind }) => kind === 'fee_differs')
  assert.equal(rest.amount, 10.75)
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('the debit of a failed payout and its give-back cancel out, and neither alone does', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  const bankCode = await statement(bench, [debit(reference), givenBack(reference)])
  assert.deepEqual(await differenceTexts(bench), [
    'payout_paid -1000 of a failed payout: book, note',
    'payout_returned 1000 of a failed payout: book, note',
  ])
  const [outgoing, back] = await found(bench)
  assert.deepEqual([outgoing.payout.booking, back.payout.booking], ['undone', 'undone'])
  const before = await balances(bench)
  const { moves } = await recordMovements(bench)

  const body = { ids: [back.id, outgoing.id], action: 'book', reason: 'All of them' }
  const answer = await bench.call({ url: `${RECONCILIATION}/resolve`, body })

  assert.deepEqual(answer.json().data, [
    { id: back.id, ok: true },
    { id: outgoing.id, ok: true },
  ])
  assert.deepEqual((await moves()).sort(), [
    `paid: bank ${bankCode} → shortfall ${bankCode} 1000.00`,
    `paid: shortfall ${bankCode} → bank ${bankCode} 1000.00`,
  ])
  assert.deepEqual(await balances(bench), before)
  assert.equal((await ledger(bench))[`shortfall bank:${bankCode}`], undefined)
  await assertGreen(bench, bankCode)
})

test('the give-back of a failed payout is not booked before the debit is', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  await statement(bench, [givenBack(reference)])
  const [{ id }] = await found(bench)
  assert.deepEqual(await differenceTexts(bench), ['payout_returned 1000 of a failed payout: note'])
  assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'action_not_allowed')
})

test('a debit that was noted keeps what gives it back from being booked alone', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  await statement(bench, [debit(reference), givenBack(reference)])
  const [outgoing, back] = await found(bench)
  assert.equal(await outcomeOf(resolve(bench, outgoing.id, 'note')), 'resolved')
  assert.equal(await outcomeOf(resolve(bench, back.id, 'book')), 'action_not_allowed')
  assert.equal(await outcomeOf(resolve(bench, back.id, 'note')), 'resolved')
  await assertCleanBooks(bench)
})

test('under maker-checker another user approves, as the books are then', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  const bankCode = await statement(bench, [debit(reference), givenBack(reference)])
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  await setMakerChecker(maker, true)
  const [outgoing, back] = await found(bench)
  const { moves } = await recordMovements(bench)

  assert.equal(await outcomeOf(resolve(maker, outgoing.id, 'book')), 'asked')
  assert.equal(await outcomeOf(resolve(maker, back.id, 'book')), 'action_not_allowed')
  assert.equal((await decide(maker, outgoing.id, 'approve')).json().code, 'other_person_needed')
  assert.deepEqual(await moves(), [])
  assert.equal(await outcomeOf(decide(checker, outgoing.id, 'approve')), 'cleared')

  assert.equal((await moves()).length, 2)
  await assertGreen(bench, bankCode)
})

test('a customer who names a payout pays into an account of ours all the same', async () => {
  await using world = await settled(PAID)
  const { bench, reference } = world
  const { rows } = await bench.db.query('select account_number, bank_code from credits')
  const { accountNumber } = rows[0]
  pass(bench, DAY)
  const day = {
    day: DAY,
    sequence: 1,
    openingKobo: 0n,
    lines: [{ kobo: KOBO, accountNumber, narration: `RE ${reference}`, bankReference: 'FT5' }],
  }
  const query = `bankCode=${rows[0].bankCode}&format=csv&profile=wema`
  await imported(bench, wemaCsv(day), { query })

  const line = (await found(bench)).find(({ amount, line }) => line && amount === 1000)
  assert.deepEqual([line.kind, line.payout], ['missing_in_books', null])
})
