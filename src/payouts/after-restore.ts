// Prepares a database that was restored to an earlier moment, before anybody uses it. The database has lost
// all changes since that moment, but banks, clients and payers still act on them:
//
//   payouts    held; known ones are queried at the bank, never sent (holds.ts, I82)
//   numbers    numbers that may have been issued since are never issued again: a payer may use them
//   ids        continue far above all that clients may have seen
//
// Events keep their sequence, without gaps (I5); consumers must be informed (docs/backup.md).

import type { Transaction } from '#db/transaction.ts'
import { holdPayouts, noteDatabase } from './holds.ts'

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

// Public ids are derived from these ids (public-ids.ts), so a reused id would name two objects. Skips ids of
// empty tables too: their first rows may be among the lost changes.
async function skipIds(tx: Transaction): Promise<void> {
  await tx.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass,
                   coalesce(last_value, start_value) + $1)
       from pg_sequences where schemaname = current_schema()`,
    [IDS_SKIPPED],
  )
}

// Skips numbers in unused ranges too: lost customers may hold their first numbers. Skips at most half of the
// remaining numbers, so that a small range is not used up.
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

// The last event that the database has for each client. A consumer may have received later events, which the
// database has lost.
export async function lastSequences(tx: Transaction): Promise<ClientPosition[]> {
  const { rows } = await tx.query<ClientPosition>(
    `select c.client_id, e.sequence as last_sequence
       from event_counters e join clients c on c.id = e.client_id
      where e.sequence > 0 order by c.client_id`,
  )
  return rows
}
