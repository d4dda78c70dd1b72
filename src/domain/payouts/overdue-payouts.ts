// Payouts that wait for people whom nobody reminds: queued for a day though nothing keeps them, or for half
// an hour because their bank cannot be reached, in a file
// that nobody has downloaded, or in one that its bank has not reported. Operators are alerted, in real
// time: what has a test clock is not looked at.

import type { Transaction } from '#db/transaction.ts'
import { type NewAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import { timestamp } from '#wat-time.ts'
import { BLOCKED } from './blocked-payouts.ts'
import { IS_TO_BE_SENT } from './claim-payouts.ts'
import { listOpenFiles, type PayoutFile } from './payout-files.ts'
import { UNREACHABLE_ALERT_MS } from './unsent-payouts.ts'

export const QUEUED_MS_MAX = 86_400_000 // A bank that takes files may get one a day.
export const DOWNLOADED_WITHIN_MS = 3_600_000

type Today = { now: Date; lastBusinessDay: string } // The last one that is over.

export async function alertOverdue(tx: Transaction, today: Today): Promise<void> {
  const { now } = today
  const alerts = [...(await findWaiting(tx, now)), ...(await findOverdueFiles(tx, today))]
  await clearOthers(tx, now, alerts)
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
}

// By bank. Since they were requested, approved, or released; or since the bank could not be reached, which is
// told earlier.
async function findWaiting(tx: Transaction, now: Date): Promise<NewAlert[]> {
  const { rows } = await tx.query<Waiting>({
    name: 'find-waiting-payouts',
    text: `select bank_code as "bankCode", count(*)::int as payouts, min(since) as since,
                  bool_or(is_unsent) as "isUnsent"
             from (select bank_code, unsent_since as since, true as is_unsent
                     from payouts p
                    where unsent_since <= $2 and ${livesIn('client_id', 'null')}
                      and (status = 'sending' or ${IS_TO_BE_SENT} and ${BLOCKED} is null)
                    union all
                   select bank_code, greatest(requested_at, decided_at,
                            (select max(released_at) from payout_holds)), false
                     from payouts p
                    where ${IS_TO_BE_SENT} and ${BLOCKED} is null and unsent_since is null
                      and ${livesIn('client_id', 'null')}) as queued
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

// A business day after the day that it is to be executed on, the bank has reported it.
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
