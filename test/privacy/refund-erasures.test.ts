// After an erasure, a refund that was cancelled before it was sent no longer names its recipient. A refund
// that was sent still does.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertGone, erase, finishErasures, PAYER } from '../support/erasing.ts'
import { createAccount, databaseText, dataOf } from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { credit } from '../support/movements.ts'
import { refund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'

const bench = closeAfterTests(await startTestService())
const { sealer } = sealingOf(bench)

// The stored names and account numbers of a refund's recipients.
async function recipientOf(refundReference: string) {
  const { rows } = await bench.db.query<{ name: string; number: Buffer }>(
    `select p.to_account_name as name, p.to_account_sealed as number
       from payouts p join refunds r on r.id = p.refund_id where r.reference = $1`,
    [refundReference],
  )
  return rows.map(({ name, number }) => [name, sealer.open(number)])
}

const cancel = (reference: string) =>
  bench.call({ url: `/api/v1/refunds/${reference}/cancel`, body: { reason: 'A mistake' } })

test('a cancelled refund is erased, also one that is cancelled after the erasure', async () => {
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await credit(bench, accountNumber, '100', PAYER)
  const sent = await refund(bench, sessionId, '10')
  await settleAll(bench, CONFIRMED)
  const cancelled = await refund(bench, sessionId, '0.01')
  dataOf(await cancel(cancelled.reference))
  const queued = await refund(bench, sessionId, '20')
  const deactivate = `/api/v1/accounts/static/${accountNumber}/deactivate`
  await bench.call({ method: 'POST', url: deactivate, body: {} })

  assert.equal((await erase(bench, accountNumber)).statusCode, 200)
  await finishErasures(bench)

  const { sourceAccountName: name, sourceAccountNumber: number } = PAYER
  assert.deepEqual(await recipientOf(cancelled.reference), [['Erased', '']])
  assert.deepEqual(await recipientOf(sent.reference), [[name, number]])
  assert.deepEqual(await recipientOf(queued.reference), [[name, number]])
  const { payouts } = dataOf(await bench.call({ url: `/api/v1/refunds/${cancelled.reference}` }))
  assert.deepEqual([payouts[0].toAccountName, payouts[0].toAccountNumberMasked], ['Erased', ''])

  dataOf(await cancel(queued.reference))
  const again = dataOf(await erase(bench, accountNumber))
  assert.equal(JSON.stringify(again).includes('"isComplete":true'), false)
  await finishErasures(bench)
  assert.deepEqual(await recipientOf(queued.reference), [['Erased', '']])
  assert.match(JSON.stringify(dataOf(await erase(bench, accountNumber))), /true/)
  await assertCleanBooks(bench)
})

test('nothing of the payer is left where every refund was cancelled', async () => {
  const { accountNumber } = await createAccount(bench)
  const payer = { ...PAYER, sourceAccountName: 'ZAINAB YAKUBU' }
  const { sessionId } = await credit(bench, accountNumber, '100', payer)
  const { reference } = await refund(bench, sessionId, '0.01')
  dataOf(await cancel(reference))

  await erase(bench, accountNumber)
  await finishErasures(bench)

  assertGone(await databaseText(bench), 'ZAINAB')
})
