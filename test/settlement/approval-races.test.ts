// A change to stricter approval waits for settlements that are being closed and payouts that are being
// requested, so that none is made by the old rule after the change was confirmed.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { kobo } from '#money.ts'
import * as payouts from '#payouts/settings.ts'
import * as settlements from '#settlement/approve.ts'
import { startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

type Rule = typeof settlements.needsApproval

const actor = 'user:a@example.com'
const RULES: Record<string, Rule> = {
  payouts: async (tx, clientId, amountKobo) =>
    (await payouts.countApprovers(tx, { clientId, actor, amountKobo })) > 0,
  settlements: settlements.needsApproval,
}

for (const [what, needsApproval] of Object.entries(RULES)) {
  test(`the first approval setting waits for ${what} under way, and counts from then on`, async () => {
    await assertWaits(needsApproval)
  })
}

// Asserts that a change to stricter approval waits for a transaction that has already asked `needsApproval`,
// and that the stricter rule counts afterwards.
async function assertWaits(needsApproval: Rule): Promise<void> {
  await using bench = await startTestService()
  const { rows } = await bench.db.query<{ id: ClientId; clientId: string }>(
    'select id, client_id as "clientId" from clients order by id limit 1',
  )
  const client = rows[0] as (typeof rows)[0]
  const changes = { approvalAboveKobo: kobo(0n) }
  const by = { clientId: client.id, actor, now: bench.clock() }
  const tighten = () =>
    withTransaction(bench.db, (tx) => payouts.changePayoutSettings(tx, by, { client, changes }))
  const isNeeded = (tx: Transaction) => needsApproval(tx, client.id, kobo(1n))

  const { isNeededBefore, tightening } = await withTransaction(bench.db, async (tx) => {
    const isNeededBefore = await isNeeded(tx)
    const tightening = tighten()
    await untilBlocked(bench.db, 1)
    return { isNeededBefore, tightening }
  })
  await tightening

  assert.equal(isNeededBefore, false)
  assert.equal(await withTransaction(bench.db, isNeeded), true)
}
