// Reserves: parts of settlements that are held back. The first settlement whose cut-off is late enough
// releases a reserve.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, SettlementId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'

const DAY_MS = 86_400_000

export async function sumDueReserves(
  db: Queryable,
  clientId: ClientId,
  dueBy: Date,
): Promise<Kobo> {
  const { rows } = await db.query<{ kobo: bigint }>({
    name: 'sum-due-reserves',
    text: `select coalesce(sum(amount_kobo), 0)::bigint as kobo from settlement_reserves
            where client_id = $1 and released_by is null and release_at <= $2`,
    values: [clientId, dueBy],
  })
  return kobo(rows[0]?.kobo ?? 0n)
}

export async function releaseReserves(
  tx: Transaction,
  { id, clientId, dueBy }: { id: SettlementId; clientId: ClientId; dueBy: Date },
): Promise<void> {
  await tx.query({
    name: 'release-reserves',
    text: `update settlement_reserves set released_by = $1
            where client_id = $2 and released_by is null and release_at <= $3`,
    values: [id, clientId, dueBy],
  })
}

type NewReserve = {
  id: SettlementId
  clientId: ClientId
  amountKobo: Kobo
  from: Date
  days: number
}

export async function holdReserve(
  tx: Transaction,
  { id, clientId, amountKobo, from, days }: NewReserve,
): Promise<void> {
  if (amountKobo === 0n) return
  await tx.query({
    name: 'hold-reserve',
    text: `insert into settlement_reserves (settlement_id, client_id, amount_kobo, release_at)
           values ($1, $2, $3, $4)`,
    values: [id, clientId, amountKobo, new Date(from.getTime() + days * DAY_MS)],
  })
}

// Undoes the holds and releases of a cancelled settlement.
export async function undoReserves(tx: Transaction, id: SettlementId): Promise<void> {
  await tx.query({
    name: 'unhold-reserve',
    text: 'delete from settlement_reserves where settlement_id = $1',
    values: [id],
  })
  await tx.query({
    name: 'unrelease-reserves',
    text: 'update settlement_reserves set released_by = null where released_by = $1',
    values: [id],
  })
}
