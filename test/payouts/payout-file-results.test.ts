// An operator uploads a bank's report about payouts in a file: each payout is settled once, by the bank's
// first report (I62).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrity } from '#integrity/checks.ts'
import { closeAfterTests } from '../support/closing.ts'
import { requestFailure } from '../support/failing.ts'
import { assertBooksBalance, ledgerNaira } from '../support/fixtures.ts'
import { pain002, rejection } from '../support/payment-files.ts'
import {
  CSV,
  createFile,
  openAlerts,
  queuePayouts,
  RESULTS,
  readFile,
  readPayouts,
  refused,
  startFileService,
  statusesOf,
  upload,
  XML,
} from '../support/payout-desk.ts'

const bench = closeAfterTests(await startFileService())

// Creates a file of payouts with these amounts.
async function sendFile(amountsKobo: readonly bigint[] = [10_000n, 20_000n, 30_000n]) {
  const references = await queuePayouts(bench, { amountsKobo })
  const { id } = await createFile(bench)
  const [first = '', second = '', third = ''] = references
  return { id: id as string, references, first, second, third }
}

test('a pain.002 confirms, fails and leaves in progress', async () => {
  const { id, references, first, second, third } = await sendFile()
  const report = pain002({
    file: id,
    group: '<GrpSts>PART</GrpSts>',
    of: [
      { reference: first, status: 'ACSC', more: '<AcctSvcrRef>GTB-1</AcctSvcrRef>' },
      { reference: second, status: 'RJCT', more: rejection('AC04', 'Closed account') },
      { reference: third, status: 'ACSP' },
    ],
  })
  const paying = await ledgerNaira(bench, 'paying')

  const results = await upload(bench, report)

  const counts = { confirmed: 1, failed: 1, pending: 1, unchanged: 0, problems: [] }
  assert.deepEqual(results, counts)
  assert.deepEqual(await readPayouts(bench, references), [
    { status: 'confirmed', bankReference: 'GTB-1', failureReason: null },
    { status: 'failed', bankReference: null, failureReason: 'AC04: Closed account' },
    { status: 'sending', bankReference: null, failureReason: null },
  ])
  assert.equal(paying - (await ledgerNaira(bench, 'paying')), 300)
  const file = await readFile(bench, id)
  assert.deepEqual([file.open, file.confirmed, file.failed], [1, 1, 1])
  await assertBooksBalance(bench)
})

test('uploading the same report again, or twice at once, changes nothing', async () => {
  const { id, references, first, second } = await sendFile([10_000n, 20_000n])
  const of = [
    { reference: first, status: 'ACCC' },
    { reference: second, status: 'RJCT' },
  ]
  const report = pain002({ file: id, of })
  const all = await Promise.all(Array.from({ length: 4 }, () => upload(bench, report)))
  const again = await upload(bench, report)

  assert.equal(
    all.reduce((sum, { confirmed, failed }) => sum + confirmed + failed, 0),
    2,
  )
  assert.equal(again.unchanged, 2)
  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'failed'])
  const { rows } = await bench.db.query<{ reason: string }>(
    `select t.reason from transfers t join payouts p on p.id = t.payout_id
      where p.reference = any($1) and t.reason in ('paid', 'payout_failed') order by p.id`,
    [references],
  )
  assert.deepEqual(
    rows.map(({ reason }) => reason),
    ['paid', 'payout_failed'],
  )
  const { rows: events } = await bench.db.query<{ type: string }>(
    `select type from events where type like 'payout.%' and facts ->> 'reference' = any($1)
      order by type`,
    [references],
  )
  assert.deepEqual(
    events.map(({ type }) => type),
    ['payout.confirmed', 'payout.failed'],
  )
})

test('a status of the whole file is one of each payout that has none of its own', async () => {
  const { id, references, first } = await sendFile()
  const group = `<GrpSts>RJCT</GrpSts>${rejection('FF01', 'Invalid file')}`
  const of = [{ reference: first, status: 'PDNG' }]

  const results = await upload(bench, pain002({ file: id, group, of }))

  assert.deepEqual([results.failed, results.pending, results.problems], [2, 1, []])
  const [pending, ...failed] = await readPayouts(bench, references)
  assert.equal(pending?.status, 'sending')
  assert.deepEqual(
    failed.map(({ failureReason }) => failureReason),
    ['FF01: Invalid file', 'FF01: Invalid file'],
  )

  const paid = pain002({ file: id, payment: '<PmtInfSts>ACSC</PmtInfSts>' })
  const [last] = [await upload(bench, paid)]
  assert.equal(last.confirmed, 1)
  assert.deepEqual(
    last.problems.map(({ problem }: { problem: string }) => problem),
    ['already_settled', 'already_settled'],
  )
  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'failed', 'failed'])
})

test('a CSV is taken too; its unknown lines are reported and the others are not lost', async () => {
  const { references, first, second, third } = await sendFile()
  const [queued] = await queuePayouts(bench, { amountsKobo: [100n] })
  const lines = [
    'reference,status,bankReference,reason',
    `${first},ACSC,B-1,`,
    'PYT999999999999999,ACSC,,',
    `${second},failed,,Account closed`,
    ',ACSC,,',
    `${third},settled?,,`,
    `${queued},ACSC,,`,
  ]
  const results = await upload(bench, lines.join('\r\n'), CSV)

  assert.deepEqual([results.confirmed, results.failed], [1, 1])
  assert.deepEqual(
    results.problems.map(({ line, reference, problem }: Record<string, unknown>) => [
      line,
      reference,
      problem,
    ]),
    [
      [3, 'PYT999999999999999', 'unknown_reference'],
      [5, null, 'reference_missing'],
      [6, third, 'unknown_status'],
      [7, queued, 'not_in_file'],
    ],
  )
  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'failed', 'sending'])
  assert.deepEqual(await statusesOf(bench, [queued as string]), ['queued'])
  await createFile(bench)
})

test('a report that contradicts a settled payout changes nothing and raises an alert, once', async () => {
  const { id, references, first, second } = await sendFile([10_000n, 20_000n])
  const statuses = ['ACSC', 'RJCT']
  const report = (transactions: readonly string[]) =>
    pain002({
      file: id,
      of: [first, second].map((reference, at) => ({
        reference,
        status: transactions[at] as string,
      })),
    })
  await upload(bench, report(statuses))
  const before = await openAlerts(bench)

  const opposite = report([...statuses].reverse())
  const results = await upload(bench, opposite)
  await upload(bench, opposite)

  assert.deepEqual(
    results.problems.map(({ reference, problem }: Record<string, unknown>) => [reference, problem]),
    [
      [first, 'already_settled'],
      [second, 'already_settled'],
    ],
  )
  assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'failed'])
  const raised = (await openAlerts(bench)).slice(before.length)
  assert.deepEqual(raised.sort(), [`payout/${first}`, `payout/${second}`].sort())
  await assertBooksBalance(bench)
})

test('a user cannot contradict the bank’s report by hand, whether or not the payout is settled', async () => {
  const { references, first } = await sendFile([10_000n])
  await bench.db.query(
    `insert into payout_results (payout_id, status, bank_reference, reported_by, reported_at)
     select id, 'confirmed', 'GTB-9', 'file', now() from payouts where reference = $1`,
    [first],
  )
  const url = `/api/v1/operator/payouts/${first}/confirm`
  const failed = await requestFailure(bench, first)
  const confirmed = await bench.call({ url, body: { bankReference: 'GTB-9' } })

  refused(failed, 409, 'payout_settled')
  assert.equal(confirmed.statusCode, 200)
  assert.deepEqual(await statusesOf(bench, references), ['confirmed'])
})

test('nothing is decided where the bank is not clear', async () => {
  const { id, references, first, second, third } = await sendFile()
  const other = await sendFile([100n])
  const amount = '<OrgnlTxRef><Amt><InstdAmt Ccy="NGN">999.00</InstdAmt></Amt></OrgnlTxRef>'
  const results = await upload(
    bench,
    pain002({
      file: id,
      group: '<GrpSts>ACSC</GrpSts>',
      of: [
        { reference: first, status: 'ACSC' },
        { reference: first, status: 'RJCT' },
        { reference: second, status: 'ACSC', more: amount },
        { reference: third, status: 'CANC' },
        { reference: other.first, status: 'ACSC' },
      ],
    }),
  )
  assert.deepEqual(
    results.problems.map(({ problem }: { problem: string }) => problem),
    ['contradictory', 'amount_differs', 'unknown_status', 'other_file'],
  )
  assert.deepEqual([results.confirmed, results.failed], [0, 0])
  const statuses = await statusesOf(bench, [...references, other.first])
  assert.deepEqual(statuses, ['sending', 'sending', 'sending', 'sending'])
})

test('a report of a file that is not ours is answered with an error for each line', async () => {
  const { first, references } = await sendFile([100n])
  const foreign = pain002({
    file: 'SOMEBODY-ELSES',
    group: '<GrpSts>ACSC</GrpSts>',
    of: [{ reference: first, status: 'ACSC' }],
  })
  const { problems } = await upload(bench, foreign)
  assert.deepEqual(
    problems.map(({ problem }: { problem: string }) => problem),
    ['unknown_file', 'other_file'],
  )
  assert.deepEqual(await statusesOf(bench, references), ['sending'])
})

test('reports that cannot be read are refused, and change nothing', async () => {
  const post = (body: string | Buffer, headers: Record<string, string>) =>
    bench.call({ url: RESULTS, method: 'POST', body, headers })
  const entity = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'
  for (const body of ['<a/>', entity, '<a>'.repeat(10_000), pain002({})]) {
    refused(await post(body, XML), 400, 'invalid_request')
  }
  for (const body of ['', 'a,b\n1,2', 'reference,status\n"', Buffer.from([0xff, 0xfe])]) {
    const answer = await post(body, CSV)
    assert.equal(answer.statusCode, 400, answer.body)
  }
  refused(await post('{}', { 'content-type': 'application/json' }), 415, 'media_type_unsupported')
  const large = Buffer.alloc(16_777_217, 'a')
  refused(await post(large, CSV), 413, 'body_too_large')
})

test('an upload is in the audit log with its amounts', async () => {
  const { id, first, second } = await sendFile([10_000n, 25_050n])
  const of = [
    { reference: first, status: 'ACSC' },
    { reference: second, status: 'RJCT' },
  ]
  await upload(bench, pain002({ file: id, of }))
  const { rows } = await bench.db.query<{ detail: object }>(
    `select detail from audit_log where action = 'payout_file.results' order by id desc limit 1`,
  )
  assert.deepEqual(rows[0]?.detail, {
    confirmed: { payouts: 1, amount: '100.00' },
    failed: { payouts: 1, amount: '250.50' },
    pending: 0,
    unchanged: 0,
    problems: 0,
  })
})

test('an Idempotency-Key belongs to one report', async () => {
  const { id, first } = await sendFile([100n])
  const call = (status: string) => ({
    url: RESULTS,
    body: pain002({ file: id, of: [{ reference: first, status }] }),
    headers: { ...XML, 'idempotency-key': 'report-1' },
  })
  const [one, again] = [await bench.call(call('ACSC')), await bench.call(call('ACSC'))]
  assert.deepEqual(one.json(), again.json())
  refused(await bench.call(call('RJCT')), 409, 'idempotency_key_reused')
})

test('afterwards the books agree with the records', async () => {
  await assertBooksBalance(bench)
  const { rows } = await bench.db.query<{ adrift: string }>(
    `select (select coalesce(sum(credits_kobo - debits_kobo), 0) from ledger_accounts
              where kind = 'paying')
          - (select coalesce(sum(amount_kobo), 0) from payouts
              where status in ('queued', 'sending', 'unknown')) as adrift`,
  )
  assert.equal(Number(rows[0]?.adrift), 0)
  assert.deepEqual(await checkIntegrity(bench.db), [])
})
