// The states of an identity check, and the only code that changes them.

import { moveRows, type States, statusesOf } from '#db/states.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId } from '#ids.ts'

const TRANSITIONS = {
  queued: ['verified', 'name_mismatch', 'not_found', 'unanswered'],
  verified: [],
  name_mismatch: ['queued'],
  not_found: ['queued'],
  unanswered: ['queued'],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type CheckStatus = keyof typeof TRANSITIONS
export type CheckOutcome = Exclude<CheckStatus, 'queued'>

export const CHECK_STATUSES = statusesOf(TRANSITIONS)

export const IDENTITY_CHECKS: States<CheckStatus> = {
  table: 'identity_checks',
  column: 'status',
  initial: 'queued',
  transitions: TRANSITIONS,
}

type Conclusion = {
  id: bigint
  reference: string // The reference of the answered question. An answer to an earlier one has no effect.
  to: CheckOutcome
  nameScore: number | null
  failure: string | null
  checkedAt: Date | null // Null if the service never answered.
}

// Ends a queued check. Returns false if the check has ended already, or was queued again under another
// reference. The caller has locked the account.
export async function concludeCheck(
  tx: Transaction,
  { id, reference, to, nameScore, failure, checkedAt }: Conclusion,
): Promise<boolean> {
  const moved = await moveRows(tx, IDENTITY_CHECKS, {
    name: 'conclude-identity-check',
    rows: 'select id from identity_checks where id = $1 and reference = $2 for no key update',
    from: 'queued',
    to,
    set: 'name_score = $3, failure = $4, checked_at = coalesce($5, checked_at), due_at = null',
    values: [id, reference, nameScore, failure, checkedAt],
  })
  return moved.length === 1
}

const REQUEUE_INTERVAL_MS = 60_000 // Each call costs money, so a client can cause one per minute.

// Queues again the checks of an account that ended without verification, under a new reference. Skips checks
// that were requested less than a minute ago. The caller has locked the account.
export async function requeueChecks(tx: Transaction, now: Date, id: AccountId): Promise<void> {
  await moveRows(tx, IDENTITY_CHECKS, {
    name: 'requeue-identity-checks',
    rows: `select id from identity_checks
            where account_id = $1 and requested_at <= $2 order by id for no key update`,
    from: ['name_mismatch', 'not_found', 'unanswered'],
    to: 'queued',
    set: `reference = gen_random_uuid(), attempts = 0, failure = null, name_score = null,
          requested_at = $3, due_at = $3`,
    values: [id, new Date(now.getTime() - REQUEUE_INTERVAL_MS), now],
  })
}
