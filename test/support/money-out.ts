// Money that leaves: what is available to the sandbox's client, as if a payout took it.

import { createBatchPool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { drawAvailable } from '#domain/payouts/draw-available.ts'
import type { ClientId, PayoutId } from '#ids.ts'
import { clientOwner, SharedAccounts } from '#ledger/accounts.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import { asId } from './as-id.ts'
import type { Bench } from './running-service.ts'

export async function payOut(bench: Bench, naira: number): Promise<void> {
  const { rows } = await bench.db.query<{ id: ClientId }>(
    `select id from clients where client_id = 'MAN0000001'`,
  )
  const clientId = (rows[0] as { id: ClientId }).id
  const { connectionString } = bench.database
  const pool = createBatchPool({ connectionString, max: 1, onIdleError: () => {} })
  const sharedAccounts = new SharedAccounts(bench.db)
  const paying = { kind: 'paying', owner: clientOwner(clientId), currency: 'NGN' } as const
  await sharedAccounts.open([paying])
  try {
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
  } finally {
    await pool.end()
  }
}
