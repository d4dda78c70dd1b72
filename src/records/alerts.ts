// Alerts for operators: their kinds, with titles and remedies, and how alerts are raised, cleared,
// acknowledged, listed and logged. docs/operating.md lists the kinds.

import { timestamp } from '#clock.ts'
import type { Window } from '#db/bounds.ts'
import { listQuery } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { ClientId } from '#ids.ts'
import { writeAuditLog } from './audit-log.ts'
import { appendEvents, type NewEventOf } from './events.ts'

type AlertKind =
  | 'numbers_exhausted'
  | 'number_ceiling_reached'
  | 'pool_low'
  | 'number_refused'
  | 'account_change_refused'
  | 'session_reused'
  | 'wrong_bank'
  | 'rail_item_rejected'
  | 'reversal_outstanding'
  | 'reversal_shortfall'
  | 'reversal_receivable'
  | 'endpoint_disabled'
  | 'account_name_review'
  | 'bank_silent'
  | 'payout_unknown'
  | 'payout_contradicted'
  | 'payout_returned'
  | 'payout_needs_authorization'
  | 'payout_blocked'
  | 'payouts_held'
  | 'payouts_waiting'
  | 'payout_file_overdue'
  | 'suspense_aged'
  | 'case_deadline_near'
  | 'case_deadline_missed'
  | 'hold_deadline_near'
  | 'hold_deadline_missed'
  | 'erasure_refused'
  | 'erasure_paused'
  | 'held_person_account'
  | 'reconciliation_difference'
  | 'statement_missing'
  | 'audit_failed'
  | 'archive_failing'
  | 'identity_service_down'
  | 'screening_late'
  | 'holidays_run_out'
  | 'notices_skipped'

type AlertKindInfo = {
  title: string
  remedy: string
  // The code that detects recovery clears the alert. Other alerts end when an operator acknowledges them, and
  // are raised again if the condition recurs.
  isClearedByItself?: true
}

export const ALERT_KINDS: Readonly<Record<AlertKind, AlertKindInfo>> = {
  numbers_exhausted: {
    title: 'A bank has no account numbers left',
    remedy:
      'Request another number range from the bank, or ask why it isn’t reserving numbers. Until ' +
      'then, use another bank.',
  },
  number_ceiling_reached: {
    title: 'A client holds as many account numbers of a bank as it may',
    remedy:
      'Ask the client why it needs so many. If it does, give it a higher ceiling; else look for abuse.',
  },
  pool_low: {
    title: 'A bank isn’t reserving numbers, and few are left',
    remedy: 'Ask the bank why its API fails. The pool refills automatically once it works again.',
    isClearedByItself: true,
  },
  number_refused: {
    title: 'A bank reserved a number that can’t be used',
    remedy:
      'The number doesn’t have ten digits or is already in use. Ask the bank what it reserved.',
  },
  account_change_refused: {
    title: 'A bank refused to rename or block an account',
    remedy: 'See the alert for the reason, and have the bank make the change.',
  },
  session_reused: {
    title: 'A bank reused an identifier with different details',
    remedy: 'The second message was rejected. Ask the bank which of the two is correct.',
  },
  wrong_bank: {
    title: 'A bank reported a credit to another bank’s account number',
    remedy:
      'The funds are in suspense. Ask the bank that reported the credit whether it holds them.',
  },
  rail_item_rejected: {
    title: 'A bank message couldn’t be booked',
    remedy: 'Open the message in Rejected messages, and ask the bank to correct and resend it.',
  },
  reversal_outstanding: {
    title: 'A credit was booked that its bank had already reversed',
    remedy:
      'The reversal came before the credit, and not again. Ask the bank to send it again, or book it ' +
      'from the statement; until then, don’t pay the money out.',
    isClearedByItself: true,
  },
  reversal_shortfall: {
    title: 'A bank reversed a credit whose funds had already left',
    remedy: 'Recover the shortfall from the recipient, or settle it with the bank.',
  },
  reversal_receivable: {
    title: 'A bank reversed a credit that the client had already been paid out',
    remedy: 'The client owes the amount. Recover it from its balance, or write it off.',
  },
  endpoint_disabled: {
    title: 'A webhook endpoint was disabled after repeated failures',
    remedy:
      'Notify the client. Once its receiver works again, it can enable the endpoint and replay events.',
  },
  account_name_review: {
    title: 'A client’s name in account names waits for review',
    remedy:
      'Banks and payers see the former name until then. Open the client, and approve the name if it is ' +
      'the client’s own. Reject one that passes for a bank or somebody else.',
    isClearedByItself: true,
  },
  bank_silent: {
    title: 'A bank has reported nothing for longer than usual',
    remedy:
      'If the bank can list transfers, they are being requeried. Ask it about its notifications.',
    isClearedByItself: true,
  },
  payout_unknown: {
    title: 'A bank hasn’t said what became of a payout',
    remedy:
      'Ask the bank what became of the payout’s reference. Confirm it in Payouts if the bank has paid ' +
      'it. Fail it only if the bank states that it has not paid it and never will: “not found” is no ' +
      'proof. Don’t send the money again.',
    isClearedByItself: true,
  },
  payout_contradicted: {
    title: 'A bank’s report contradicts a payout',
    remedy:
      'Nothing was changed. Ask the bank what it paid; if it was not what Payouts shows, book it from ' +
      'the statement in Reconciliation, or correct it with the bank and the client.',
  },
  payout_returned: {
    title: 'A bank gave back a payout after it had confirmed it',
    remedy:
      'Its money is available to the client again. Ask the client for the right account, and pay it ' +
      'again as a new payout. Reconciliation shows whether the statement has the money, too; if it ' +
      'never does, ask the bank.',
  },
  payout_needs_authorization: {
    title: 'A bank waits for a one-time password or an approval before it pays',
    remedy:
      'Have the provider switch off one-time passwords (two-factor authorisation) and approvals for ' +
      'transfers by API, and release or cancel the payout there. Don’t send the money again.',
    isClearedByItself: true,
  },
  payout_blocked: {
    title: 'A queued payout can’t be sent',
    remedy:
      'See the alert for the reason: screening holds it, its bank account is inactive or another’s, or ' +
      'the bank reversed the credit that it refunds or returns. Review it in Screening, have the client ' +
      'cancel it, or activate the account; mark a return as failed.',
    isClearedByItself: true,
  },
  payouts_held: {
    title: 'Payouts are held',
    remedy:
      'Nothing is sent. After a restore, compare the banks’ statements with Payouts, then run ' +
      'manilla admin payouts release.',
    isClearedByItself: true,
  },
  payouts_waiting: {
    title: 'Payouts of a bank are not being sent',
    remedy:
      'Create a payout file, or send returns by hand, if the bank has no API. If it has, see why its ' +
      'calls fail and that a worker runs. They are sent once the bank can be reached, or can be cancelled.',
    isClearedByItself: true,
  },
  payout_file_overdue: {
    title: 'A payout file hasn’t been downloaded or reported',
    remedy:
      'Not downloaded: take it to the bank, or mark it as not delivered. Not reported: ask the bank for ' +
      'its report, and upload it.',
    isClearedByItself: true,
  },
  suspense_aged: {
    title: 'Money has been in suspense for too long',
    remedy:
      'Open the credit in Suspense, and assign it to its recipient or return it to the payer.',
    isClearedByItself: true,
  },
  case_deadline_near: {
    title: 'A deadline of a case is near',
    remedy: 'Do what the deadline is about, and mark it as met in the case.',
    isClearedByItself: true,
  },
  case_deadline_missed: {
    title: 'A deadline of a case has passed',
    remedy:
      'Do what the deadline is about at once, mark it as met, and tell the regulator if you must.',
    isClearedByItself: true,
  },
  hold_deadline_near: {
    title: 'The deadline of a hold is near',
    remedy:
      'Decide on the held money: request its release or forfeiture in Holds. Nothing is released by ' +
      'itself.',
    isClearedByItself: true,
  },
  hold_deadline_missed: {
    title: 'The deadline of a hold has passed',
    remedy:
      'The money is still held. Request its release or forfeiture in Holds at once, and see whether the ' +
      'order behind the hold still stands.',
    isClearedByItself: true,
  },
  erasure_refused: {
    title: 'An erasure was refused, since a hold or a case needs the data',
    remedy:
      'Nothing was erased. The client was only told that the data is still needed, not why. Once the hold ' +
      'has ended and the case is closed, have the request made again.',
  },
  erasure_paused: {
    title: 'An erasure is paused, since a hold or a case needs the data',
    remedy:
      'The account or advice was erased before; its credits and what belongs to them are kept. The worker ' +
      'goes on by itself once the hold has ended and the case is closed.',
    isClearedByItself: true,
  },
  held_person_account: {
    title: 'A person whose money is held has another account',
    remedy:
      'Its money is held from now on. See the hold of the person in Holds, and add the account to the case.',
  },
  reconciliation_difference: {
    title: 'A bank’s statement differs from the books',
    remedy:
      'Open the day in Reconciliation, and resolve each difference: book it, match it, or note why ' +
      'it differs.',
    isClearedByItself: true,
  },
  statement_missing: {
    title: 'A bank’s statement hasn’t arrived',
    remedy: 'Import the statement of that day, or ask the bank for it.',
    isClearedByItself: true,
  },
  audit_failed: {
    title: 'The books don’t balance',
    remedy:
      'Stop payouts and returns (manilla admin payouts hold), review the findings, and don’t change ' +
      'the database.',
    isClearedByItself: true,
  },
  screening_late: {
    title: 'Credits wait too long to be screened',
    remedy:
      'Until they are screened, their money can be drawn. See that a process runs the workers, and look ' +
      'for failures of screen-credits in the log.',
    isClearedByItself: true,
  },
  holidays_run_out: {
    title: 'The calendar of holidays ends within 90 days',
    remedy:
      'After its last holiday every weekday counts as a business day. Add the holidays of the next year in ' +
      'Settings.',
    isClearedByItself: true,
  },
  archive_failing: {
    title: 'The database isn’t archiving its log',
    remedy:
      'What is written now can’t be restored, and the log takes up disk space. Check the space and ' +
      'permissions of the backup directory.',
    isClearedByItself: true,
  },
  notices_skipped: {
    title: 'Messages about an event couldn’t be written',
    remedy:
      'The people of the client got no message about the event that the alert names. Tell them, and ' +
      'report the error.',
  },
  identity_service_down: {
    title: 'The identity service doesn’t answer',
    remedy:
      'BVNs and NINs wait to be verified, and accounts stay in tier 1 meanwhile. See why the calls ' +
      'to MANILLA_IDENTITY_URL fail. They are repeated.',
    isClearedByItself: true,
  },
}

export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]

export const SEVERITIES = ['notice', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

const CRITICAL: readonly AlertKind[] = [
  'audit_failed',
  'archive_failing',
  'reconciliation_difference',
  'payout_contradicted',
  'session_reused',
  'reversal_shortfall',
  'wrong_bank',
]
const NOTICE: readonly AlertKind[] = [
  'pool_low',
  'account_name_review',
  'number_refused',
  'endpoint_disabled',
  'holidays_run_out',
]

export function severityOf(kind: AlertKind): Severity {
  if (CRITICAL.includes(kind)) return 'critical'
  return NOTICE.includes(kind) ? 'notice' : 'warning'
}

const kindsOf = (severity: Severity) =>
  ALERT_KIND_NAMES.filter((kind) => severityOf(kind) === severity)

// An alert is raised in the transaction that detects its condition, with an event for every client that is an
// operator. While an alert is open, another one of the same kind and subject is not raised.

export type NewAlert = { kind: AlertKind; subject: string; detail: object }

export type Alert = {
  id: bigint
  kind: AlertKind
  subject: string
  detail: Record<string, unknown>
  raisedAt: Date
  acknowledgedAt: Date | null
  acknowledgedBy: string | null
  clearedAt: Date | null
}

// Raises alerts, except those that are open already, and returns the events that report them to operators.
// The caller appends them together with its own events, because event counters are locked once per
// transaction, last, and in id order. Locks: alerts come after collection accounts and before shared ledger
// accounts.
export async function raiseAlerts(
  tx: Transaction,
  now: Date,
  alerts: readonly NewAlert[],
): Promise<NewEventOf<'alert.raised'>[]> {
  if (alerts.length === 0) return []
  const { rows } = await tx.query<Pick<Alert, 'id' | 'kind' | 'subject' | 'detail'>>({
    name: 'raise-alerts',
    text: `insert into alerts (kind, subject, detail, raised_at)
           select distinct on (n.kind, n.subject) n.kind, n.subject, n.detail, $4
             from unnest($1::text[], $2::text[], $3::jsonb[]) as n (kind, subject, detail)
            order by n.kind, n.subject
           on conflict (kind, subject) where cleared_at is null do nothing
           returning id, kind, subject, detail`,
    values: [
      alerts.map((alert) => alert.kind),
      alerts.map((alert) => alert.subject),
      alerts.map((alert) => JSON.stringify(alert.detail)),
      now,
    ],
  })
  if (rows.length === 0) return []
  const operators = await tx.query<{ id: ClientId }>({
    name: 'active-operators',
    text: 'select id from clients where is_operator and is_active order by id',
  })
  return operators.rows.flatMap(({ id: clientId }) =>
    rows.map(({ id, kind, subject, detail }) => {
      const { title, remedy } = ALERT_KINDS[kind]
      const raisedAt = timestamp(now)
      const facts = { id: Number(id), kind, title, remedy, subject, detail, raisedAt }
      return { clientId, type: 'alert.raised' as const, facts }
    }),
  )
}

// Ends an alert because its condition no longer exists. Does nothing if none is open.
export async function clearAlert(
  tx: Transaction,
  now: Date,
  { kind, subject }: Pick<NewAlert, 'kind' | 'subject'>,
): Promise<void> {
  await tx.query({
    name: 'clear-alert',
    text: `update alerts set cleared_at = $3
            where kind = $1 and subject = $2 and cleared_at is null`,
    values: [kind, subject, now],
  })
}

const ALERT_COLUMNS =
  'id, kind, subject, detail, raised_at, acknowledged_at, acknowledged_by, cleared_at'

export const IS_OPEN_ALERT = 'acknowledged_at is null and cleared_at is null'

type AlertFilter = Window & {
  kind?: AlertKind | undefined
  severity?: Severity | undefined
  isOpen?: boolean | undefined
  beforeId: bigint | null
  limit: number
}

// Lists alerts, newest first. An alert is open until an operator acknowledges it or it is cleared.
export async function listAlerts(
  db: Queryable,
  { kind, severity, isOpen, from, to, beforeId, limit }: AlertFilter,
): Promise<Alert[]> {
  const { rows } = await db.query<Alert>(
    listQuery({
      select: `select ${ALERT_COLUMNS} from alerts`,
      where: [
        isOpen === true && IS_OPEN_ALERT,
        isOpen === false && `not (${IS_OPEN_ALERT})`,
        ['kind = $', kind],
        ['kind = any($)', severity && kindsOf(severity)],
        ['raised_at >= $', from],
        ['raised_at < $', to],
      ],
      id: 'id',
      after: beforeId,
      limit,
    }),
  )
  return rows
}

export async function getAlert(db: Queryable, id: bigint): Promise<Alert> {
  const { rows } = await db.query<Alert>({
    name: 'get-alert',
    text: `select ${ALERT_COLUMNS} from alerts where id = $1`,
    values: [id],
  })
  if (!rows[0]) throw new Refusal('alert_not_found')
  return rows[0]
}

// Marks an alert as seen by an operator. A kind that does not clear by itself ends with its acknowledgement.
// A repetition keeps the first acknowledgement.
export async function acknowledgeAlert(
  tx: Transaction,
  { now, clientId, actor }: { now: Date; clientId: ClientId; actor: string },
  id: bigint,
): Promise<Alert> {
  const { kind } = await getAlert(tx, id)
  const { rowCount } = await tx.query({
    name: 'acknowledge-alert',
    text: `update alerts
              set acknowledged_at = $2, acknowledged_by = $3,
                  cleared_at = coalesce(cleared_at,
                                        case when not $4::boolean then $2::timestamptz end)
            where id = $1 and acknowledged_at is null`,
    values: [id, now, actor, ALERT_KINDS[kind].isClearedByItself === true],
  })
  if (rowCount === 1) {
    const action = 'alert.acknowledge'
    const subject = `alert/${id}`
    await writeAuditLog(tx, now, { clientId, actor, action, subject, detail: { kind } })
  }
  return getAlert(tx, id)
}

// Undoes an acknowledgement, and the end of an alert that the acknowledgement ended. Changes nothing if a
// newer alert of the same kind and subject is open. If one is being raised concurrently, the index
// alerts_standing refuses a second open alert, and the transaction is repeated.
export async function reopenAlert(
  tx: Transaction,
  { now, clientId, actor }: { now: Date; clientId: ClientId; actor: string },
  id: bigint,
): Promise<Alert> {
  const { kind } = await getAlert(tx, id)
  const { rowCount } = await tx.query({
    name: 'reopen-alert',
    text: `update alerts a
              set acknowledged_at = null, acknowledged_by = null,
                  cleared_at = case when $2::boolean then a.cleared_at end
            where a.id = $1 and a.acknowledged_at is not null
              and not exists (select from alerts b where b.kind = a.kind and b.subject = a.subject
                                 and b.cleared_at is null and b.id <> a.id)`,
    values: [id, ALERT_KINDS[kind].isClearedByItself === true],
  })
  if (rowCount === 1) {
    const action = 'alert.reopen'
    const subject = `alert/${id}`
    await writeAuditLog(tx, now, { clientId, actor, action, subject, detail: { kind } })
  }
  return getAlert(tx, id)
}

export const HAS_UNLOGGED_ALERTS = 'exists (select from alerts where logged_at is null)'

// Marks the oldest alerts that are not in the log yet as logged, and returns them. The caller logs them after
// the commit.
export async function claimUnlogged(tx: Transaction, now: Date, limit: number): Promise<Alert[]> {
  const { rows } = await tx.query<Alert>({
    name: 'take-unlogged-alerts',
    text: `with unlogged as (
             select id from alerts where logged_at is null order by id limit $2
                for no key update skip locked)
           update alerts set logged_at = $1 where id in (select id from unlogged)
           returning ${ALERT_COLUMNS}`,
    values: [now, limit],
  })
  return rows.sort((one, other) => (one.id < other.id ? -1 : 1))
}

// SQL scalar: the banks that payers should avoid now: silent for longer than usual, or not answering our
// calls. The requery workers write bank_health.
export const TROUBLED_BANKS = `array(
  select bank_code from bank_health where silent_since is not null or paused_until is not null)`

const RAISED_MAX = 500 // The most alerts that one call of alertDeadlines() raises.

// `pending` is a SQL query: it returns `kind`, `subject`, `detail` and `due_at` of each deadline that is near
// or missed at $1.
type Deadlines = { name: string; kinds: readonly AlertKind[]; pending: string }

type PendingDeadline = NewAlert & { dueAt: Date }

// Raises and clears alerts about the deadlines of cases or holds: one kind before a deadline, another once it
// has passed. The SQL query `pending` selects the alerts that should be open now. Afterwards, the open alerts
// match the pending deadlines, except for more than RAISED_MAX new ones. Returns whether more alerts may be
// due.
export async function alertDeadlines(
  tx: Transaction,
  now: Date,
  { name, kinds, pending }: Deadlines,
): Promise<boolean> {
  await tx.query({
    name: `clear-${name}`,
    text: `update alerts a set cleared_at = $1
            where kind in ('${kinds.join("', '")}') and cleared_at is null
              and not exists (select from (${pending}) as p
                               where p.kind = a.kind and p.subject = a.subject)`,
    values: [now],
  })
  const { rows } = await tx.query<PendingDeadline>({
    name: `find-${name}`,
    text: `select * from (${pending}) as p
            where not exists (select from alerts a
                               where a.kind = p.kind and a.subject = p.subject
                                 and a.cleared_at is null)
            order by due_at limit ${RAISED_MAX}`,
    values: [now],
  })
  const alerts = rows.map(({ kind, subject, detail, dueAt }): NewAlert => {
    return { kind, subject, detail: { ...detail, dueAt: timestamp(dueAt) } }
  })
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  return rows.length === RAISED_MAX
}
