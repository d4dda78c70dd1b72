// Payout files (I62): a payout is in at most one file, which is for its own bank, and has the status
// `sending` before anybody can download the file. A file never changes.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { child, children, readXml, textOf, type XmlElement } from '#banks/iso20022/xml.ts'
import { Sealer } from '#seal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertBooksBalance } from '../support/fixtures.ts'
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

const bench = closeAfterTests(await startFileService())

// The references of the payouts in a pain.001 file.
function referencesIn(xml: string): (string | undefined)[] {
  const read = readXml(Buffer.from(xml), 1_000_000)
  assert('root' in read)
  const payment = child(read.root, 'CstmrCdtTrfInitn', 'PmtInf')
  return children(payment, 'CdtTrfTxInf').map((transfer) => textOf(transfer, 'PmtId', 'EndToEndId'))
}

// Seals the stored file again, as a rotation of data keys does.
async function reseal(id: string): Promise<void> {
  const { data, hash } = bench.config.secrets
  const sealer = new Sealer(data, hash)
  const { rows } = await bench.db.query<{ sealed: Buffer }>(
    'select content_sealed as sealed from payout_files where reference = $1',
    [id],
  )
  await bench.db.query('update payout_files set content_sealed = $2 where reference = $1', [
    id,
    sealer.seal(sealer.open(rows[0]?.sealed as Buffer)),
  ])
}

test('a file takes all queued payouts of its bank, and only those', async () => {
  const references = await queuePayouts(bench, { amountsKobo: [10_000n, 20_050n] })
  const unapproved = await queuePayouts(bench, { needsApproval: true })
  const elsewhere = await queuePayouts(bench, { bankCode: '044' })

  const file = await createFile(bench)

  assert.equal(file.payouts, 2)
  assert.equal(file.amount, 300.5)
  assert.equal(file.open, 2)
  assert.equal(file.executionDate, '2026-11-16', 'Monday, since today is Sunday')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
  assert.deepEqual(await statusesOf(bench, unapproved), ['queued', 'queued'])
  assert.deepEqual(await statusesOf(bench, elsewhere), ['queued', 'queued'])
  const answer = await download(bench, file.id)
  assert.deepEqual(referencesIn(answer.body), references)
  await createFile(bench, { bankCode: '044' })
  await assertBooksBalance(bench)
})

test('a file names the debtor of the bank’s settings and who is paid, in full', async () => {
  await queuePayouts(bench, { amountsKobo: [123_456n], name: 'Ọlá & Sons <Ltd>' })
  const file = await createFile(bench)
  const read = readXml((await download(bench, file.id)).rawPayload)
  assert('root' in read)
  const message = child(read.root, 'CstmrCdtTrfInitn') as XmlElement
  const payment = child(message, 'PmtInf')
  const transaction = child(payment, 'CdtTrfTxInf')

  assert.equal(textOf(message, 'GrpHdr', 'MsgId'), file.id)
  assert.equal(textOf(payment, 'PmtInfId'), file.id)
  assert.equal(textOf(payment, 'DbtrAcct', 'Id', 'Othr', 'Id'), '0123456789')
  assert.equal(textOf(transaction, 'Cdtr', 'Nm'), 'Ola + Sons (Ltd)')
  assert.equal(textOf(transaction, 'CdtrAcct', 'Id', 'Othr', 'Id'), '2093566866')
  assert.equal(textOf(transaction, 'Amt', 'InstdAmt'), '1234.56')
})

test('a file is the same bytes whenever it is downloaded, which is in the audit log', async () => {
  await queuePayouts(bench)
  const file = await createFile(bench, { format: 'csv' })
  assert.equal(file.downloadedAt, null)

  const first = await download(bench, file.id)
  bench.advance(86_400_000)
  await reseal(file.id) // Simulates a rotation of keys.
  const second = await download(bench, file.id)

  assert.equal(first.headers['content-type'], 'text/csv; charset=utf-8')
  assert.equal(first.headers['content-disposition'], `attachment; filename="${file.id}.csv"`)
  assert.deepEqual(first.rawPayload, second.rawPayload)
  const sha256 = createHash('sha256').update(first.rawPayload).digest('hex')
  assert.equal(sha256, file.sha256)
  const { downloadedAt } = await readFile(bench, file.id)
  assert.notEqual(downloadedAt, null)
  const { rows } = await bench.db.query(
    `select actor, detail ->> 'amount' as amount from audit_log
      where action = 'payout_file.download' and subject = $1`,
    [`payout_file/${file.id}`],
  )
  const logged = { actor: 'client:MAN0000001', amount: '300.00' }
  assert.deepEqual(rows, [logged, logged])
})

test('two files that are created at once share no payout', async () => {
  const references = await queuePayouts(bench, {
    amountsKobo: Array.from({ length: 200 }, () => 100n),
  })
  const ask = { url: PAYOUT_FILES, body: { bankCode: '058', format: 'csv' } }
  const answers = await Promise.all(Array.from({ length: 4 }, () => bench.call(ask)))

  const made = answers.filter(({ statusCode }) => statusCode === 200)
  const total = made.reduce((sum, answer) => sum + answer.json().data.payouts, 0)
  assert.equal(total, references.length)
  for (const answer of answers.filter(({ statusCode }) => statusCode !== 200)) {
    refused(answer, 409, 'no_payouts_queued')
  }
  const { rows } = await bench.db.query<{ files: number }>(
    `select count(*)::int as files from payouts where reference = any($1) and batch_id is not null`,
    [references],
  )
  assert.equal(rows[0]?.files, references.length)
})

test('the database refuses a payout in a second file, in a bank’s of another, and a queued one', async () => {
  const [reference] = await queuePayouts(bench, { amountsKobo: [100n] })
  const first = await createFile(bench)
  await queuePayouts(bench, { amountsKobo: [100n], bankCode: '044' })
  const second = await createFile(bench, { bankCode: '044' })
  const [queued] = await queuePayouts(bench, { amountsKobo: [100n] })
  const idOf = (id: string) => `(select id from payout_files where reference = '${id}')`
  const update = (ref: string, set: string) =>
    bench.db.query(`update payouts set ${set} where reference = $1`, [ref])

  await assert.rejects(update(reference as string, `batch_id = ${idOf(second.id)}`), {
    constraint: 'payouts_in_one_file',
  })
  await assert.rejects(update(reference as string, 'batch_id = null'), {
    constraint: 'payouts_in_one_file',
  })
  await assert.rejects(update(queued as string, `batch_id = ${idOf(first.id)}`), {
    constraint: 'payouts_queued_in_no_file',
  })
  const sent = `status = 'sending', sending_at = now(), batch_id = ${idOf(second.id)}`
  await assert.rejects(update(queued as string, sent), { constraint: 'payouts_file_of_same_bank' })
  await assert.rejects(
    bench.db.query(`update payout_files set payouts = payouts + 1 where reference = $1`, [
      first.id,
    ]),
    { constraint: 'payout_files_kept' },
  )
  await assert.rejects(bench.db.query('delete from payout_files'))
  await createFile(bench)
})

test('an Idempotency-Key makes one file', async () => {
  const references = await queuePayouts(bench)
  const call = {
    url: PAYOUT_FILES,
    body: { bankCode: '058', format: 'pain.001' },
    headers: { 'idempotency-key': 'file-1' },
  }
  const [first, again] = [await bench.call(call), await bench.call(call)]

  assert.equal(first.json().data.id, again.json().data.id)
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.deepEqual(await statusesOf(bench, references), ['sending', 'sending'])
})

test('files are listed, newest first, by bank', async () => {
  const [latest] = (await bench.call({ url: `${PAYOUT_FILES}?bankCode=058&limit=1` })).json().data
  await queuePayouts(bench)
  const { failureRequest: _, ...file } = await createFile(bench)

  const page = (await bench.call({ url: `${PAYOUT_FILES}?bankCode=058&limit=1` })).json()
  assert.deepEqual(page.data, [file])
  const next = `${PAYOUT_FILES}?bankCode=058&limit=1&cursor=${encodeURIComponent(page.nextCursor)}`
  assert.deepEqual((await bench.call({ url: next })).json().data, [latest])
  const none = (await bench.call({ url: `${PAYOUT_FILES}?bankCode=011` })).json()
  assert.deepEqual(none.data, [])
})

test('a payout names its file, and a file finds its payouts', async () => {
  const PAYOUTS = '/api/v1/operator/payouts'
  const get = async (path: string) => (await bench.call({ url: `${PAYOUTS}${path}` })).json()
  const references = await queuePayouts(bench)
  const [first = ''] = references
  const before = (await get(`/${first}`)).data
  assert.deepEqual([before.payoutFile, before.queries, before.nextQueryAt], [null, 0, null])
  const file = await createFile(bench)
  await queuePayouts(bench)
  await createFile(bench)

  const { payoutFile, history } = (await get(`/${first}`)).data
  const { data } = await get(`?payoutFile=${file.id}`)

  assert.equal(payoutFile, file.id)
  const [sending] = history.filter(({ change }: { change: string }) => change === 'sending')
  assert.equal(sending.detail, file.id)
  type Row = { reference: string; payoutFile: string }
  assert.deepEqual(data.map((row: Row) => row.reference).sort(), references.toSorted())
  assert(data.every((row: Row) => row.payoutFile === file.id))
  const { totals } = (await get(`/summary?payoutFile=${file.id}`)).data
  assert.deepEqual([totals[0].count, totals[0].amount], [2, 300])
  const refusedBy = (id: string) => bench.call({ url: `${PAYOUTS}?payoutFile=${id}` })
  refused(await refusedBy('PYF000000000000000'), 404, 'payout_file_not_found')
  refused(await refusedBy('PYF1'), 400, 'invalid_request')
})

test('bad requests are refused', async () => {
  const ask = (body: object) => bench.call({ url: PAYOUT_FILES, body })
  refused(await ask({ bankCode: '058', format: 'csv' }), 409, 'no_payouts_queued')
  refused(await ask({ bankCode: '999', format: 'csv' }), 400, 'bank_not_supported')
  refused(await ask({ bankCode: '033', format: 'csv' }), 409, 'payout_files_off')
  refused(await ask({ bankCode: '058', format: 'pdf' }), 400, 'invalid_request')
  refused(await ask({ bankCode: '058' }), 400, 'invalid_request')
  for (const id of ['PYF000000000000000', '1', "PYF'"]) {
    const url = `${PAYOUT_FILES}/${encodeURIComponent(id)}`
    refused(await bench.call({ url }), 404, 'payout_file_not_found')
    refused(await bench.call({ url: `${url}/download` }), 404, 'payout_file_not_found')
  }
})

test('only operators see files', async () => {
  const token = await bench.newClient('FILELESS')
  await queuePayouts(bench)
  const { id } = await createFile(bench)
  for (const url of [PAYOUT_FILES, `${PAYOUT_FILES}/${id}`, `${PAYOUT_FILES}/${id}/download`]) {
    refused(await bench.call({ url, token }), 403, 'scope_missing')
  }
})
