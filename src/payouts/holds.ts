// Everything that keeps payouts from being sent: holds of all payouts, blocks of single payouts, and the
// holds that follow a restore or a move of the database.
//
// While a hold of payouts is open, nothing is sent to any bank, by a connector, in a file or by hand (I82).
// No file can be downloaded, and no payer's account number is shown. Payouts can still be requested,
// approved, queried and settled.
//
// A restored database is held from the start. So is a standby that was promoted without having been
// synchronous (holdIfDatabaseMoved). Such a database does not know which payouts were sent after the moment
// that it was restored to. Payouts requested by that moment may have been sent, so they are never sent again;
// workers query the bank (unknown.ts). Later payouts are missing, and appear in the bank's statement.

import { timestamp } from '#clock.ts'
import { readReplication } from '#db/health.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { RefusalCode } from '#errors.ts'
import { isAllHeld } from '#holds/hold.ts'
import type { PayoutId } from '#ids.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { awaitSenders } from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'

const ALERT = { kind: 'payouts_held', subject: 'payouts' } as const

// SQL condition: payouts are held. It is also true from the moment that the database is another than the one
// last noted in `known_database`, even before holdIfDatabaseMoved() has run.
export const HELD = `(exists (select from payout_holds where released_at is null)
                      or exists (select from known_database
                                  where identity <> (select current_database_identity())))`
// SQL scalar: the id of the last payout that was in the database when it was restored, or 0.
const LAST_RESTORED = 'coalesce((select max(last_payout_id) from payout_holds), 0)'
// SQL conditions on a row of `payouts`: it may be sent now; it may have been sent before a restore, which
// lost the record.
export const MAY_BE_SENT = `not ${HELD} and id > ${LAST_RESTORED}`
export const MAY_HAVE_BEEN_SENT = `id <= ${LAST_RESTORED}`
// SQL scalar: when the database was last restored, or null if it never was.
export const LAST_RESTORED_AT =
  '(select max(held_at) from payout_holds where restored_to is not null)'

type PayoutHold = { reason: string; heldBy: string; heldAt: Date; restoredTo: Date | null }

// Stops all payouts until releasePayouts(). With `restoredTo`, every payout that exists now counts as
// possibly sent (MAY_HAVE_BEEN_SENT).
export async function holdPayouts(
  tx: Transaction,
  now: Date,
  { reason, by, restoredTo }: { reason: string; by: string; restoredTo?: Date },
): Promise<void> {
  await awaitSenders(tx)
  await tx.query({
    name: 'hold-payouts',
    text: `insert into payout_holds (reason, held_by, held_at, restored_to, last_payout_id)
           select $1, $2, $3, $4::timestamptz,
                  case when $4::timestamptz is not null
                       then coalesce((select max(id) from payouts), 0) end`,
    values: [reason, by, now, restoredTo ?? null],
  })
  const detail = { reason, ...(restoredTo && { restoredTo: timestamp(restoredTo) }) }
  await appendEvents(tx, now, await raiseAlerts(tx, now, [{ ...ALERT, detail }]))
}

// Returns whether all payouts are held. The caller has called awaitHolders(), so that no hold is being
// written meanwhile.
export async function arePayoutsHeld(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ isHeld: boolean }>({
    name: 'are-payouts-held',
    text: `select ${HELD} as is_held`,
  })
  return rows[0]?.isHeld === true
}

// Ends all open holds of payouts. Returns how many there were.
export async function releasePayouts(tx: Transaction, now: Date, by: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'release-payouts',
    text: `update payout_holds set released_at = $1, released_by = $2 where released_at is null`,
    values: [now, by],
  })
  await clearAlert(tx, now, ALERT)
  return rowCount ?? 0
}

// Lists the open holds of payouts.
export async function listHolds(db: Queryable): Promise<PayoutHold[]> {
  const { rows } = await db.query<PayoutHold>({
    name: 'list-payout-holds',
    text: `select reason, held_by, held_at, restored_to
             from payout_holds where released_at is null order by id`,
  })
  return rows
}

// SQL condition on a refund `p`: its source now holds less than the refunds of that source (I58).
const IS_UNCOVERED = `
  (select sum(q.amount_kobo) from payouts q
    where q.credit_id = p.credit_id and q.item_id is not distinct from p.item_id
      and q.refund_id is not null and q.status not in ('failed', 'cancelled'))
  > case when p.item_id is null
         then (select c.amount_kobo - c.suspended_kobo - c.reversed_kobo
                 from credits c where c.id = p.credit_id)
         else coalesce((select i.amount_kobo from suspense_items i
                         where i.id = p.item_id and i.state = 'assigned'), 0) end`

// SQL condition: the bank itself took back a credit that is being returned, so the payer has the money (I59).
// If one return of the credit fails, its money first covers the shortfall. Another return of the credit may
// then have enough money again.
export const isTakenBack = (creditId: string) => `
  exists (select from reversals v where v.credit_id = ${creditId} and v.shortfall_kobo > 0)`

// The blocks that come from an operator who stopped a whole client. The client's payouts wait until it is
// resumed or the hold ends. They raise no alert, because the operator stopped them on purpose.
const STOPPED = ['client_suspended', 'client_held'] as const
const IS_STOPPED = `in ('${STOPPED.join("', '")}')`

// SQL condition on a payout `p`: a screening rule is in force that the payout was not screened by, or the
// rule's list has changed since the screening (I147).
export const isUnscreened = (now: string) => `
  exists (select from screening_rules r
           where r.subject = 'payout' and r.effective_from <= ${now}
             and (r.effective_to is null or r.effective_to > ${now})
             and (p.screening is distinct from 'clear'
                  or p.screened_at < greatest(r.effective_from,
                       (select max(l.effective_from) from screening_lists l
                         where l.name = r.params ->> 'list' and l.effective_from <= ${now}))))`

// SQL condition on a payout `p`: screening stopped it, or must screen it again before it is sent.
export const isUnderReview = (now: string) =>
  `(p.screening is not distinct from 'held' or ${isUnscreened(now)})`

// SQL condition on a payout `p`: it is in a file that cannot have been downloaded, and no bank has reported
// it.
const IS_IN_UNSENT_FILE = `
  (p.status = 'sending' and not (p.${MAY_HAVE_BEEN_SENT})
   and exists (select from payout_files f
                where f.id = p.batch_id and f.downloaded_at is null and f.not_delivered_at is null)
   and not exists (select from payout_results r where r.payout_id = p.id))`

// SQL condition on a payout `p`: no bank can have received it yet, so screening may still stop it.
export const MAY_BE_STOPPED = `
  (p.status in ('queued', 'sending') and (p.status = 'queued' or ${IS_IN_UNSENT_FILE}))`

// A queued payout is blocked if the client is suspended (I97) or all its money is held (I130), if screening
// stopped it (I147), if its bank account must not be paid any more, or if the bank took back the money that
// would be refunded or returned. Blocked payouts wait. They can be cancelled or, if they are returns, failed.
// Operators are alerted.
//
// SQL scalar: why the payout `p` is blocked, or null if it is not. An account whose name has changed since
// the request is not the account that was approved.
export const BLOCKED = `
  case when exists (select from clients where clients.id = p.client_id and not clients.is_active)
       then 'client_suspended'
       when ${isAllHeld('p.client_id')} then 'client_held'
       when p.screening = 'held' then 'payout_under_review'
       when p.bank_account_id is not null
       then (select case when not b.is_active then 'bank_account_inactive'
                         when b.status = 'mismatch' or p.to_account_name
                              not in (b.account_name, coalesce(b.name_at_bank, b.account_name))
                         then 'bank_account_mismatch' end
               from bank_accounts b where b.id = p.bank_account_id)
       when p.refund_id is not null and ${IS_UNCOVERED} then 'refund_credit_reversed'
       when p.purpose = 'return' and ${isTakenBack('p.credit_id')} then 'return_credit_reversed' end`

export const BLOCKS = [
  ...STOPPED,
  'payout_under_review',
  'bank_account_inactive',
  'bank_account_mismatch',
  'refund_credit_reversed',
  'return_credit_reversed',
] as const satisfies readonly RefusalCode[]
type Block = (typeof BLOCKS)[number]

// Returns why a queued payout is blocked. Returns null if it is not queued, or if nothing blocks it.
export async function findBlock(db: Queryable, id: PayoutId): Promise<Block | null> {
  const { rows } = await db.query<{ block: Block | null }>({
    name: 'find-payout-block',
    text: `select ${BLOCKED} as block from payouts p where p.id = $1 and p.status = 'queued'`,
    values: [id],
  })
  return rows[0]?.block ?? null
}

// SQL condition on a payout `p`: it is queued, or screening stopped it in a file that was never downloaded.
const IS_WAITING = `(p.status = 'queued' or p.status = 'sending' and p.screening = 'held')`

// Alerts operators of blocked payouts, and clears the alerts of payouts that are not blocked any more. A
// client that an operator stopped on purpose (IS_STOPPED) raises no alert.
export async function alertBlocked(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<{ reference: string; bankCode: string; block: Block }>({
    name: 'blocked-payouts',
    text: `select p.reference, p.bank_code, w.block
             from payouts p cross join lateral (select ${BLOCKED} as block) as w
            where ${IS_WAITING} and w.block not ${IS_STOPPED}
              and not exists (select from alerts
                               where kind = 'payout_blocked' and cleared_at is null
                                 and subject = 'payout/' || p.reference)
            order by p.id limit 100`,
  })
  const alerts = rows.map(({ reference, bankCode, block }) => ({
    kind: 'payout_blocked' as const,
    subject: `payout/${reference}`,
    detail: { bankCode, reason: block },
  }))
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
  await clearUnblocked(tx, now)
}

// Clears alerts of payouts that are no longer waiting or no longer blocked.
async function clearUnblocked(tx: Transaction, now: Date): Promise<void> {
  await tx.query({
    name: 'clear-unblocked-payouts',
    text: `update alerts set cleared_at = $1
            where kind = 'payout_blocked' and cleared_at is null
              and not exists (select from payouts p
                               where p.reference = substr(subject, length('payout/') + 1)
                                 and ${IS_WAITING} and ${BLOCKED} not ${IS_STOPPED})`,
    values: [now],
  })
}

const MOVED_REASON =
  'The database was moved to another server without a synchronous standby: it may lack the last payouts.'

type DatabaseComparison = {
  identity: string // Identifies the present server.
  wasSynchronous: boolean | null // Whether commits of the last noted database waited for a standby.
  isMoved: boolean // Whether the present database is another than the last noted one.
  isOtherCluster: boolean // Whether it comes from a dump or copy, and not from a promoted standby.
}

// Detects that the database is not the same as before: a standby was promoted, or a backup was restored. The
// last commits of the old database may be missing, and a payout that was sent may be queued again.
//
//   promoted, commits waited for a standby   noted: the new database has every payout that was sent
//   promoted, commits did not wait           held, as after a restore: workers only query banks (I82)
//   another cluster                          held: it comes from a dump or a copy, never from a promotion
//
// Nothing is sent between the move and its detection either: HELD compares the two identities in the
// transaction that claims payouts (I89).
//
// Compares the database with the one that was last noted. If the database moved and may lack the last
// commits, holds payouts. Then notes the present database.
export async function holdIfDatabaseMoved(tx: Transaction, now: Date): Promise<void> {
  const { isSynchronous } = await readReplication(tx)
  // Most rounds end here, without the lock.
  const unlocked = await compareWithKnownDatabase(tx)
  if (!unlocked || (!unlocked.isMoved && unlocked.wasSynchronous === isSynchronous)) return
  await awaitSenders(tx)
  // Compares again: another worker may have noted the move before this one got the lock.
  const comparison = await compareWithKnownDatabase(tx)
  if (!comparison) return
  const { identity, isMoved, isOtherCluster, wasSynchronous } = comparison
  if (isMoved && (isOtherCluster || !wasSynchronous)) {
    await holdPayouts(tx, now, { reason: MOVED_REASON, by: 'worker', restoredTo: now })
  }
  await storeKnownDatabase(tx, now, { identity, isSynchronous })
}

// Notes the present database after a restore. Payouts are held already.
async function noteDatabase(tx: Transaction, now: Date): Promise<void> {
  const comparison = await compareWithKnownDatabase(tx)
  if (!comparison) return
  const { isSynchronous } = await readReplication(tx)
  await storeKnownDatabase(tx, now, { identity: comparison.identity, isSynchronous })
}

// Compares the identity of the connected database with the identity that was stored last, to detect a move to
// another server or cluster. An identity begins with the id of the cluster and a slash. Returns undefined if
// the server does not report one.
async function compareWithKnownDatabase(db: Queryable): Promise<DatabaseComparison | undefined> {
  const { rows } = await db.query<DatabaseComparison>({
    name: 'read-known-database',
    text: `select c.identity, k.is_synchronous as was_synchronous,
                  coalesce(k.identity <> c.identity, false) as is_moved,
                  coalesce(split_part(k.identity, '/', 1) <> split_part(c.identity, '/', 1), false)
                    as is_other_cluster
             from (select current_database_identity() as identity) as c
             left join known_database k on true
            where c.identity is not null`,
  })
  return rows[0]
}

// Stores the identity of the database, for later comparisons.
async function storeKnownDatabase(
  tx: Transaction,
  now: Date,
  { identity, isSynchronous }: { identity: string; isSynchronous: boolean },
): Promise<void> {
  await tx.query({
    name: 'write-known-database',
    text: `insert into known_database (identity, is_synchronous, noted_at) values ($1, $2, $3)
           on conflict (is_only) do update
              set identity = $1, is_synchronous = $2, noted_at = $3`,
    values: [identity, isSynchronous, now],
  })
}

const IDS_SKIPPED = 10_000_000
const NUMBERS_SKIPPED_MIN = 1_000
const NUMBERS_SKIPPED_PERCENT = 1
const QUARANTINE_DAYS = 30 // The default of MANILLA_QUARANTINE_DAYS.

type Restore = {
  now: Date
  restoredTo: Date
  by: string
  skipNumbers?: number | undefined // Per range. Defaults to 1%, at least 1,000.
}

export type ClientPosition = { clientId: string; lastSequence: bigint }

// Prepares a database that was restored to an earlier moment, before any process uses it. The database has
// lost all changes since that moment, but banks, clients and payers still act on them:
//
//   payouts    held; the bank is queried about known ones, which are never sent (I82)
//   numbers    numbers that may have been issued since are never issued again: a payer may use them
//   ids        continue far above all that clients may have seen
//
// Events keep their sequence, without gaps (I5); consumers must be informed (docs/backup.md).
export async function settleAfterRestore(tx: Transaction, restore: Restore): Promise<void> {
  const { now, restoredTo, by, skipNumbers } = restore
  await skipIds(tx)
  await skipRangeNumbers(tx, skipNumbers)
  await forgetPools(tx)
  await quarantineNumbers(tx, now)
  const reason = 'The database was restored.'
  await holdPayouts(tx, now, { reason, by, restoredTo })
  await noteDatabase(tx, now)
}

// Advances every sequence of ids by IDS_SKIPPED. Public ids are derived from these ids (src/ids.ts), so a
// reused id would name two objects. Includes empty tables: their first rows may be among the lost changes.
async function skipIds(tx: Transaction): Promise<void> {
  await tx.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass,
                   coalesce(last_value, start_value) + $1)
       from pg_sequences where schemaname = current_schema()`,
    [IDS_SKIPPED],
  )
}

// Skips `count` numbers of every range, or a percentage if no count is set: customers of lost accounts may
// hold these numbers. Includes unused ranges, whose first numbers may be among them. Skips at most half of
// the remaining numbers, so that a small range is not used up.
async function skipRangeNumbers(tx: Transaction, count: number | undefined): Promise<void> {
  await tx.query(
    `update number_ranges r
        set next_index = r.next_index + least(
              coalesce($1::bigint, greatest($2, size * $3 / 100)), (size - r.next_index) / 2)
       from (select id, last_serial - first_serial + 1 as size from number_ranges) as s
      where s.id = r.id`,
    [count ?? null, NUMBERS_SKIPPED_MIN, NUMBERS_SKIPPED_PERCENT],
  )
}

// Forgets the reservations, so that banks reserve new numbers. A repeated reservation request would return
// the old numbers.
async function forgetPools(tx: Transaction): Promise<void> {
  await tx.query(`delete from reserved_numbers where state in ('asked', 'available')`)
}

// Restarts the quarantine of numbers whose quarantine had ended: the lost changes may include a new lease of
// such a number.
async function quarantineNumbers(tx: Transaction, now: Date): Promise<void> {
  await tx.query(
    `update numbers set reusable_at = $1::timestamptz + make_interval(days => $2)
      where payment_id is not null and reusable_at <= $1`,
    [now, QUARANTINE_DAYS],
  )
}

// Returns the number of the last event that the database has for each client. A consumer may have received
// later events, which the database has lost.
export async function lastSequences(tx: Transaction): Promise<ClientPosition[]> {
  const { rows } = await tx.query<ClientPosition>(
    `select c.client_id, e.sequence as last_sequence
       from event_counters e join clients c on c.id = e.client_id
      where e.sequence > 0 order by c.client_id`,
  )
  return rows
}
