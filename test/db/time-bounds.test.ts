// Windows of time as ranges of ids: never too narrow, and never much too wide.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idBounds } from '#db/bounds.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { createTestDatabase } from '../support/database.ts'
import { DISORDERS, insertCredits } from '../support/dated-credits.ts'
import { seededRandom } from '../support/random.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.parse('2026-11-15T08:00:00Z')

test('no credit of a window lies outside its ids, whatever gaps and swapped times', async () => {
  await using database = await createTestDatabase()
  const seed = 20_261_115
  const random = seededRandom(seed)
  const credits: { id: number; ms: number }[] = []
  for (let id = 5, ms = START_MS; credits.length < 300; id += random.integer(1, 40)) {
    ms += random.pick([0, 0, 1000, 60_000, HOUR_MS, 5 * HOUR_MS])
    credits.push({ id, ms: ms - random.integer(0, HOUR_MS) })
  }
  await insertCredits(database.pool, credits)

  for (let round = 0; round < 200; round++) {
    const [one, other] = [random.pick(credits).ms, random.pick(credits).ms]
    const [from, to] = [Math.min(one, other), Math.max(one, other) + random.integer(0, 1)]
    const window = { from: new Date(from), to: new Date(to) }

    const { firstId, pastId } = await idBounds(database.pool, 'credits', window)

    const within = credits.filter(({ ms }) => ms >= from && ms < to)
    const lost = within.filter(({ id }) => id < firstId || id >= pastId)
    assert.deepEqual(lost, [], `seed ${seed}, round ${round}`)
    const isFar = ({ ms }: { ms: number }) => ms < from - 2 * HOUR_MS || ms > to + 2 * HOUR_MS
    const read = credits.filter(({ id }) => id >= firstId && id < pastId)
    assert.deepEqual(read.filter(isFar), [], `seed ${seed}, round ${round}`)
  }
})

test('no transfer of a window lies outside its ids, however long after its credit', async () => {
  await using database = await createTestDatabase()
  const seed = 20_261_116
  const random = seededRandom(seed)
  const credits: { id: number; ms: number }[] = []
  const transfers: { creditId: number; ms: number }[] = []
  for (let id = 1, ms = START_MS; id <= 150; id++) {
    ms += random.pick([0, 1000, 60_000, HOUR_MS, 7 * HOUR_MS])
    credits.push({ id, ms })
    transfers.push({ creditId: id, ms })
    // A credit that was assigned, reversed or returned has a later transfer.
    const later = random.pick(credits).id
    if (random.integer(0, 2) > 0) continue
    ms += 3 * HOUR_MS
    transfers.push({ creditId: later, ms })
  }
  await insertCredits(database.pool, credits)
  const { rows } = await insertTransfers(database.pool, transfers)
  const posted = rows.map(({ id, at }) => ({ id, ms: at.getTime() }))

  for (let round = 0; round < 200; round++) {
    const [one, other] = [random.pick(posted).ms, random.pick(posted).ms]
    const [from, to] = [Math.min(one, other), Math.max(one, other) + random.integer(0, HOUR_MS)]
    const window = { from: new Date(from), to: new Date(to) }

    const { firstId, pastId } = await idBounds(database.pool, 'transfers', window)

    const within = posted.filter(({ ms }) => ms >= from && ms < to)
    const lost = within.filter(({ id }) => id < firstId || id >= pastId)
    assert.deepEqual(lost, [], `seed ${seed}, round ${round}`)
    const isFar = ({ ms }: { ms: number }) => ms < from - 24 * HOUR_MS || ms > to + 24 * HOUR_MS
    const read = posted.filter(({ id }) => id >= firstId && id < pastId)
    assert.deepEqual(read.filter(isFar), [], `seed ${seed}, round ${round}`)
  }
})

test('without a time there is no bound, and an empty table has nothing in any window', async () => {
  await using database = await createTestDatabase()
  const at = new Date(START_MS)

  for (const table of ['credits', 'transfers', 'collection_accounts'] as const) {
    const open = await idBounds(database.pool, table, {})
    assert.deepEqual(open, { firstId: 0n, pastId: 2n ** 63n - 1n })
  }
  const empty = await idBounds(database.pool, 'credits', { from: at, to: at })
  assert.equal(empty.firstId, empty.pastId)
})

test('where a test clock or a seed dates rows in no order, there is no bound', async () => {
  for (const mark of DISORDERS) {
    await using database = await createTestDatabase()
    const days = [0, 0, 300, 0, 0, -80]
    const credits = days.map((day, at) => ({ id: at + 1, ms: START_MS + day * 24 * HOUR_MS }))
    await insertCredits(database.pool, credits)
    await withTransaction(database.pool, async (tx) => {
      await tx.query('set local session_replication_role = replica')
      await tx.query(mark)
    })

    for (const { id, ms } of credits) {
      const window = { from: new Date(ms), to: new Date(ms + 1) }
      const { firstId, pastId } = await idBounds(database.pool, 'credits', window)
      assert(firstId <= id && id < pastId, `${id} of ${mark}`)
    }
    const past = { from: new Date(START_MS - 81 * 24 * HOUR_MS), to: new Date(START_MS) }
    const transfers = await idBounds(database.pool, 'transfers', past)
    assert.deepEqual(transfers, { firstId: 0n, pastId: 2n ** 63n - 1n })
  }
})

// Inserts transfers with these times. Returns their ids and times.
function insertTransfers(
  db: Pool,
  transfers: readonly { creditId: number; ms: number }[],
): Promise<{ rows: { id: bigint; at: Date }[] }> {
  return db.query(
    `with accounts as (
       insert into ledger_accounts (kind, owner) values ('bank', 'one'), ('bank', 'other')
       returning id
     )
     insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id, reason,
                            posted_at)
     select (select min(id) from accounts), (select max(id) from accounts), 100, t.credit_id,
            'credit', t.at
       from unnest($1::bigint[], $2::timestamptz[]) with ordinality as t (credit_id, at, place)
      order by place
     returning id, posted_at as at`,
    [transfers.map(({ creditId }) => creditId), transfers.map(({ ms }) => new Date(ms))],
  )
}
