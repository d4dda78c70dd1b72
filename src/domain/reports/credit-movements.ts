// The movements of a client's money, transfer by transfer (movements.ts), each with the credit that
// brought it in. A movement has the time of its booking and never changes: a later reversal is a movement
// of its own, on its own day. So the report of a past day never changes.

import { numberArray } from '#db/arrays.ts'
import { ORDER_SQL } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { type CreditQuery, type CreditTrace, listCredits } from '#domain/credits/credit-list.ts'
import type { Sums } from '#domain/records/movements.ts'
import type { CreditId, TransferId } from '#ids.ts'
import { CREDIT_REFUNDS } from './refund-movements.ts'

export type CreditMovement = Sums & {
  id: TransferId
  creditId: CreditId
  reason: string // The transfer's: credit, assign, suspend, returned, reversal, fee, fee_vat, refunded.
  postedAt: Date
  assignedTo: string | null // Payment, or number of a collection account.
  credit: CreditTrace
}

// Pages by credit: a page has all movements of its credits within the window, in booking order. `next` is
// the last credit, if there may be more.
export async function listMovements(
  db: Queryable,
  query: CreditQuery,
): Promise<{ rows: CreditMovement[]; next: bigint | null }> {
  const { viewer, filters, order = 'newest' } = query
  const credits = await listCredits(db, { ...query, filters: { ...filters, by: 'movement' } })
  const byId = new Map(credits.map((credit) => [credit.id, credit]))
  const { sort } = ORDER_SQL[order]
  const { rows } = await db.query<Omit<CreditMovement, 'credit'>>({
    name: `list-movements-${sort}`,
    text: `select m.id, m.credit_id as "creditId", m.reason, m.posted_at as "postedAt",
                  m.gross_kobo as "grossKobo", m.reversed_kobo as "reversedKobo",
                  m.returned_kobo as "returnedKobo", m.suspended_kobo as "suspendedKobo",
                  m.fees_kobo as "feesKobo", m.refunded_kobo as "refundedKobo",
                  (select s.reference from suspense_items i
                     join suspense_changes s on s.item_id = i.id
                    where i.credit_id = m.credit_id and m.reason = 'assign'
                      and s.change = 'assigned' and s.changed_at = m.posted_at
                    limit 1) as "assignedTo"
             from (select id, credit_id, reason, posted_at, gross_kobo, reversed_kobo,
                          returned_kobo, suspended_kobo, fees_kobo, 0::bigint as refunded_kobo
                     from client_movements
                    where credit_id = any($1::bigint[]) and client_id = $2
                   union all
                   select id, credit_id, 'refunded', posted_at, 0, 0, 0, 0, 0, refunded_kobo
                     from (${CREDIT_REFUNDS}) as r) as m
            where m.posted_at >= $3 and m.posted_at < $4
            order by m.credit_id ${sort}, m.id`,
    values: [
      numberArray([...byId.keys()]),
      viewer.id,
      filters.from ?? '-infinity',
      filters.to ?? 'infinity',
    ],
  })
  const next = credits.length === query.limit ? (credits.at(-1)?.id ?? null) : null
  return {
    rows: rows.map((row) => ({ ...row, credit: byId.get(row.creditId) as CreditTrace })),
    next,
  }
}
