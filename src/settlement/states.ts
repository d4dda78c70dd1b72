// The states of a settlement, and the only code that changes them. The open settlement has no row;
// readUpcoming() in queries.ts computes it.

import { type Move, moveRow, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { SettlementId } from '#ids.ts'

const TRANSITIONS = {
  closed: ['approved', 'cancelled'],
  approved: ['sending', 'paid', 'failed'],
  sending: ['paid', 'part_failed', 'failed'],
  paid: [],
  part_failed: [],
  failed: [],
  cancelled: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type SettlementStatus = keyof typeof TRANSITIONS

export const SETTLEMENTS: States<SettlementStatus> = {
  table: 'settlements',
  column: 'status',
  initial: 'closed',
  transitions: TRANSITIONS,
}

export const SETTLEMENT_STATUSES = statusesOf(TRANSITIONS)

type SettlementMove = Omit<Move<SettlementStatus>, 'rows' | 'returning'> & { id: SettlementId }

// Moves a settlement to another status. The caller has locked the settlement.
export async function transition(tx: Transaction, move: SettlementMove): Promise<void> {
  await moveRow(tx, SETTLEMENTS, move)
}
