// Questions that the clock asks: before payments expire, before their grace ends, and sweeps. Any
// number of processes plan the same ones, and each is put once.
//
// Sweeps overlap, so that what a bank lists late is found by a later one:
//   every 5 minutes over 30 minutes, every hour over 24 hours, every day over 7 days.

import type { Queryable } from '#db/pool.ts'
import { livesIn } from '#domain/records/test-clocks.ts'
import type { ClientId } from '#ids.ts'
import { CLOCK_MARGIN_MS, later } from './questions.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

export const SWEEPS = [
  { name: '5min', everyMs: 5 * MINUTE_MS, spanMs: 30 * MINUTE_MS },
  { name: 'hour', everyMs: HOUR_MS, spanMs: DAY_MS },
  { name: 'day', everyMs: DAY_MS, spanMs: 7 * DAY_MS },
] as const

export const PLANNED_AHEAD_MS = MINUTE_MS
export const ASKED_BEFORE_MS = 30_000
const AFTER_GRACE_MS = 5 * MINUTE_MS // Then the sweeps are enough.

type Banks = readonly string[] // Codes of those that list transfers.

export async function planSweeps(db: Queryable, now: Date, banks: Banks): Promise<void> {
  const windows = SWEEPS.map(({ name, everyMs, spanMs }) => {
    const at = new Date(Math.floor(now.getTime() / everyMs) * everyMs)
    return { subject: `sweep/${name}/${at.toISOString()}`, fromAt: later(at, -spanMs) }
  })
  await db.query({
    name: 'plan-sweeps',
    text: `insert into requeries (bank_code, reason, subject, from_at, due_at, created_at)
           select b.code, 'sweep', w.subject, w.from_at, $4, $4
             from unnest($1::text[]) as b (code),
                  unnest($2::text[], $3::timestamptz[]) as w (subject, from_at)
            where not exists (select from requeries q
                               where q.bank_code = b.code and q.subject = w.subject
                                 and q.reason in ('expiry', 'grace', 'silence', 'sweep'))
           on conflict do nothing`,
    values: [
      banks,
      windows.map(({ subject }) => subject),
      windows.map(({ fromAt }) => fromAt.toISOString()),
      now,
    ],
  })
}

type Deadlines = {
  banks: Banks
  graceSeconds: number
  by?: Date // Within a minute, unless told.
  only?: ClientId | undefined
}

// Of the payments that are open and whose time comes soon. `closesBy` bounds the look into the index
// of open payments.
export async function planDeadlines(
  db: Queryable,
  now: Date,
  { banks, graceSeconds, by = now, only }: Deadlines,
): Promise<void> {
  const soon = later(by, PLANNED_AHEAD_MS)
  const closesBy = later(soon, graceSeconds * 1_000)
  const margin = `interval '${CLOCK_MARGIN_MS} ms'`
  for (const [reason, column] of [
    ['expiry', 'expires_at'],
    ['grace', 'closes_at'],
  ] as const) {
    const subject = `'payment/' || p.id || '/' || extract(epoch from p.${column})::bigint`
    const repeatedMs = reason === 'grace' ? AFTER_GRACE_MS : 0
    await db.query({
      name: `plan-${reason}`,
      text: `insert into requeries
               (bank_code, reason, subject, account_number, from_at, client_id, payment_id,
                due_at, repeat_until, created_at)
             select n.bank_code, '${reason}', ${subject}, n.account_number,
                    p.created_at - ${margin}, p.client_id, p.id,
                    greatest($1, p.${column} - interval '${ASKED_BEFORE_MS} ms'),
                    p.${column} + interval '${repeatedMs} ms', $1
               from payments p
               join payment_numbers n on n.payment_id = p.id and n.bank_code = any($4::text[])
              where p.status in ('Processing', 'PartPayment')
                and p.closes_at > $1 and p.closes_at <= $3
                and p.${column} > $1 and p.${column} <= $2
                and ${livesIn('p.client_id', '$5')}
                and not exists (select from requeries q
                                 where q.bank_code = n.bank_code and q.subject = ${subject}
                                   and q.reason in ('expiry', 'grace', 'silence', 'sweep'))
             on conflict do nothing`,
      values: [now, soon, closesBy, banks, only ?? null],
    })
  }
}
