// A payout that a bank may have received is marked as failed only with evidence and with the approval of
// another person who is independent of the requester, because this makes its money available again (I94).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  approveFailure,
  EVIDENCE,
  FAILURES,
  referenceOf,
  requestFailure,
  requestFileFailure,
} from '../support/failing.ts'
import {
  createFile,
  download,
  PAYOUT_FILES,
  queuePayouts,
  readFile,
  refused,
  startFileService,
  statusesOf,
} from '../support/payout-desk.ts'
import { OPERATOR_PAYOUTS } from '../support/payouts.ts'
import { type Browser, newBrowser, newBrowserGivenBy } from '../support/people.ts'

const bench = closeAfterTests(await startFileService())

// Creates a payout file and downloads it, so that the bank may have it.
async function sent() {
  const references = await queuePayouts(bench)
  const { id } = await createFile(bench)
  await download(bench, id)
  return { id: id as string, references, first: references[0] as string }
}

const decide = (by: Pick<Browser, 'call'>, reference: string, verb: string, body: object = {}) =>
  by.call({ url: `${FAILURES}/${reference}/${verb}`, body })

test('a payout in a downloaded file fails only when another person approves', async () => {
  const { references, first } = await sent()
  const maker = await newBrowser(bench, 'operator')
  const requested = await requestFailure(maker, first)
  const request = requested.json().data.failureRequest
  assert.deepEqual([requested.json().data.status, request.evidence], ['sending', EVIDENCE])
  assert.equal(request.cannotApprove.code, 'other_person_needed')

  refused(await decide(maker, request.reference, 'approve'), 409, 'other_person_needed')
  refused(await decide(bench, request.reference, 'approve'), 403, 'people_only')
  refused(await requestFailure(bench, first), 409, 'failure_requested')
  const body = { reason: 'Alone', evidence: EVIDENCE }
  const bySecret = await bench.call({ url: `${OPERATOR_PAYOUTS}/${first}/fail`, body })
  refused(bySecret, 403, 'people_only')
  const puppet = await newBrowserGivenBy(bench, maker, 'operator')
  refused(await decide(puppet, request.reference, 'approve'), 409, 'approver_not_independent')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])

  const checker = await newBrowser(bench, 'finance')
  const approved = await decide(checker, request.reference, 'approve')
  assert.equal(approved.json().data.state, 'approved', approved.body)
  assert.equal((await decide(checker, request.reference, 'approve')).statusCode, 200)
  assert.deepEqual(await statusesOf(bench, references), ['failed', 'sending'])
  const { rows } = await bench.db.query(
    `select action, detail ->> 'evidence' as evidence from audit_log where subject = $1
       and action like 'payout.%fail%' order by id`,
    [`payout/${first}`],
  )
  assert.deepEqual(
    rows.map(({ action }) => action),
    ['payout.request_failure', 'payout.fail', 'payout.approve_failure'],
  )
  assert(rows.every(({ evidence }) => evidence === EVIDENCE))
  await assertCleanBooks(bench)
})

test('a file cannot be downloaded while a request to fail it, or a payout in it, is open', async () => {
  const references = await queuePayouts(bench)
  const { id } = await createFile(bench)
  const maker = await newBrowser(bench, 'operator')
  for (const request of [
    () => requestFileFailure(maker, id),
    () => requestFailure(maker, references[1] as string),
  ]) {
    const reference = referenceOf(await request())
    refused(await download(bench, id), 409, 'failure_requested')
    const { blockedBy, downloadedAt } = await readFile(bench, id)
    assert.deepEqual([blockedBy, downloadedAt], ['failure_requested', null])
    assert.equal((await decide(maker, reference, 'withdraw')).statusCode, 200)
  }
  assert.equal((await download(bench, id)).statusCode, 200)

  const reference = referenceOf(await requestFileFailure(maker, id))
  refused(await download(bench, id), 409, 'failure_requested')
  assert.equal((await approveFailure(bench, reference)).statusCode, 200)
  refused(await download(bench, id), 409, 'payout_file_not_delivered')
})

test('evidence is required', async () => {
  const { first } = await sent()
  for (const evidence of [undefined, '', ' ', 7, 'x'.repeat(401)]) {
    refused(await requestFailure(bench, first, { evidence }), 400, 'invalid_request')
  }
})

test('a failure is requested by people alone; a rejected one can be requested again', async () => {
  const { id, references } = await sent()
  const body = { bankConfirmation: EVIDENCE }
  const url = `${PAYOUT_FILES}/${id}/not-delivered`
  refused(await bench.call({ url, body }), 403, 'people_only')
  const requested = await requestFileFailure(bench, id)
  const reference = referenceOf(requested)
  assert.equal(requested.json().data.notDeliveredAt, null)
  const checker = await newBrowser(bench, 'operator')
  const rejected = await decide(checker, reference, 'reject', { reason: 'Ask again.' })
  assert.equal(rejected.json().data.state, 'rejected')
  refused(await decide(checker, reference, 'approve'), 409, 'request_decided')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])

  const again = await approveFailure(bench, referenceOf(await requestFileFailure(bench, id)))
  assert.equal(again.json().data.amount, 300)
  assert.deepEqual(await statusesOf(bench, references), ['failed', 'failed'])
  assert.equal((await readFile(bench, id)).failureRequest, null)
  await assertCleanBooks(bench)
})

test('only the requester withdraws; a payout that was settled meanwhile is not failed', async () => {
  const { first } = await sent()
  const maker = await newBrowser(bench, 'operator')
  const other = await newBrowser(bench, 'operator')
  const reference = referenceOf(await requestFailure(maker, first))
  refused(await decide(other, reference, 'withdraw'), 409, 'own_request_only')
  assert.equal((await decide(maker, reference, 'withdraw')).json().data.state, 'withdrawn')

  const next = referenceOf(await requestFailure(maker, first))
  const url = `/api/v1/operator/payouts/${first}/confirm`
  assert.equal((await bench.call({ url, body: { bankReference: 'B-1' } })).statusCode, 200)
  refused(await decide(other, next, 'approve'), 409, 'payout_settled')
  assert.equal((await statusesOf(bench, [first]))[0], 'confirmed')
})

test('the database refuses an approval by the maker, and a request that changes', async () => {
  const { first } = await sent()
  const maker = await newBrowser(bench, 'operator')
  const puppet = await newBrowserGivenBy(bench, maker, 'operator')
  const reference = referenceOf(await requestFailure(puppet, first))
  const approve = (by: Browser) =>
    bench.db.query(
      `update payout_failures set state = 'approved', decided_by = $2, decided_by_user = $3,
                                  decided_at = now() where reference = $1`,
      [reference, `user:${by.user.email}`, by.user.id],
    )
  await assert.rejects(approve(puppet), { constraint: 'payout_failures_two_people' })
  await assert.rejects(approve(maker), { constraint: 'payout_failures_another_person' })
  await assert.rejects(
    bench.db.query(`update payout_failures set evidence = 'x' where reference = $1`, [reference]),
    { constraint: 'payout_failures_keep_what_was_asked' },
  )
})
