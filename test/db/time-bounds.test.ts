// Windows of time as windows of ids: never too narrow, and never much too wide.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idBounds } from '#db/time-bounds.ts'
import { createTestDatabase } from '../support/database.ts'
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

test('without a time there is no bound, and an empty table has nothing in any window', async () => {
  await using database = await createTestDatabase()
  const at = new Date(START_MS)

  const open = await idBounds(database.pool, 'transfers', {})
  const empty = await idBounds(database.pool, 'transfers', { from: at, to: at })

  assert.deepEqual(open, { firstId: 0n, pastId: 2n ** 63n - 1n })
  assert.equal(empty.firstId, empty.pastId)
})

async function insertCredits(
  db: { query: (sql: string, values: unknown[]) => Promise<unknown> },
  credits: readonly { id: number; ms: number }[],
) {
  await db.query(
    `insert into credits (id, bank_code, session_id, account_number, amount_kobo, currency,
                          outcome, received_at)
     select id, '058', lpad(id::text, 30, '0'), '0123456789', 100, 'NGN', 'suspended', at
       from unnest($1::bigint[], $2::timestamptz[]) as c (id, at)`,
    [credits.map(({ id }) => id), credits.map(({ ms }) => new Date(ms))],
  )
}
