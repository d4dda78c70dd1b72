// When a bank's "not found" fails a payout, which makes its money available again. All of this holds:
//
//   proof      the connector says that its bank's "not found" proves that the bank never took the
//              payout and never will; of other banks it is hearsay
//   unseen     the bank has never said that it has the payout
//   observed   several such answers, over a time that our processes have measured (observed-answers.ts)
//   released   no hold is open: after a restore or a failover an operator has agreed
//
// Otherwise the payout stays unknown, and an alert tells a person what to do (I88).

import type { PayoutAnswer } from '#banks/connector.ts'
import type { Transaction } from '#db/transaction.ts'
import type { PayoutId } from '#ids.ts'
import {
  addAnswer,
  areEnough,
  type Observation,
  readAnswers,
  type StoredAnswers,
} from './observed-answers.ts'
import type { PayoutOutcome } from './settle-payout.ts'

export type Absence = {
  isProof: boolean
  isAccepted: boolean
  isHeld: boolean
  answers: number
  observedMs: number
}

export function isAbsent({ isProof, isAccepted, isHeld, answers, observedMs }: Absence): boolean {
  return isProof && !isAccepted && !isHeld && areEnough({ answers, observedMs })
}

// Of any answer but "not found"; undefined: nothing is decided.
export function outcomeOf(answer: PayoutAnswer): PayoutOutcome | undefined {
  return answer.status === 'confirmed' || answer.status === 'failed' ? answer : undefined
}

export const ABSENT: PayoutOutcome = { status: 'failed', reason: 'The bank has no record of it.' }

type Recorded = StoredAnswers & { isAccepted: boolean }

// Undefined: it is not unknown any more.
export async function recordNotFound(
  tx: Transaction,
  id: PayoutId,
  observation: Observation,
): Promise<Pick<Absence, 'isAccepted' | 'answers' | 'observedMs'> | undefined> {
  const { rows } = await tx.query<Recorded>({
    name: 'lock-absent-payout',
    text: `select is_accepted as "isAccepted", not_found_answers as answers,
                  not_found_ms as "observedMs", not_found_by as by, not_found_at_ms as "atMs"
             from payouts where id = $1 and status = 'unknown' for no key update`,
    values: [id],
  })
  if (!rows[0]) return undefined
  const after = addAnswer(readAnswers(rows[0]), observation)
  await tx.query({
    name: 'record-not-found',
    text: `update payouts set not_found_answers = $2, not_found_ms = $3, not_found_by = $4,
                  not_found_at_ms = $5
            where id = $1`,
    values: [id, after.answers, after.observedMs, after.by, after.atMs],
  })
  return { isAccepted: rows[0].isAccepted, ...after }
}

// The bank says that it has it: a later "not found" is never believed.
export async function markAccepted(tx: Transaction, id: PayoutId): Promise<void> {
  await tx.query({
    name: 'mark-payout-accepted',
    text: `update payouts set is_accepted = true where id = $1 and not is_accepted`,
    values: [id],
  })
}
