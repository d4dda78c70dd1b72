// The states of a refund. A refund has no status column: its status, and so its transitions, follow from the
// statuses of its payouts (payouts/states.ts).

import { statusesOf } from '#db/states.ts'
import type { PayoutStatus } from '#payouts/states.ts'

export const REFUND_TRANSITIONS = {
  queued: ['sending', 'unknown', 'failed', 'cancelled', 'part_failed'],
  sending: ['queued', 'unknown', 'confirmed', 'failed', 'part_failed'],
  unknown: ['confirmed', 'failed', 'part_failed'],
  confirmed: [],
  failed: [],
  cancelled: [],
  part_failed: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

type RefundStatus = keyof typeof REFUND_TRANSITIONS

export const REFUND_STATUSES = statusesOf(REFUND_TRANSITIONS)

const LEAST_DONE_FIRST = ['queued', 'sending', 'unknown'] as const

// Returns the status of the least advanced open payout. If no payout is open, returns their common status. If
// their statuses differ, returns part_failed if some are confirmed, or failed if none is.
export function refundStatus(parts: readonly { status: PayoutStatus }[]): RefundStatus {
  const statuses = new Set(parts.map(({ status }) => status))
  const openStatus = LEAST_DONE_FIRST.find((status) => statuses.has(status))
  if (openStatus) return openStatus
  if (statuses.size === 1) return [...statuses][0] as PayoutStatus
  return statuses.has('confirmed') ? 'part_failed' : 'failed'
}

// The statuses that a list of refunds can be filtered by. A refund that awaits an approval is also queued.
export const REFUND_FILTER_STATUSES = [...REFUND_STATUSES, 'awaiting_approval'] as const
export type RefundFilterStatus = (typeof REFUND_FILTER_STATUSES)[number]

const hasPayout = (condition: string) =>
  `exists (select from payouts p where p.refund_id = r.id and ${condition})`
const hasNoPayout = (condition: string) => `not ${hasPayout(condition)}`
const IS_OPEN = `p.status in ('queued', 'sending', 'unknown')`

// SQL conditions on a refund `r` for each status: the same rule as refundStatus().
export const REFUND_IS: Readonly<Record<RefundFilterStatus, string>> = {
  queued: hasPayout(`p.status = 'queued'`),
  sending: `${hasPayout(`p.status = 'sending'`)} and ${hasNoPayout(`p.status = 'queued'`)}`,
  unknown: `${hasPayout(`p.status = 'unknown'`)}
    and ${hasNoPayout(`p.status in ('queued', 'sending')`)}`,
  confirmed: hasNoPayout(`p.status <> 'confirmed'`),
  failed: `${hasPayout(`p.status = 'failed'`)}
    and ${hasNoPayout(`(${IS_OPEN} or p.status = 'confirmed')`)}`,
  cancelled: hasNoPayout(`p.status <> 'cancelled'`),
  part_failed: `${hasPayout(`p.status = 'confirmed'`)} and ${hasPayout(`p.status <> 'confirmed'`)}
    and ${hasNoPayout(IS_OPEN)}`,
  awaiting_approval: hasPayout(`p.status = 'queued' and p.approval = 'needed'`),
}
