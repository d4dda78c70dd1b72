// Queues the notices that no event causes: about approvals that wait for a second person, and daily
// summaries.

import { DAY_MS, timestamp, watDay, watDayStart } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import type { ClientId, UserId } from '#ids.ts'
import type { MessageFacts, Workflow } from '#messages/kinds.ts'
import { type NewMessage, queueMessage } from '#messages/message.ts'
import { CURRENCY, type Kobo, toNaira } from '#money.ts'
import type { Sealer } from '#seal.ts'
import { countSuspense, findPeople } from './follow.ts'
import { messagesToPeople } from './notice.ts'
import { readNoticeSettings } from './settings.ts'

type Deps = { sealer: Sealer; publicUrl: string }

// SQL subqueries: the requests that wait for a second person, with the client whose users may decide them. A
// null client means that the operator's users decide.
const WAITING_REQUESTS: Readonly<Record<Workflow, string>> = {
  payout: `select reference as id, client_id, requested_by, requested_by_user, requested_at
             from payouts where status = 'queued' and approval = 'needed'`,
  settlement: `select reference, client_id, closed_by, closed_by_user, closed_at
                 from settlements where status = 'closed' and needs_approval`,
  suspense: `select id::text, client_id, requested_by, requested_by_user, requested_at
               from suspense_requests where state = 'open'`,
  payout_failure: operatorRequests('payout_failures'),
  adjustment: operatorRequests('adjustments'),
  entry: operatorRequests('adjusting_entries'),
  difference: `select id::text, null::bigint, asked_by, asked_by_user, asked_at
                 from differences where state = 'asked'`,
  hold: operatorRequests('hold_requests'),
  month: operatorRequests('month_reopenings'),
  screening: operatorRequests('screening_requests'),
}

// SQL subquery: the open requests of a workflow. Null in the column of the client means that the operator's
// users decide them.
function operatorRequests(table: string): string {
  return `select id::text, null::bigint, requested_by, requested_by_user, requested_at
            from ${table} where state = 'open'`
}

const DASHBOARD_PATHS: Readonly<Record<Workflow, string>> = {
  payout: 'payouts',
  settlement: 'settlements',
  suspense: 'suspense',
  payout_failure: 'payouts',
  adjustment: 'adjustments',
  entry: 'reconciliation',
  difference: 'reconciliation',
  hold: 'clients',
  month: 'accounting',
  screening: 'screening',
}

const APPROVALS_MAX = 200

type Waiting = {
  workflow: Workflow
  clientId: ClientId
  userId: UserId
  email: string
  requestedBy: string
  requestedAt: Date
  key: string
}

// Queues one notice of each open request for each person who may decide it, except the person who made it. If
// a request is made again, they get another notice. Returns how many notices were queued. The key of a notice
// names workflow, request, time of the request and user.
export async function queueApprovalNotices(
  tx: Transaction,
  now: Date,
  { sealer, publicUrl }: Deps,
): Promise<number> {
  const subqueries = Object.entries(WAITING_REQUESTS).map(
    ([name, sql]) => `select '${name}' as workflow, w.* from (${sql}) as w`,
  )
  // A request without a client is decided by the operator's users, any other by users of its client.
  const { rows } = await tx.query<Waiting>({
    name: 'approvals-for-notices',
    text: `select w.workflow, u.client_id, u.id as user_id, u.email, w.requested_by, w.requested_at, k.key
             from (${subqueries.join(' union all ')}) as w
             join users u on u.is_active and u.id is distinct from w.requested_by_user
             join clients c on c.id = u.client_id and c.is_active
             left join notice_settings s on s.client_id = u.client_id
            cross join lateral format('approval/%s/%s/%s/%s', w.workflow, w.id,
              (extract(epoch from w.requested_at) * 1000)::bigint, u.id) as k (key)
            where case when w.client_id is null
                       then c.is_operator and u.role in ('operator', 'finance')
                       else u.client_id = w.client_id and u.role in ('owner', 'finance', 'operator')
                  end
              and 'user.approval_waiting' = any(coalesce(s.staff_kinds, array['user.approval_waiting']))
              and not exists (select from messages m
                               where m.client_id = u.client_id and m.key = k.key)
            order by w.requested_at limit ${APPROVALS_MAX}`,
  })
  for (const { workflow, clientId, userId, email, requestedBy, requestedAt, key } of rows) {
    const link = `${publicUrl}/dashboard/${DASHBOARD_PATHS[workflow]}`
    const facts = { workflow, requestedBy, at: timestamp(requestedAt), link }
    const kind = 'user.approval_waiting' as const
    const about = { userId }
    await queueMessage(tx, { now, sealer }, { clientId, kind, facts, to: email, key, about })
  }
  return rows.length
}

const SUMMARY_HOUR_MS = 7 * 3_600_000 // The summary of a day is sent from 07:00 of the next day in Lagos on.

type DayTotals = {
  credits: bigint
  grossKobo: Kobo
  feesKobo: Kobo
  successful: bigint
  expired: bigint
}

// After a longer outage, only the last seven days are summarised.
const DAYS_SUMMARISED_MAX = 7

// Queues the summary of one day for one client: the oldest day without a summary. A day on which nothing
// happened gets none. Returns whether there was a day to summarise: then the worker calls again.
export async function queueSummary(
  tx: Transaction,
  now: Date,
  { sealer, publicUrl }: Deps,
): Promise<boolean> {
  const today = watDayStart(now)
  if (now.getTime() - today.getTime() < SUMMARY_HOUR_MS) return false // Summaries are sent from 07:00 on.
  const yesterday = watDay(new Date(today.getTime() - DAY_MS))
  const { rows: due } = await tx.query<{ clientId: ClientId; day: string }>({
    name: 'client-to-summarise',
    text: `select c.client_id,
                  coalesce(greatest(c.summarised_on + 1, $1::date - ${DAYS_SUMMARISED_MAX - 1}),
                           $1::date)::text as day
             from notice_cursors c join clients k on k.id = c.client_id
            where (c.summarised_on is null or c.summarised_on < $1::date) and k.is_active
            order by c.client_id limit 1 for no key update of c skip locked`,
    values: [yesterday],
  })
  const [oldest] = due
  if (!oldest) return false
  const { clientId, day } = oldest
  const from = watDayStart(new Date(`${day}T12:00:00Z`)) // Noon in UTC is on the same day in Lagos.
  await tx.query({
    name: 'note-summary',
    text: 'update notice_cursors set summarised_on = $2::date where client_id = $1',
    values: [clientId, day],
  })
  const { rows } = await tx.query<DayTotals>({
    name: 'sums-of-summary',
    text: `select coalesce(sum(credits), 0)::bigint as credits,
                  coalesce(sum(gross_kobo), 0)::bigint as gross_kobo,
                  coalesce(sum(fees_kobo), 0)::bigint as fees_kobo,
                  coalesce(sum(successful), 0)::bigint as successful,
                  coalesce(sum(expired), 0)::bigint as expired
             from hourly_totals where client_id = $1 and hour >= $2 and hour < $3`,
    values: [clientId, from, new Date(from.getTime() + DAY_MS)],
  })
  const { credits, grossKobo, feesKobo, successful, expired } = rows[0] as DayTotals
  const settings = await readNoticeSettings(tx, clientId)
  const isQuiet = credits === 0n && successful === 0n && expired === 0n
  if (isQuiet || !settings.staffKinds.includes('merchant.daily_summary')) return true
  const facts: MessageFacts['merchant.daily_summary'] = {
    day,
    currency: CURRENCY,
    link: `${publicUrl}/dashboard`,
    credits: Number(credits),
    gross: toNaira(grossKobo),
    fees: toNaira(feesKobo),
    successful: Number(successful),
    expired: Number(expired),
    waiting: await countSuspense(tx, clientId),
  }
  const people = await findPeople(tx, clientId)
  const notice = { kind: 'merchant.daily_summary', facts, key: `summary/${day}` } as const
  const messages: NewMessage[] = messagesToPeople({ clientId, people }, notice)
  for (const message of messages) await queueMessage(tx, { now, sealer }, message)
  return true
}
