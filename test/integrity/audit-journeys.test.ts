// The audit finds no fault after anything that can happen to received money: part payments that expire or are
// cancelled, suspended money that is assigned or returned, credits that the bank reverses.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findClient } from '#access/permissions.ts'
import { makeSessionId } from '#banks/nuban.ts'
import { cancelAdvice, closeExpired } from '#credits/close.ts'
import { takeReversal } from '#credits/reverse.ts'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId, SuspenseItemId } from '#ids.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { kobo } from '#money.ts'
import { type AssignTo, assignSuspense } from '#suspense/assign.ts'
import { requestReturn } from '#suspense/return.ts'
import { settleReturn, type Verdict } from '#suspense/settle.ts'
import { asId } from '../support/as-id.ts'
import { createAccount, MINUTE_MS, simulate, startPayment } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { pendingReturnOf } from '../support/suspense-desk.ts'

test('part payments that expire or are cancelled', async () => {
  await using bench = await setup()
  const cancelled = await startPayment(bench)
  const expired = await startPayment(bench)
  const untouched = await startPayment(bench)
  await simulate(bench, cancelled.bankAccount, '100.00')
  await simulate(bench, expired.bankAccount, '200.00')
  await simulate(bench, expired.bankAccount, '300.00')

  await bench.cancel(cancelled.adviceReference)
  await bench.expire()

  assert.deepEqual(await checkIntegrity(bench.db), [])
  assert.deepEqual(await bench.statuses(), ['Cancelled', 'Expired', 'Expired'])
  assert.equal(untouched.amountPaid, 0)
})

test('suspended money that is assigned, returned, or comes back from a failed return', async () => {
  await using bench = await setup()
  const account = await createAccount(bench)
  const whole = await startPayment(bench)
  const other = await startPayment(bench, { amount: 50 })
  for (const amount of ['6000.00', '50.00', '60.00', '70.00', '80.00', '90.00']) {
    await simulate(bench, whole.bankAccount, amount)
  }
  const [toPayment, toAccount, returned, returning, failed] = await bench.items()

  await bench.assign(toPayment, { paymentId: other.paymentReference })
  await bench.assign(toAccount, { accountNumber: account.accountNumber })
  for (const item of [returned, returning, failed]) await bench.giveBack(item)
  await bench.settle(returned, { status: 'confirmed', bankReference: 'B-1' })
  await bench.settle(failed, { status: 'failed', reason: null })

  assert.deepEqual(await checkIntegrity(bench.db), [])
  assert.deepEqual(await bench.itemStates(), [
    'assigned',
    'assigned',
    'returned',
    'returning',
    'open',
  ])
})

test('money that was assigned to a payment which then expires', async () => {
  await using bench = await setup()
  const whole = await startPayment(bench)
  await simulate(bench, whole.bankAccount, '6000.25')
  const part = await startPayment(bench)
  const [item] = await bench.items()
  await bench.assign(item, { paymentId: part.paymentReference })
  assert.deepEqual(await checkIntegrity(bench.db), [])

  await bench.expire()

  assert.deepEqual(await checkIntegrity(bench.db), [])
  assert.deepEqual(await bench.itemStates(), ['open'])
})

test('unidentified money that an operator assigned to a payment which then expires', async () => {
  await using bench = await setup()
  const part = await startPayment(bench)
  await bench.creditNobody(2_500n)
  const [item] = await bench.items()
  await bench.assign(item, { paymentId: part.paymentReference })
  assert.deepEqual(await checkIntegrity(bench.db), [])

  await bench.expire()

  assert.deepEqual(await checkIntegrity(bench.db), [])
})

test('credits that are reversed, whole or in part, from wherever their money is', async () => {
  await using bench = await setup()
  const account = await createAccount(bench)
  const paid = await startPayment(bench)
  const part = await startPayment(bench)
  const sessions = [
    (await simulate(bench, account.accountNumber, '100.00')).sessionId,
    (await simulate(bench, paid.bankAccount, '6000.40')).sessionId,
    (await simulate(bench, part.bankAccount, '300.00')).sessionId,
    (await simulate(bench, paid.bankAccount, '70.00')).sessionId,
  ]
  const [, gone] = await bench.items()
  await bench.giveBack(gone)
  await bench.settle(gone, { status: 'confirmed', bankReference: 'B-2' })

  for (const session of sessions) {
    await bench.reverse(session, 3_050n)
    assert.deepEqual(await checkIntegrity(bench.db), [])
    await bench.reverse(session, 1_000n)
    assert.deepEqual(await checkIntegrity(bench.db), [])
  }

  assert.deepEqual(await bench.statuses(), ['PartPayment', 'Reversed'])
  const { rows } = await bench.db.query(
    `select debits_kobo - credits_kobo as kobo from ledger_accounts where kind = 'shortfall'`,
  )
  assert(rows.some((row) => row.kobo === 4_050n))
})

// A service whose client is an operator too, with the actions of bank, client, suspense desk and expiry
// worker as plain function calls.
async function setup() {
  const bench = await startTestService()
  const { db, clock, service } = bench
  const sharedAccounts = new SharedAccounts(db)
  const { rows } = await db.query<{ id: ClientId }>(
    'update clients set is_operator = true returning id',
  )
  const clientId = rows[0]?.id as ClientId
  const by = await findClient(db, 'MAN0000001')
  assert(by)
  const acting = {
    ...sealingOf(bench),
    sharedAccounts,
    by,
    actor: 'client:MAN0000001',
    userId: null,
    note: null,
  }
  const deps = () => ({ ...acting, now: clock() })
  const column = async <T>(sql: string) =>
    (await db.query({ text: sql, rowMode: 'array' })).rows.map(([value]) => value as T)
  let sessions = 0
  const session = () =>
    makeSessionId({
      institution: '000013',
      now: clock(),
      unique: String(++sessions).padStart(12, '0'),
    })

  return Object.assign(bench, {
    items: () => column<SuspenseItemId>('select id from suspense_items order by id'),
    itemStates: () => column<string>('select state from suspense_items order by id'),
    statuses: () => column<string>('select status from payments order by status'),
    cancel: (advice: string) =>
      withTransaction(db, (tx) => cancelAdvice(tx, deps(), { clientId, adviceId: asId(advice) })),
    async expire() {
      bench.advance(60 * MINUTE_MS)
      await withTransaction(db, (tx) => closeExpired(tx, deps()))
    },
    assign: (item: SuspenseItemId | undefined, to: AssignTo) =>
      withTransaction(db, (tx) =>
        assignSuspense(tx, deps(), { itemId: item as SuspenseItemId, to }),
      ),
    giveBack: (item: SuspenseItemId | undefined) =>
      withTransaction(db, (tx) => requestReturn(tx, deps(), item as SuspenseItemId)),
    async settle(item: SuspenseItemId | undefined, verdict: Verdict) {
      const reference = await pendingReturnOf(db, item as SuspenseItemId)
      const by = 'bank:035'
      await withTransaction(db, (tx) => settleReturn(tx, deps(), { reference, verdict, by }))
    },
    async reverse(originalSessionId: string, amount: bigint) {
      const [bankCode, amountKobo] = ['035', kobo(amount)]
      const reversal = { bankCode, sessionId: session(), originalSessionId, amountKobo }
      const answer = await withTransaction(db, (tx) => takeReversal(tx, deps(), reversal))
      assert.equal(answer, 'reversed')
    },
    creditNobody: (amount: bigint) =>
      service.writers.credits.submit({
        bankCode: '035',
        sessionId: session(),
        accountNumber: '0000000000',
        amountKobo: kobo(amount),
        currency: 'NGN',
        sourceAccountNumber: null,
        sourceAccountName: null,
        sourceBankCode: null,
        narration: null,
        transactionTime: null,
      }),
  })
}
