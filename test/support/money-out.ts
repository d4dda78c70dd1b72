// Requests payouts of the sandbox's client, sends them, and settles them with the result that a test
// chooses for the bank.

import assert from 'node:assert/strict'
import type { createBatchPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { claimPayouts } from '#payouts/send.ts'
import { type PayoutOutcome, settlePayout } from '#payouts/settle.ts'
import { settleRefund } from '#refunds/settle.ts'
import { settleReturnPayout } from '#suspense/settle.ts'
import { patientBatchPool } from './database.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'

// The changes of the refund or the return that a payout pays, made when the payout is settled.
const HOOKS = { refund: settleRefund, return: settleReturnPayout }

// Runs `work` on a pool like the workers'.
async function withPool<T>(
  bench: Bench,
  work: (pool: ReturnType<typeof createBatchPool>, sharedAccounts: SharedAccounts) => Promise<T>,
): Promise<T> {
  const { connectionString } = bench.database
  const pool = patientBatchPool(connectionString, 1)
  try {
    return await work(pool, new SharedAccounts(bench.db))
  } finally {
    await pool.end()
  }
}

// Requests a payout; returns its status, or the code of the refusal. If it is queued, its money leaves the
// available balance at once.
export async function tryPayOut(bench: Bench, naira: number): Promise<string> {
  const body = { amount: naira, narration: 'Proceeds' }
  const { data, code } = (await bench.call({ url: '/api/v1/payouts', body })).json()
  return data?.status ?? code
}

export async function payOut(bench: Bench, naira: number): Promise<void> {
  assert.equal(await tryPayOut(bench, naira), 'queued')
}

// Sends all queued payouts of the bank, and settles them as if the bank had responded with this outcome.
// Returns how many there were.
export async function settleAll(
  bench: Bench,
  outcome: PayoutOutcome,
  bankCode = '035',
): Promise<number> {
  const ids = await sendAll(bench, bankCode)
  await answerAll(bench, outcome, ids)
  return ids.length
}

// Claims all queued payouts of the bank for sending, without calling the bank; returns their ids.
export function sendAll(bench: Bench, bankCode = '035'): Promise<PayoutId[]> {
  return withPool(bench, async (pool) => {
    const { sealer } = sealingOf(bench)
    const claiming = { bankCode, limit: 100, by: 'test' }
    const claimed = await withTransaction(pool, (tx) =>
      claimPayouts(tx, { sealer, now: bench.clock() }, claiming),
    )
    return claimed.map(({ id }) => id)
  })
}

// Settles sent payouts with this outcome.
export function answerAll(
  bench: Bench,
  outcome: PayoutOutcome,
  ids: readonly PayoutId[],
): Promise<void> {
  return withPool(bench, async (pool, sharedAccounts) => {
    const deps = { sharedAccounts, now: bench.clock(), hooks: HOOKS }
    for (const id of ids) {
      await withTransaction(pool, (tx) => settlePayout(tx, deps, { id, outcome, by: 'bank:035' }))
    }
  })
}

export const CONFIRMED: PayoutOutcome = { status: 'confirmed', bankReference: 'BANK-1' }
export const FAILED: PayoutOutcome = { status: 'failed', reason: 'Account closed' }
