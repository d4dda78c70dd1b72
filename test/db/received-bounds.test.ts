// A window of time as a range of credit ids, exact to a block of ids: every credit received in the window
// lies inside.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BLOCK_IDS, idBounds, receivedBounds, UNBOUNDED, writeCreditBlock } from '#db/bounds.ts'
import type { Pool } from '#db/pool.ts'
import { withTransaction } from '#db/transaction.ts'
import { CREDIT_BLOCK_CHECKS } from '#integrity/credit-checks.ts'
import { type Check, runCheck } from '#ledger/checks.ts'
import { createTestDatabase } from '../support/database.ts'
import { type DatedCredit, DISORDERS, insertCredits } from '../support/dated-credits.ts'
import { seededRandom } from '../support/random.ts'

const HOUR_MS = 3_600_000
const START_MS = Date.parse('2026-03-01T08:00:00Z')

test('no credit of a window lies outside its ids, which are fewer than those of an hour more', async () => {
  await using database = await createTestDatabase()
  const seed = 20_261_117
  const random = seededRandom(seed)
  const credits: DatedCredit[] = []
  for (let id = 3 * BLOCK_IDS, ms = START_MS; credits.length < 400; ) {
    credits.push({ id, ms: ms - random.integer(0, HOUR_MS) })
    id += random.pick([1, 500, 2_000, 3 * BLOCK_IDS])
    ms += random.pick([0, 1_000, 120_000, 600_000])
  }
  await insertCredits(database.pool, credits)
  const blocks = await writeAllBlocks(database.pool)
  const used = new Set(credits.map(({ id }) => Math.floor(id / BLOCK_IDS)))
  assert.equal(blocks, used.size - 1, 'all but the last, which may still grow')

  assert.deepEqual(await runCheck(database.pool, CREDIT_BLOCK_CHECKS[0] as Check), [])

  let wider = 0
  for (let round = 0; round < 300; round++) {
    const [one, other] = [random.pick(credits).ms, random.pick(credits).ms]
    const [from, to] = [Math.min(one, other), Math.max(one, other) + random.integer(0, 1)]
    const window = { from: new Date(from), to: new Date(to) }

    const { firstId, pastId } = await receivedBounds(database.pool, window)

    const within = credits.filter(({ ms }) => ms >= from && ms < to)
    const lost = within.filter(({ id }) => id < firstId || id >= pastId)
    assert.deepEqual(lost, [], `seed ${seed}, round ${round}`)
    const wide = await idBounds(database.pool, 'credits', window)
    assert(firstId >= wide.firstId && pastId <= wide.pastId, `seed ${seed}, round ${round}`)
    if (pastId - firstId < wide.pastId - wide.firstId) wider++
  }
  assert(wider > 200, `the blocks narrow nearly every window, not ${wider} of 300`)
})

test('a block is written once the credit after it is hours old, by any number of workers', async () => {
  await using database = await createTestDatabase()
  const nowMs = Date.now()
  const hoursAgo = (hours: number) => nowMs - hours * HOUR_MS
  const follower = { id: 2 * BLOCK_IDS, ms: hoursAgo(1.5) }
  const first = BLOCK_IDS + 1
  await insertCredits(database.pool, [
    { id: 7, ms: hoursAgo(12) },
    { id: first, ms: hoursAgo(9) },
    follower,
  ])
  assert.equal(await writeAllBlocks(database.pool), 1)

  // This credit was received earlier than its id suggests, because it was stored later.
  await insertCredits(database.pool, [{ id: first + 1, ms: hoursAgo(9.9) }])
  await database.pool.query('update credits set received_at = $1 where id = $2', [
    new Date(hoursAgo(3)),
    follower.id,
  ])
  const written = await Promise.all([1, 2, 3].map(() => writeCreditBlock(database.pool)))
  assert.deepEqual(written.sort(), [false, false, true])
  const { pastId } = await receivedBounds(database.pool, { to: new Date(hoursAgo(9.5)) })
  assert(pastId > first + 1, 'what came late is within')
})

test('where times are in no order of ids, nothing is written and nothing is narrowed', async () => {
  for (const mark of DISORDERS) {
    await using database = await createTestDatabase()
    const credits = [0, 4, 8].map((hours, hoursAgo) => ({
      id: (5 + hoursAgo) * BLOCK_IDS + 1,
      ms: START_MS + hours * HOUR_MS,
    }))
    await insertCredits(database.pool, credits)
    assert.equal(await writeCreditBlock(database.pool), true)
    await withTransaction(database.pool, async (tx) => {
      await tx.query('set local session_replication_role = replica')
      await tx.query(mark)
    })

    assert.equal(await writeCreditBlock(database.pool), false)
    const window = { from: new Date(START_MS), to: new Date(START_MS + 2 * HOUR_MS) }
    assert.deepEqual(await receivedBounds(database.pool, window), UNBOUNDED)
  }
})

// Stores the bounds of all complete blocks of credit ids, as the worker does. Returns their number.
async function writeAllBlocks(pool: Pool): Promise<number> {
  for (let count = 0; ; count++) if (!(await writeCreditBlock(pool))) return count
}
