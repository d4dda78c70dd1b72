// Operators get alerts about payouts that wait for a person: to send them, to upload their file at the bank,
// or to report the result. The alerts end by themselves.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { holdPayouts, releasePayouts, settleAfterRestore } from '#payouts/holds.ts'
import { DOWNLOADED_WITHIN_MS, QUEUED_MS_MAX, watchOverduePayoutsRound } from '#payouts/workers.ts'
import { markNotDelivered } from '../support/failing.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  download,
  FILE_BANK,
  queuePayouts,
  startFileService,
  upload,
} from '../support/payout-desk.ts'
import type { Bench } from '../support/running-service.ts'

const HOUR_MS = 3_600_000
const by = 'cli:test'

// Runs the worker, and returns the open alerts as "kind subject reason".
async function watch(bench: Bench): Promise<string[]> {
  const round = watchOverduePayoutsRound({ batchPool: bench.db, clock: bench.clock })
  await round(new AbortController().signal)
  const { rows } = await bench.db.query(
    `select kind || ' ' || subject || ' ' || (detail ->> 'reason') as alert from alerts
      where kind in ('payouts_waiting', 'payout_file_overdue') and cleared_at is null order by 1`,
  )
  return rows.map(({ alert }) => alert)
}

const hold = ({ db, clock }: Bench) =>
  withTransaction(db, (tx) => holdPayouts(tx, clock(), { reason: 'Drill', by }))
const release = ({ db, clock }: Bench) =>
  withTransaction(db, (tx) => releasePayouts(tx, clock(), by))

test('payouts that are queued for a day raise an alert by bank, until they are sent', async () => {
  await using bench = await startFileService()
  await queuePayouts(bench)
  await queuePayouts(bench, { bankCode: '044', needsApproval: true })
  bench.advance(QUEUED_MS_MAX - 1)
  assert.deepEqual(await watch(bench), [])

  bench.advance(1)
  assert.deepEqual(await watch(bench), [`payouts_waiting ${FILE_BANK} not_sent`])
  assert.deepEqual(await watch(bench), [`payouts_waiting ${FILE_BANK} not_sent`])
  const { rows } = await bench.db.query(`select detail from alerts where kind = 'payouts_waiting'`)
  assert.deepEqual(
    rows.map(({ detail }) => detail.payouts),
    [2],
  )

  await hold(bench)
  assert.deepEqual(await watch(bench), [])
  bench.advance(HOUR_MS)
  await release(bench)
  assert.deepEqual(await watch(bench), [], 'since they were released')
  bench.advance(QUEUED_MS_MAX)
  assert.deepEqual(await watch(bench), [`payouts_waiting ${FILE_BANK} not_sent`])
  await createFile(bench)
  assert.deepEqual(await watch(bench), [])
})

test('a file raises an alert if no user downloads it or the bank does not report its result', async () => {
  await using bench = await startFileService()
  const references = await queuePayouts(bench)
  const { id } = await createFile(bench) // On a Sunday, for Monday.
  const overdue = (reason: string) => [`payout_file_overdue payout_file/${id} ${reason}`]
  assert.deepEqual(await watch(bench), [])

  bench.advance(DOWNLOADED_WITHIN_MS)
  assert.deepEqual(await watch(bench), overdue('not_downloaded'))
  await hold(bench)
  assert.deepEqual(await watch(bench), [])
  await release(bench)
  assert.deepEqual(await watch(bench), overdue('not_downloaded'))
  await download(bench, id)
  assert.deepEqual(await watch(bench), [])

  bench.advance(48 * HOUR_MS) // Tuesday: the bank has the whole file.
  assert.deepEqual(await watch(bench), [])
  await bench.db.query(
    `insert into holidays (day, name, is_confirmed, source)
     values ('2026-11-17', 'Eid', true, 'announced')`,
  )
  bench.advance(24 * HOUR_MS)
  assert.deepEqual(await watch(bench), [], 'Tuesday was no business day')
  bench.advance(24 * HOUR_MS)
  assert.deepEqual(await watch(bench), overdue('not_reported'))

  const of = references.map((reference) => ({ reference, status: 'ACSC' }))
  await upload(bench, pain002({ file: id, of }))
  assert.deepEqual(await watch(bench), [])
})

test('a file that cannot be downloaded raises an alert if the bank does not report its result', async () => {
  await using bench = await startFileService()
  await queuePayouts(bench)
  const { id } = await createFile(bench)
  await withTransaction(bench.db, (tx) =>
    settleAfterRestore(tx, { now: bench.clock(), restoredTo: bench.clock(), by }),
  )
  await release(bench)

  bench.advance(DOWNLOADED_WITHIN_MS)
  assert.deepEqual(await watch(bench), [])
  bench.advance(72 * HOUR_MS)
  assert.deepEqual(await watch(bench), [`payout_file_overdue payout_file/${id} not_reported`])
  assert.equal((await markNotDelivered(bench, id)).statusCode, 200)
  assert.deepEqual(await watch(bench), [])
})
