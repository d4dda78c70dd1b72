// Holds payouts: while a hold is open nothing is sent to any bank, by a connector, in a file or by hand
// (I82): no file is given out, and no number of a payer's. They can still be requested, approved, asked
// for and settled.
//
// A restored database is held from the start, and so is a standby that was promoted without having been
// synchronous (follow-database.ts): it does not know what was sent after the moment it was restored to.
// What had been requested by then may have been sent, so it never is again; the bank is asked
// (unknown-payouts.ts). What was requested later is unknown to it, and found in a bank's statement.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { clearAlert, raiseAlerts } from '#domain/records/alerts.ts'
import { appendEvents } from '#domain/records/outbox.ts'
import { awaitSenders } from '#domain/records/sending-lock.ts'
import { timestamp } from '#wat-time.ts'

const ALERT = { kind: 'payouts_held', subject: 'payouts' } as const

// Conditions on a row of `payouts`. A database that is another one than was known is held before anybody has
// noticed (follow-database.ts).
export const HELD = `(exists (select from payout_holds where released_at is null)
                      or exists (select from known_database
                                  where identity <> (select current_database_identity())))`
const LAST_RESTORED = 'coalesce((select max(last_payout_id) from payout_holds), 0)'
export const MAY_BE_SENT = `not ${HELD} and id > ${LAST_RESTORED}`
export const MAY_HAVE_BEEN_SENT = `id <= ${LAST_RESTORED}`
// When nothing was ever restored: null.
export const LAST_RESTORED_AT =
  '(select max(held_at) from payout_holds where restored_to is not null)'

export type PayoutHold = { reason: string; heldBy: string; heldAt: Date; restoredTo: Date | null }

type Holding = { reason: string; by: string; restoredTo?: Date }

export async function holdPayouts(
  tx: Transaction,
  now: Date,
  { reason, by, restoredTo }: Holding,
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

// Of whoever awaited holders before.
export async function arePayoutsHeld(tx: Transaction): Promise<boolean> {
  const { rows } = await tx.query<{ isHeld: boolean }>({
    name: 'are-payouts-held',
    text: `select ${HELD} as "isHeld"`,
  })
  return rows[0]?.isHeld === true
}

// Answers how many holds were open.
export async function releasePayouts(tx: Transaction, now: Date, by: string): Promise<number> {
  const { rowCount } = await tx.query({
    name: 'release-payouts',
    text: `update payout_holds set released_at = $1, released_by = $2 where released_at is null`,
    values: [now, by],
  })
  await clearAlert(tx, now, ALERT)
  return rowCount ?? 0
}

export async function listHolds(db: Queryable): Promise<PayoutHold[]> {
  const { rows } = await db.query<PayoutHold>({
    name: 'list-payout-holds',
    text: `select reason, held_by as "heldBy", held_at as "heldAt", restored_to as "restoredTo"
             from payout_holds where released_at is null order by id`,
  })
  return rows
}
