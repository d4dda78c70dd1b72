// The history of suspense items; the item itself has only its current state. Append-only, written in the
// transaction that changes the item.

import { numberArray, textArray } from '#db/arrays.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, SuspenseItemId } from '#ids.ts'
import { type Kobo, kobo } from '#money.ts'

export const ITEM_STATES = ['open', 'assigned', 'returning', 'returned', 'reversed'] as const
export type ItemState = (typeof ITEM_STATES)[number]

export const SUSPENSE_CHANGES = [
  'assigned', // To a payment or a collection account.
  'suspended_again', // The payment closed without being paid in full.
  'return_requested',
  'returned', // Confirmed by the bank.
  'return_failed', // The bank could not send it back.
  'reversed', // Taken back by the bank, whole or in part.
] as const

export type SuspenseChange = {
  change: (typeof SUSPENSE_CHANGES)[number]
  amountKobo: Kobo // The change's.
  leftKobo: Kobo // The item's, after the change.
  reference: string | null // Payment, account number, or the bank's own.
  changedAt: Date
}

type Item = { id: bigint; clientId: ClientId | null; state: ItemState; amountKobo: Kobo }

type NewSuspenseChange = {
  item: Item // Before the change.
  change: SuspenseChange['change']
  amountKobo?: Kobo // Default: all of it.
  leftKobo?: Kobo
  reference?: string | null
}

export async function recordSuspenseChanges(
  tx: Transaction,
  now: Date,
  changes: readonly NewSuspenseChange[],
): Promise<void> {
  if (changes.length === 0) return
  await tx.query({
    name: 'record-suspense-changes',
    text: `insert into suspense_changes (item_id, client_id, change, from_state, amount_kobo,
                                         left_kobo, reference, changed_at)
           select s.*, $8 from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[],
                                      $5::bigint[], $6::bigint[], $7::text[]) as s`,
    values: [
      numberArray(changes.map(({ item }) => item.id)),
      numberArray(changes.map(({ item }) => item.clientId)),
      textArray(changes.map(({ change }) => change)),
      textArray(changes.map(({ item }) => item.state)),
      numberArray(changes.map(({ item, amountKobo }) => amountKobo ?? item.amountKobo)),
      numberArray(changes.map(({ item, leftKobo }) => leftKobo ?? item.amountKobo)),
      textArray(changes.map(({ reference }) => reference ?? null)),
      now,
    ],
  })
}

// By item, oldest first.
export async function readSuspenseChanges(
  db: Queryable,
  itemIds: readonly SuspenseItemId[],
): Promise<Map<SuspenseItemId, SuspenseChange[]>> {
  const byItem = new Map<SuspenseItemId, SuspenseChange[]>()
  if (itemIds.length === 0) return byItem
  const { rows } = await db.query<SuspenseChange & { itemId: SuspenseItemId }>({
    name: 'read-suspense-changes',
    text: `select item_id as "itemId", change, amount_kobo as "amountKobo",
                  left_kobo as "leftKobo", reference, changed_at as "changedAt"
             from suspense_changes where item_id = any($1::bigint[]) order by item_id, id`,
    values: [numberArray(itemIds)],
  })
  for (const { itemId, ...change } of rows) {
    byItem.set(itemId, [...(byItem.get(itemId) ?? []), change])
  }
  return byItem
}

// The amount at the start: the history has the amounts that banks took since.
export function originalKobo(amountKobo: Kobo, changes: readonly SuspenseChange[]): Kobo {
  const first = changes.find(({ change }) => change === 'reversed')
  return first ? kobo(first.amountKobo + first.leftKobo) : amountKobo
}
