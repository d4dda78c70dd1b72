// Taking money from the available balance: the ledger accounts are locked in the order of their ids, which
// prevents deadlocks, and the amount that a client owes cannot be paid out (I57).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf, ledgerNaira } from '../support/fixtures.ts'
import { tryPayOut } from '../support/money-out.ts'
import { begin, credit, recordMovements } from '../support/movements.ts'
import { createPayout, fund, PAYOUTS, payoutBody } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { owe } from '../support/settlements.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const SHORT = 'insufficient_balance'
const PAYOUT_FEE = { basis: 'payout', flat: 10, bps: 0, cap: null } // Plus VAT of 0.75.

test('a payout and one that fails at the same moment do not lock each other out', async () => {
  await using bench = await startTestService()
  await fund(bench, '1000')
  const { reference } = await createPayout(bench, { amount: '1000' })
  const cancelled = await bench.call({ url: `${PAYOUTS}/${reference}/cancel`, body: {} })
  assert.equal(cancelled.statusCode, 200) // Opens the available account, with a higher id than paying.
  const lock = (kind: string) => `select from ledger_accounts where kind = '${kind}' for update`

  const holder = await bench.db.connect()
  await holder.query(`begin; ${lock('paying')}`)
  const paying = bench.call({ url: PAYOUTS, body: payoutBody({ amount: '1000' }) })
  await untilBlocked(bench.db, 1)
  const isFree = await holder.query(`${lock('available')} nowait`).then(
    () => true,
    () => false,
  )
  await holder.query('rollback')
  holder.release()

  assert(isFree)
  assert.equal((await paying).statusCode, 200)
})

test('the amount that a client owes cannot be paid out, whichever account it is on', async () => {
  await using bench = await startTestService()
  const { number } = await begin(bench)
  await credit(bench, number, '100')
  await credit(bench, (await createAccount(bench)).accountNumber, '40')
  await credit(bench, (await createAccount(bench)).accountNumber, '60')
  await owe(bench, '130')
  const { moves } = await recordMovements(bench)

  assert.equal(await tryPayOut(bench, 70.01), SHORT)
  assert.equal(await tryPayOut(bench, 70), 'queued')
  assert.equal(await tryPayOut(bench, 0.01), SHORT)

  assert.deepEqual(await moves(), ['payout: available → paying 70.00'])
  const held = (await ledgerNaira(bench, 'available')) + (await ledgerNaira(bench, 'collection'))
  assert.equal(held, 130)
})

test('the fee of a payout does not come out of what is owed either', async () => {
  await using bench = await startTestService()
  dataOf(await createFeeRule(bench, PAYOUT_FEE))
  await fund(bench, '100')
  await owe(bench, '50')

  assert.equal(await tryPayOut(bench, 39.26), SHORT)
  assert.equal(await tryPayOut(bench, 39.25), 'queued')
})

test('a refusal states the amount that is owed, if any', async () => {
  await using bench = await startTestService()
  await fund(bench, '100')
  const ask = async (amount: string) =>
    (await bench.call({ url: PAYOUTS, body: payoutBody({ amount }) })).json()

  const before = await ask('100.01')
  await owe(bench, '70')
  const after = await ask('100')

  assert.deepEqual([before.code, before.errors], [SHORT, undefined])
  const message = 'You owe 70.00, which stays in the available balance.'
  assert.deepEqual([after.code, after.errors], [SHORT, [{ field: 'amount', message }]])
})
