// Keeps in memory an upper bound of the number of credits that each account number has recently received, so
// that the worker queries the database only about numbers that can break a rule. The bound is never less than
// the number of credits within WINDOW_MS. It can be more, because numbers share buckets and because it covers
// up to twice that time. No decision depends on it.
//
// The worker adds credits ordered by id. It first counts the credits that other processes have screened in
// the meantime.

import { idBounds, TIMES_ARE_IN_ORDER, UNBOUNDED } from '#db/bounds.ts'
import type { Queryable } from '#db/pool.ts'

export const WINDOW_MS = 86_400_000
const DISORDER_MS = 3_600_000 // Ids and times may disagree by this much.
const BUCKETS = 2 ** 18
const STEP_IDS = 100_000n

// SQL scalar: the bucket of an account number. Several numbers share a bucket, so that the counters need
// little memory.
export const BUCKET = `hashtext(account_number) & ${BUCKETS - 1}`

export class RecentCounts {
  #through = -1n // Credits up to this id are counted.
  #since = new Date(0) // #newer counts the credits received since then.
  #newer = new Uint32Array(BUCKETS)
  #older = new Uint32Array(BUCKETS)

  // Whether the credits up to this id, and no later ones, are counted.
  isThrough(id: bigint): boolean {
    return this.#through === id
  }

  // Counts the credits up to `afterId` that were not counted yet, in small steps, outside a transaction.
  // Returns false if the times of credits do not follow their ids, as in a sandbox whose clock was moved;
  // then there is no bound.
  async catchUp(db: Queryable, { afterId, firstAt }: { afterId: bigint; firstAt: Date }) {
    if (this.#through === afterId && (await areTimesInOrder(db))) return true
    const from = new Date(firstAt.getTime() - WINDOW_MS - DISORDER_MS)
    const { firstId } = await idBounds(db, 'credits', { from })
    if (firstId === UNBOUNDED.firstId) return false
    // Starts over if credits are missing from the counts, or if they include credits after `afterId`, as
    // after a batch that was rolled back.
    if (this.#through < firstId - 1n || this.#through > afterId) {
      this.#newer.fill(0)
      this.#older.fill(0)
      this.#since = from
      this.#through = firstId - 1n
    }
    while (this.#through < afterId) {
      const next = this.#through + STEP_IDS
      const lastId = next < afterId ? next : afterId
      const { rows } = await db.query<{ bucket: number; credits: number }>({
        name: 'recent-credits-by-bucket',
        text: `select ${BUCKET} as bucket, count(*)::int as credits from credits
                where id > $1 and id <= $2 group by 1`,
        values: [this.#through, lastId],
      })
      for (const { bucket, credits } of rows) this.#count(bucket, credits)
      this.#through = lastId
    }
    return true
  }

  // Counts the credits of a range, given as one bucket per credit. Returns the buckets that may have reached
  // `least` credits. When the newer half covers a whole window, it becomes the older half, and counting
  // begins in an empty one.
  add(range: { lastId: bigint; firstAt: Date }, buckets: readonly number[], least: number) {
    if (range.firstAt.getTime() - this.#since.getTime() > WINDOW_MS + DISORDER_MS) {
      const oldest = this.#older
      this.#older = this.#newer
      this.#newer = oldest.fill(0)
      this.#since = range.firstAt
    }
    const reached = new Set<number>()
    for (const bucket of buckets) if (this.#count(bucket, 1) >= least) reached.add(bucket)
    this.#through = range.lastId
    return [...reached]
  }

  // Adds credits to a bucket, and returns the bucket's bound.
  #count(bucket: number, credits: number): number {
    const newer = (this.#newer[bucket] ?? 0) + credits
    this.#newer[bucket] = newer
    return newer + (this.#older[bucket] ?? 0)
  }
}

// Whether the ids and times of credits have the same order. In a sandbox whose clock was moved they may not.
async function areTimesInOrder(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ isSo: boolean }>({
    name: 'are-times-in-order',
    text: `select ${TIMES_ARE_IN_ORDER} as is_so`,
  })
  return rows[0]?.isSo === true
}
