// Old questions, calls and counts go. What was found stays on record as a credit.

import type { Queryable } from '#db/pool.ts'
import { MEASURED_MS } from './bank-measures.ts'
import { later } from './questions.ts'

const KEPT_MS = 90 * 86_400_000
const PURGED_MAX = 1_000

// Whether there may be more.
export async function purgeRequeries(db: Queryable, now: Date): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'purge-requeries',
    text: `delete from requeries
            where id in (select q.id from requeries q
                          where q.state <> 'open' and q.finished_at < $1
                            and not exists (select from requeries m where m.merged_into = q.id)
                          order by q.finished_at limit ${PURGED_MAX})`,
    values: [later(now, -KEPT_MS)],
  })
  await db.query({
    name: 'purge-bank-measures',
    text: 'delete from bank_measures where hour < $1',
    values: [later(now, -2 * MEASURED_MS)],
  })
  return rowCount === PURGED_MAX
}
