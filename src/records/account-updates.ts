// Reports changes of collection accounts as `account.updated`. Each moves the account's `updatedAt`, which
// says when the account last changed in a way that its client hears of.

import { numberArray } from '#db/sql.ts'
import type { Transaction } from '#db/transaction.ts'
import { appendEvents, type NewEventOf } from './events.ts'

export type AccountUpdate = Omit<NewEventOf<'account.updated'>, 'type'>

// The caller has locked the accounts, or has locked what only it changes about them.
export async function reportAccountUpdates(
  tx: Transaction,
  now: Date,
  updates: readonly AccountUpdate[],
): Promise<void> {
  if (updates.length === 0) return
  await tx.query({
    name: 'move-updated-at',
    text: 'update collection_accounts set updated_at = $2 where id = any($1::bigint[])',
    values: [
      numberArray(updates.map(({ collectionAccountId }) => collectionAccountId ?? null)),
      now,
    ],
  })
  await appendEvents(
    tx,
    now,
    updates.map((update) => ({ ...update, type: 'account.updated' as const })),
  )
}
