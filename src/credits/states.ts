// The states of suspense items and of returns, and the only code that changes them.
//
// I13: the open items of a suspense account sum to its balance.

import assert from 'node:assert/strict'
import { numberArray } from '#db/sql.ts'
import { type Move, moveRow, moveRows, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { SuspenseItemId } from '#ids.ts'

const ITEM_TRANSITIONS = {
  open: ['assigned', 'returning', 'reversed'],
  assigned: ['open', 'reversed'],
  returning: ['open', 'returned', 'reversed'],
  returned: [],
  reversed: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ItemState = keyof typeof ITEM_TRANSITIONS

export const SUSPENSE_ITEMS: States<ItemState> = {
  table: 'suspense_items',
  column: 'state',
  initial: 'open',
  transitions: ITEM_TRANSITIONS,
}

export const ITEM_STATES = statusesOf(ITEM_TRANSITIONS)

type ItemMove = Omit<Move<ItemState>, 'rows' | 'returning'> & { id: SuspenseItemId }

// Moves a suspense item to another state. The caller has locked the item.
export async function transitionItem(tx: Transaction, move: ItemMove): Promise<void> {
  await moveRow(tx, SUSPENSE_ITEMS, move)
}

// An item that is suspended again: its id, its new client and the suspense account that now holds its money.
type Owned = { id: bigint; clientId: bigint; accountId: bigint }

// Suspends assigned items again, because their payment closed without being paid in full. The money of each
// item then belongs to the given client and lies in the given account: `target` in the SQL is the row of the
// query `rows` for the item. The caller has locked the payments of the items.
export async function suspendAgain(tx: Transaction, items: readonly Owned[]): Promise<void> {
  const moved = await moveRows(tx, SUSPENSE_ITEMS, {
    name: 'suspend-items-again',
    rows: `select * from unnest($1::bigint[], $2::bigint[], $3::bigint[])
                           as a (id, client_id, account_id)`,
    from: 'assigned',
    to: 'open',
    set: `client_id = target.client_id, account_id = target.account_id, reason = 'underpaid',
          assigned_payment_id = null, closed_at = null`,
    values: [
      numberArray(items.map(({ id }) => id)),
      numberArray(items.map(({ clientId }) => clientId)),
      numberArray(items.map(({ accountId }) => accountId)),
    ],
  })
  assert(moved.length === items.length, 'an item of a locked payment was not assigned')
}

const RETURN_TRANSITIONS = {
  pending: ['confirmed', 'failed'],
  confirmed: [],
  failed: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type ReturnStatus = keyof typeof RETURN_TRANSITIONS

export const RETURNS: States<ReturnStatus> = {
  table: 'returns',
  column: 'status',
  initial: 'pending',
  transitions: RETURN_TRANSITIONS,
}

export const RETURN_STATUSES = statusesOf(RETURN_TRANSITIONS)

type ReturnMove = Omit<Move<ReturnStatus>, 'rows' | 'returning'> & { id: bigint }

// Moves a return to another status. The caller has locked the item of the return.
export async function transitionReturn(tx: Transaction, move: ReturnMove): Promise<void> {
  await moveRow(tx, RETURNS, move)
}
