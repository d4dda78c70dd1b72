// Since when the ledger has every transfer. Of months that are archived (src/domain/archive) one transfer
// stands for many: sums over all of them are right, and what a period before that brought is in files.

import { Refusal } from '#errors.ts'
import type { Queryable } from './pool.ts'
import type { Window } from './time-bounds.ts'

// Undefined: nothing is archived.
export async function archivedBefore(db: Queryable): Promise<Date | undefined> {
  const { rows } = await db.query<{ at: Date | null }>({
    name: 'archived-before',
    text: 'select max(ends_at) as at from archives',
  })
  return rows[0]?.at ?? undefined
}

// A moment whose balances can be told, as the caller's `field` asks for it.
export async function requireKept(db: Queryable, at: Date, field = 'at'): Promise<void> {
  const before = await archivedBefore(db)
  if (before && at < before) throw refusal(before, field)
}

// The window, from where the ledger is whole; refused if it begins or ends before that.
export async function keptWindow(db: Queryable, { from, to }: Window): Promise<Window> {
  const before = await archivedBefore(db)
  if (!before) return { from, to }
  if (from && from < before) throw refusal(before, 'from')
  if (to && to <= before) throw refusal(before, 'to')
  return { from: from ?? before, to }
}

function refusal(before: Date, field: string): Refusal {
  const message = `The ledger goes back to ${before.toISOString()}; what was before is archived.`
  return new Refusal('period_archived', [{ field, message }])
}
