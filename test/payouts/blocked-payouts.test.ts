// A queued payout is blocked if its bank account may no longer be paid, or if the bank reversed the credit
// that it refunds. A blocked payout is not sent and cannot be approved, but can be cancelled, and operators
// see the reason.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { begin, credit, reverse } from '../support/movements.ts'
import {
  addBankAccount,
  BANK_ACCOUNTS,
  createPayout,
  fund,
  getPayout,
  ledger,
  PAYOUTS,
  payoutRounds,
  SANDBOX_PREFIXES,
} from '../support/payouts.ts'
import { newBrowser } from '../support/people.ts'
import { PAYER, pay, paymentOf, refund, tryRefund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement, settlementOf } from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
const rounds = closeAfterTests(await payoutRounds(bench))
const checker = await newBrowser(bench, 'finance')
await fund(bench, '5000')

const statusOf = async (reference: string) => (await getPayout(bench, reference)).status
const change = (reference: string, body: object) =>
  bench.call({ method: 'PATCH', url: `${BANK_ACCOUNTS}/${reference}`, body })
const setActive = (reference: string, isActive: boolean) => change(reference, { isActive })
const cancel = (reference: string, by: Pick<typeof bench, 'call'> = bench) =>
  act(by, `${PAYOUTS}/${reference}/cancel`)
const act = async (by: Pick<typeof bench, 'call'>, url: string) =>
  (await by.call({ method: 'POST', url, body: { reason: 'No' } })).json()
const approve = async (reference: string) =>
  (await checker.call({ method: 'POST', url: `${PAYOUTS}/${reference}/approve`, body: {} })).json()
const needApproval = (payoutApproval: string) =>
  bench.db.query(
    `insert into payout_settings (client_id, approval_above_kobo)
     select id, $1 from clients where client_id = 'MAN0000001'
         on conflict (client_id) do update set approval_above_kobo = excluded.approval_above_kobo`,
    [payoutApproval === 'all' ? 0 : null],
  )

// The alerts about blocked payouts after the workers' rounds, each as "reference reason".
async function blocked(): Promise<string[]> {
  await rounds.send()
  await rounds.query()
  const url = '/api/v1/operator/alerts?kind=payout_blocked&open=true'
  const { data } = (await bench.call({ url })).json()
  return data.map(({ subject, detail }: { subject: string; detail: { reason: string } }) =>
    [subject.replace('payout/', ''), detail.reason].join(' '),
  )
}

test('nothing is sent to an account that has another name than the one approved', async () => {
  const { reference: bankAccount } = await addBankAccount(bench, {
    prefix: SANDBOX_PREFIXES.silentAboutNames,
  })
  const { reference } = await createPayout(bench, { bankAccount })
  assert.equal((await approve(reference)).data.approval, 'approved')
  await bench.db.query(
    `update bank_accounts set account_name = 'Mallory Doe', name_at_bank = 'MALLORY DOE',
            status = 'confirmed' where reference = $1`,
    [bankAccount],
  )

  assert.deepEqual(await blocked(), [`${reference} bank_account_mismatch`])
  assert.equal(await statusOf(reference), 'queued')
  assert.equal((await cancel(reference)).data.status, 'cancelled')
})

test('no payout is sent to a deactivated bank account until it is active again', async () => {
  const { reference: bankAccount } = await addBankAccount(bench)
  const { reference } = await createPayout(bench, { bankAccount })
  const { reference: cancelled } = await createPayout(bench, { bankAccount })
  const { reference: other } = await createPayout(bench)
  await setActive(bankAccount, false)

  const alerts = await blocked()
  assert.deepEqual(
    alerts.sort(),
    [reference, cancelled].map((r) => `${r} bank_account_inactive`).sort(),
  )
  assert.deepEqual([await statusOf(reference), await statusOf(other)], ['queued', 'confirmed'])
  assert.equal((await getPayout(bench, reference)).blockedBy, 'bank_account_inactive')

  assert.equal((await cancel(cancelled)).data.status, 'cancelled')
  assert.deepEqual(await blocked(), [`${reference} bank_account_inactive`])
  await setActive(bankAccount, true)
  assert.equal((await getPayout(bench, reference)).blockedBy, null)
  assert.deepEqual(await blocked(), [])
  assert.equal(await statusOf(reference), 'confirmed')
  await assertCleanBooks(bench)
})

test('a payout to an account that is inactive or another’s is not approved', async () => {
  await needApproval('all')
  const { reference: bankAccount } = await addBankAccount(bench)
  const { reference } = await createPayout(bench, { bankAccount })
  const { reference: rejected } = await createPayout(bench, { bankAccount })
  await setActive(bankAccount, false)
  assert.equal((await approve(reference)).code, 'bank_account_inactive')
  await setActive(bankAccount, true)
  await bench.db.query(`update bank_accounts set status = 'mismatch' where reference = $1`, [
    bankAccount,
  ])
  assert.equal((await approve(reference)).code, 'bank_account_mismatch')
  assert.equal((await act(checker, `${PAYOUTS}/${rejected}/reject`)).data.status, 'cancelled')

  assert.deepEqual(await blocked(), [`${reference} bank_account_mismatch`])
  assert.equal((await cancel(reference)).data.status, 'cancelled')
  assert.deepEqual(await blocked(), [])
  await needApproval('none')
})

test('a refund of a credit that the bank reversed meanwhile is not sent, and can be cancelled', async () => {
  const { payment, number } = await begin(bench)
  const sessionId = (await pay(bench, number, '100')).sessionId
  const answer = await refund(bench, payment, '60')
  const [{ reference }] = answer.payouts
  await reverse(bench, sessionId, '40')
  await reverse(bench, sessionId, '0.01') // 59.99 are left of it.

  assert.deepEqual(await blocked(), [`${reference} refund_credit_reversed`])
  assert.equal(await statusOf(reference), 'queued')
  const cancelled = await act(bench, `/api/v1/refunds/${answer.reference}/cancel`)
  assert.equal(cancelled.data.status, 'cancelled')
  assert.deepEqual(await blocked(), [])
  const again = await refund(bench, payment, '59.99')
  assert.deepEqual(await blocked(), [])
  assert.equal(await statusOf(again.payouts[0].reference), 'confirmed')
  await assertCleanBooks(bench)
})

test('a refund that what is left of the credit still covers is sent', async () => {
  const { payment, number } = await begin(bench)
  const sessionId = (await pay(bench, number, '100')).sessionId
  const [{ reference }] = (await refund(bench, payment, '60')).payouts
  await reverse(bench, sessionId, '40')

  assert.deepEqual(await blocked(), [])
  assert.equal(await statusOf(reference), 'confirmed')
})

test('a refund of a credit that the bank reversed is not approved', async () => {
  await needApproval('all')
  const { payment, number } = await begin(bench)
  const sessionId = (await pay(bench, number, '100')).sessionId
  const answer = await refund(bench, payment, '100')
  const [{ reference }] = answer.payouts
  await reverse(bench, sessionId, '100')

  assert.equal((await approve(reference)).code, 'refund_credit_reversed')
  assert.deepEqual(await blocked(), [`${reference} refund_credit_reversed`])
  const cancelled = await act(bench, `/api/v1/refunds/${answer.reference}/cancel`)
  assert.equal(cancelled.data.status, 'cancelled')
  await needApproval('none')
  await assertCleanBooks(bench)
})

test('a settlement whose account was taken out of use after its approval can be cancelled', async () => {
  const { reference: bankAccount } = await addBankAccount(bench)
  await change(bankAccount, { isDefault: true })
  bench.advance(1_000)
  const settlement = await closeSettlement(bench)
  const [{ reference }] = settlement.payouts
  const held = { 'paying client:1': settlement.net * 100 }
  const available = { 'available client:1': settlement.net * 100 }
  // The client's ledger accounts that have money: `available`, or `paying` while a payout is queued.
  const readBalances = async () => {
    const balances = Object.entries(await ledger(bench))
    return Object.fromEntries(balances.filter(([name]) => name in held || name in available))
  }
  assert.equal((await cancel(reference)).code, 'payout_not_queued')
  assert.deepEqual(await readBalances(), held)
  await setActive(bankAccount, false)

  assert.deepEqual(await blocked(), [`${reference} bank_account_inactive`])
  assert.equal((await getPayout(bench, reference)).blockedBy, 'bank_account_inactive')
  const support = await newBrowser(bench, 'support')
  assert.equal((await cancel(reference, support)).code, 'role_not_allowed')
  const again = [await cancel(reference), await cancel(reference)]
  assert.deepEqual(
    again.map(({ data }) => [data.status, data.blockedBy]),
    [
      ['cancelled', null],
      ['cancelled', null],
    ],
  )
  assert.equal((await settlementOf(bench, settlement.reference)).status, 'failed')
  assert.deepEqual(await readBalances(), available)
  assert.deepEqual(await blocked(), [])
  await assertCleanBooks(bench)

  await setActive(bankAccount, true)
  await change(bankAccount, { isDefault: true })
  bench.advance(1_000)
  const next = await closeSettlement(bench)
  assert.equal(next.net, settlement.net)
  await rounds.send()
  assert.equal((await settlementOf(bench, next.reference)).status, 'paid')
  await assertCleanBooks(bench)
})

for (const { account, refundStatus, refunded, tooLarge } of [
  { account: '0123456789', refundStatus: 'part_failed', refunded: 60, tooLarge: '0.01' },
  {
    account: `${SANDBOX_PREFIXES.refusesPayouts}00013`,
    refundStatus: 'failed',
    refunded: 0,
    tooLarge: '60.01',
  }, // Refused.
]) {
  test(`the blocked part of a refund is cancelled alone; the refund is ${refundStatus}`, async () => {
    await fund(bench, '500')
    const { payment, number } = await begin(bench)
    await credit(bench, number, '60', { ...PAYER, sourceAccountNumber: account })
    const { sessionId } = await pay(bench, number, '40')
    const answer = await refund(bench, payment, '100')
    const [reversed, other] = answer.payouts.map((part: { reference: string }) => part.reference)
    const refundUrl = `/api/v1/refunds/${answer.reference}`
    assert.equal((await cancel(reversed)).code, 'payout_not_queued')
    await reverse(bench, sessionId, '40')

    assert((await blocked()).includes(`${reversed} refund_credit_reversed`))
    assert.equal((await act(bench, `${refundUrl}/cancel`)).code, 'refund_not_queued')
    assert.equal((await cancel(reversed)).data.status, 'cancelled')

    const { data } = (await bench.call({ url: refundUrl })).json()
    assert.equal(data.status, refundStatus)
    assert.equal(await statusOf(other), refunded > 0 ? 'confirmed' : 'failed')
    assert.equal((await paymentOf(bench, payment)).refundedAmount, refunded)
    assert.equal((await ledger(bench))['refunding client:1'], undefined)
    assert.equal(await tryRefund(bench, payment, tooLarge), 'refund_too_large')
    assert.equal((await blocked()).includes(`${reversed} refund_credit_reversed`), false)
    await assertCleanBooks(bench)
  })
}
