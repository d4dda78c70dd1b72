// A subaccount gets a new bank account: later settlements are paid to it, earlier payouts keep theirs, and no
// new payment goes to the former account once the change is confirmed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { SettlementId } from '#ids.ts'
import { lockPayees } from '#settlement/approve.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, createAccount } from '../support/fixtures.ts'
import { credit } from '../support/movements.ts'
import { BANK_ACCOUNTS, getPayout, PAYOUTS, payoutRounds } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { closeSettlement, decideOn, setBankAccount, settlementOf } from '../support/settlements.ts'
import { createSplit, payElsewhere, splitBody } from '../support/splits.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const rounds = closeAfterTests(await payoutRounds(bench))
await setBankAccount(bench)
await createSplit(bench, splitBody('AB', 'percentage', ['A', 60], ['B', 20]))
const { accountNumber } = await createAccount(bench, { splitCode: 'AB' })
await payElsewhere(bench, 'A') // Otherwise A and B have the same bank account.

// Closes a settlement of a new credit.
async function settle() {
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')
  return closeSettlement(bench)
}

type Settled = { payouts: { subaccountCode: string | null; reference: string }[] }

const payoutOf = ({ payouts }: Settled, code: string) =>
  payouts.find(({ subaccountCode }) => subaccountCode === code)?.reference as string
const paidTo = async (settlement: Settled, code: string) =>
  (await getPayout(bench, payoutOf(settlement, code))).bankAccount
const setActive = (reference: string, isActive: boolean) =>
  bench.call({ method: 'PATCH', url: `${BANK_ACCOUNTS}/${reference}`, body: { isActive } })

test('later settlements go to the new account; payouts keep theirs', async () => {
  const former = await payElsewhere(bench, 'A')
  const first = await settle()
  const others = await paidTo(first, 'B')

  const present = await payElsewhere(bench, 'A')
  const second = await settle()

  assert.deepEqual([await paidTo(first, 'A'), await paidTo(second, 'A')], [former, present])
  assert.equal(await paidTo(second, 'B'), others)
  await rounds.send()
  for (const { reference } of [first, second]) {
    assert.equal((await settlementOf(bench, reference)).status, 'paid')
  }
  await assertCleanBooks(bench)
})

test('a settlement that is held by an inactive account is paid after the change', async () => {
  const former = await payElsewhere(bench, 'A')
  await setActive(former, false)
  const held = await settle()
  assert.deepEqual([held.status, held.heldReason], ['closed', 'bank_account_inactive'])
  const { payees } = await settlementOf(bench, held.reference)
  const blocks = payees.map((payee: { subaccountCode: string; blockedBy: string }) => [
    payee.subaccountCode,
    payee.blockedBy,
  ])
  const inactive = ['A', 'bank_account_inactive']
  assert.deepEqual(blocks, [[null, null], inactive, ['B', null]])
  const refused = await decideOn(bench, held.reference, 'approve')
  assertRefused(refused, { status: 409, code: 'bank_account_inactive' })

  const present = await payElsewhere(bench, 'A')
  assert.equal((await decideOn(bench, held.reference, 'approve')).statusCode, 200)
  await rounds.send()

  const paid = await settlementOf(bench, held.reference)
  assert.equal(paid.status, 'paid')
  assert.equal(await paidTo(paid, 'A'), present)
  await assertCleanBooks(bench)
})

test('settlements that wait for the former account are cancelled, and settled to the new one', async () => {
  const former = await payElsewhere(bench, 'A')
  const first = await settle()
  await setActive(former, false)
  const present = await payElsewhere(bench, 'A')
  const waiting = payoutOf(first, 'A')
  assert.equal((await getPayout(bench, waiting)).blockedBy, 'bank_account_inactive')
  const body = { reason: 'Another bank' }
  await bench.call({ method: 'POST', url: `${PAYOUTS}/${waiting}/cancel`, body })

  const second = await settle()

  assert.equal(await paidTo(second, 'A'), present)
  assert.equal((await getPayout(bench, payoutOf(second, 'A'))).amount, 120)
  await rounds.send()
  assert.equal((await settlementOf(bench, second.reference)).status, 'paid')
  await assertCleanBooks(bench)
})

test('a closing waits for a change of the account, and pays to the new one', async () => {
  const present = await payElsewhere(bench, 'A')
  await payElsewhere(bench, 'A')
  bench.advance(1_000)
  await credit(bench, accountNumber, '100')

  const { closing } = await withTransaction(bench.db, async (tx) => {
    await tx.query(
      `update subaccounts u set bank_account_id = b.id from bank_accounts b
        where u.code = 'A' and b.reference = $1`,
      [present],
    )
    const closing = closeSettlement(bench)
    await untilBlocked(bench.db, 1)
    return { closing }
  })

  assert.equal(await paidTo(await closing, 'A'), present)
})

test('a change of the account waits until a payment to it is done', async () => {
  const former = await payElsewhere(bench, 'A')
  const { reference } = await settle()
  const { rows } = await bench.db.query<{ id: SettlementId }>(
    'select id from settlements where reference = $1',
    [reference],
  )

  const { changing, paid } = await withTransaction(bench.db, async (tx) => {
    await lockPayees(tx, rows[0]?.id as SettlementId)
    const changing = payElsewhere(bench, 'A')
    await untilBlocked(bench.db, 1)
    const paid = await lockPayees(tx, rows[0]?.id as SettlementId)
    return { changing, paid: paid.find(({ subaccountCode }) => subaccountCode === 'A') }
  })

  assert.equal(paid?.bankAccount, former)
  assert.notEqual(await changing, former)
})
