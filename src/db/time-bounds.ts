// Time windows as id ranges. Ids of credits, transfers and collection accounts are nearly in order
// of time; concurrent ones may be swapped. Bounds are found by binary search (some 30 look-ups by key
// in a billion rows, one statement), which spares the money path an index on time. The bounds are
// wide: callers still compare times.
//
// In a sandbox a test clock dates rows ahead and a seed dates them back, by months and in no order of
// ids: where there is one, there are no bounds. In live mode there never is.

import type { Queryable } from './pool.ts'

// How far a time may lie behind that of an earlier id: a batch takes seconds, and the clocks of
// several processes differ by less than this or money would expire at random.
export const DISORDER_MS = 3_600_000

export type Window = { from?: Date | undefined; to?: Date | undefined }

// Less than any id, more than any id.
const FIRST_ID = 0n
export const PAST_ID = 9_223_372_036_854_775_807n
export const UNBOUNDED = { firstId: FIRST_ID, pastId: PAST_ID }

// Of credits all that were ever taken: the windows of those that are archived are asked for, too.
const TIMES = {
  credits: { from: 'all_credits', at: 'received_at' },
  collection_accounts: { from: 'collection_accounts', at: 'created_at' },
} as const

// From `firstId` on, before `pastId`.
export async function idBounds(
  db: Queryable,
  table: keyof typeof TIMES | 'transfers',
  { from, to }: Window,
): Promise<{ firstId: bigint; pastId: bigint }> {
  if (table === 'transfers') return transferBounds(db, { from, to })
  const firstId = from && (await firstIdSince(db, table, new Date(from.getTime() - DISORDER_MS)))
  const pastId = to && (await firstIdSince(db, table, new Date(to.getTime() + DISORDER_MS)))
  return { firstId: firstId ?? FIRST_ID, pastId: pastId ?? PAST_ID }
}

// Transfers are kept in the order of their credits, and have no index by id alone. A credit's first
// transfer is as old as the credit, so those of the last credit before a window and of the first
// after it are its bounds.
async function transferBounds(db: Queryable, window: Window) {
  const { firstId, pastId } = await idBounds(db, 'credits', window)
  const { rows } = await db.query<{ firstId: bigint | null; pastId: bigint | null }>({
    name: 'transfer-bounds',
    text: `select (select min(id) from transfers
                    where credit_id = (select max(credit_id) from transfers where credit_id < $1))
                  as "firstId",
                  (select min(id) from transfers
                    where credit_id = (select min(credit_id) from transfers where credit_id >= $2))
                  as "pastId"`,
    values: [firstId, pastId],
  })
  return { firstId: rows[0]?.firstId ?? FIRST_ID, pastId: rows[0]?.pastId ?? PAST_ID }
}

async function firstIdSince(
  db: Queryable,
  table: keyof typeof TIMES,
  at: Date,
): Promise<bigint | undefined> {
  const { from, at: time } = TIMES[table]
  const { rows } = await db.query<{ id: bigint }>({
    name: `first-id-since-${table}`,
    text: `with recursive halving (low, high) as (
             select coalesce(min(id), 1), coalesce(max(id), 0) + 1 from ${from}
             union all
             select case when probe.is_before then middle + 1 else low end,
                    case when probe.is_before then high else middle end
               from halving
              cross join lateral (select (low + high) / 2 as middle) as m
              cross join lateral (select ${time} < $1 as is_before from ${from}
                                   where id >= middle order by id limit 1) as probe
              where low < high
           )
           select low as id from halving
            where low >= high and not exists (select from test_clocks)
              and not exists (select from sandbox_seeds)`,
    values: [at],
  })
  return rows[0]?.id
}
