// All stored reversals of a bank share one alert. A round of the worker must not clear it while a reversal
// is being stored, and a reversal must not rely on an alert that is being cleared.

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
type Reversal = ReturnType<typeof newReversal>

async function sendReversal(reversal: Reversal): Promise<string> {
  return wordsOf((await postRail(bench, '035/reversals', reversal)).json())
}

// Reports the credit that the reversal is of.
const bookOriginal = ({ originalSessionId: sessionId }: Reversal) =>
  credit(bench, accountNumber, '100', { sessionId })

// Counts the open and the cleared alerts about reversals at bank 035 whose credit is not known.
async function countAlerts(): Promise<{ open: number; cleared: number }> {
  const { rows } = await bench.db.query(
    `select count(*) filter (where cleared_at is null)::int as open, count(cleared_at)::int as cleared
       from alerts where kind = 'rail_item_rejected' and subject = '035/original_not_found'`,
  )
  return rows[0]
}

const runWatchRound = () => watchReversalsRound(bench)(new AbortController().signal)

test('an alert is not cleared while another reversal that relies on it is being stored', async () => {
  const [early, later] = [newReversal(), newReversal()]
  await sendReversal(early)
  await bookOriginal(early)
  const sealer = new Sealer(bench.config.secrets.data, bench.config.secrets.hash)
  const reversal = { body: later, originals: [later.originalSessionId] }
  const item = toReversalItem('035', reversal, 'original_not_found')

  await withTransaction(bench.db, async (tx) => {
    await storeRailItems(tx, { sealer, now: bench.clock() }, [item])
    await sendReversal(early)
    await runWatchRound()
  })
  await runWatchRound()
  const whileOpen = await countAlerts()
  await bookOriginal(later)
  await sendReversal(later)
  await runWatchRound()

  assert.deepEqual(whileOpen, { open: 1, cleared: 0 })
  assert.deepEqual(await countAlerts(), { open: 0, cleared: 1 })
})

test('a reversal that is stored while the alert is being cleared raises it again', async () => {
  const [early, later] = [newReversal(), newReversal()]
  await sendReversal(early)
  await bookOriginal(early)
  await sendReversal(early)
  const before = await countAlerts()

  const { sending } = await withTransaction(bench.db, async (tx) => {
    await watchKeptReversals(tx, bench.clock())
    const sending = sendReversal(later)
    await untilWaiting(bench.db, 1)
    return { sending }
  })

  assert.equal(await sending, '03 retry original_not_found')
  assert.deepEqual(before, { open: 1, cleared: 1 })
  assert.deepEqual(await countAlerts(), { open: 1, cleared: 2 })
})
