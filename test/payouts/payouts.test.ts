// A payout from request to result, with the sandbox's bank. Each test compares the payout's complete list of
// ledger transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { patience } from '../support/patience.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  createPayout,
  fund,
  getPayout,
  PAYOUTS,
  payoutBody,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { type Bench, startTestService } from '../support/running-service.ts'

// The ledger transfers of a payout, each as "debit kind → credit kind amount reason".
async function transfersOf({ db }: Bench, reference: string): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(
    `select concat_ws(' ', d.kind, '→', c.kind, t.amount_kobo, t.reason) as line
       from transfers t
       join ledger_accounts d on d.id = t.debit_account_id
       join ledger_accounts c on c.id = t.credit_account_id
      where t.payout_id = (select id from payouts where reference = $1)
      order by t.id`,
    [reference],
  )
  return rows.map(({ line }) => line)
}

test('a payout leaves the balance at once and the bank when it is confirmed', async () => {
  await using bench = await startTestService()
  await using rounds = await payoutRounds(bench)
  await fund(bench, '50000')

  const made = await createPayout(bench, { amount: '20000' })
  assert.equal(made.status, 'queued')
  assert.equal(made.approval, 'not_needed')
  assert.deepEqual(await transfersOf(bench, made.reference), ['collection → paying 2000000 payout'])
  await assertCleanBooks(bench)
  await rounds.send()

  const paid = await getPayout(bench, made.reference)
  assert.equal(paid.status, 'confirmed')
  assert.equal(paid.bankReference, `SANDBOX-${made.reference}`)
  // The bank charges a fee of ₦25 with 7.5% VAT, and ₦50 stamp duty.
  assert.deepEqual((await transfersOf(bench, made.reference)).slice(1), [
    'paying → bank 2000000 paid',
    'bank_cost → bank 2500 bank_charge',
    'stamp_duty → bank 5000 bank_charge',
    'input_vat → bank 188 bank_charge',
  ])
  const changes = paid.history.map(({ change }: { change: string }) => change)
  assert.deepEqual(changes, ['queued', 'routed', 'sending', 'confirmed'])
  await assertCleanBooks(bench)
})

test('a payout that the bank refuses is available again', async () => {
  await using bench = await startTestService()
  await using rounds = await payoutRounds(bench)
  await fund(bench, '1000')
  const { reference: bankAccount } = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.refusesPayouts,
  })

  const made = await createPayout(bench, { amount: '1000', bankAccount })
  const broke = await bench.call({ url: PAYOUTS, body: payoutBody({ amount: '0.01' }) })
  assert.equal(broke.json().code, 'insufficient_balance')
  await rounds.send()

  const failed = await getPayout(bench, made.reference)
  assert.equal(failed.status, 'failed')
  assert.equal(failed.failureReason, 'The account is closed.')
  assert.deepEqual(await transfersOf(bench, made.reference), [
    'collection → paying 100000 payout',
    'paying → available 100000 payout_failed',
  ])
  await assertCleanBooks(bench)
  await createPayout(bench, { amount: '1000' }) // Without a key, a retry is another payout.
})

test('a retry gets the first answer, whatever became of the bank account since', async () => {
  await using bench = await startTestService()
  await fund(bench, '50000')
  const { bankAccount: _, ...body } = payoutBody({ amount: '100' }) as Record<string, unknown>
  const ask = () => bench.call({ url: PAYOUTS, body, headers: { 'idempotency-key': 'k-1' } })
  const first = await ask()
  const { reference, bankAccount } = first.json().data
  const url = `${BANK_ACCOUNTS}/${bankAccount}`
  const off = await bench.call({ method: 'PATCH', url, body: { isActive: false } })
  assert.equal(off.statusCode, 200, off.body)

  const again = await ask()

  assert.deepEqual([again.statusCode, again.headers['idempotent-replayed']], [200, 'true'])
  assert.equal(again.json().data.reference, reference)
})

test('the service’s own workers send what is queued', { timeout: patience(60_000) }, async () => {
  await using bench = await startTestService()
  await fund(bench, '10')
  const { reference } = await createPayout(bench, { amount: 10 })

  bench.service.startWorkers()

  while ((await getPayout(bench, reference)).status !== 'confirmed');
  await assertCleanBooks(bench)
})
