// The workers for notices: queue notices about events, about waiting approvals, and daily summaries.

import { SECOND_MS } from '#clock.ts'
import { isUnavailable, withTransaction } from '#db/transaction.ts'
import type { Deps, Round, Worker } from '#workers/loop.ts'
import { queueApprovalNotices, queueSummary } from './due.ts'
import {
  type FollowDeps,
  findUnread,
  followClient,
  HAS_UNREAD_EVENTS,
  noteFailure,
} from './follow.ts'

export type NoticesDeps = Deps & FollowDeps

export function noticeWorkers(deps: NoticesDeps): Worker[] {
  return [
    {
      name: 'follow-events',
      pauseMs: SECOND_MS,
      due: HAS_UNREAD_EVENTS,
      round: followEventsRound(deps),
    },
    { name: 'notice-approvals', pauseMs: 30 * SECOND_MS, round: noticeApprovalsRound(deps) },
    { name: 'summarise-days', pauseMs: 60 * SECOND_MS, round: summariseDaysRound(deps) },
  ]
}

// Queues the notices about new events, with one transaction for each client, so that a failure for one client
// does not delay the others.
export function followEventsRound(deps: NoticesDeps): Round {
  const { db, clock, log } = deps
  return async () => {
    let hasMore = false
    for (const clientId of await withTransaction(db, findUnread)) {
      try {
        const follow = () =>
          withTransaction(db, (tx) => followClient(tx, clock(), { ...deps, clientId }))
        hasMore = (await follow()) || hasMore
      } catch (error) {
        log.error(
          { err: error, client: clientId.toString() },
          'failed to follow the events of a client',
        )
        if (!isUnavailable(error)) {
          await withTransaction(db, (tx) => noteFailure(tx, clock(), clientId))
        }
      }
    }
    return { more: hasMore }
  }
}

// Queues notices about requests that wait for approval.
export function noticeApprovalsRound(deps: NoticesDeps): Round {
  const { db, clock } = deps
  return async () => ({
    more: (await withTransaction(db, (tx) => queueApprovalNotices(tx, clock(), deps))) > 0,
  })
}

// Queues one daily summary per call.
export function summariseDaysRound(deps: NoticesDeps): Round {
  const { db, clock } = deps
  return async () => ({ more: await withTransaction(db, (tx) => queueSummary(tx, clock(), deps)) })
}
