// Payout files and returns sent by hand while an operator holds payouts (I82): no file can be downloaded, and
// no payer's account number of a pending return is revealed. For files and returns from before a restore this
// remains so after payouts are released.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BankConnection, PayoutAnswer } from '#banks/connector.ts'
import { sendByFile } from '#config/bank-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { holdPayouts, releasePayouts, settleAfterRestore } from '#payouts/holds.ts'
import { OBSERVED_MS_NEEDED } from '#payouts/unknown.ts'
import {
  assertCleanBooks,
  holdTable,
  OWN_RAIL_SECRET,
  startLiveService,
} from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { failPayout, markNotDelivered } from '../support/failing.ts'
import { dataOf, MINUTE_MS } from '../support/fixtures.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  download,
  FILE_BANK,
  PAYOUT_FILES,
  queuePayouts,
  readFile,
  refused,
  startFileService,
  statusesOf,
  upload,
} from '../support/payout-desk.ts'
import { moveDatabase, payoutRounds } from '../support/payouts.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { addClient, type Bench } from '../support/running-service.ts'
import { shownId } from '../support/shown-ids.ts'
import { giveBack, NOBODYS_NUMBER } from '../support/suspense-desk.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startFileService())
const by = 'cli:test'
const NUMBER = '2093566866'

const hold = ({ db, clock }: Bench) =>
  withTransaction(db, (tx) => holdPayouts(tx, clock(), { reason: 'Drill', by }))
const release = ({ db, clock }: Bench) =>
  withTransaction(db, (tx) => releasePayouts(tx, clock(), by))
const restoreNow = ({ db, clock }: Bench) =>
  withTransaction(db, (tx) => settleAfterRestore(tx, { now: clock(), restoredTo: clock(), by }))

const LOSSES = [
  ['a restore', restoreNow],
  ['a move that nobody has noticed', ({ db }: Bench) => moveDatabase(db)],
] as const

// Queues two payouts and creates a payout file of them; returns the id and the references of the payouts.
async function newFile(): Promise<{ id: string; references: string[] }> {
  const references = await queuePayouts(bench)
  return { id: (await createFile(bench)).id, references }
}

// How often the audit log says that this file was downloaded or this number revealed.
async function countLogged({ db }: Bench, subject: string): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as n from audit_log
      where subject = $1 and action in ('payout_file.download', 'return.reveal')`,
    [subject],
  )
  return rows[0].n
}

// Creates an operator and logs in.
async function signIn(live: Bench): Promise<{ token: string }> {
  await addClient(live.db, live.clock(), { clientId: 'OPERATOR01', isOperator: true })
  return { token: await live.login('OPERATOR01', 's3cret') }
}

// Requests a return that the operator must send by hand, in live mode; returns its reference.
async function startReturn(live: Bench, operator: { token: string }, payer: object = {}) {
  const sessionId = newSessionId()
  const credit = { sessionId, accountNumber: NOBODYS_NUMBER, amount: '75' }
  const body = { ...credit, sourceAccountNumber: NUMBER, ...payer }
  await postRail(live, '035/credits', body, { secrets: [OWN_RAIL_SECRET] })
  const { rows } = await live.db.query(
    `select i.id from suspense_items i join credits c on c.id = i.credit_id
      where c.session_id = $1`,
    [sessionId],
  )
  const answer = await giveBack(live, shownId('suspense', rows[0].id), {}, operator)
  return dataOf(answer).returnReference as string
}

test('while payouts are held no file is downloaded or created, but reports are accepted', async () => {
  const { id, references } = await newFile()
  const queued = await queuePayouts(bench)
  const body = { bankCode: FILE_BANK, format: 'csv' }
  await hold(bench)

  refused(await download(bench, id), 409, 'payouts_held')
  refused(await bench.call({ url: PAYOUT_FILES, body }), 409, 'payouts_held')

  const { blockedBy, downloadedAt } = await readFile(bench, id)
  assert.deepEqual([blockedBy, downloadedAt], ['payouts_held', null])
  assert.equal(await countLogged(bench, `payout_file/${id}`), 0)
  const of = references.map((reference) => ({ reference, status: 'ACSC' }))
  assert.equal((await upload(bench, pain002({ file: id, of }))).confirmed, 2)
  await release(bench)
  assert.equal((await readFile(bench, id)).blockedBy, null)
  assert.equal((await download(bench, id)).statusCode, 200)
  await createFile(bench)
  assert.deepEqual(await statusesOf(bench, queued), ['sending', 'sending'])
})

test('a hold waits for a download in progress, and later downloads are refused', async () => {
  const { id } = await newFile()
  const auditLogLock = await holdTable(bench, 'audit_log')
  const first = download(bench, id)
  await untilBlocked(bench.db, 1) // The download was permitted, and waits to write to the audit log.
  let isHeld = false
  const pendingHold = hold(bench).then(() => {
    isHeld = true
  })
  await Promise.race([pendingHold, untilBlocked(bench.db, 2)])
  const second = download(bench, id)
  await Promise.race([second, untilBlocked(bench.db, 3)])
  assert(!isHeld)
  await auditLogLock[Symbol.asyncDispose]()

  assert.equal((await first).statusCode, 200)
  await pendingHold
  refused(await second, 409, 'payouts_held')
  assert.equal(await countLogged(bench, `payout_file/${id}`), 1)
  await release(bench)
})

for (const [loss, loseNow] of LOSSES) {
  test(`a file older than ${loss} cannot be downloaded again: the bank’s report settles it`, async () => {
    const { id, references } = await newFile()
    const older = await newFile()
    await loseNow(bench)
    refused(await download(bench, id), 409, 'payout_file_may_have_been_sent')
    await release(bench)

    const answer = await download(bench, id)

    refused(answer, 409, 'payout_file_may_have_been_sent')
    assert.match(answer.json().message, /report.*by hand.*not delivered/)
    const { blockedBy, downloadedAt } = await readFile(bench, id)
    assert.deepEqual([blockedBy, downloadedAt], ['payout_file_may_have_been_sent', null])
    const of = references.map((reference) => ({ reference, status: 'ACSC' }))
    assert.equal((await upload(bench, pain002({ file: id, of }))).confirmed, 2)
    assert.equal((await markNotDelivered(bench, older.id)).statusCode, 200)
    assert.deepEqual(await statusesOf(bench, older.references), ['failed', 'failed'])
    const later = await newFile()
    assert.equal((await download(bench, later.id)).statusCode, 200)
    await assertCleanBooks(bench)
  })
}

for (const [loss, loseNow] of LOSSES) {
  test(`a payout that a file may have paid before ${loss} is not failed as unknown`, async () => {
    const [paid = '', missing = ''] = await queuePayouts(bench)
    await loseNow(bench) // In the lost time they were sent in a file, and paid.
    await release(bench)
    const findPayout = async (reference: string): Promise<PayoutAnswer> =>
      reference === paid ? { status: 'confirmed', bankReference: 'GTB-7' } : { status: 'not_found' }
    const limits = { ratePerSecond: 5, concurrency: 4 }
    const connection = {
      calls: { findPayout },
      limits,
      notFoundIsProof: true,
    } as unknown as BankConnection
    const connections = sendByFile(new Map([[FILE_BANK, connection]]), bench.config.banks)
    await using rounds = await payoutRounds(bench, { connections })

    await rounds.query()
    assert.deepEqual(await statusesOf(bench, [paid, missing]), ['confirmed', 'unknown'])
    for (let round = 0; round < 10; round++) {
      bench.advance(OBSERVED_MS_NEEDED)
      await rounds.query()
    }

    assert.deepEqual(await statusesOf(bench, [paid, missing]), ['confirmed', 'unknown'])
    const { rows } = await bench.db.query(
      `select a.subject, p.queries > 3 as "isAsked" from payouts p join alerts a
           on a.subject = 'payout/' || p.reference and a.kind = 'payout_unknown'
        where a.cleared_at is null and p.reference = any($1)`,
      [[paid, missing]],
    )
    assert.deepEqual(rows, [{ subject: `payout/${missing}`, isAsked: true }])
    const payout = `/api/v1/operator/payouts/${missing}`
    const { queries, nextQueryAt } = dataOf(await bench.call({ url: payout }))
    assert(queries > 3 && new Date(nextQueryAt) > bench.clock(), `${queries} ${nextQueryAt}`)
    dataOf(await failPayout(bench, missing))
    await release(bench)
    await assertCleanBooks(bench)
  })
}

for (const [loss, loseNow] of LOSSES) {
  test(`after ${loss}, a missing record of a download is no proof that the bank lacks the file`, async () => {
    const { id, references } = await newFile()
    await loseNow(bench)
    await release(bench)
    const url = `/api/v1/operator/payouts/${references[0]}/confirm`
    dataOf(await bench.call({ url, body: { bankReference: 'GTB-1' } }))

    refused(await markNotDelivered(bench, id), 409, 'payout_file_paid')
    assert.deepEqual(await statusesOf(bench, references), ['confirmed', 'sending'])
  })
}

for (const [loss, loseNow] of LOSSES) {
  test(`no payer’s number is revealed to send by hand while payouts are held, or after ${loss}`, async () => {
    await using live = await startLiveService()
    const operator = await signIn(live)
    // Returns the payer's number that a return reveals, or the code of the refusal. Asserts that the list of
    // returns shows the same number.
    const look = async (reference: string) => {
      const url = '/api/v1/operator/returns'
      const { data, code } = (
        await live.call({ url: `${url}/${reference}?reveal=true`, ...operator })
      ).json()
      const list = (await live.call({ url: `${url}?reveal=true`, ...operator })).json().data
      const listed = list.find((row: { reference: string }) => row.reference === reference)
      assert.equal(listed.payerAccountNumber, data?.payerAccountNumber ?? null)
      return data?.payerAccountNumber ?? code
    }
    const unnamed = await startReturn(live, operator)
    const queued = await startReturn(live, operator, { sourceBankCode: '033' })
    const settled = await startReturn(live, operator)
    const confirm = `/api/v1/operator/returns/${settled}/confirm`
    dataOf(await live.call({ url: confirm, body: {}, ...operator }))

    await hold(live)
    assert.deepEqual([await look(unnamed), await look(queued)], ['payouts_held', 'payouts_held'])
    assert.equal(await look(settled), NUMBER)
    assert.equal(await countLogged(live, `return/${unnamed}`), 0)
    await release(live)
    assert.deepEqual([await look(unnamed), await look(queued)], [NUMBER, NUMBER])

    await loseNow(live)
    await release(live)
    // A move is dated by the database's clock, which is not the test's.
    live.advance(Math.max(0, Date.now() - live.clock().getTime()) + MINUTE_MS)
    operator.token = await live.login('OPERATOR01', 's3cret')
    const older = [await look(unnamed), await look(queued)]
    assert.deepEqual(older, ['return_may_have_been_sent', 'return_may_have_been_sent'])
    assert.equal(await look(await startReturn(live, operator)), NUMBER)
    const fail = (reference: string) =>
      live.call({
        url: `/api/v1/operator/returns/${reference}/fail`,
        body: { reason: 'Not sent' },
        ...operator,
      })
    assert.equal(dataOf(await fail(unnamed)).status, 'failed')
    refused(await fail(queued), 409, 'return_may_be_paid')
    await assertCleanBooks(live)
  })
}

test('a hold waits for numbers that are being revealed, and none is revealed later', async () => {
  await using live = await startLiveService()
  const operator = await signIn(live)
  const reference = await startReturn(live, operator)
  const url = `/api/v1/operator/returns/${reference}?reveal=true`
  const auditLogLock = await holdTable(live, 'audit_log')

  const first = live.call({ url, ...operator })
  await untilBlocked(live.db, 1)
  const holding = hold(live)
  await Promise.race([holding, untilBlocked(live.db, 2)])
  const second = live.call({ url, ...operator })
  await Promise.race([second, untilBlocked(live.db, 3)])
  await auditLogLock[Symbol.asyncDispose]()

  assert.equal(dataOf(await first).payerAccountNumber, NUMBER)
  await holding
  refused(await second, 409, 'payouts_held')
})
