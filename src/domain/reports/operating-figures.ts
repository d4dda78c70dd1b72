// Figures of the whole deployment, read from the database: backlogs, held money, remaining numbers. Each
// query uses an index over open work, so closed work costs nothing.

import type { BankSettings } from '#config/bank-settings.ts'
import type { Queryable } from '#db/pool.ts'
import { configuredRanges } from '#domain/accounts/account-numbers.ts'
import { HELD } from '#domain/payouts/hold-payouts.ts'

// `labels`: the names of all columns but `value`, the last. `of`: $1 is the configured number ranges.
type FigureKind = {
  name: string
  help: string
  labels: readonly string[]
  of?: 'ranges'
  text: string
}
type Figure = { labels: Record<string, string>; value: number }

const KOBO = 'In kobo.'

// $1: now, unless `of` says otherwise.
export const FIGURES: readonly FigureKind[] = [
  {
    name: 'manilla_webhook_backlog',
    help: 'Deliveries that wait for an attempt.',
    labels: [],
    text: `select count(*) as value from deliveries where state = 'pending'`,
  },
  {
    name: 'manilla_webhook_overdue_seconds',
    help: 'How long the oldest delivery that is due, to a destination that is not paused, has waited.',
    labels: [],
    text: `select coalesce(extract(epoch from $1 - min(v.next_attempt_at)), 0) as value
             from deliveries v join destinations d on d.id = v.destination_id
            where v.state = 'pending' and v.next_attempt_at < $1 and d.disabled_at is null
              and (d.paused_until is null or d.paused_until <= $1)`,
  },
  {
    name: 'manilla_events_undispatched',
    help: 'Events that are committed and not yet queued for delivery.',
    labels: [],
    text: `select coalesce(sum(k.sequence - coalesce(c.sequence, 0)), 0) as value
             from event_counters k left join dispatch_cursors c using (client_id)`,
  },
  {
    name: 'manilla_suspense_items',
    help: 'Open suspense items, by reason.',
    labels: ['reason'],
    text: `select reason, count(*) as value from suspense_items where state = 'open' group by reason`,
  },
  {
    name: 'manilla_suspense_kobo',
    help: `Money in suspense. ${KOBO}`,
    labels: [],
    text: `select coalesce(sum(amount_kobo), 0) as value from suspense_items where state = 'open'`,
  },
  {
    name: 'manilla_suspense_oldest_seconds',
    help: 'Age of the oldest open suspense item.',
    labels: [],
    text: `select coalesce(extract(epoch from $1 - min(opened_at)), 0) as value
             from suspense_items where state = 'open'`,
  },
  {
    name: 'manilla_numbers_left',
    help: 'Account numbers of the configured range that were never issued.',
    labels: ['bank', 'purpose'],
    of: 'ranges',
    text: `select bank_code as bank, purpose,
                  sum(last_serial - first_serial + 1 - next_index) as value
             from number_ranges
            where (bank_code, purpose, first_serial, last_serial) in
                  (select bank, purpose, "from", "to"
                     from jsonb_to_recordset($1)
                       as r (bank text, purpose text, "from" bigint, "to" bigint))
            group by bank_code, purpose`,
  },
  {
    name: 'manilla_payouts_open',
    help: 'Payouts that are not settled, by status.',
    labels: ['status'],
    text: `select status, count(*) as value from payouts
            where status in ('queued', 'sending', 'unknown') group by status`,
  },
  {
    name: 'manilla_reconciliation_differences',
    help: 'Differences between the books and a bank’s statements that nobody has resolved.',
    labels: ['bank', 'kind'],
    text: `select bank_code as bank, kind, count(*) as value from differences
            where state in ('open', 'asked') group by bank_code, kind`,
  },
  {
    name: 'manilla_reconciliation_statement_age_seconds',
    help: 'Time since the end of the last day that a bank’s statements cover.',
    labels: ['bank'],
    text: `select bank_code as bank,
                  extract(epoch from $1 - (max(to_day) + 1)::timestamp at time zone 'Africa/Lagos')
                    as value
             from reconciled_banks where to_day is not null group by bank_code`,
  },
  {
    name: 'manilla_integrity_ok',
    help: '1 if the last integrity check found nothing, else 0.',
    labels: [],
    text: `select ok::int as value from audits where finished_at is not null
            order by id desc limit 1`,
  },
  {
    name: 'manilla_integrity_age_seconds',
    help: 'Time since the last integrity check ended.',
    labels: [],
    text: `select extract(epoch from $1 - finished_at) as value from audits
            where finished_at is not null order by id desc limit 1`,
  },
  {
    name: 'manilla_archive_age_seconds',
    help: 'Time since the database archived a file of its log, or started; absent if it does not.',
    labels: [],
    text: `select extract(epoch from $1 - coalesce(last_archived_time, pg_postmaster_start_time()))
                    as value
             from pg_stat_archiver where current_setting('archive_mode') <> 'off'`,
  },
  {
    name: 'manilla_archive_failures',
    help: 'Times that archiving a file of the log failed; absent if the database does not archive.',
    labels: [],
    text: `select failed_count as value from pg_stat_archiver
            where current_setting('archive_mode') <> 'off'`,
  },
  {
    name: 'manilla_payouts_held',
    help: '1 while payouts are held, else 0.',
    labels: [],
    text: `select ${HELD}::int as value`,
  },
  {
    name: 'manilla_alerts_open',
    help: 'Alerts that are neither cleared nor acknowledged, by kind.',
    labels: ['kind'],
    text: `select kind, count(*) as value from alerts
            where cleared_at is null and acknowledged_at is null group by kind`,
  },
  {
    name: 'manilla_bank_silent',
    help: '1 if a bank has been silent for longer than usual, else 0.',
    labels: ['bank'],
    text: `select bank_code as bank, (silent_since is not null)::int as value from bank_health`,
  },
]

export async function readFigure(
  db: Queryable,
  { now, banks }: { now: Date; banks: readonly BankSettings[] },
  { text, labels, of }: FigureKind,
): Promise<Figure[]> {
  const [type, value] =
    of === 'ranges' ? ['jsonb', JSON.stringify(configuredRanges(banks))] : ['timestamptz', now]
  const { rows } = await db.query<Record<string, unknown>>(
    text.replaceAll('$1', `$1::${type}`),
    text.includes('$1') ? [value] : [],
  )
  return rows.map(({ value, ...row }) => ({
    labels: Object.fromEntries(labels.map((label) => [label, String(row[label])])),
    value: Number(value),
  }))
}
