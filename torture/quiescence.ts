// Waits until automatic work is done: events are queued and payouts sent, and at the end of a run events are
// also delivered. The lease of a dead worker takes a minute to expire.

import { setTimeout as sleep } from 'node:timers/promises'
import { BLOCKED } from '#payouts/holds.ts'
import { FILE_BANK_CODE } from './file-bank.ts'
import type { Store } from './target.ts'

const QUIET_MAX_MS = 15_000
const POLL_MS = 250

// Excludes payouts of the bank that takes files, because they wait for users.
const BACKLOG = `
  select (select count(*) from event_counters k
            left join dispatch_cursors c on c.client_id = k.client_id
           where k.sequence > coalesce(c.sequence, 0))
         + (select count(*) from payouts p where status = 'queued' and ${BLOCKED} is null
              and bank_code <> '${FILE_BANK_CODE}') as n`

const UNDELIVERED = `
  select count(*) as n
    from deliveries v
    join destinations t on t.id = v.destination_id
   where t.url like '%/honest/%' and v.state = 'pending'`

// Payouts whose result is due soon. A payout that reached no bank stays unknown and is queried at growing
// intervals, so unknown payouts with a later query are not waited for.
const UNDECIDED = `
  select count(*) as n from payouts
   where (status = 'sending' and batch_id is null)
      or (status = 'unknown' and next_query_at < now() + interval '25 seconds')
      or exists (select from payout_results r where r.payout_id = payouts.id
                  and payouts.status = 'sending')`
const DECIDED_MAX_MS = 60_000

// Before a check during the run: events are queued and payouts sent.
export async function untilQuiet(database: Store): Promise<void> {
  await untilNone(database, BACKLOG, QUIET_MAX_MS)
}

// Before the last check, waits until also payouts are decided and all events are delivered. The backlog is
// awaited twice, because the decisions cause more events.
export async function untilAllDelivered(database: Store, waitMs: number): Promise<void> {
  await untilNone(database, BACKLOG, waitMs)
  await untilNone(database, UNDECIDED, Math.min(waitMs, DECIDED_MAX_MS))
  await untilNone(database, BACKLOG, waitMs)
  await untilNone(database, UNDELIVERED, waitMs)
}

// Waits until the query counts nothing, or until the time is over; the checker then reports the missing work.
async function untilNone(database: Store, sql: string, waitMs: number): Promise<void> {
  const giveUpAtMs = performance.now() + waitMs
  while (performance.now() < giveUpAtMs) {
    // On a stalled machine the query may fail at first.
    const result = await database.query(sql).catch(() => undefined)
    if (result && Number(result.rows[0]?.n) === 0) return
    await sleep(POLL_MS)
  }
}
