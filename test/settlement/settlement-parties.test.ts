// Settlements with subaccounts: each party gets its own share, to its own bank account.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { credit, recordMovements, reverse } from '../support/movements.ts'
import { startTestService } from '../support/running-service.ts'
import {
  CONFIRMED,
  closeSettlement,
  decideOn,
  FAILED,
  linesOf,
  setBankAccount,
  settlementOf,
  settleOf,
} from '../support/settlements.ts'
import { createSplit, splitBody } from '../support/splits.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

type Line = { subaccountCode: string | null; gross: number; split: number; net: number }

// Starts a service with a credit that the client and two subaccounts share: 20, 60 and 20 percent. Marks all
// bank accounts as confirmed, including those that createSplit added for the subaccounts.
async function startShared() {
  const bench = await startTestService()
  await setBankAccount(bench)
  await bench.db.query(`update bank_accounts set status = 'confirmed', name_at_bank = account_name`)
  dataOf(await createFeeRule(bench))
  await createSplit(bench, splitBody('AB', 'percentage', ['A', 60], ['B', 20]))
  await bench.db.query(`update bank_accounts set status = 'confirmed', name_at_bank = account_name`)
  const { bankAccount } = await startPayment(bench, { amount: 20_000, splitCode: 'AB' })
  const { sessionId } = await credit(bench, bankAccount, '20000')
  return { bench, sessionId }
}

test('each party has its line and its payout, and shares cancel out', async () => {
  const { bench } = await startShared()
  await using _ = bench
  const { moves } = await recordMovements(bench)

  const { reference, gross, fees, vat, net, payouts, carried } = await closeSettlement(bench)

  assert.deepEqual([gross, fees, vat, carried, net], [20_000, 200, 15, 0, 19_785])
  const paid = payouts.map(
    ({ subaccountCode, amount }: { subaccountCode: string; amount: number }) => [
      subaccountCode,
      amount,
    ],
  )
  assert.deepEqual(paid, [
    [null, 3_957],
    ['A', 11_871],
    ['B', 3_957],
  ])
  const lines: Line[] = await linesOf(bench, reference)
  assert.deepEqual(
    lines.map((line) => [line.subaccountCode, line.gross, line.split, line.net]),
    [
      [null, 20_000, 15_828, 3_957],
      ['A', 0, -11_871, 11_871],
      ['B', 0, -3_957, 3_957],
    ],
  )
  assert.deepEqual((await moves()).slice(0, 3), [
    'settlement: available → settling 3957.00',
    'settlement: subaccount → settling 11871.00',
    'settlement: subaccount → settling 3957.00',
  ])
  await assertCleanBooks(bench)
})

test('a settlement of which a bank paid only a part is part_failed', async () => {
  const { bench } = await startShared()
  await using _ = bench
  const { reference, payouts } = await closeSettlement(bench)
  const { events } = await recordMovements(bench)

  await settleOf(bench, payouts[0].reference, CONFIRMED)
  assert.equal((await settlementOf(bench, reference)).status, 'sending')
  await settleOf(bench, payouts[1].reference, FAILED)
  await settleOf(bench, payouts[2].reference, CONFIRMED)

  assert.equal((await settlementOf(bench, reference)).status, 'part_failed')
  assert((await events()).includes('settlement.failed'))
  await assertCleanBooks(bench)
  bench.advance(1_000)
  const next = await closeSettlement(bench)
  assert.deepEqual([next.net, next.payouts[0].subaccountCode], [11_871, 'A'])
  await assertCleanBooks(bench)
})

test('a reversal before closing takes from every party, after cancelling too', async () => {
  const { bench, sessionId } = await startShared()
  await using _ = bench
  await bench.db.query(
    `update bank_accounts set status = 'unconfirmed', name_at_bank = null where not is_default`,
  )
  const first = await closeSettlement(bench)
  assert.equal(first.heldReason, 'bank_account_unconfirmed')
  assert.equal((await decideOn(bench, first.reference, 'cancel')).statusCode, 200)
  assert.equal(await reverse(bench, sessionId, '10000'), '00 reversed')
  bench.advance(1_000)

  const second = await closeSettlement(bench)

  assert.deepEqual([second.gross, second.reversed, second.net], [20_000, 10_000, 9_892.5])
  await assertCleanBooks(bench)
})

test('a debt that a settlement recovered is owed again when it is cancelled', async () => {
  const { bench, sessionId } = await startShared()
  await using _ = bench
  await closeSettlement(bench)
  assert.equal(await reverse(bench, sessionId, '500'), '00 reversed')
  const { bankAccount } = await startPayment(bench, { amount: 1_000 })
  await credit(bench, bankAccount, '1000')
  await bench.db.query('update bank_accounts set is_default = false')
  bench.advance(1_000)
  const { reference, recovered } = await closeSettlement(bench)

  assert.equal((await decideOn(bench, reference, 'cancel')).statusCode, 200)

  assert.equal(recovered, 494.62)
  await assertCleanBooks(bench)
})

test('the first share of a subaccount that arrives while one is closed is never the client’s', async () => {
  await using bench = await startTestService()
  await setBankAccount(bench)
  await createSplit(bench, splitBody('AB', 'percentage', ['A', 60], ['B', 20]))
  await bench.db.query(`update bank_accounts set status = 'confirmed', name_at_bank = account_name`)
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1')
  const { bankAccount } = await startPayment(bench, { amount: 100, splitCode: 'AB' })
  const holder = await bench.db.connect()
  await holder.query('begin')
  // Another transaction is opening the `settling` account, so the closing has to wait for it.
  await holder.query(
    `insert into ledger_accounts (id, kind, owner, currency)
     select nextval('shared_account_ids'), 'settling', 'client:' || id, 'NGN'
       from clients where client_id = 'MAN0000001'`,
  )
  bench.advance(1_000)
  const closing = closeSettlement(bench)
  await untilBlocked(bench.db, 1)
  await credit(bench, bankAccount, '100')
  await holder.query('rollback')
  holder.release()

  const first = await closing
  bench.advance(1_000)
  const second = await closeSettlement(bench)

  const paid = [first, second].flatMap(({ payouts }) => payouts)
  const of = (code: string | null) =>
    paid
      .filter(({ subaccountCode }) => subaccountCode === code)
      .reduce((sum, { amount }) => sum + amount, 0)
  assert.deepEqual([of(null), of('A'), of('B')], [21, 60, 20])
  await assertCleanBooks(bench)
})
