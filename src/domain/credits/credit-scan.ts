// Bounds what a list of credits costs, and adds up what it holds.
//
// Amounts and payers' names have no index, because every credit would pay for it: a page filtered by
// them looks at SCAN_MAX credits at most, and the next page continues from there.

import { ORDER_SQL, type Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { receivedBounds } from '#db/received-bounds.ts'
import { namedUnlessWindow } from '#db/statement-names.ts'
import { SUMMED_MAX, type Summary, summaryOf, type Total } from '#db/summaries.ts'
import { type CreditFilters, selectFound, type Viewer } from './credit-list.ts'

export const SCAN_MAX = 20_000

type Scanned = {
  viewer: Viewer
  filters: CreditFilters
  order?: Order | undefined
  after?: bigint | undefined
}

// The id of the last credit that one page looks at; undefined: all there are.
export async function endOfScan(
  db: Queryable,
  { viewer, filters, order = 'newest', after }: Scanned,
): Promise<bigint | undefined> {
  if (!isCompared(filters) || isNarrow(filters)) return undefined
  const { firstId, pastId } = await receivedBounds(db, filters)
  const { sort, isAfter } = ORDER_SQL[order]
  const { rows } = await db.query<{ id: bigint }>({
    name: `end-of-credit-scan-${order}`,
    text: `select id from credits
            where client_id = $1 and id >= $2 and id < $3 and id ${isAfter} $4
            order by id ${sort} offset ${SCAN_MAX - 1} limit 1`,
    values: [viewer.id, firstId, pastId, after ?? (order === 'newest' ? pastId : firstId - 1n)],
  })
  return rows[0]?.id
}

function isCompared({ minKobo, maxKobo, payer }: CreditFilters): boolean {
  return minKobo !== undefined || maxKobo !== undefined || payer !== undefined
}

function isNarrow(filters: CreditFilters): boolean {
  const { sessionId, accountNumber, paymentReference, adviceReference, merchantRef } = filters
  return !!(sessionId || accountNumber || paymentReference || adviceReference || merchantRef)
}

// What all that fit come to: see summaries.ts.
export async function summarizeCredits(
  db: Queryable,
  { viewer, filters }: { viewer: Viewer; filters: CreditFilters },
): Promise<Summary> {
  const until = await endOfScan(db, { viewer, filters })
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const query = { viewer, filters, order: 'newest', until, limit: SUMMED_MAX + 1 } as const
  const { sql, found } = await selectFound(db, query, place)
  const text = `${sql} select currency, count(*) as count, sum(amount_kobo)::bigint as "amountKobo"
    from (${found}) as c group by currency order by currency`
  const { rows } = await db.query<Total>(namedUnlessWindow(filters, text, values))
  return summaryOf(rows, until === undefined)
}
