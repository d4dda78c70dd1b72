// Plans requeries before payments expire, before their grace ends, and sweeps; detects banks that fall
// silent; and purges old requeries. Several processes may plan the same requery, which is stored once.
//
// Sweeps overlap, so that a later sweep finds a transfer that a bank lists late: every 5 minutes over 30
// minutes, every hour over 24 hours, every day over 7 days.

import { DAY_MS, HOUR_MS, MINUTE_MS, timestamp } from '#clock.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { lockBank } from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'
import { MEASURED_MS, readMeasures } from './bank-health.ts'
import { addMs, CLOCK_MARGIN_MS, putRequery } from './requery.ts'

const SWEEPS = [
  { name: '5min', everyMs: 5 * MINUTE_MS, spanMs: 30 * MINUTE_MS },
  { name: 'hour', everyMs: HOUR_MS, spanMs: DAY_MS },
  { name: 'day', everyMs: DAY_MS, spanMs: 7 * DAY_MS },
] as const

const PLANNED_AHEAD_MS = MINUTE_MS
const ASKED_BEFORE_MS = 30_000
const AFTER_GRACE_MS = 5 * MINUTE_MS // How long `grace` requeries repeat. After that, the sweeps are enough.

type Banks = readonly string[] // The codes of banks that can list transfers.

// Plans the current sweep of each interval, unless it is planned already. The list of reasons repeats the
// condition of the index requeries_planned_once, so that the query can use the index.
export async function planSweeps(db: Queryable, now: Date, banks: Banks): Promise<void> {
  // The subject names the start of the interval, so that each interval gets one sweep.
  const windows = SWEEPS.map(({ name, everyMs, spanMs }) => {
    const startOfInterval = new Date(Math.floor(now.getTime() / everyMs) * everyMs)
    return {
      subject: `sweep/${name}/${startOfInterval.toISOString()}`,
      fromAt: addMs(startOfInterval, -spanMs),
    }
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
  by?: Date // Plans requeries for deadlines up to a minute after this time. Default: now.
}

// SQL condition: a payment closes soon, or a silent bank has reported again. Sweeps and newly silent
// banks can wait for the worker's next run, at most a minute later.
export const hasRequeriesToPlan = (graceSeconds: number) => `(
  exists (select from payments
           where status in ('Processing', 'PartPayment') and closes_at > clock.now
             and closes_at <= clock.now + interval '${PLANNED_AHEAD_MS + graceSeconds * 1_000} ms')
  or exists (select from bank_health where last_heard_at >= silent_since))`

// Plans requeries of open payments that expire, or whose grace period ends, up to a minute after `by`. `by`
// is the current time, or the time to which a test clock is about to move. `closesBy` bounds the scan of
// the index of open payments. The list of reasons is that of the index requeries_planned_once.
export async function planDeadlines(
  db: Queryable,
  now: Date,
  { banks, graceSeconds, by = now }: Deadlines,
): Promise<void> {
  const soon = addMs(by, PLANNED_AHEAD_MS)
  const closesBy = addMs(soon, graceSeconds * 1_000)
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
                and not exists (select from requeries q
                                 where q.bank_code = n.bank_code and q.subject = ${subject}
                                   and q.reason in ('expiry', 'grace', 'silence', 'sweep'))
             on conflict do nothing`,
      values: [now, soon, closesBy, banks],
    })
  }
}

const SILENCE_MIN_SECONDS = 600
const GAPS_MIN = 20 // With fewer measured gaps between a bank's notifications, its usual gap is not known.
const TIMES_USUAL = 10 // A silence is too long from this many times the usual gap.

type BankRow = { bankCode: string; lastHeardAt: Date; silentSince: Date | null }

// Returns the time in ms after which a bank's silence is longer than usual, or undefined if too few gaps
// between its notifications were measured. `p99` is in seconds.
export function silenceLimitMs(gaps: { count: number; p99: number } | undefined) {
  if (!gaps || gaps.count < GAPS_MIN) return undefined
  return Math.max(TIMES_USUAL * gaps.p99, SILENCE_MIN_SECONDS) * 1_000
}

// Finds banks that have fallen silent, and silent banks that have reported again.
//
// The usual gap is the one that 99 of 100 notifications of the last day stayed under. A silence is longer
// than usual after ten times that gap, and at least ten minutes, while money is expected: another bank has
// reported since, or a payment waits at one of this bank's numbers.
export async function findSilenceChanges(
  db: Queryable,
  now: Date,
  banks: readonly string[],
): Promise<{ bank: BankRow; isSilent: boolean }[]> {
  const bankRows = await readLastHeard(db, banks)
  const measures = await readMeasures(db, now)
  const silenceChanges: { bank: BankRow; isSilent: boolean }[] = []
  for (const bank of bankRows) {
    const { bankCode, lastHeardAt, silentSince } = bank
    if (silentSince) {
      if (lastHeardAt >= silentSince) silenceChanges.push({ bank, isSilent: false })
      continue
    }
    const limitMs = silenceLimitMs(measures.get(bankCode)?.gap)
    if (limitMs === undefined || now.getTime() - lastHeardAt.getTime() <= limitMs) continue
    const otherBanks = bankRows.filter((other) => other !== bank)
    const othersReported = otherBanks.some(
      (other) => other.lastHeardAt > addMs(lastHeardAt, limitMs),
    )
    if (othersReported || (await hasOpenPayment(db, now, bank)))
      silenceChanges.push({ bank, isSilent: true })
  }
  return silenceChanges
}

// Reads when each bank last called us, and since when it is silent.
async function readLastHeard(db: Queryable, banks: readonly string[]): Promise<BankRow[]> {
  const { rows } = await db.query<BankRow>({
    name: 'read-banks-heard',
    text: `select bank_code, last_heard_at, silent_since
             from bank_health
            where bank_code = any($1::text[]) and last_heard_at is not null
            order by bank_code`,
    values: [banks],
  })
  return rows
}

// Returns whether an open payment got a number of the bank since the bank's last notification, so that a
// report can be expected.
async function hasOpenPayment(
  db: Queryable,
  now: Date,
  { bankCode, lastHeardAt }: BankRow,
): Promise<boolean> {
  const { rows } = await db.query<{ waits: boolean }>({
    name: 'has-payment-waiting-at-bank',
    text: `select exists (
             select from payments p
              where p.status in ('Processing', 'PartPayment') and p.closes_at > $2
                and exists (select from payment_numbers n
                             where n.payment_id = p.id and n.bank_code = $1
                               and n.issued_at > $3)) as waits`,
    values: [bankCode, now, lastHeardAt],
  })
  return rows[0]?.waits === true
}

// Records that a bank fell silent or reported again. For a silent bank, raises an alert and plans one list of
// all the bank's transfers since its last notification. Clears the alert when the bank reports again. Takes
// effect once, however many processes call it: a second process finds the row already changed.
export async function recordSilenceChange(
  tx: Transaction,
  now: Date,
  change: { bank: BankRow; isSilent: boolean; canList: boolean },
): Promise<void> {
  const { bankCode, lastHeardAt } = change.bank
  await lockBank(tx, bankCode)
  const { rowCount } = await tx.query({
    name: 'turn-bank-silence',
    text: `update bank_health set silent_since = case when $2 then $3::timestamptz end
            where bank_code = $1 and (silent_since is null) = $2 and last_heard_at = $4`,
    values: [bankCode, change.isSilent, now, lastHeardAt],
  })
  if (rowCount === 0) return
  const alert = { kind: 'bank_silent', subject: bankCode } as const
  if (!change.isSilent) return clearAlert(tx, now, alert)
  if (change.canList) {
    await putRequery(tx, now, {
      bankCode,
      reason: 'silence',
      subject: `silence/${lastHeardAt.toISOString()}`,
      identifier: null,
      accountNumber: null,
      fromAt: addMs(lastHeardAt, -CLOCK_MARGIN_MS),
      clientId: null,
      paymentId: null,
      collectionAccountId: null,
      dueAt: now,
      repeatUntil: null,
    })
  }
  const detail = { lastHeardAt: timestamp(lastHeardAt) }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [{ ...alert, detail }]))
}

const KEPT_MS = 90 * 86_400_000
const PURGED_MAX = 1_000

// Deletes old requeries, calls and counts. Money that they found stays on record as credits. A requery that
// others were merged into is deleted after them. Returns whether there may be more to delete.
export async function purgeRequeries(db: Queryable, now: Date): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'purge-requeries',
    text: `delete from requeries
            where id in (select q.id from requeries q
                          where q.state <> 'open' and q.finished_at < $1
                            and not exists (select from requeries m where m.merged_into = q.id)
                          order by q.finished_at limit ${PURGED_MAX})`,
    values: [addMs(now, -KEPT_MS)],
  })
  await db.query({
    name: 'purge-bank-measures',
    text: 'delete from bank_measures where hour < $1',
    values: [addMs(now, -2 * MEASURED_MS)],
  })
  return rowCount === PURGED_MAX
}
