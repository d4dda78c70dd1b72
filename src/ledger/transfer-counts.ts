// Counts transfers into totals, in the order of their ids, so that readers need not add up every transfer.
//
// A worker stores the last id that it counted in the transaction that stores the totals. It counts no
// transfer that could still be rolled back, or appear later with a lower id (decided_transfer_id). So each
// transfer is counted once, by any number of workers, whatever happens to them. Readers add the transfers
// after the last id in the same statement, so totals equal the ledger at any moment.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { TransferId } from '#ids.ts'
import { decideTransfers } from './transfers.ts'

// The table with one row that holds the last counted transfer.
export type Cursor = 'merchant_totals_cursor' | 'ledger_hours_cursor'

const TRANSFERS_MAX = 20_000 // In one round. They take some 100 ms.
// Readers add at most this many transfers, or do without the totals. There are more while a long history is
// counted for the first time, if no worker runs, and where more than 20,000 are posted in a second.
const TAIL_MAX = 100_000

export const hasUncounted = (cursor: Cursor) => `
  (select last_value from transfers_id_seq where is_called) > (select to_id from ${cursor})`

// SQL condition: the transfer is not counted yet. `after` is the position of findPosition(): PostgreSQL plans
// with its value. The stored position may be higher by now.
export const isUncounted = (cursor: Cursor, after: string) =>
  `id > ${after} and id > (select to_id from ${cursor})`

// Returns the last counted transfer, or undefined if too many are uncounted for the totals to help.
export async function findPosition(db: Queryable, cursor: Cursor): Promise<TransferId | undefined> {
  const { rows } = await db.query<{ toId: TransferId }>({
    name: `find-${cursor}`,
    text: `select to_id from ${cursor}
            where (select last_value from transfers_id_seq) - to_id between 0 and ${TAIL_MAX}`,
  })
  return rows[0]?.toId
}

// Moves the cursor to the next transfers and adds them to the totals by `sql`, which gets the ids: those
// above $1, up to $2. Of concurrent calls, one counts and the others do nothing. Returns whether more are
// left.
export async function countNext(
  tx: Transaction,
  cursor: Cursor,
  { sql, limit = TRANSFERS_MAX }: { sql: string; limit?: number | undefined },
): Promise<boolean> {
  const { rows } = await tx.query<{ fromId: TransferId }>({
    name: `lock-${cursor}`,
    text: `select to_id as from_id from ${cursor} for no key update skip locked`,
  })
  if (!rows[0]) return false
  const { fromId } = rows[0]
  const decidedId = await decideTransfers(tx)
  const lastId = fromId + BigInt(limit)
  const toId = decidedId < lastId ? decidedId : lastId
  if (toId <= fromId) return false
  await tx.query({
    name: `move-${cursor}`,
    text: `update ${cursor} set to_id = $1`,
    values: [toId],
  })
  // Not a named statement, so that PostgreSQL plans it for its values: they are a small part of the table.
  await tx.query({ text: sql, values: [fromId, toId] })
  return toId < decidedId
}
