// Closes settlements on schedule, and alerts operators before the calendar of holidays runs out.
//
// Any number of processes may close settlements: the process that advances a client's schedule closes the
// slot in the same transaction, so each slot is closed once (I54). Missed slots are closed later, in order,
// each with its own cut-off. A slot with nothing to settle, or with less than the minimum, is skipped.

import type { BankConnections } from '#banks/connector.ts'
import type { Clock } from '#clock.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { Refusal, type RefusalCode } from '#errors.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import type { Sealer } from '#seal.ts'
import type { Round } from '#workers/loop.ts'
import { closeSettlement } from './close.ts'
import { readHolidays, watchHolidays } from './holidays.ts'
import { nextSlot, type Slot } from './schedule.ts'
import { claimSlot, listScheduled, type ScheduledClient } from './settings.ts'

export type CloseSettlementsDeps = {
  db: Pool
  settlementPool: Pool
  sharedAccounts: SharedAccounts
  sealer: Sealer
  bankConnections: BankConnections
  clock: Clock
}

const ACTOR = 'schedule'
// The refusals for which a slot is skipped: at its cut-off there was nothing or not enough to settle, or a
// settlement with a later cut-off was closed by hand.
const SKIPPED: readonly RefusalCode[] = [
  'settlement_empty',
  'settlement_below_minimum',
  'cut_off_passed',
]

// The refusals for which the next round tries the slot again.
const TEMPORARY: readonly RefusalCode[] = ['settlement_in_progress', 'client_suspended']

// One round of the worker: closes the next slot of each client whose slot is due.
export function closeSettlementsRound(deps: CloseSettlementsDeps): Round {
  const { db, clock } = deps
  return async (signal) => {
    const failures: unknown[] = []
    let more = false
    const holidays = await readHolidays(db)
    for (const client of await listScheduled(db)) {
      const slot = nextSlot(client.schedule, client.handledTo, holidays)
      if (signal.aborted || !slot || slot.at > clock()) continue
      try {
        await closeSlot(deps, client, slot)
        more = true // Another missed slot may follow.
      } catch (error) {
        if (isTemporary(error)) continue // The next round tries again.
        failures.push(error) // A failed slot must not delay others.
      }
    }
    if (failures.length > 0) throw failures[0]
    return { more }
  }
}

// Claims a slot and closes its settlement in one transaction. A settlement that is empty or below the
// minimum rolls back; then only the slot is marked as handled.
async function closeSlot(
  deps: CloseSettlementsDeps,
  client: ScheduledClient,
  { at, cutOff }: Slot,
): Promise<void> {
  const { settlementPool, clock } = deps
  const { clientId, minimumKobo } = client
  try {
    await withTransaction(settlementPool, async (tx) => {
      if (!(await claimSlot(tx, client, at))) return
      const closing = { clientId, cutOff, minimumKobo, actor: ACTOR, userId: null }
      await closeSettlement(tx, { ...deps, now: clock() }, closing)
    })
  } catch (error) {
    if (!(error instanceof Refusal) || !SKIPPED.includes(error.code)) throw error
    await withTransaction(settlementPool, (tx) => claimSlot(tx, client, at))
  }
}

// Whether a later round may succeed: another process is closing a settlement of the client, or the client
// has just been suspended.
function isTemporary(error: unknown): boolean {
  return error instanceof Refusal && TEMPORARY.includes(error.code)
}

export function watchHolidaysRound({ db, clock }: { db: Pool; clock: Clock }): Round {
  return async () => {
    await withTransaction(db, (tx) => watchHolidays(tx, clock()))
    return { more: false }
  }
}
