// Converts time windows to id ranges. The ids of credits, transfers and collection accounts nearly follow
// time; ids of concurrent rows may be swapped. One statement finds the bounds by binary search (about 30 key
// look-ups in a billion rows), so the tables that every credit writes need no index on time. The bounds are
// wide, so callers still compare times. For credits, receivedBounds() returns narrower bounds.
//
// In a sandbox, test clocks and seeds date rows months ahead or back, so that ids no longer follow time. Then
// there are no bounds, and callers scan all ids. Live mode has neither test clocks nor seeds.

import type { Queryable } from './pool.ts'

// A row is at most this much older than any row with a lower id: a batch takes seconds, and the clocks of the
// processes differ by far less than an hour. (With such a difference, money would also expire at random.)
const DISORDER_MS = 3_600_000

// SQL condition: ids follow time, because no test clock or seed has dated rows.
export const TIMES_ARE_IN_ORDER = `not exists (select from sandbox_clock)
              and not exists (select from sandbox_seeds)`

export type Window = { from?: Date | undefined; to?: Date | undefined }

// FIRST_ID is lower than every id. PAST_ID is higher than every id.
const FIRST_ID = 0n
export const PAST_ID = 9_223_372_036_854_775_807n
export const UNBOUNDED = { firstId: FIRST_ID, pastId: PAST_ID }

const TIMES = { credits: 'received_at', collection_accounts: 'created_at' } as const

// Returns a range of ids that contains all rows of the window: from `firstId` up to, but not including,
// `pastId`.
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

// Returns a range of ids that contains all transfers of the window.
//
// Transfers are indexed by credit and id, and not by id alone. The first transfer of a credit is as old as
// the credit. So the bounds are the first transfer of the last credit before the window, and the first
// transfer of the first credit after it.
async function transferBounds(db: Queryable, window: Window) {
  const { firstId, pastId } = await idBounds(db, 'credits', window)
  const { rows } = await db.query<{ firstId: bigint | null; pastId: bigint | null }>({
    name: 'transfer-bounds',
    text: `select (select min(id) from transfers
                    where credit_id = (select max(credit_id) from transfers where credit_id < $1))
                  as first_id,
                  (select min(id) from transfers
                    where credit_id = (select min(credit_id) from transfers where credit_id >= $2))
                  as past_id`,
    values: [firstId, pastId],
  })
  return { firstId: rows[0]?.firstId ?? FIRST_ID, pastId: rows[0]?.pastId ?? PAST_ID }
}

// Finds the id of the first row at or after this time, by halving the range of ids. Returns undefined if ids
// do not follow time.
async function firstIdSince(
  db: Queryable,
  table: keyof typeof TIMES,
  at: Date,
): Promise<bigint | undefined> {
  const time = TIMES[table]
  const { rows } = await db.query<{ id: bigint }>({
    name: `first-id-since-${table}`,
    text: `with recursive halving (low, high) as (
             select coalesce(min(id), 1), coalesce(max(id), 0) + 1 from ${table}
             union all
             select case when probe.is_before then middle + 1 else low end,
                    case when probe.is_before then high else middle end
               from halving
              cross join lateral (select (low + high) / 2 as middle) as m
              cross join lateral (select ${time} < $1 as is_before from ${table}
                                   where id >= middle order by id limit 1) as probe
              where low < high
           )
           select low as id from halving
            where low >= high and ${TIMES_ARE_IN_ORDER}`,
    values: [at],
  })
  return rows[0]?.id
}

// Bounds of credits received within a window, accurate to one block of ids. idBounds() is an hour wider than
// the window, and a busy hour has millions of credits to skip. So a worker records when the credits of each
// block were received, once no more credits can join the block.
export const BLOCK_IDS = 1_024

// Returns a range of ids that contains all credits received in the window: from `firstId` up to, but not
// including, `pastId`. Callers still compare times. Narrows the range of idBounds(), which is an hour wider
// than the window, by the times of the recorded blocks.
export async function receivedBounds(
  db: Queryable,
  { from, to }: Window,
): Promise<{ firstId: bigint; pastId: bigint }> {
  const hourWideBounds = await idBounds(db, 'credits', { from, to })
  if (!from && !to) return hourWideBounds
  const { firstId, pastId } = hourWideBounds
  const { rows } = await db.query<typeof hourWideBounds>({
    name: 'received-bounds',
    text: `select greatest($1::bigint, (select block * ${BLOCK_IDS} from credit_blocks
                                 where $3::timestamptz is not null
                                   and block >= $1::bigint / ${BLOCK_IDS} and last_at >= $3
                                 order by block limit 1)) as first_id,
                  least($2::bigint, (select (block + 1) * ${BLOCK_IDS} from credit_blocks
                              where $4::timestamptz is not null
                                and $2::bigint / ${BLOCK_IDS} <= (select max(block) from credit_blocks)
                                and block <= $2::bigint / ${BLOCK_IDS} and first_at < $4
                              order by block desc limit 1)) as past_id`,
    // A bound that idBounds() left open stays open: ids may not follow time, so blocks would mislead.
    values: [
      firstId,
      pastId,
      firstId === UNBOUNDED.firstId ? null : from,
      pastId === UNBOUNDED.pastId ? null : to,
    ],
  })
  return rows[0] ?? hourWideBounds
}

// Records the next block if a credit after the block is old enough: then every credit of the block is stored,
// even if the clocks of the processes differ. Returns whether it recorded a block.
export async function writeCreditBlock(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ block: bigint }>({
    name: 'find-credit-block',
    text: `select block
             from (select min(id) / ${BLOCK_IDS} as block from credits
                    where id >= (select coalesce(max(block) + 1, 0) * ${BLOCK_IDS}
                                   from credit_blocks)) as next
            where (select received_at from credits where id >= (block + 1) * ${BLOCK_IDS}
                    order by id limit 1) < clock_timestamp() - make_interval(secs => $1)
              and ${TIMES_ARE_IN_ORDER}`,
    values: [(2 * DISORDER_MS) / 1000],
  })
  const [next] = rows
  if (!next) return false
  // Not a named statement, so that PostgreSQL plans it for its values: a block is a small part of the table.
  const { rowCount } = await db.query(
    `insert into credit_blocks (block, first_at, last_at)
     select $1, min(received_at), max(received_at) from credits where id >= $2 and id < $3
     on conflict do nothing`,
    [next.block, next.block * BigInt(BLOCK_IDS), (next.block + 1n) * BigInt(BLOCK_IDS)],
  )
  return rowCount === 1
}
