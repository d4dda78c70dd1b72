// An operator settles a payout by hand that is also in a payout file. The file can then no longer be
// downloaded, because the bank would pay it again. If the bank reports the payout under another reference, an
// alert shows it (I62).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, countDeadlocks, holdTable } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  approveFailure,
  failPayout,
  markNotDelivered,
  referenceOf,
  requestFailure,
  requestFileFailure,
} from '../support/failing.ts'
import { dataOf } from '../support/fixtures.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  download,
  FILE_BANK,
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
import { giveBack, NOBODYS_NUMBER, readItem, suspend } from '../support/suspense-desk.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startFileService())

const REASON = { reason: 'The bank does not know it' }
const fail = (reference: string) => failPayout(bench, reference, REASON)
const confirm = (reference: string, bankReference: string) =>
  bench.call({ url: `/api/v1/operator/payouts/${reference}/confirm`, body: { bankReference } })
const settleReturn = (reference: string, verb: 'confirm' | 'fail', body: object) =>
  bench.call({ url: `/api/v1/operator/returns/${reference}/${verb}`, body })

// Creates a file of two payouts.
async function sendFile() {
  const references = await queuePayouts(bench)
  const [first = '', second = ''] = references
  return { ...(await createFile(bench)), references, first, second }
}

// Requests the return of suspended money, which waits for a file of its bank.
async function queueReturn(): Promise<{ item: number; reference: string }> {
  const payer = { sourceAccountNumber: '2093566866', sourceBankCode: '033' }
  const { id } = await suspend(bench, NOBODYS_NUMBER, '75', { bank: FILE_BANK, ...payer })
  const { returnReference } = dataOf(await giveBack(bench, id))
  return { item: id, reference: returnReference }
}

// Locks the row of a payout; returns the function that unlocks it.
async function holdPayout(reference: string) {
  const holder = await bench.db.connect()
  await holder.query('begin')
  await holder.query('select from payouts where reference = $1 for update', [reference])
  return async () => {
    await holder.query('rollback')
    holder.release()
  }
}

test('a file with a payout failed by hand cannot be downloaded; marked undelivered, all fail', async () => {
  const { id, references, first } = await sendFile()
  assert.equal((await fail(first)).statusCode, 200)

  const answer = await download(bench, id)

  refused(answer, 409, 'payout_file_settled')
  const message = `${first} was failed by hand.`
  assert.deepEqual(answer.json().errors, [{ field: 'payouts', message }])
  const { settledByHand, downloadedAt } = await readFile(bench, id)
  assert.deepEqual([settledByHand, downloadedAt], [1, null])
  assert.equal((await markNotDelivered(bench, id)).statusCode, 200)
  assert.deepEqual(await statusesOf(bench, references), ['failed', 'failed'])
  const [one] = await readPayouts(bench, [first])
  assert.equal(one?.failureReason, REASON.reason)
  await assertCleanBooks(bench)
})

test('a file without a download can be marked undelivered, though one payout was paid by hand', async () => {
  const { id, references, first } = await sendFile()
  assert.equal((await confirm(first, 'PORTAL-1')).statusCode, 200)
  refused(await download(bench, id), 409, 'payout_file_settled')

  assert.equal((await markNotDelivered(bench, id)).statusCode, 200)

  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'failed'])
  await assertCleanBooks(bench)
})

test('a payout settled by hand later is not downloaded again, and its report is taken', async () => {
  const { id, references, first, second } = await sendFile()
  assert.equal((await download(bench, id)).statusCode, 200)
  assert.equal((await confirm(first, 'GTB-1')).statusCode, 200)

  refused(await download(bench, id), 409, 'payout_file_settled')
  refused(await markNotDelivered(bench, id), 409, 'payout_file_paid')

  const of = [
    { reference: first, status: 'ACSC', more: '<AcctSvcrRef>GTB-1</AcctSvcrRef>' },
    { reference: second, status: 'ACSC', more: '<AcctSvcrRef>GTB-2</AcctSvcrRef>' },
  ]
  const results = await upload(bench, pain002({ file: id, of }))
  const counts = { confirmed: 1, failed: 0, pending: 0, unchanged: 1, problems: [] }
  assert.deepEqual(results, counts)
  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'confirmed'])
})

test('a file whose payouts the bank alone settled can still be downloaded', async () => {
  const { id, first, second } = await sendFile()
  const of = [
    { reference: first, status: 'ACSC' },
    { reference: second, status: 'RJCT' },
  ]
  await upload(bench, pain002({ file: id, of }))

  assert.equal((await download(bench, id)).statusCode, 200)
  assert.equal((await readFile(bench, id)).settledByHand, 0)
})

test('a download waits while a payout is being settled by hand, and gets nothing', async () => {
  const { id, first } = await sendFile()
  const table = await holdTable(bench, 'transfers')
  const failing = fail(first)
  await untilBlocked(bench.db, 1) // The request to fail has locked the payout, and not settled it yet.

  const downloading = download(bench, id)
  await Promise.race([downloading, untilBlocked(bench.db, 2)])
  await table[Symbol.asyncDispose]()

  assert.equal((await failing).statusCode, 200)
  refused(await downloading, 409, 'payout_file_settled')
})

test('a return executed by hand while a file took it is settled, and the file kept back', async () => {
  const { item, reference } = await queueReturn()
  const [actions, transfers] = [
    await holdTable(bench, 'audit_log'),
    await holdTable(bench, 'transfers'),
  ]
  const creating = bench.call({ url: PAYOUT_FILES, body: { bankCode: FILE_BANK, format: 'csv' } })
  await untilBlocked(bench.db, 1) // The new file has taken the return, and is not committed yet.
  const confirming = settleReturn(reference, 'confirm', { bankReference: 'PORTAL-2' })
  await untilBlocked(bench.db, 2)
  await actions[Symbol.asyncDispose]()
  const { id } = (await creating).json().data
  await untilBlocked(bench.db, 1) // The confirmation has seen the file, and is about to settle the return.
  const downloading = download(bench, id)
  await Promise.race([downloading, untilBlocked(bench.db, 2)])
  await transfers[Symbol.asyncDispose]()

  assert.equal((await confirming).statusCode, 200)
  assert.equal((await readItem(bench, item)).state, 'returned')
  const answer = await downloading
  refused(answer, 409, 'payout_file_settled')
  const message = `${reference} was confirmed by hand.`
  assert.deepEqual(answer.json().errors, [{ field: 'payouts', message }])
  assert.equal((await markNotDelivered(bench, id)).statusCode, 200)
  assert.equal((await readItem(bench, item)).state, 'returned')
  await assertCleanBooks(bench)
})

test('a return in a file fails as a payout does: with evidence, and a second person', async () => {
  const { item, reference } = await queueReturn()
  await createFile(bench)
  refused(await settleReturn(reference, 'fail', REASON), 409, 'return_may_be_paid')
  assert.equal((await readItem(bench, item)).state, 'returning')

  assert.equal((await fail(reference)).json().data.status, 'failed')

  assert.equal((await readItem(bench, item)).state, 'open')
  const url = `/api/v1/operator/returns/${reference}`
  const { status, failureReason } = dataOf(await bench.call({ url }))
  assert.deepEqual([status, failureReason], ['failed', REASON.reason])
  assert.equal((await settleReturn(reference, 'fail', REASON)).statusCode, 200, 'it has failed')
  await assertCleanBooks(bench)
})

for (const kind of ['payout', 'return'] as const) {
  test(`a ${kind} is settled by hand while its file is marked, without a deadlock`, async () => {
    const queued = kind === 'return' ? await queueReturn() : undefined
    const [reference = ''] = queued ? [queued.reference] : await queuePayouts(bench)
    const { id } = await createFile(bench)
    const requested = referenceOf(await requestFailure(bench, reference, REASON))
    const marked = referenceOf(await requestFileFailure(bench, id))
    const before = await countDeadlocks(bench)
    const letGo = await holdPayout(reference)
    const byHand = approveFailure(bench, requested)
    await untilBlocked(bench.db, 1)
    const marking = approveFailure(bench, marked)
    await untilBlocked(bench.db, 2)
    await letGo()

    assert.deepEqual([(await byHand).statusCode, (await marking).statusCode], [200, 200])
    assert.equal(await countDeadlocks(bench), before)
    const [payout] = await readPayouts(bench, [reference])
    assert.equal(payout?.failureReason, REASON.reason)
    await assertCleanBooks(bench)
  })
}

test('a payout confirmed under one reference and reported under another raises an alert', async () => {
  const { id, references, first, second } = await sendFile()
  assert.equal((await download(bench, id)).statusCode, 200)
  assert.equal((await confirm(first, 'PORTAL-3')).statusCode, 200)
  const report = (refs: readonly string[]) =>
    pain002({
      file: id,
      of: refs.map((ref, at) => ({
        reference: references[at] as string,
        status: 'ACSC',
        more: ref && `<AcctSvcrRef>${ref}</AcctSvcrRef>`,
      })),
    })
  const before = await openAlerts(bench)
  // Uploads a report with these references of the bank; returns how many payouts it left unchanged, and the
  // problems that it showed.
  const problemsOf = async (refs: readonly string[]) => {
    const { unchanged, problems } = await upload(bench, report(refs))
    const reported = problems.map(({ reference, problem }: Record<string, string>) => [
      reference,
      problem,
    ])
    return [unchanged, reported]
  }

  // Without a reference of the bank, a report of a payout that was confirmed by hand is no problem.
  assert.deepEqual(await problemsOf(['PORTAL-3', '']), [1, []])
  assert.deepEqual(await problemsOf(['', 'GTB-2']), [2, []])
  assert.deepEqual(await problemsOf(['GTB-1', '']), [1, [[first, 'other_reference']]])

  const raised = (await openAlerts(bench)).slice(before.length)
  assert.deepEqual(raised, [`payout/${first}`])
  const stored = await readPayouts(bench, references)
  assert.deepEqual(
    stored.map(({ bankReference }) => bankReference),
    ['PORTAL-3', second],
  )
  await assertCleanBooks(bench)
})

test('a return confirmed by hand without a reference and reported with one raises an alert', async () => {
  const { reference } = await queueReturn()
  const { id } = await createFile(bench)
  assert.equal((await download(bench, id)).statusCode, 200)
  assert.equal((await settleReturn(reference, 'confirm', {})).statusCode, 200)
  const before = await openAlerts(bench)

  const of = [{ reference, status: 'ACSC', more: '<AcctSvcrRef>GTB-4</AcctSvcrRef>' }]
  const { problems } = await upload(bench, pain002({ file: id, of }))

  assert.equal(problems[0].problem, 'other_reference')
  assert.deepEqual((await openAlerts(bench)).slice(before.length), [`payout/${reference}`])
})

test('a user cannot confirm a payout under another reference than the bank reported', async () => {
  const { references, first } = await sendFile()
  await bench.db.query(
    `insert into payout_results (payout_id, status, bank_reference, reported_by, reported_at)
     select id, 'confirmed', 'GTB-9', 'file', now() from payouts where reference = $1`,
    [first],
  )

  refused(await confirm(first, 'PORTAL-9'), 409, 'payout_settled')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
  assert.equal((await confirm(first, 'GTB-9')).statusCode, 200)
})
