// Ten thousand payouts in one file, and in one report.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedAccounts } from '#ledger/accounts.ts'
import { settleReportedPayoutsRound } from '#workers/settle-reported-payouts.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertBooksBalance } from '../support/fixtures.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  download,
  PAYOUT_FILES,
  queuePayouts,
  readFile,
  refused,
  startFileService,
  upload,
} from '../support/payout-desk.ts'

const MANY = 10_000

const bench = closeAfterTests(await startFileService())

test('ten thousand payouts go into one file, and are all settled by one report', async () => {
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

  // The request settled what it could in its time.
  const round = settleReportedPayoutsRound({
    db: bench.db,
    batchPool: bench.db,
    sharedAccounts: new SharedAccounts(bench.db),
    payoutHooks: {},
    clock: bench.clock,
  })
  await round(new AbortController().signal)
  const { open, confirmed, failed } = await readFile(bench, file.id)
  assert.deepEqual([open, confirmed, failed], [0, 9_000, 1_000])
  await assertBooksBalance(bench)
})
