// Bounds the cost of a list of credits, and sums it.
//
// Amounts and payers' names have no index, because every credit would pay for it. A page filtered by them
// scans at most SCAN_MAX credits, and the next page continues from there.

import { ORDER_SQL, type Order } from '#db/paging.ts'
import type { Queryable } from '#db/pool.ts'
import { receivedBounds } from '#db/received-bounds.ts'
import { namedUnlessWindow } from '#db/statement-names.ts'
import { SUMMED_MAX, type Summary, summaryOf, type Total } from '#db/summaries.ts'
import { type CreditFilters, selectMatches, type Viewer } from './credit-list.ts'

export const SCAN_MAX = 20_000

type Scan = {
  viewer: Viewer
  filters: CreditFilters
  order?: Order | undefined
  after?: bigint | undefined
}

// The id of the last credit that one page scans. Undefined: it scans all.
export async function endOfScan(
  db: Queryable,
  { viewer, filters, order = 'newest', after }: Scan,
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

// The totals of all matches: see summaries.ts.
export async function summarizeCredits(
  db: Queryable,
  { viewer, filters }: { viewer: Viewer; filters: CreditFilters },
): Promise<Summary> {
  const until = await endOfScan(db, { viewer, filters })
  const values: unknown[] = []
  const place = (value: unknown) => `$${values.push(value)}`
  const query = { viewer, filters, order: 'newest', until, limit: SUMMED_MAX + 1 } as const
  const { sql, matches } = await selectMatches(db, query, place)
  const text = `${sql} select currency, count(*) as count, sum(amount_kobo)::bigint as "amountKobo"
    from (${matches}) as c group by currency order by currency`
  const { rows } = await db.query<Total>(namedUnlessWindow(filters, text, values))
  return summaryOf(rows, until === undefined)
}
