// The states of a hold, and the only code that changes them.

import { type Move, moveRow, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { HoldId } from '#ids.ts'

const TRANSITIONS = {
  active: ['released', 'forfeited'],
  released: [],
  forfeited: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type HoldState = keyof typeof TRANSITIONS

export const HOLDS: States<HoldState> = {
  table: 'holds',
  column: 'state',
  initial: 'active',
  transitions: TRANSITIONS,
}

export const HOLD_STATES = statusesOf(TRANSITIONS)

type HoldMove = Omit<Move<HoldState>, 'rows' | 'returning'> & { id: HoldId }

// Moves a hold to another state, together with the other columns that change. The caller has locked the hold.
export async function transition(tx: Transaction, move: HoldMove): Promise<void> {
  await moveRow(tx, HOLDS, move)
}
