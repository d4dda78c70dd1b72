// Shared ledger accounts are opened on a database connection of their own: the request that needs one holds
// its own connection, and all others may be in use.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createAccount } from '../support/fixtures.ts'
import { incomingCredit } from '../support/incoming-credits.ts'
import { startTestService } from '../support/running-service.ts'

const DEADLINE_MS = 60_000

test('a shared account is opened while transactions hold every connection for requests', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const credit = await incomingCredit(bench, { accountNumber, amount: 250 })
  const { db, writers } = bench.service
  const holders = await Promise.all(
    Array.from({ length: db.options.max as number }, () => db.connect()),
  )
  try {
    await Promise.all(holders.map((holder) => holder.query('begin')))

    const stuck = { status: 'stuck' as const }
    const answer = await Promise.race([
      writers.credits.submit(credit),
      setTimeout(DEADLINE_MS, stuck, { ref: false }),
    ])

    assert.equal(answer.status, 'taken')
  } finally {
    for (const holder of holders) {
      await holder.query('rollback')
      holder.release()
    }
  }
})
