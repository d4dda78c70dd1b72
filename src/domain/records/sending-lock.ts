// The lock between senders of payouts and operations that stop them: a hold, or the suspension of a
// client. Stopping waits for running claims, and every later claim sees the stop. Senders take this
// lock first.

import type { Transaction } from '#db/transaction.ts'

const LOCK = `hashtext('payouts_held')`

// For workers that send payouts, and for exports that people send.
export async function awaitHolders(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-payout-holders',
    text: `select pg_advisory_xact_lock_shared(${LOCK})`,
  })
}

export async function awaitSenders(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'await-payout-senders',
    text: `select pg_advisory_xact_lock(${LOCK})`,
  })
}
