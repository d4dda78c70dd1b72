// A statement contradicts payouts of settlements, subaccounts, refunds and returns: who bears the cost, and
// who gets money that came back.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { outcomeOf, resolve } from '../support/differences.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { CONFIRMED, FAILED, settleAll } from '../support/money-out.ts'
import { begin, credit, recordMovements, resolve as resolveItem } from '../support/movements.ts'
import { debit, found, givenBack, REJECTED, settled, statement } from '../support/payout-lines.ts'
import { SANDBOX_PREFIXES } from '../support/payouts.ts'
import { PAYER, pay, refund } from '../support/refunding.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  closeSettlement,
  linesOf,
  setBankAccount,
  settleOf,
  upcomingOf,
} from '../support/settlements.ts'
import { createSplit, splitBody } from '../support/splits.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { BALANCES } from '../support/tracing.ts'

const ofKind = async (bench: Bench, kind: string) =>
  (await found(bench)).filter((difference) => difference.kind === kind)

// Books all differences of this kind.
async function bookAll(bench: Bench, kind: string): Promise<void> {
  for (const { id } of await ofKind(bench, kind)) {
    assert.equal(await outcomeOf(resolve(bench, id, 'book')), 'cleared')
  }
}

// Starts a service with a settlement that is paid in two payouts, one to the client and one to a subaccount.
async function withSettlement() {
  const bench = await startTestService()
  await setBankAccount(bench)
  await createSplit(bench, splitBody('A', 'percentage', ['A', 60]))
  const { accountNumber } = await createAccount(bench, { splitCode: 'A' })
  await pay(bench, accountNumber, '1000')
  bench.advance(1_000)
  const { payouts } = await closeSettlement(bench)
  const payoutTo = (code: string | null) =>
    payouts.find((payout: { subaccountCode: string | null }) => payout.subaccountCode === code)
  const references = { own: payoutTo(null).reference, shared: payoutTo('A').reference }
  return Object.assign(bench, references)
}

const readBalances = async (bench: Bench) => dataOf(await bench.call({ url: BALANCES }))

test('returned settlement money belongs to its parties again, and is in the next settlement', async () => {
  await using bench = await withSettlement()
  const { own, shared } = bench
  for (const reference of [own, shared]) await settleOf(bench, reference, CONFIRMED)
  await statement(bench, [
    givenBack(own, { kobo: 40_000n }),
    givenBack(shared, { kobo: 60_000n, bankReference: 'FT3' }),
  ])
  const { moves } = await recordMovements(bench)

  await bookAll(bench, 'payout_returned')

  assert.deepEqual((await moves()).sort(), [
    'paid: bank 035 → available 400.00',
    'paid: bank 035 → subaccount 600.00',
  ])
  const { totals, subaccounts } = await readBalances(bench)
  const { gross, available, paidOut } = totals[0]
  assert.deepEqual([gross, available, totals[0].subaccounts, paidOut], [1000, 400, 600, 0])
  assert.deepEqual([subaccounts[0].available, subaccounts[0].paidOut], [600, 0])
  bench.advance(1_000)
  const upcoming = await upcomingOf(bench)
  assert.deepEqual([upcoming.net, upcoming.paidOut, upcoming.gross], [1000, -1000, 0])
  const next = await closeSettlement(bench)
  assert.deepEqual([next.net, next.paidOut], [1000, -1000])
  const lines = await linesOf(bench, next.reference)
  assert.deepEqual(
    lines.map(({ kind, net }: { kind: string; net: number }) => `${kind} ${net}`).sort(),
    ['payout 400', 'payout 600'],
  )
  await assertCleanBooks(bench)
})

test('a subaccount’s payout that failed and was paid is a debt of its client', async () => {
  await using bench = await withSettlement()
  const { own, shared } = bench
  await settleOf(bench, own, CONFIRMED)
  await settleOf(bench, shared, FAILED)
  await statement(bench, [debit(shared, { kobo: -60_000n })])
  const { moves } = await recordMovements(bench)

  await bookAll(bench, 'payout_paid')

  assert.deepEqual(await moves(), ['paid: receivable → bank 035 600.00'])
  const { totals } = await readBalances(bench)
  const { gross, receivable, paidOut } = totals[0]
  assert.deepEqual([gross, receivable, totals[0].subaccounts, paidOut], [1000, 600, 600, 1000])
  await assertCleanBooks(bench)
})

test('the next settlement takes what the client owes for it', async () => {
  await using world = await settled(REJECTED)
  const { bench, reference } = world
  await setBankAccount(bench)
  await statement(bench, [debit(reference)])
  await bookAll(bench, 'payout_paid')
  bench.advance(1_000)

  const settlement = await closeSettlement(bench)

  assert.deepEqual([settlement.recovered, settlement.net], [1000, 4000])
  assert.equal((await readBalances(bench)).totals[0].receivable, 0)
  await assertCleanBooks(bench)
})

for (const [outcome, line, kind, expected] of [
  [FAILED, debit, 'payout_paid', 'refunded: receivable → bank 035 100.00'],
  [CONFIRMED, givenBack, 'payout_returned', 'refunded: bank 035 → available 100.00'],
] as const) {
  test(`a refund that ${outcome.status} is a difference of the kind ${kind}`, async () => {
    await using bench = await startTestService()
    const { payment, number } = await begin(bench)
    await pay(bench, number, '100')
    const { reference } = await refund(bench, payment, '100')
    await settleAll(bench, outcome)
    const before = (await readBalances(bench)).totals[0]
    await statement(bench, [line(reference, { kobo: kind === 'payout_paid' ? -10_000n : 10_000n })])
    const { moves } = await recordMovements(bench)

    await bookAll(bench, kind)

    assert.deepEqual(await moves(), [expected])
    const { gross, net, refunded } = (await readBalances(bench)).totals[0]
    const nets = kind === 'payout_paid' ? [100, 0] : [0, 100]
    assert.deepEqual([before.gross, before.net, gross, net], [100, nets[0], 100, nets[1]])
    assert.equal(refunded, kind === 'payout_paid' ? 100 : 0)
    await assertCleanBooks(bench)
  })
}

test('a return that failed and was paid is a difference that can only be noted', async () => {
  await using bench = await startTestService()
  const refusing = { ...PAYER, sourceAccountNumber: `${SANDBOX_PREFIXES.refusesPayouts}00013` }
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '100', refusing)
  await resolveItem(bench, sessionId, 'return')
  const { rows } = await bench.db.query('select reference, status from returns')
  assert.equal(rows[0].status, 'failed')

  await statement(bench, [debit(rows[0].reference, { kobo: -10_000n })])

  const [difference] = await ofKind(bench, 'payout_paid')
  assert.deepEqual([difference.payout.status, difference.payout.booking], ['failed', null])
  assert.deepEqual(difference.actions, ['note'])
})
