// Payout files that never reached the bank: their payouts fail once the bank has confirmed that, and are not
// sent again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { ClientId } from '#ids.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { failPayoutFile } from '#payouts/failures.ts'
import { takeFileResults } from '#payouts/file-results.ts'
import { settleReportedPayoutsRound } from '#payouts/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { markNotDelivered } from '../support/failing.ts'
import { assertBooksBalance } from '../support/fixtures.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  download,
  openAlerts,
  PAYOUT_FILES,
  queuePayouts,
  readFile,
  readPayouts,
  refused,
  startFileService,
  statusesOf,
  upload,
} from '../support/payout-desk.ts'
import { newBrowser } from '../support/people.ts'

const bench = closeAfterTests(await startFileService())
const { rows } = await bench.db.query<{ id: ClientId }>(
  `select id from clients where client_id = 'MAN0000001'`,
)
const by = { clientId: rows[0]?.id as ClientId, actor: 'client:MAN0000001' }

test('payouts of a file that was not delivered fail, and are not queued again', async () => {
  const references = await queuePayouts(bench)
  const { id } = await createFile(bench)

  const answer = await markNotDelivered(bench, id, { bankConfirmation: 'Letter 7' })

  assert.equal(answer.statusCode, 200, answer.body)
  const { data } = answer.json()
  assert.deepEqual([data.open, data.failed, data.bankConfirmation], [0, 2, 'Letter 7'])
  const [first] = await readPayouts(bench, references)
  assert.equal(first?.failureReason, 'Not delivered to the bank: Letter 7')
  const again = await bench.call({ url: PAYOUT_FILES, body: { bankCode: '058', format: 'csv' } })
  refused(again, 409, 'no_payouts_queued')
  const { rows: logged } = await bench.db.query(
    `select detail from audit_log where action = 'payout_file.not_delivered' and subject = $1`,
    [`payout_file/${id}`],
  )
  assert.deepEqual(logged, [
    { detail: { bankConfirmation: 'Letter 7', failed: 2, amount: '300.00' } },
  ])
  await assertBooksBalance(bench)
})

test('an undelivered file cannot be downloaded or marked again', async () => {
  await queuePayouts(bench)
  const { id } = await createFile(bench)
  await markNotDelivered(bench, id, { bankConfirmation: 'First' })
  const again = await markNotDelivered(bench, id, { bankConfirmation: 'Second' })

  refused(again, 409, 'payout_file_not_delivered')
  assert.equal((await readFile(bench, id)).bankConfirmation, 'First')
  refused(await download(bench, id), 409, 'payout_file_not_delivered')
  assert.equal((await readFile(bench, id)).downloadedAt, null)
})

test('without the bank’s confirmation, or once it has paid, nothing fails', async () => {
  const references = await queuePayouts(bench)
  const { id } = await createFile(bench)
  refused(await markNotDelivered(bench, id, { bankConfirmation: ' ' }), 400, 'invalid_request')
  const url = `${PAYOUT_FILES}/${id}/not-delivered`
  const person = await newBrowser(bench, 'operator')
  refused(await person.call({ url, body: {} }), 400, 'invalid_request')
  const unknown = await markNotDelivered(bench, 'PYF000000000000000')
  refused(unknown, 404, 'payout_file_not_found')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])

  const [first = ''] = references
  await upload(bench, pain002({ file: id, of: [{ reference: first, status: 'ACSC' }] }))
  refused(await markNotDelivered(bench, id), 409, 'payout_file_paid')
  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'sending'])
})

test('a later payment of an undelivered payout raises an alert and changes nothing', async () => {
  const [reference = ''] = await queuePayouts(bench, { amountsKobo: [100n] })
  const { id } = await createFile(bench)
  await markNotDelivered(bench, id)

  const results = await upload(bench, pain002({ file: id, group: '<GrpSts>ACSC</GrpSts>' }))

  assert.equal(results.problems[0].problem, 'already_settled')
  assert.deepEqual(await statusesOf(bench, [reference]), ['failed'])
  assert.deepEqual(await openAlerts(bench), [`payout/${reference}`])
})

test('a reported result is settled by the workers when its process died before it could', async () => {
  const references = await queuePayouts(bench, { amountsKobo: [100n, 200n] })
  const [first = '', second = ''] = references
  const { id } = await createFile(bench)
  const now = bench.clock()
  const line = {
    line: 1,
    level: 'order',
    fileReference: id,
    reference: first,
    statusText: 'ACSC',
    status: 'confirmed',
    bankReference: 'GTB-9',
    reason: undefined,
  } as const
  await withTransaction(bench.db, (tx) =>
    takeFileResults(tx, { now, by }, { lines: [line], sha256: 'a' }),
  )
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
  // The bank's report of a payment is stored, but the payout is not settled yet. The file must already count
  // as paid, so it cannot be marked as undelivered.
  const failing = withTransaction(bench.db, (tx) =>
    failPayoutFile(tx, { now, by }, { reference: id, bankConfirmation: 'No' }),
  )
  await assert.rejects(failing, { code: 'payout_file_paid' })

  const round = settleReportedPayoutsRound({
    db: bench.db,
    batchPool: bench.db,
    sharedAccounts: new SharedAccounts(bench.db),
    payoutHooks: {},
    clock: bench.clock,
  })
  await round(new AbortController().signal)
  await round(new AbortController().signal)

  const [settled, open] = await readPayouts(bench, [first, second])
  assert.deepEqual([settled?.status, settled?.bankReference], ['confirmed', 'GTB-9'])
  assert.equal(open?.status, 'sending')
  await assertBooksBalance(bench)
})
