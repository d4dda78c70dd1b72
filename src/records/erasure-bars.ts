// Keeps personal data that a hold or an open case needs (I250). The SQL function erasure_bars() returns the
// holds and cases that bar the erasure of a collection account, an advice or a credit; triggers refuse an
// erasure that they bar.
//
// An erasure and the placing of a hold exclude each other, by an advisory lock that each takes before any
// other lock: an erasure alone, and holds and cases together (a trigger takes it again). So an erasure that
// begins after a hold was committed sees it, and a hold is placed before or after a page of an erasure.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import type { AccountId, AdviceId, ClientId } from '#ids.ts'

const LOCK = `hashtext('erasures')`

// Waits for the holds and cases that are being opened, and keeps out new ones until the erasure ends.
export async function lockErasures(tx: Transaction): Promise<void> {
  await tx.query({ name: 'lock-erasures', text: `select pg_advisory_xact_lock(${LOCK})` })
}

// Waits for a page of an erasure that is running. Called before a hold is placed or a case is opened.
export async function lockOutErasures(tx: Transaction): Promise<void> {
  await tx.query({
    name: 'lock-out-erasures',
    text: `select pg_advisory_xact_lock_shared(${LOCK})`,
  })
}

export type Bars = { holds: string[]; cases: string[] } // References.

type Subject = { clientId: ClientId; accountId?: AccountId; adviceId?: AdviceId }

// Returns the references of the holds and cases that bar an erasure, or null if nothing does.
export async function findBars(
  db: Queryable,
  { clientId, accountId, adviceId }: Subject,
): Promise<Bars | null> {
  const { rows } = await db.query<{ kind: 'hold' | 'case'; reference: string }>({
    name: 'bars-of-erasure',
    text: 'select kind, reference from erasure_bars($1, $2, $3, null) order by reference',
    values: [clientId, accountId ?? null, adviceId ?? null],
  })
  if (rows.length === 0) return null
  const referencesOf = (kind: string) =>
    rows.filter((row) => row.kind === kind).map(({ reference }) => reference)
  return { holds: referencesOf('hold'), cases: referencesOf('case') }
}

// SQL subquery: the clients all of whose data is kept.
export const WHOLLY_BARRED_CLIENTS = `
  select client_id from holds where state = 'active' and target = 'client'
  union select client_id from cases where state <> 'closed' and client_id is not null`
