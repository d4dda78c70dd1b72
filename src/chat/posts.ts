// Stores the address of the operators' chat, and queues the posts to it: alerts, and requests of operators
// that wait for a second person. A post names neither people nor amounts, because the operator does not
// control the chat service.
//
// Each post is sent at least once: if a process dies after the chat answered and before the answer is
// recorded, another process sends the post again.

import { isDue, waitOfAttempts } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import {
  ALERT_KIND_NAMES,
  ALERT_KINDS,
  type Alert,
  SEVERITIES,
  type Severity,
  severityOf,
} from '#records/alerts.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import type { Sealer } from '#seal.ts'
import { nextAttemptAt, RETRY_WAIT_MAX_MS } from '#webhooks/retry-schedule.ts'
import type { AttemptResult } from '#webhooks/send.ts'

const CLAIM_MS = 60_000 // While a claim lasts, no other process sends the post.
const CLAIMED_MAX = 10
const QUEUED_MAX = 100
// Alerts of the last hour are read in every round, because an alert with a lower id may commit later. No
// transaction lasts this long.
const SEEN_AFTER_MS = 3_600_000

export type Chat = {
  host: string
  alertSeverity: Severity
  setBy: string
  setAt: Date
  waiting: number
  postedAt: Date | null
  problem: string | null // The failure of the latest attempt.
}

// Reads the settings of the chat and the state of its posts: how many wait, when the latest was sent, and the
// failure of the latest attempt, null if it succeeded. There is at most one chat.
export async function findChat(db: Queryable): Promise<Chat | undefined> {
  const { rows } = await db.query<Chat>({
    name: 'find-chat',
    text: `select c.host, c.alert_severity, c.set_by, c.set_at,
                  (select count(*)::int from chat_posts where next_attempt_at is not null) as waiting,
                  (select max(posted_at) from chat_posts) as posted_at,
                  (select problem from chat_posts where attempts > 0 order by id desc limit 1)
                    as problem
             from operator_chat c`,
  })
  return rows[0]
}

// SQL condition: the operators have a chat.
export const HAS_CHAT = 'exists (select from operator_chat)'

// Returns the secret address to post to; undefined if there is no chat.
export async function findChatUrl(db: Queryable, sealer: Sealer): Promise<string | undefined> {
  const { rows } = await db.query<{ sealed: Buffer }>({
    name: 'find-chat-url',
    text: 'select url_sealed as sealed from operator_chat',
  })
  return rows[0] && sealer.open(rows[0].sealed)
}

type By = { now: Date; clientId: ClientId; actor: string }

// Sets or replaces the chat.
export async function setChat(
  tx: Transaction,
  by: By & { sealer: Sealer },
  { url, alertSeverity }: { url: string; alertSeverity: Severity },
): Promise<void> {
  const { host } = new URL(url)
  await tx.query({
    name: 'set-chat',
    text: `insert into operator_chat (url_sealed, host, alert_severity, set_by, set_at)
           values ($1, $2, $3, $4, $5)
           on conflict (is_only) do update
             set url_sealed = excluded.url_sealed, host = excluded.host,
                 alert_severity = excluded.alert_severity,
                 set_by = excluded.set_by, set_at = excluded.set_at`,
    values: [by.sealer.seal(url), host, alertSeverity, by.actor, by.now],
  })
  await auditChange(tx, by, 'chat.set', { host, alertSeverity })
}

// Removes the chat and gives up the posts that wait to be sent.
export async function removeChat(tx: Transaction, by: By): Promise<void> {
  const { rows } = await tx.query<{ host: string }>({
    name: 'remove-chat',
    text: 'delete from operator_chat returning host',
  })
  if (!rows[0]) throw new Refusal('chat_not_found')
  await tx.query({
    name: 'give-up-chat-posts',
    text: 'update chat_posts set next_attempt_at = null where next_attempt_at is not null',
  })
  await auditChange(tx, by, 'chat.remove', { host: rows[0].host })
}

function auditChange(
  tx: Transaction,
  { now, clientId, actor }: By,
  action: `chat.${string}`,
  detail: object,
): Promise<void> {
  return writeAuditLog(tx, now, { clientId, actor, action, subject: 'chat/operators', detail })
}

// SQL query: all open requests that a second person of the operator decides, each with the dashboard page
// that shows the request.
const REQUESTS = `
  select 'adjustment/' || reference as subject, 'An adjustment' as name, '/adjustments' as page,
         requested_at as at from adjustments where state = 'open'
   union all
  select 'adjusting_entry/' || reference, 'An adjusting entry', '/reconciliation', requested_at
    from adjusting_entries where state = 'open'
   union all
  select 'resolution/' || id || '/' || extract(epoch from asked_at)::bigint,
         'The resolution of a difference', '/reconciliation', asked_at
    from differences where state = 'asked'
   union all
  select 'payout_failure/' || reference, 'A request to fail a payout', '/payouts', requested_at
    from payout_failures where state = 'open'
   union all
  select 'hold_request/' || id, 'A request to end a hold', '/holds', requested_at
    from hold_requests where state = 'open'
   union all
  select 'month_reopening/' || id, 'A request to reopen a month', '/accounting', requested_at
    from month_reopenings where state = 'open'
   union all
  select 'screening_request/' || id, 'A change of screening', '/screening', requested_at
    from screening_requests where state = 'open'`

// Queues one post for each alert and each request since the chat was set. Returns how many posts it queued.
export async function queuePosts(
  tx: Transaction,
  now: Date,
  { address }: { address: string },
): Promise<number> {
  const { rows: alerts } = await tx.query<Pick<Alert, 'id' | 'kind' | 'subject'>>({
    name: 'alerts-to-post',
    text: `select a.id, a.kind, a.subject
             from operator_chat c join alerts a on a.id > c.alerts_after and a.raised_at >= c.set_at
            where a.kind = any(case c.alert_severity when 'notice' then $1::text[]
                                    when 'warning' then $2::text[] else $3::text[] end)
              and not exists (select from chat_posts p where p.subject = 'alert/' || a.id)
            order by a.id limit ${QUEUED_MAX}`,
    // $1 to $3: the kinds of alerts that a chat gets with each severity, in the order of SEVERITIES.
    values: SEVERITIES.map((least) => kindsFrom(least)),
  })
  if (alerts.length < QUEUED_MAX) await passSeen(tx, now)
  const { rows: requests } = await tx.query<{ subject: string; name: string; page: string }>({
    name: 'requests-to-post',
    text: `select r.subject, r.name, r.page
             from (${REQUESTS}) as r join operator_chat c on r.at >= c.set_at
            where not exists (select from chat_posts p where p.subject = r.subject)
            order by r.at limit ${QUEUED_MAX}`,
  })
  const posts = [
    ...alerts.map(({ id, kind, subject }) => {
      const { title, remedy } = ALERT_KINDS[kind]
      const head = `*${escapeText(title)}* (${escapeText(subject)})\n${escapeText(remedy)}`
      return { subject: `alert/${id}`, text: `${head}\n${address}/dashboard/alerts/${id}` }
    }),
    ...requests.map(({ subject, name, page }) => ({
      subject,
      text: `*${name} waits for approval*\n${address}/dashboard${page}`,
    })),
  ]
  if (posts.length === 0) return 0
  const { rowCount } = await tx.query({
    name: 'queue-chat-posts',
    text: `insert into chat_posts (subject, text, created_at, next_attempt_at)
           select *, $3, $3 from unnest($1::text[], $2::text[])
           on conflict (subject) do nothing`,
    values: [posts.map(({ subject }) => subject), posts.map(({ text }) => text), now],
  })
  return rowCount ?? 0
}

function kindsFrom(least: Severity): readonly string[] {
  const leastIndex = SEVERITIES.indexOf(least)
  return ALERT_KIND_NAMES.filter((kind) => SEVERITIES.indexOf(severityOf(kind)) >= leastIndex)
}

// Moves the mark `alerts_after` past alerts that were all queued or left out, so that they are not read
// again. Stops before the alerts of the last hour, because an alert with a lower id may still commit.
async function passSeen(tx: Transaction, now: Date): Promise<void> {
  await tx.query({
    name: 'pass-seen-alerts',
    text: `with seen as (
             select max(a.id) as id from operator_chat c
               join alerts a on a.id > c.alerts_after and a.raised_at < $1)
           update operator_chat set alerts_after = seen.id from seen where seen.id is not null`,
    values: [new Date(now.getTime() - SEEN_AFTER_MS)],
  })
}

// Escapes text for a post: Slack demands that these three characters are escaped, and no others.
function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

type ChatPost = { id: bigint; text: string; attempts: number }

// SQL condition: a post is due.
const IS_DUE = isDue('next_attempt_at', { now: '$1', longest: waitOfAttempts(RETRY_WAIT_MAX_MS) })

// Claims posts that are due, in the order of their ids. No other process sends them until the claim ends.
export async function claimPosts(tx: Transaction, now: Date): Promise<ChatPost[]> {
  const { rows } = await tx.query<ChatPost>({
    name: 'claim-chat-posts',
    text: `with due as (
             select id from chat_posts
              where ${IS_DUE} and exists (select from operator_chat)
              order by next_attempt_at, id limit ${CLAIMED_MAX} for update skip locked)
           update chat_posts set next_attempt_at = $2, attempts = attempts + 1
            where id in (select id from due) returning id, text, attempts`,
    values: [now, new Date(now.getTime() + CLAIM_MS)],
  })
  return rows.sort((left, right) => (left.id < right.id ? -1 : 1))
}

type Attempt = { post: ChatPost; result: AttemptResult; retryAfterSeconds: number | undefined }

// Records the result of an attempt, and when to try again after a failure. If the claim has ended and another
// process has claimed the post, `attempts` has grown, no row matches, and this result is ignored.
export async function recordPost(
  db: Queryable,
  now: Date,
  { post, result, retryAfterSeconds }: Attempt,
): Promise<void> {
  // Taken from the id, so that posts that failed together are not all retried at the same moment.
  const jitter = Number(post.id % 100n) / 100
  const next = result.ok
    ? null
    : nextAttemptAt({ now, attemptsMade: post.attempts, jitter, retryAfterSeconds })
  await db.query({
    name: 'record-chat-post',
    text: `update chat_posts set posted_at = $2, problem = $3, next_attempt_at = $4
            where id = $1 and attempts = $5`,
    values: [post.id, result.ok ? now : null, result.error, next, post.attempts],
  })
}
