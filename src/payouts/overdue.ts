// Alerts operators of payouts that wait too long for people: queued for a day though nothing blocks them;
// unsent for half an hour because their bank cannot be reached; in a file that nobody has downloaded; or in a
// file that the bank has not reported on. Runs in real time only, not by a test clock.

import { timestamp } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { type NewAlert, raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { listOpenFiles, type PayoutFile } from './files.ts'
import { BLOCKED } from './holds.ts'
import { IS_TO_BE_SENT, UNREACHABLE_ALERT_MS } from './send.ts'

export const QUEUED_MS_MAX = 86_400_000 // A bank that takes files may get one file a day.
export const DOWNLOADED_WITHIN_MS = 3_600_000

type Today = { now: Date; lastBusinessDay: string } // `lastBusinessDay` is the last one that has ended.

export async function alertOverdue(tx: Transaction, today: Today): Promise<void> {
  const { now } = today
  const alerts = [...(await findWaiting(tx, now)), ...(await findOverdueFiles(tx, today))]
  await clearOthers(tx, now, alerts)
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
}

// Counts waiting payouts by bank. A payout waits since its request, approval or release. If its bank cannot
// be reached, it waits since that was noticed, and is reported sooner.
async function findWaiting(tx: Transaction, now: Date): Promise<NewAlert[]> {
  const { rows } = await tx.query<Waiting>({
    name: 'find-waiting-payouts',
    text: `select bank_code, count(*)::int as payouts, min(since) as since,
                  bool_or(is_unsent) as is_unsent
             from (select bank_code, unsent_since as since, true as is_unsent
                     from payouts p
                    where unsent_since <= $2
                      and (status = 'sending' or ${IS_TO_BE_SENT} and ${BLOCKED} is null)
                    union all
                   select bank_code, greatest(requested_at, decided_at,
                            (select max(released_at) from payout_holds)), false
                     from payouts p
                    where ${IS_TO_BE_SENT} and ${BLOCKED} is null and unsent_since is null) as queued
            where is_unsent or since <= $1
            group by bank_code order by bank_code`,
    values: [
      new Date(now.getTime() - QUEUED_MS_MAX),
      new Date(now.getTime() - UNREACHABLE_ALERT_MS),
    ],
  })
  return rows.map(({ bankCode, payouts, since, isUnsent }) => ({
    kind: 'payouts_waiting',
    subject: bankCode,
    detail: {
      reason: isUnsent ? 'bank_unreachable' : 'not_sent',
      payouts,
      since: timestamp(since),
    },
  }))
}

type Waiting = { bankCode: string; payouts: number; since: Date; isUnsent: boolean }

async function findOverdueFiles(tx: Transaction, today: Today): Promise<NewAlert[]> {
  return (await listOpenFiles(tx)).flatMap((file) => {
    const reason = findDelay(file, today)
    if (!reason) return []
    const { reference, bankCode, executionDate, payouts, confirmed, failed } = file
    const detail = { reason, bankCode, executionDate, open: payouts - confirmed - failed }
    return [{ kind: 'payout_file_overdue', subject: `payout_file/${reference}`, detail }]
  })
}

// A bank should report on a file by the end of the business day after its execution date.
function findDelay(
  { blockedBy, createdAt, downloadedAt, executionDate }: PayoutFile,
  { now, lastBusinessDay }: Today,
): 'not_downloaded' | 'not_reported' | undefined {
  if (blockedBy === 'payout_file_not_delivered') return undefined
  const isLate = now.getTime() - createdAt.getTime() >= DOWNLOADED_WITHIN_MS
  if (downloadedAt === null && blockedBy === null && isLate) return 'not_downloaded'
  return executionDate < lastBusinessDay ? 'not_reported' : undefined
}

async function clearOthers(tx: Transaction, now: Date, found: readonly NewAlert[]): Promise<void> {
  await tx.query({
    name: 'clear-overdue-payouts',
    text: `update alerts a set cleared_at = $1
            where kind in ('payouts_waiting', 'payout_file_overdue') and cleared_at is null
              and not exists (select from unnest($2::text[], $3::text[], $4::jsonb[])
                                       as f (kind, subject, detail)
                               where f.kind = a.kind and f.subject = a.subject
                                 and f.detail -> 'reason' = a.detail -> 'reason')`,
    values: [
      now,
      found.map(({ kind }) => kind),
      found.map(({ subject }) => subject),
      found.map(({ detail }) => JSON.stringify(detail)),
    ],
  })
}
