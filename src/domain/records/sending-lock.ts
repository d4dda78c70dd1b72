// The lock between those who send payouts and those who stop them: a hold, or the suspension of a client.
// Stopping waits for what is being claimed, and every later claim sees the stop. Senders take it first.

import type { Transaction } from '#db/transaction.ts'

const LOCK = `hashtext('payouts_held')`

// For whoever sends payouts, or gives out what people send.
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
