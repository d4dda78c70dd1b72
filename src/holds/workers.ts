// The workers of holds: fill holds that lack money as soon as money arrives, so that the available balance is
// right, hold the accounts that held people open later, and alert operators to deadlines of holds.

import { type Transaction, withTransaction } from '#db/transaction.ts'
import type { SharedAccounts } from '#ledger/accounts.ts'
import { alertDeadlines } from '#records/alerts.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { fillHolds, findFillable, HELD_CLIENT } from './hold.ts'
import { findWaitingClient, holdLaterAccounts } from './person.ts'

type Filling = Pick<Deps, 'db' | 'clock'> & { sharedAccounts: SharedAccounts }

// Moves money that has arrived since to holds that lack money, for one client per call. A hold lacks money if
// the accounts had less than its amount when it was placed. `more` tells the loop to call again at once.
export function fillHoldsRound({ db, clock, sharedAccounts }: Filling): Round {
  return async () => {
    const clientId = await findFillable(db)
    if (clientId === null) return { more: false }
    const fill = (tx: Transaction) => fillHolds(tx, { now: clock(), sharedAccounts }, clientId)
    return { more: await withTransaction(db, fill) }
  }
}

// Places the holds on accounts that held people have opened since, for one client per call, and then
// announces them.
export function holdPeopleRound({ db, clock, sharedAccounts }: Filling): Round {
  return async () => {
    const clientId = await findWaitingClient(db)
    const hold = (tx: Transaction) =>
      holdLaterAccounts(tx, { now: clock(), sharedAccounts }, clientId)
    return { more: await withTransaction(db, hold) }
  }
}

// Raises the alerts of hold deadlines that are due, in batches.
export function alertHoldDeadlinesRound({ db, clock }: Pick<Deps, 'db' | 'clock'>): Round {
  return async () => ({
    more: await withTransaction(db, (tx) => alertHoldDeadlines(tx, clock())),
  })
}

// SQL: the alerts that are due at $1.
const PENDING = `
  select case when h.deadline_at <= $1 then 'hold_deadline_missed'
              else 'hold_deadline_near' end as kind,
         h.reference as subject,
         jsonb_build_object('hold', h.reference, 'client', ${HELD_CLIENT}) as detail,
         h.deadline_at as due_at
    from holds h join clients k on k.id = h.client_id
   where h.state = 'active' and h.deadline_at <= $1::timestamptz + interval '1 day'`

// Alerts operators a day before the deadline of an active hold, and when it has passed. The hold itself
// stays: only two people can release or forfeit held money (end.ts).
//
// Returns whether more deadlines may be due.
async function alertHoldDeadlines(tx: Transaction, now: Date): Promise<boolean> {
  const kinds = ['hold_deadline_near', 'hold_deadline_missed'] as const
  return alertDeadlines(tx, now, { name: 'hold-deadlines', kinds, pending: PENDING })
}
