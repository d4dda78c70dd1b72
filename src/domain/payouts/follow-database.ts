// Notices that the database is another one than before: a standby was promoted, or a backup restored. What
// the old one had committed last may be missing, and a payout that was sent may be queued again.
//
//   promoted, commits waited for a standby   noted: the new one has every payout that was sent
//   promoted, they did not                   held, as after a restore: banks are asked, nothing is sent (I82)
//   another cluster                          held: no promotion leads there, but a dump or a copy does
//
// Between the move and this, nothing is sent either: HELD compares the two identities in the transaction
// that claims (I89).

import type { Queryable } from '#db/pool.ts'
import { readReplication } from '#db/replication.ts'
import type { Transaction } from '#db/transaction.ts'
import { awaitSenders } from '#domain/records/sending-lock.ts'
import { holdPayouts } from './hold-payouts.ts'

export const MOVED_REASON =
  'The database was moved to another server without a synchronous standby: it may lack the last payouts.'

type Known = {
  identity: string
  wasSynchronous: boolean | null
  isMoved: boolean
  isOtherCluster: boolean
}

export async function followDatabase(tx: Transaction, now: Date): Promise<void> {
  const { isSynchronous } = await readReplication(tx)
  const seen = await readKnown(tx)
  if (!seen || (!seen.isMoved && seen.wasSynchronous === isSynchronous)) return
  await awaitSenders(tx)
  const known = await readKnown(tx) // Another worker may have been first.
  if (!known) return
  if (known.isMoved && (known.isOtherCluster || !known.wasSynchronous)) {
    await holdPayouts(tx, now, { reason: MOVED_REASON, by: 'worker', restoredTo: now })
  }
  await writeKnown(tx, now, { identity: known.identity, isSynchronous })
}

// After a restore: payouts are held already.
export async function noteDatabase(tx: Transaction, now: Date): Promise<void> {
  const known = await readKnown(tx)
  if (!known) return
  const { isSynchronous } = await readReplication(tx)
  await writeKnown(tx, now, { identity: known.identity, isSynchronous })
}

// Undefined where the server does not say what it is.
async function readKnown(db: Queryable): Promise<Known | undefined> {
  const { rows } = await db.query<Known>({
    name: 'read-known-database',
    text: `select c.identity, k.is_synchronous as "wasSynchronous",
                  coalesce(k.identity <> c.identity, false) as "isMoved",
                  coalesce(split_part(k.identity, '/', 1) <> split_part(c.identity, '/', 1), false)
                    as "isOtherCluster"
             from (select current_database_identity() as identity) as c
             left join known_database k on true
            where c.identity is not null`,
  })
  return rows[0]
}

async function writeKnown(
  tx: Transaction,
  now: Date,
  { identity, isSynchronous }: { identity: string; isSynchronous: boolean },
): Promise<void> {
  await tx.query({
    name: 'write-known-database',
    text: `insert into known_database (identity, is_synchronous, noted_at) values ($1, $2, $3)
           on conflict (is_only) do update
              set identity = $1, is_synchronous = $2, noted_at = $3`,
    values: [identity, isSynchronous, now],
  })
}
