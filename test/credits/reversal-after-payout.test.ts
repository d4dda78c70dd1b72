// A bank reverses money that the client no longer has. The reversal takes what is left on the credit's
// account. The client owes the rest, and cannot pay out or refund as much (I57). Each test checks exactly
// the transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, countDeadlocks, startTwin, tally } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, dataOf, ledgerNaira, startPayment } from '../support/fixtures.ts'
import { payOut, tryPayOut } from '../support/money-out.ts'
import { begin, credit, recordMovements, resolve, reverse, stateOf } from '../support/movements.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const creditOf = async (bench: Bench, sessionId: string) =>
  dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }))

// Returns two sums over all movements of clients, in naira: credited and reversed.
const totalsOf = async (bench: Bench) => {
  const { rows } = await bench.db.query(
    `select sum(gross_kobo)::int / 100 as gross, sum(reversed_kobo)::int / 100 as reversed
       from client_movements`,
  )
  return rows[0]
}

test('a reversed payment that was paid out: the reversal takes what is left, the rest is owed', async () => {
  await using bench = await startTestService()
  const { payment, number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '100')
  await payOut(bench, 70)
  const movements = await recordMovements(bench)

  assert.equal(await reverse(bench, sessionId, '100'), '00 reversed')

  assert.deepEqual(await movements.moves(), [
    'reversal: available → bank 035 30.00',
    'reversal: receivable → bank 035 70.00',
  ])
  assert.deepEqual(await movements.alerts(), ['reversal_receivable'])
  assert.equal(await stateOf(bench, payment), 'Reversed 0')
  const view = await creditOf(bench, sessionId)
  assert.deepEqual(
    [view.outcome, view.amountReversed, view.amountShortfall, view.amountReceivable],
    ['reversed', 100, 0, 70],
  )
  assert.deepEqual(view.reversals[0].receivable, 70)
  assert.deepEqual(await totalsOf(bench), { gross: 100, reversed: 100 })
  await assertCleanBooks(bench)
})

test('the event has the amount owed and the balance left', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100')
  await payOut(bench, 60)

  await reverse(bench, sessionId, '80')

  const { data } = (await bench.call({ url: '/api/v1/events?type=collection.reversed' })).json()
  const { accountBalance, amountReversed, reversal } = data[0].data
  assert.deepEqual([accountBalance, amountReversed], [0, 80])
  assert.deepEqual(
    { ...reversal, sessionId: '' },
    {
      sessionId: '',
      amount: 80,
      shortfall: 0,
      receivable: 40,
    },
  )
  await assertCleanBooks(bench)
})

test('a reversal takes money only from the credit’s own collection account', async () => {
  await using bench = await startTestService()
  const [first, second] = [await createAccount(bench), await createAccount(bench)]
  const { sessionId } = await credit(bench, first.accountNumber, '100')
  await credit(bench, second.accountNumber, '100')
  await payOut(bench, 100) // The whole balance of the first account.
  const movements = await recordMovements(bench)

  await reverse(bench, sessionId, '40')

  assert.deepEqual(await movements.moves(), ['reversal: receivable → bank 035 40.00'])
  assert.equal(await ledgerNaira(bench, 'collection'), 100)
  await assertCleanBooks(bench)
})

test('the fee is given back first, so that the client owes no more than it got', async () => {
  await using bench = await startTestService()
  dataOf(await createFeeRule(bench))
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '20000')
  await payOut(bench, 19_785)
  const movements = await recordMovements(bench)

  await reverse(bench, sessionId, '20000')

  assert.deepEqual(await movements.moves(), [
    'reversal: collection → bank 035 215.00',
    'reversal: receivable → bank 035 19785.00',
    'fee: fee_income → collection 200.00',
    'fee_vat: vat_payable → collection 15.00',
  ])
  await assertCleanBooks(bench)
})

test('a credit in two places is taken from each as far as it goes', async () => {
  await using bench = await startTestService()
  const { number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '130')
  const { accountNumber } = await createAccount(bench)
  await resolve(bench, sessionId, 'assign', { accountNumber })
  await payOut(bench, 120) // A payout first takes the proceeds of payments.
  const movements = await recordMovements(bench)

  await reverse(bench, sessionId, '130')

  assert.deepEqual(await movements.moves(), [
    'reversal: collection → bank 035 10.00',
    'reversal: receivable → bank 035 100.00',
    'reversal: receivable → bank 035 20.00',
  ])
  assert.equal((await creditOf(bench, sessionId)).amountReceivable, 120)
  // The reversal takes 30 from the merchant's account. What the payment owes is not the merchant's debt.
  const now = await bench.call({ url: '/api/v1/balances' })
  bench.advance(1000)
  const at = `/api/v1/balances?at=${bench.clock().toISOString()}`
  for (const answer of [now, await bench.call({ url: at })]) {
    const [merchant] = dataOf(answer).merchants
    assert.deepEqual([merchant.collected, merchant.available], [0, 0])
  }
  await assertCleanBooks(bench)
})

test('reversed after a return: the bank’s shortfall; after a payout: the client’s debt', async () => {
  await using bench = await startTestService()
  const { number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '130')
  await resolve(bench, sessionId, 'return')
  await payOut(bench, 100)
  const movements = await recordMovements(bench)

  await reverse(bench, sessionId, '130')

  assert.deepEqual(await movements.moves(), [
    'reversal: receivable → bank 035 100.00',
    'reversal: shortfall 035 → bank 035 30.00',
  ])
  assert.deepEqual((await movements.alerts()).sort(), ['reversal_receivable', 'reversal_shortfall'])
  await assertCleanBooks(bench)
})

test('suspended money is reversed whole, after any payout', async () => {
  await using bench = await startTestService()
  const { number } = await begin(bench)
  await credit(bench, number, '100')
  const { sessionId } = await credit(bench, NOBODYS_NUMBER, '50')
  await payOut(bench, 100)
  const movements = await recordMovements(bench)

  await reverse(bench, sessionId, '50')

  assert.deepEqual(await movements.moves(), ['reversal: suspense of nobody → bank 035 50.00'])
  assert.deepEqual(await movements.alerts(), [])
})

// Credits 100 to each of two accounts and pays out 100, which empties the first account. Returns the session
// id of the credit to the first account and the number of the second account.
async function payOutFirst(bench: Bench) {
  const [first, second] = [await createAccount(bench), await createAccount(bench)]
  const { sessionId } = await credit(bench, first.accountNumber, '100')
  await credit(bench, second.accountNumber, '100')
  await payOut(bench, 100)
  return { sessionId, accountNumber: second.accountNumber }
}

test('a debt is not paid out, neither from present money nor from later money', async () => {
  await using bench = await startTestService()
  const { sessionId, accountNumber } = await payOutFirst(bench)
  await reverse(bench, sessionId, '100')

  assert.equal(await tryPayOut(bench, 0.01), 'insufficient_balance')
  await credit(bench, accountNumber, '30')
  assert.equal(await tryPayOut(bench, 30.01), 'insufficient_balance')
  assert.equal(await tryPayOut(bench, 30), 'queued')

  assert.equal(await ledgerNaira(bench, 'collection'), 100)
  await assertCleanBooks(bench)
})

test('a payout waits for a reversal that is under way, and leaves what is owed then', async () => {
  await using bench = await startTestService()
  const { sessionId } = await payOutFirst(bench)

  const holder = await bench.db.connect()
  await holder.query('begin; select from event_counters for update')
  // Waits for the lock on the counter when all else is done.
  const reversing = reverse(bench, sessionId, '60')
  await untilBlocked(bench.db, 1)
  const paying = tryPayOut(bench, 50)
  await untilBlocked(bench.db, 2)
  await holder.query('rollback')
  holder.release()

  assert.equal(await reversing, '00 reversed')
  assert.equal(await paying, 'insufficient_balance')
  assert.equal(await tryPayOut(bench, 40), 'queued')
})

test('reversals, payouts and credits at once: each kobo is taken once, or owed', async () => {
  await using bench = await startTestService()
  await using twin = await startTwin(bench)
  const { accountNumber } = await createAccount(bench)
  const payments = await Promise.all(
    Array.from({ length: 6 }, () => startPayment(bench, { amount: 100 })),
  )
  const sessions = await Promise.all(
    [...payments.map((payment) => payment.bankAccount as string), accountNumber, accountNumber].map(
      async (number) => (await credit(bench, number, '100')).sessionId,
    ),
  )
  const before = await countDeadlocks(bench)

  const answers = await Promise.all([
    ...sessions.map((originalSessionId, at) =>
      postRail(at % 2 ? twin : bench, '035/reversals', {
        sessionId: newSessionId(),
        originalSessionId,
        amount: '100',
      }).then((answer) => wordsOf(answer.json())),
    ),
    ...Array.from({ length: 8 }, () => tryPayOut(bench, 60)),
    ...Array.from({ length: 4 }, async () => (await credit(bench, accountNumber, '1')).says),
  ])

  const counts = tally(answers)
  assert.equal(counts['00 reversed'], 8)
  assert.equal(counts['00 booked'], 4)
  // The bank reversed 800 of the 804 that were credited. The other 4 are in the accounts or were paid out,
  // after subtracting what the client owes.
  const held = (await ledgerNaira(bench, 'available')) + (await ledgerNaira(bench, 'collection'))
  const paidOut = 60 * (counts.queued ?? 0)
  assert.equal(held + paidOut - (await ledgerNaira(bench, 'receivable')), 4)
  assert.equal((await countDeadlocks(bench)) - before, 0)
  await assertCleanBooks(bench)
})

// Returns the least balance after any payout: available money less what the client owes.
async function leastBalanceAfterPayouts({ db }: Bench): Promise<number> {
  const { rows } = await db.query(
    `select min(kobo)::int as kobo
       from (select t.reason, sum(case when d.kind in ('collection', 'receivable')
                                       then -t.amount_kobo else t.amount_kobo end)
                                over (order by t.id) as kobo
               from transfers t join ledger_accounts d on d.id = t.debit_account_id) as moved
      where reason = 'payout'`,
  )
  return rows[0].kobo
}

test('payouts and debts at once: nothing is paid out of what was owed by then', async () => {
  await using bench = await startTestService()
  await using twin = await startTwin(bench)
  const numbers = []
  for (let nth = 0; nth < 6; nth++) numbers.push((await createAccount(bench)).accountNumber)
  const sessions = []
  for (const number of numbers) sessions.push((await credit(bench, number, '100')).sessionId)
  await payOut(bench, 300) // The whole balance of the first three accounts.
  const before = await countDeadlocks(bench)

  const answers = await Promise.all([
    ...sessions.slice(0, 3).map((originalSessionId) =>
      postRail(twin, '035/reversals', {
        sessionId: newSessionId(),
        originalSessionId,
        amount: '100',
      }).then((answer) => wordsOf(answer.json())),
    ),
    ...Array.from({ length: 8 }, () => tryPayOut(bench, 50)),
  ])

  const counts = tally(answers)
  assert.deepEqual([counts['00 reversed'], await ledgerNaira(bench, 'receivable')], [3, 300])
  assert.equal(await ledgerNaira(bench, 'collection'), 300 - 50 * (counts.queued ?? 0))
  assert((await leastBalanceAfterPayouts(bench)) >= 0)
  assert.equal((await countDeadlocks(bench)) - before, 0)
  await assertCleanBooks(bench)
})
