// The states of a case, and the only code that changes them.

import { moveRow, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { CaseId } from '#ids.ts'

const TRANSITIONS = {
  open: ['investigating', 'closed'],
  investigating: ['closed'],
  closed: ['investigating'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type CaseState = keyof typeof TRANSITIONS

export const CASES: States<CaseState> = {
  table: 'cases',
  column: 'state',
  initial: 'open',
  transitions: TRANSITIONS,
}

export const CASE_STATES = statusesOf(TRANSITIONS)

export const OUTCOMES = ['confirmed', 'unfounded', 'referred', 'undetermined'] as const
export type Outcome = (typeof OUTCOMES)[number]

type CaseMove = { id: CaseId; from: CaseState; to: CaseState; outcome: Outcome | null; now: Date }

// Moves a case to another state. The caller has locked the case.
export async function transition(
  tx: Transaction,
  { id, from, to, outcome, now }: CaseMove,
): Promise<void> {
  const set = 'outcome = $2, closed_at = $3'
  const values = [outcome, to === 'closed' ? now : null]
  await moveRow(tx, CASES, { name: `case-${to}`, id, from, to, set, values })
}
