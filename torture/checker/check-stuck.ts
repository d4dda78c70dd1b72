// Automatic work at the end of a run, when every clock is right again and the work has had its time: nothing
// waits for a time further away than the longest wait of its kind. Such a time was written by a wrong clock,
// and the work would wait for it.

import type { Books } from './books.ts'

// Each kind of open work, the time it waits for, and the longest wait that a right clock can write.
const WAITS: readonly (readonly [what: string, sql: string])[] = [
  [
    'the sending of payout',
    `select reference as name, send_after as at from payouts
      where status = 'queued' and send_after > now() + interval '6 minutes'`,
  ],
  [
    'the query of payout',
    `select reference as name, next_query_at as at from payouts
      where status = 'unknown' and next_query_at > now() + interval '70 minutes'`,
  ],
  [
    'the lease of requery',
    `select id::text as name, leased_until as at from requeries
      where state = 'open' and leased_until > now() + interval '5 minutes'`,
  ],
  [
    'the lease of delivery',
    `select event_id || ' to ' || destination_id as name, leased_until as at from deliveries
      where state = 'pending' and leased_until > now() + interval '5 minutes'`,
  ],
  [
    'the message',
    `select id::text as name, greatest(next_attempt_at, claimed_until) as at from messages
      where state in ('queued', 'sending') and (next_attempt_at > now() + interval '3 hours'
                                               or claimed_until > now() + interval '15 minutes')`,
  ],
  [
    'the chat post',
    `select id::text as name, next_attempt_at as at from chat_posts
      where next_attempt_at > now() + interval '3 hours'`,
  ],
]

// A bank that is asked about nothing, although something is due and the calls to it would succeed.
const OVERDUE = `
  select r.id::text as name, r.due_at as at from requeries r
   where r.state = 'open' and r.due_at < now() - interval '5 minutes'
     and not exists (select from requeries o
                      where o.bank_code = r.bank_code and o.asked_at > now() - interval '5 minutes'
                        and o.asked_at < now() + interval '1 minute')`

export async function checkStuck({ rows, isFinal }: Books): Promise<string[]> {
  if (!isFinal) return []
  const findings: string[] = []
  for (const [what, sql] of WAITS) {
    for (const { name, at } of await rows(sql)) findings.push(`${what} ${name} waits until ${at}`)
  }
  for (const { name, at } of await rows(OVERDUE)) {
    findings.push(`requery ${name} was due at ${at} and its bank is not asked`)
  }
  return findings
}
