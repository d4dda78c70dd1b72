// Suspended money is assigned to an account that is erased or being erased: the data of its payer is erased
// too.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { assertCleanBooks, closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { eraseAdvice, finishErasures, PAYER } from '../support/erasing.ts'
import { createAccount, createAdvice, initiate } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const HOUR_MS = 3_600_000

test('a credit assigned after an erasure is erased by repeating the request', async () => {
  const { adviceReference } = await createAdvice(bench)
  const { paymentReference } = await initiate(bench, adviceReference)
  bench.advance(24 * HOUR_MS)
  await closeExpired(bench)
  assert.equal((await eraseAdvice(bench, adviceReference)).statusCode, 200)
  await finishErasures(bench)
  const item = await suspend(bench, NOBODYS_NUMBER, '6000', { bank: '035', ...PAYER })
  const assigned = await assign(bench, item.id, { paymentReference })
  assert.equal(assigned.statusCode, 200, assigned.body)

  const again = await eraseAdvice(bench, adviceReference)
  await finishErasures(bench)

  assert.equal(again.json().data.isComplete, false)
  assert.equal(await payerOf(item.sessionId), null)
  assert.equal((await eraseAdvice(bench, adviceReference)).json().data.isComplete, true)
  await assertCleanBooks(bench)
})

test('an assignment that waited while its account was closed is refused', async () => {
  const { accountNumber } = await createAccount(bench)
  const item = await suspend(bench, NOBODYS_NUMBER, '10', { bank: '035' })
  // Locks the account, starts an assignment that waits for the lock, and closes the account. The promise is
  // returned in an object, because returning it directly would await it while the lock is still held.
  const assigned = await withTransaction(bench.db, async (tx) => {
    await tx.query(
      `select from collection_accounts a join ledger_accounts l on l.id = a.id
        where a.account_number = $1 for no key update of l, a`,
      [accountNumber],
    )
    const waiting = assign(bench, item.id, { accountNumber })
    await untilBlocked(bench.db, 1)
    await tx.query(
      'update collection_accounts set is_active = false, is_default = false where account_number = $1',
      [accountNumber],
    )
    return { waiting }
  })

  const answer = await assigned.waiting

  assert.equal(answer.statusCode, 409, answer.body)
  assert.equal(answer.json().code, 'suspense_not_fitting')
})

// The stored name of a credit's payer.
async function payerOf(sessionId: string): Promise<string | null> {
  const { rows } = await bench.db.query<{ payer: string | null }>(
    'select source_account_name as payer from credits where session_id = $1',
    [sessionId],
  )
  return rows[0]?.payer ?? null
}
