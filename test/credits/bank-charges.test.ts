// Bank charges are our cost: the payer is credited with the full amount sent, and the bank's ledger account
// grows by the amount on its statement.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, dataOf, readAccount, startPayment, verify } from '../support/fixtures.ts'
import { chargesOf, incomingCredit, naira, takeIncoming } from '../support/incoming-credits.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

const NOBODYS_NUMBER = '0123456789'

// Returns the nonzero balances in naira by kind of account, positive on the account's usual side.
async function balances({ db }: Bench): Promise<Record<string, number>> {
  const { rows } = await db.query<{ kind: string; naira: string }>(
    `select kind, (sum(case when kind in ('bank', 'shortfall', 'bank_cost', 'stamp_duty', 'input_vat')
                            then debits_kobo - credits_kobo
                            else credits_kobo - debits_kobo end) / 100.0)::text as naira
       from ledger_accounts where debits_kobo <> credits_kobo group by kind`,
  )
  return Object.fromEntries(rows.map(({ kind, naira }) => [kind, Number(naira)]))
}

async function readCredit(bench: Bench, sessionId: string) {
  return dataOf(await bench.call({ url: `/api/v1/credits/${sessionId}` }))
}

test('a transfer of 1,000 with a fee of 45 brings the payment 1,000 and the bank’s account 955', async () => {
  await using bench = await startTestService()
  const payment = await startPayment(bench, { amount: 1000 })
  const sessionId = newSessionId()

  await takeIncoming(bench, {
    accountNumber: payment.bankAccount,
    amount: 1000,
    sessionId,
    charges: chargesOf(45),
  })

  assert.deepEqual(await balances(bench), { bank: 955, bank_cost: 45, available: 1000 })
  const paid = await verify(bench, payment.paymentReference)
  assert.deepEqual([paid.transactionStatus, paid.amountCollected], ['Successful', 1000])
  const credit = await readCredit(bench, sessionId)
  assert.deepEqual(
    [credit.amount, credit.charges, credit.netAmount, credit.amountBooked],
    [1000, { fee: 45, vat: 0, duty: 0 }, 955, 1000],
  )
  type Row = { reason: string; amount: number; from: { kind: string }; to: { kind: string } }
  assert.deepEqual(
    credit.transfers.map((t: Row) => [t.reason, t.amount, t.from.kind, t.to.kind]),
    [
      ['credit', 1000, 'bank', 'available'],
      ['bank_charge', 45, 'bank_cost', 'bank'],
    ],
  )
  await assertCleanBooks(bench)
})

test('fee, stamp duty and VAT have an account each', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()

  const charges = chargesOf(40, 3, 50)
  await takeIncoming(bench, { accountNumber, amount: 1000, sessionId, charges })

  assert.deepEqual(await balances(bench), {
    bank: 907,
    bank_cost: 40,
    stamp_duty: 50,
    input_vat: 3,
    collection: 1000,
  })
  assert.equal((await readAccount(bench, accountNumber)).accountBalance, 1000)
  assert.deepEqual((await readCredit(bench, sessionId)).charges, { fee: 40, vat: 3, duty: 50 })
  await assertCleanBooks(bench)
})

test('a credit without charges opens no account for them', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)

  await takeIncoming(bench, { accountNumber, amount: 1000 })
  await takeIncoming(bench, { accountNumber, amount: 1000, charges: chargesOf(0) })

  const { rows } = await bench.db.query(
    `select from ledger_accounts where kind in ('bank_cost', 'input_vat')`,
  )
  assert.equal(rows.length, 0)
  assert.deepEqual(await balances(bench), { bank: 2000, collection: 2000 })
})

test('charges of suspended money, and of money in excess, are booked once', async () => {
  await using bench = await startTestService()
  const payment = await startPayment(bench, { amount: 600 })
  const charges = chargesOf(10, 0.75)

  const excess = await incomingCredit(bench, {
    accountNumber: payment.bankAccount,
    amount: 1000,
    charges,
  })
  await bench.service.writers.credits.submit(excess)
  await takeIncoming(bench, { accountNumber: NOBODYS_NUMBER, amount: 500, charges })
  const again = await bench.service.writers.credits.submit(excess)

  assert.equal(again.status, 'duplicate')
  assert.deepEqual(await balances(bench), {
    bank: 1500 - 2 * 10.75,
    bank_cost: 20,
    input_vat: 1.5,
    available: 600,
    suspense: 400 + 500,
  })
  await assertCleanBooks(bench)
})

test('a reversal takes back the whole amount, and charges stay a cost', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  const charges = chargesOf(45)
  await takeIncoming(bench, { accountNumber, amount: 1000, sessionId, charges })

  const reversal = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '1000.00' }
  const answer = await postRail(bench, '035/reversals', reversal)

  assert.equal(answer.json().outcome, 'reversed')
  assert.deepEqual(await balances(bench), { bank: -45, bank_cost: 45 })
  assert.equal((await readCredit(bench, sessionId)).outcome, 'reversed')
  await assertCleanBooks(bench)
})

test('operators see bank costs, other clients do not', async () => {
  await using bench = await startTestService()
  const token = await bench.newClient('MAN0000002')
  const { accountNumber } = await createAccount(bench)
  await takeIncoming(bench, { accountNumber, amount: 1000, charges: chargesOf(45, 3) })

  // Returns the kind and balance of each ledger account that this caller sees.
  const kinds = async (by: { token?: string }) => {
    const answer = await bench.call({ url: '/api/v1/ledger/accounts', ...by })
    const accounts: { kind: string; balance: number }[] = answer.json().data
    return accounts.map(({ kind, balance }) => `${kind} ${balance}`)
  }

  const seen = await kinds({})
  assert(seen.includes('bank 952') && seen.includes('bank_cost 45'), seen.join())
  assert(seen.includes('input_vat 3'), seen.join())
  assert.deepEqual(await kinds({ token }), [])
})

test('the database takes no charges that are not part of the amount', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const credit = await incomingCredit(bench, { accountNumber, amount: 45 })
  const { submit } = bench.service.writers.credits

  for (const charges of [
    chargesOf(45),
    chargesOf(20, 20, 5),
    { ...chargesOf(0), vatKobo: naira(-1) },
  ]) {
    await assert.rejects(submit.call(bench.service.writers.credits, { ...credit, charges }))
  }
  assert.deepEqual(await balances(bench), {})
})
