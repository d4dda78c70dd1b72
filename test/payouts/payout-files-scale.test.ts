// Ten thousand payouts in one payout file, and in one report of the bank.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  download,
  PAYOUT_FILES,
  queuePayouts,
  refused,
  startFileService,
  upload,
} from '../support/payout-desk.ts'

const MANY = 10_000

const bench = closeAfterTests(await startFileService())

// Payouts are settled one by one: some within the request that uploads the report, the others by the workers.
test('ten thousand payouts go into one file, and one report settles them all', async () => {
  const amountsKobo = Array.from({ length: MANY }, (_, at) => BigInt(at + 1))
  const references = await queuePayouts(bench, { amountsKobo: [...amountsKobo, 7n] })
  const file = await createFile(bench)

  assert.equal(file.payouts, MANY)
  assert.equal(file.amount, 500_050)
  const { body } = await download(bench, file.id)
  assert.equal(body.match(/<EndToEndId>/g)?.length, MANY)
  const rest = await createFile(bench)
  assert.equal(rest.payouts, 1, 'what is over goes into the next file')
  const third = { url: PAYOUT_FILES, body: { bankCode: '058', format: 'csv' } }
  refused(await bench.call(third), 409, 'no_payouts_queued')

  const of = references.slice(0, MANY).map((reference, at) => ({
    reference,
    status: at % 10 === 0 ? 'RJCT' : 'ACSC',
  }))
  const results = await upload(bench, pain002({ file: file.id, of }))
  assert.deepEqual([results.confirmed, results.failed], [9_000, 1_000])
  assert.deepEqual(results.problems, [])
  const { rows } = await bench.db.query<{ status: string; results: number }>(
    'select status, count(*)::int as results from payout_results group by 1 order by 1',
  )
  assert.deepEqual(rows, [
    { status: 'confirmed', results: 9_000 },
    { status: 'failed', results: 1_000 },
  ])
})
