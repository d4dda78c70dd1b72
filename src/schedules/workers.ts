// Creates the runs of scheduled reports: one for each period of a schedule, in the same transaction as the
// messages with the link. Also deletes old runs.

import { DAY_MS, timestamp } from '#clock.ts'
import { isDue } from '#db/due.ts'
import { type Transaction, withTransaction } from '#db/transaction.ts'
import { type ClientId, newReference, type UserId } from '#ids.ts'
import { queueMessage } from '#messages/message.ts'
import type { Sealer } from '#seal.ts'
import type { Deps, Round } from '#workers/loop.ts'
import {
  addDays,
  dueAt,
  type Format,
  type Frequency,
  LINK_DAYS,
  nextPeriod,
  type Period,
  periodOf,
} from './schedule.ts'

const KEPT_DAYS = 90 // Runs are kept for this long after their link expires.

// SQL condition: a schedule is due. A report waits for an hour of the day after its period.
const isScheduleDue = (now: string) =>
  isDue('next_due_at', {
    now,
    longest: `case frequency when 'daily' then interval '2 days'
                   when 'weekly' then interval '8 days' else interval '32 days' end`,
  })

// SQL condition: whether a report is due. `clock` comes from the query that decides which workers run
// (DueWork in workers/loop.ts).
export const HAS_DUE_SCHEDULES = `exists (
  select from report_schedules where ${isScheduleDue('clock.now')})`

type RunDeps = { sealer: Sealer; publicUrl: string }

// A schedule that is due. `nextFrom` is the first day of the period to report.
type Due = {
  id: bigint
  clientId: ClientId
  name: string
  frequency: Frequency
  hour: number
  format: Format
  nextFrom: string
}

// Creates the run of one schedule that is due. Returns false if no schedule is due.
async function runSchedule(tx: Transaction, now: Date, deps: RunDeps): Promise<boolean> {
  const { rows } = await tx.query<Due>({
    name: 'report-schedule-to-run',
    text: `select s.id, s.client_id, s.name, s.frequency, s.hour, s.format,
                  s.next_from::text as next_from
             from report_schedules s join clients c on c.id = s.client_id and c.is_active
            where ${isScheduleDue('$1')}
            order by s.next_due_at, s.id limit 1 for no key update of s skip locked`,
    values: [now],
  })
  const [due] = rows
  if (!due) return false
  const period = nextPeriod(due, due.nextFrom, now)
  await sendLinks(tx, now, { ...deps, due, period })
  const next = periodOf(due.frequency, period.to)
  await tx.query({
    name: 'move-report-schedule',
    text: 'update report_schedules set next_from = $2, next_due_at = $3 where id = $1',
    values: [due.id, next.from, dueAt(next, due.hour)],
  })
  await tx.query({
    name: 'forget-report-runs',
    text: 'delete from report_runs where schedule_id = $1 and expires_at < $2',
    values: [due.id, new Date(now.getTime() - KEPT_DAYS * DAY_MS)],
  })
  return true
}

// Stores the run of a period and queues a message with its link to each recipient. Does nothing if the
// period has a run already.
async function sendLinks(
  tx: Transaction,
  now: Date,
  { sealer, publicUrl, due, period }: RunDeps & { due: Due; period: Period },
): Promise<void> {
  const { id, clientId, name, format } = due
  const expiresAt = new Date(now.getTime() + LINK_DAYS * DAY_MS)
  const { rows: runs } = await tx.query<{ reference: string }>({
    name: 'insert-report-run',
    text: `insert into report_runs (reference, schedule_id, client_id, from_day, to_day, expires_at,
                                    created_at)
           values ($1, $2, $3, $4, $5, $6, $7)
           on conflict (schedule_id, from_day) do nothing returning reference`,
    values: [newReference('RPT'), id, clientId, period.from, period.to, expiresAt, now],
  })
  const [run] = runs
  if (!run) return
  const { rows: recipients } = await tx.query<{ id: UserId; email: string }>({
    name: 'recipients-of-report',
    text: `select u.id, u.email from report_recipients r join users u on u.id = r.user_id
            where r.schedule_id = $1 and u.is_active order by u.id`,
    values: [id],
  })
  const facts = {
    name,
    format,
    from: period.from,
    // The message names the last day of the period; `period.to` is the day after it.
    to: addDays(period.to, -1),
    link: `${publicUrl}/dashboard/reports/${run.reference}`,
    expiresAt: timestamp(expiresAt),
  }
  for (const { id: userId, email } of recipients) {
    const key = `report/${run.reference}/${userId}`
    const kind = 'user.report_ready' as const
    const message = { clientId, kind, facts, to: email, key, about: { userId } }
    await queueMessage(tx, { now, sealer }, message)
  }
}

export type SchedulesDeps = Pick<Deps, 'db' | 'clock'> & RunDeps

// One round of the worker: creates one run, and asks for another round as long as schedules are due.
export function runSchedulesRound({ db, clock, ...deps }: SchedulesDeps): Round {
  return async () => ({ more: await withTransaction(db, (tx) => runSchedule(tx, clock(), deps)) })
}
