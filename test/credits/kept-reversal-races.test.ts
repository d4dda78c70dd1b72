// All kept reversals of a bank share one alert: a round neither clears it while a reversal is being
// stored, nor does a store rely on an alert being cleared.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toReversalItem } from '#credits/rail-item-routes.ts'
import { storeRailItems, watchKeptReversals } from '#credits/rail-items.ts'
import { watchReversalsRound } from '#credits/workers.ts'
import { withTransaction } from '#db/transaction.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
const { accountNumber } = await createAccount(bench)

const newReversal = () => ({
  sessionId: newSessionId(),
  originalSessionId: newSessionId(),
  amount: '100',
})
type Taking = ReturnType<typeof newReversal>

async function send(reversal: Taking): Promise<string> {
  return wordsOf((await postRail(bench, '035/reversals', reversal)).json())
}

const book = ({ originalSessionId: sessionId }: Taking) =>
  credit(bench, accountNumber, '100', { sessionId })

async function countAlerts(): Promise<{ open: number; cleared: number }> {
  const { rows } = await bench.db.query(
    `select count(*) filter (where cleared_at is null)::int as open, count(cleared_at)::int as cleared
       from alerts where kind = 'rail_item_rejected' and subject = '035/original_not_found'`,
  )
  return rows[0]
}

const watch = () => watchReversalsRound(bench)(new AbortController().signal)

test('an alert is not cleared while another reversal is being kept, which counts on it', async () => {
  const [early, later] = [newReversal(), newReversal()]
  await send(early)
  await book(early)
  const sealer = new Sealer(bench.config.secrets.data, bench.config.secrets.hash)
  const reversal = { body: later, originals: [later.originalSessionId] }
  const item = toReversalItem('035', reversal, 'original_not_found')

  await withTransaction(bench.db, async (tx) => {
    await storeRailItems(tx, { sealer, now: bench.clock() }, [item])
    await send(early)
    await watch()
  })
  await watch()
  const whileOpen = await countAlerts()
  await book(later)
  await send(later)
  await watch()

  assert.deepEqual(whileOpen, { open: 1, cleared: 0 })
  assert.deepEqual(await countAlerts(), { open: 0, cleared: 1 })
})

test('a reversal that is kept while the alert is being cleared raises it again', async () => {
  const [early, later] = [newReversal(), newReversal()]
  await send(early)
  await book(early)
  await send(early)
  const before = await countAlerts()

  const { sending } = await withTransaction(bench.db, async (tx) => {
    await watchKeptReversals(tx, bench.clock())
    const sending = send(later)
    await untilWaiting(bench.db, 1)
    return { sending }
  })

  assert.equal(await sending, '03 retry original_not_found')
  assert.deepEqual(before, { open: 1, cleared: 1 })
  assert.deepEqual(await countAlerts(), { open: 1, cleared: 2 })
})
