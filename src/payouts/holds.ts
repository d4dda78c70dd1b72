// Everything that keeps payouts from being sent: holds of all payouts, blocks of single payouts, and the
// holds that follow a restore or a move of the database.
//
// While a hold of payouts is open, nothing is sent to any bank, by a connector, in a file or by hand (I82).
// No file can be downloaded, and no payer's account number is shown. Payouts can still be requested,
// approved, queried and settled.
//
// A restored database is held from the start, and so is every database that was moved to another server
// (I89). Such a database does not know which payouts were sent after the moment that it was restored to.
// Payouts requested by that moment may have been sent, so they are never sent again; workers query the bank
// (unknown.ts). Later payouts are missing, and appear in the bank's statement.
//
//   restored, another cluster, or a standby for which commits did not wait   changes are lost
//   a standby for which commits waited   the operator decides at the release: if nothing is missing, what was
//                                        queued is sent; if not, changes are lost. Until then nothing is
//                                        sent, cancelled or queried. No server can decide it: a standby may
//                                        have stopped following since, and does not know that it did

import { timestamp } from '#clock.ts'
import { readReplication } from '#db/health.ts'
import { IS_LOSS, IS_MOVED, LAST_DOUBTFUL_PAYOUT } from '#db/moved-database.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { RefusalCode } from '#errors.ts'
import { isAllHeld } from '#holds/hold.ts'
import type { PayoutId } from '#ids.ts'
import { clearAlert, raiseAlerts } from '#records/alerts.ts'
import { awaitSenders } from '#records/call-rates.ts'
import { appendEvents } from '#records/events.ts'

const ALERT = { kind: 'payouts_held', subject: 'payouts' } as const

// SQL condition: payouts are held. It is also true on a server that is not the noted one.
export const HELD = `(exists (select from payout_holds where released_at is null) or ${IS_MOVED})`
// SQL conditions on a row of `payouts`: it may be sent now; it may have been sent without this database
// knowing. Whatever asks if a payout was surely not sent must ask the second (I211).
export const MAY_BE_SENT = `not ${HELD} and id > ${LAST_DOUBTFUL_PAYOUT}`
export const MAY_HAVE_BEEN_SENT = `id <= ${LAST_DOUBTFUL_PAYOUT}`
// SQL condition on a row of `payouts`: it may have been sent, and the bank is queried about it.
export const IS_QUERIED_AFTER_LOSS = `id <= coalesce((select max(last_payout_id) from payout_holds
                                                       where ${IS_LOSS}), 0)`
// SQL scalar: when the last hold ended.
export const LAST_RELEASED_AT = '(select max(released_at) from payout_holds)'

type PayoutHold = {
  reason: string
  heldBy: string
  heldAt: Date
  restoredTo: Date | null
  mayLackNothing: boolean // Whether an operator may say at the release that nothing is missing.
}

// Stops all payouts until releasePayouts().
export async function holdPayouts(
  tx: Transaction,
  now: Date,
  { reason, by }: { reason: string; by: string },
): Promise<void> {
  await awaitSenders(tx)
  await tx.query({
    name: 'hold-payouts',
    text: 'insert into payout_holds (reason, held_by, held_at) values ($1, $2, $3)',
    values: [reason, by, now],
  })
  await alertHeld(tx, now)
}

// Alerts operators of a hold of which no alert is open. Settling a move of the database raises none itself.
export async function alertHeld(tx: Transaction, now: Date): Promise<void> {
  const { rows } = await tx.query<Pick<PayoutHold, 'reason' | 'restoredTo'>>({
    name: 'unalerted-payout-hold',
    text: `select reason, restored_to from payout_holds
            where released_at is null
              and not exists (select from alerts
                               where kind = $1 and subject = $2 and cleared_at is null)
            order by id desc limit 1`,
    values: [ALERT.kind, ALERT.subject],
  })
  const alerts = rows.map(({ reason, restoredTo }) => {
    return {
      ...ALERT,
      detail: { reason, ...(restoredTo && { restoredTo: timestamp(restoredTo) }) },
    }
  })
  await appendEvents(tx, now, await raiseAlerts(tx, now, alerts))
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

// Ends all open holds of payouts. Returns how many there were. With `lacksNothing`, an operator knows that
// the server to which the database was moved lacks nothing: payouts from before the move are sent, and the
// account numbers that were skipped are issued. Where nobody can know that, changes nothing and returns
// undefined.
export async function releasePayouts(
  tx: Transaction,
  now: Date,
  by: string,
  { lacksNothing = false }: { lacksNothing?: boolean | undefined } = {},
): Promise<number | undefined> {
  await awaitSenders(tx)
  const holds = await listHolds(tx)
  const moves = holds.filter(({ restoredTo }) => restoredTo !== null)
  if (lacksNothing && moves.some(({ mayLackNothing }) => !mayLackNothing)) return undefined
  await tx.query({
    name: 'release-payouts',
    text: `update payout_holds
              set released_at = $1, released_by = $2, lacks_nothing = $3 and may_lack_nothing
            where released_at is null`,
    values: [now, by, lacksNothing],
  })
  if (lacksNothing && moves.length > 0) {
    await tx.query({ name: 'free-gaps', text: 'update number_ranges set is_gap_free = true' })
  }
  await clearAlert(tx, now, ALERT)
  return holds.length
}

// Lists the open holds of payouts.
export async function listHolds(db: Queryable): Promise<PayoutHold[]> {
  const { rows } = await db.query<PayoutHold>({
    name: 'list-payout-holds',
    text: `select reason, held_by, held_at, restored_to, may_lack_nothing
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
  (p.status = 'sending'
   and exists (select from payout_files f
                where f.id = p.batch_id and f.downloaded_at is null and f.not_delivered_at is null)
   and not exists (select from payout_results r where r.payout_id = p.id))`

// SQL condition on a payout `p`: no bank can have received it yet, so screening may still stop it.
export const MAY_BE_STOPPED = `
  (p.status in ('queued', 'sending') and not (p.${MAY_HAVE_BEEN_SENT})
   and (p.status = 'queued' or ${IS_IN_UNSENT_FILE}))`

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

// Notes when this server was started, and whether commits wait for a standby here. If the database moves,
// that decides whether an operator may say that nothing is missing. Notes the server too, if none was noted
// before.
export async function noteDatabase(tx: Transaction, now: Date): Promise<void> {
  const { isSynchronous } = await readReplication(tx)
  await tx.query({
    name: 'note-database',
    text: `insert into known_database (identity, is_synchronous, noted_at, server_started_at)
           select identity, $1, $2, pg_postmaster_start_time()
             from current_database_identity() as identity
            where identity is not null
              and not exists (select from known_database
                               where is_synchronous = $1
                                 and server_started_at = pg_postmaster_start_time())
           on conflict (is_only) do update
              set is_synchronous = $1, noted_at = $2, server_started_at = pg_postmaster_start_time()`,
    values: [isSynchronous, now],
  })
}

type Restore = {
  now: Date
  restoredTo: Date
  by: string
  skipNumbers?: number | undefined // Per range. Defaults to 1%, at least 1,000.
}

export type ClientPosition = { clientId: string; lastSequence: bigint }

// Prepares a database that was restored to an earlier moment, before any process uses it. The database has
// lost all changes since that moment (db/functions/settle_lost_changes.sql).
//
// Events keep their sequence, without gaps (I5); consumers must be informed (docs/backup.md).
export async function settleAfterRestore(tx: Transaction, restore: Restore): Promise<void> {
  const { now, restoredTo, by, skipNumbers } = restore
  const reason = 'The database was restored.'
  await tx.query({
    name: 'settle-lost-changes',
    text: 'select settle_lost_changes($1, $2, $3, $4, false, $5)',
    values: [reason, by, now, restoredTo, skipNumbers ?? null],
  })
  await noteDatabase(tx, now)
  await alertHeld(tx, now)
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
