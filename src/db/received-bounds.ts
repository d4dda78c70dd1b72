// The ids of credits that were received within a window, to within a block of ids. Those of
// time-bounds.ts are an hour wider than asked, and a busy hour is millions of credits to pass over
// before the first one that is listed. So a worker writes down when the credits of each block were
// received, once it can be sure that no more come into it.

import type { Queryable } from './pool.ts'
import { DISORDER_MS, idBounds, UNBOUNDED, type Window } from './time-bounds.ts'

export const BLOCK_IDS = 1_024

// From `firstId` on, before `pastId`. Callers still compare times.
export async function receivedBounds(
  db: Queryable,
  { from, to }: Window,
): Promise<{ firstId: bigint; pastId: bigint }> {
  const wide = await idBounds(db, 'credits', { from, to })
  if (!from && !to) return wide
  const { firstId, pastId } = wide
  const { rows } = await db.query<typeof wide>({
    name: 'received-bounds',
    text: `select greatest($1::bigint, (select block * ${BLOCK_IDS} from credit_blocks
                                 where $3::timestamptz is not null
                                   and block >= $1::bigint / ${BLOCK_IDS} and last_at >= $3
                                 order by block limit 1)) as "firstId",
                  least($2::bigint, (select (block + 1) * ${BLOCK_IDS} from credit_blocks
                              where $4::timestamptz is not null
                                and $2::bigint / ${BLOCK_IDS} <= (select max(block) from credit_blocks)
                                and block <= $2::bigint / ${BLOCK_IDS} and first_at < $4
                              order by block desc limit 1)) as "pastId"`,
    values: [
      firstId,
      pastId,
      firstId === UNBOUNDED.firstId ? null : from,
      pastId === UNBOUNDED.pastId ? null : to,
    ],
  })
  return rows[0] ?? wide
}

// The next block, if the credit that follows it is old enough: whatever has an id of the block was
// received before that one was stored, give or take the difference between clocks. True: one was
// written.
export async function writeCreditBlock(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ block: bigint }>({
    name: 'find-credit-block',
    text: `select block
             from (select min(id) / ${BLOCK_IDS} as block from credits
                    where id >= (select coalesce(max(block) + 1, 0) * ${BLOCK_IDS}
                                   from credit_blocks)) as next
            where (select received_at from credits where id >= (block + 1) * ${BLOCK_IDS}
                    order by id limit 1) < clock_timestamp() - make_interval(secs => $1)
              and not exists (select from test_clocks)
              and not exists (select from sandbox_seeds)`,
    values: [(2 * DISORDER_MS) / 1000],
  })
  const [next] = rows
  if (!next) return false
  // Planned for its values: the range is the same small part of any table.
  const { rowCount } = await db.query(
    `insert into credit_blocks (block, first_at, last_at)
     select $1, min(received_at), max(received_at) from credits where id >= $2 and id < $3
     on conflict do nothing`,
    [next.block, next.block * BigInt(BLOCK_IDS), (next.block + 1n) * BigInt(BLOCK_IDS)],
  )
  return rowCount === 1
}
