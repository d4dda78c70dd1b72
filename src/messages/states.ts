// The states of a message, and the only code that changes them. If it is unknown whether a server accepted a
// message, it is never sent again (I150): it is better to lose a message than to send it twice.
//
//   queued ──handing over──▶ sending ──accepted──▶ sent
//     │                         ├──not accepted──▶ queued
//     │                         └──no answer, or a crash──▶ unknown
//     └──▶ caught, failed, suppressed, cancelled

import { type Move, moveRows, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'

const TRANSITIONS = {
  queued: ['sending', 'caught', 'failed', 'suppressed', 'cancelled'],
  sending: ['queued', 'sent', 'unknown', 'failed', 'cancelled'],
  sent: [],
  caught: [],
  unknown: ['sent', 'failed'], // The server's answer came late.
  failed: [],
  suppressed: [],
  cancelled: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type MessageState = keyof typeof TRANSITIONS

export const MESSAGES: States<MessageState> = {
  table: 'messages',
  column: 'state',
  initial: 'queued',
  transitions: TRANSITIONS,
}

export const MESSAGE_STATES = statusesOf(TRANSITIONS)

// Moves messages to another state. Returns how many were in one of the expected states and were moved.
export async function transitionAll(
  tx: Transaction,
  move: Omit<Move<MessageState>, 'returning'>,
): Promise<number> {
  return (await moveRows(tx, MESSAGES, move)).length
}
