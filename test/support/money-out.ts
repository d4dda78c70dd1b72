// Money that leaves: what is available to the sandbox's client, as if a payout took it; and what banks
// say of payouts, when the test wants them to.

import { createBatchPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { claimPayouts } from '#domain/payouts/claim-payouts.ts'
import { drawAvailable } from '#domain/payouts/draw-available.ts'
import { type PayoutOutcome, settlePayout } from '#domain/payouts/settle-payout.ts'
import { settleRefund } from '#domain/refunds/settle-refund.ts'
import { settleReturnPayout } from '#domain/suspense/settle-return.ts'
import type { ClientId, PayoutId } from '#ids.ts'
import { clientOwner, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { asId } from './as-id.ts'
import type { Bench } from './running-service.ts'
import { sealingOf } from './sealing.ts'

const HOOKS = { refund: settleRefund, return: settleReturnPayout }

async function withPool<T>(
  bench: Bench,
  work: (pool: ReturnType<typeof createBatchPool>, sharedAccounts: SharedAccounts) => Promise<T>,
): Promise<T> {
  const { connectionString } = bench.database
  const pool = createBatchPool({ connectionString, max: 1, onIdleError: () => {} })
  try {
    return await work(pool, new SharedAccounts(bench.db))
  } finally {
    await pool.end()
  }
}

export async function payOut(bench: Bench, naira: number): Promise<void> {
  const { rows } = await bench.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const clientId = (rows[0] as { id: ClientId }).id
  await withPool(bench, async (pool, sharedAccounts) => {
    const paying = { kind: 'paying', owner: clientOwner(clientId), currency: 'NGN' } as const
    await sharedAccounts.open([paying])
    await withTransaction(pool, async (tx) => {
      const amountKobo = kobo(BigInt(Math.round(naira * 100)))
      const draws = await drawAvailable(tx, { clientId, currency: 'NGN', amountKobo })
      const transfers = draws.map(({ accountId, amountKobo }) => ({
        debitAccountId: accountId,
        creditAccountId: sharedAccounts.id(paying),
        amountKobo,
        payoutId: asId<PayoutId>(1n),
        reason: 'payout' as const,
      }))
      await postTransfers(tx, bench.clock(), transfers)
    })
  })
}

// All that are queued at the bank are sent, and it answers. Answers how many there were.
export function settleAll(bench: Bench, outcome: PayoutOutcome, bankCode = '035'): Promise<number> {
  return withPool(bench, async (pool, sharedAccounts) => {
    const now = bench.clock()
    const { sealer } = sealingOf(bench)
    const claimed = await withTransaction(pool, (tx) =>
      claimPayouts(tx, { sealer, now }, { bankCode, limit: 100, by: 'test' }),
    )
    for (const { id } of claimed) {
      const settling = { id, outcome, by: `bank:${bankCode}` }
      await withTransaction(pool, (tx) =>
        settlePayout(tx, { sharedAccounts, now, hooks: HOOKS }, settling),
      )
    }
    return claimed.length
  })
}

export const CONFIRMED: PayoutOutcome = { status: 'confirmed', bankReference: 'BANK-1' }
export const FAILED: PayoutOutcome = { status: 'failed', reason: 'Account closed' }
