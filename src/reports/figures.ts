// Reads figures of the whole deployment from the database, for the metrics endpoint: backlogs, held money,
// remaining numbers. Also reads a summary of the books for backups, and the state of the database's log
// archive.

import { configuredRanges, UNISSUED } from '#accounts/numbers.ts'
import type { BankSettings } from '#config/bank-settings.ts'
import type { Pool, Queryable } from '#db/pool.ts'
import { withSnapshot } from '#db/replica.ts'
import type { Kobo } from '#money.ts'
import { HELD } from '#payouts/holds.ts'

// `labels` names all columns except `value`, the last one. $1 is the current time; with `of: 'ranges'`, it is
// the configured number ranges.
type FigureKind = {
  name: string
  help: string
  labels: readonly string[]
  of?: 'ranges'
  text: string
}

const KOBO = 'In kobo.'

// Each query uses an index over open work, so closed work costs nothing.
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
                  sum(${UNISSUED}) as value
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
    text: `select ok::int as value from integrity_checks where finished_at is not null
            order by id desc limit 1`,
  },
  {
    name: 'manilla_integrity_age_seconds',
    help: 'Time since the last integrity check ended.',
    labels: [],
    text: `select extract(epoch from $1 - finished_at) as value from integrity_checks
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

// Reads the values of one metric of FIGURES, one for each combination of its labels. If the query has a
// parameter ($1), it is the configured number ranges for a metric with `of: 'ranges'`, else the current time.
export async function readFigure(
  db: Queryable,
  { now, banks }: { now: Date; banks: readonly BankSettings[] },
  { text, labels, of }: FigureKind,
): Promise<{ labels: Record<string, string>; value: number }[]> {
  const [parameterType, parameter] =
    of === 'ranges' ? ['jsonb', JSON.stringify(configuredRanges(banks))] : ['timestamptz', now]
  const { rows } = await db.query<Record<string, unknown>>(
    text.replaceAll('$1', `$1::${parameterType}`),
    text.includes('$1') ? [parameter] : [],
  )
  return rows.map(({ value, ...row }) => ({
    labels: Object.fromEntries(labels.map((label) => [label, String(row[label])])),
    value: Number(value),
  }))
}

// A few totals of the books, from which an operator can tell which deployment a backup is of, and from when.
export type BooksSummary = {
  clients: bigint
  credits: bigint
  creditedKobo: Kobo
  transfers: bigint
  lastTransferAt: Date | null
  openPayouts: bigint
  balances: { kind: string; currency: string; balanceKobo: Kobo }[] // Sums by kind.
}

// Reads the summary of the books at one moment. On a large database, the sums may take minutes.
export async function summariseBooks(pool: Pool): Promise<BooksSummary> {
  return withSnapshot(pool, async (tx) => {
    await tx.query(`set local statement_timeout = '15min'`)
    const { rows } = await tx.query<Omit<BooksSummary, 'balances'>>(
      `select (select count(*) from clients) as clients,
              (select count(*) from credits) as credits,
              (select coalesce(sum(amount_kobo), 0)::bigint from credits) as credited_kobo,
              (select count(*) from transfers) as transfers,
              (select posted_at from transfers order by id desc limit 1) as last_transfer_at,
              (select count(*) from payouts
                where status in ('queued', 'sending', 'unknown')) as open_payouts`,
    )
    const balances = await tx.query<BooksSummary['balances'][number]>(
      `select kind, currency, sum(credits_kobo - debits_kobo)::bigint as balance_kobo
         from ledger_accounts group by kind, currency
        having sum(credits_kobo - debits_kobo) <> 0 order by kind, currency`,
    )
    return { ...(rows[0] as Omit<BooksSummary, 'balances'>), balances: balances.rows }
  })
}

const WAITING_MAX_MS = 10 * 60_000 // The database's clock may differ from ours by five minutes.

export type ArchiveState = {
  isFailing: boolean // The last file failed, or a file waits too long.
  failedFile: string | null
  lastArchivedAt: Date | null
}

type ArchiverRow = ArchiveState & { showsWaiting: boolean }

// Reads whether the database archives its log: an embedded server (docs/backup.md), or any other server with
// an archive_command. PostgreSQL counts a command that fails, but not one that hangs, which is recognised by
// files that wait too long. Only members of pg_monitor can list waiting files.
export async function readArchiveState(db: Queryable, now: Date): Promise<ArchiveState> {
  const { rows } = await db.query<ArchiverRow>({
    name: 'read-archive-state',
    text: `select current_setting('archive_mode') <> 'off' and last_failed_time is not null
                  and last_failed_time > coalesce(last_archived_time, '-infinity') as is_failing,
                  last_failed_wal as failed_file, last_archived_time as last_archived_at,
                  current_setting('archive_mode') <> 'off'
                  and has_function_privilege('pg_ls_archive_statusdir()', 'execute') as shows_waiting
             from pg_stat_archiver`,
  })
  const { showsWaiting, ...state } = rows[0] as ArchiverRow
  if (state.isFailing || !showsWaiting) return state
  const waitingFile = await findWaitingLogFile(db, new Date(now.getTime() - WAITING_MAX_MS))
  return waitingFile ? { ...state, isFailing: true, failedFile: waitingFile } : state
}

// Finds the file of the database's log that has waited longest to be archived, if it has waited since before
// `since`. A file from before the server's start is treated as waiting since the start.
async function findWaitingLogFile(db: Queryable, since: Date): Promise<string | undefined> {
  const { rows } = await db.query<{ file: string }>({
    name: 'find-waiting-log',
    text: `select left(name, -length('.ready')) as file from pg_ls_archive_statusdir()
            where name like '%.ready' and greatest(modification, pg_postmaster_start_time()) < $1
            order by modification limit 1`,
    values: [since],
  })
  return rows[0]?.file
}
