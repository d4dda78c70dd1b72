// What is available is locked in the order of ids, together with what it goes to.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPayout, fund, PAYOUTS, payoutBody } from '../support/payouts.ts'
import { startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

test('a payout and one that fails at the same moment do not lock each other out', async () => {
  await using bench = await startTestService()
  await fund(bench, '1000')
  const { reference } = await createPayout(bench, { amount: '1000' })
  const cancelled = await bench.call({ url: `${PAYOUTS}/${reference}/cancel`, body: {} })
  assert.equal(cancelled.statusCode, 200) // Opens the available account, above paying.
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
