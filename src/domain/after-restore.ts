// What a database needs that was restored to an earlier moment, before anybody uses it. It has
// forgotten what happened since, but banks, clients and payers have not:
//
//   payouts    held; those that were known are asked for, never sent (payouts/hold-payouts.ts, I82)
//   numbers    those that may have been issued since are never issued again: a payer may still use them
//   ids        continue far above all that clients may have seen
//
// Events keep their sequence, without gaps (I5): consumers are told (docs/backup.md).

import type { Transaction } from '#db/transaction.ts'
import { noteDatabase } from '#domain/payouts/follow-database.ts'
import { holdPayouts } from '#domain/payouts/hold-payouts.ts'

const IDS_SKIPPED = 10_000_000
const NUMBERS_SKIPPED_MIN = 1_000
const NUMBERS_SKIPPED_PERCENT = 1
const QUARANTINE_DAYS = 30 // As MANILLA_QUARANTINE_DAYS unless set.

type Restore = {
  now: Date
  restoredTo: Date
  by: string
  skipNumbers?: number | undefined // How many of each range; undefined: at least 1,000, and 1%.
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

// Public ids are made of these (public-ids.ts): one that is given twice would name two things. Also
// of tables that are empty: their first rows may be lost.
async function skipIds(tx: Transaction): Promise<void> {
  await tx.query(
    `select setval(format('%I.%I', schemaname, sequencename)::regclass,
                   coalesce(last_value, start_value) + $1)
       from pg_sequences where schemaname = current_schema()`,
    [IDS_SKIPPED],
  )
}

// Also of ranges that are untouched: the first numbers may be lost customers'. At most half of what is
// left, so that a small range is not used up.
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

// Banks reserve others. Asked again, they would answer the same.
async function forgetPools(tx: Transaction): Promise<void> {
  await tx.query(`delete from reserved_numbers where state in ('asked', 'available')`)
}

// Those whose quarantine had ended may have been leased again.
async function quarantineNumbers(tx: Transaction, now: Date): Promise<void> {
  await tx.query(
    `update numbers set reusable_at = $1::timestamptz + make_interval(days => $2)
      where payment_id is not null and reusable_at <= $1`,
    [now, QUARANTINE_DAYS],
  )
}

// The last event of each client: what consumers have beyond it is no longer ours.
export async function lastSequences(tx: Transaction): Promise<ClientPosition[]> {
  const { rows } = await tx.query<ClientPosition>(
    `select c.client_id as "clientId", e.sequence as "lastSequence"
       from event_counters e join clients c on c.id = e.client_id
      where e.sequence > 0 order by c.client_id`,
  )
  return rows
}
