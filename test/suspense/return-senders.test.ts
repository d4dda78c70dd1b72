// Each pending return has one sender: a connector, a payout file, or the operator by hand. Only returns that
// the operator must send show the payer's account number, so that nobody sends the others a second time
// (I59).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { claimPayouts } from '#payouts/send.ts'
import { assertCleanBooks, OWN_RAIL_SECRET, startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { assertRefused, dataOf } from '../support/fixtures.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { pain002 } from '../support/payment-files.ts'
import {
  createFile,
  FILE_BANK,
  PAYOUT_FILES,
  startFileService,
  upload,
} from '../support/payout-desk.ts'
import { payoutRounds, SANDBOX_PREFIXES } from '../support/payouts.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { addClient, type Bench } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { shownId, storedId } from '../support/shown-ids.ts'
import { giveBack, NOBODYS_NUMBER, pendingReturnOf, suspend } from '../support/suspense-desk.ts'
import { openDesk } from '../support/tracing.ts'

const RETURNS = '/api/v1/operator/returns'
const NUMBER = '2093566866'

// The sandbox's bank sends the payouts of all banks except those that are paid by file.
const bench = closeAfterTests(await startFileService())

type By = { token?: string }

// Reads a return alone and in the list, which must agree. Returns its sender, its payout's status, and the
// payer's number or the code that says why it is hidden.
async function view(target: Bench, reference: string, by: By = {}): Promise<unknown[]> {
  const url = `${RETURNS}/${reference}`
  const { sentBy, payoutStatus } = dataOf(await target.call({ url, ...by }))
  const { data, code } = (await target.call({ url: `${url}?reveal=true`, ...by })).json()
  const list = await target.call({ url: `${RETURNS}?reveal=true&limit=100`, ...by })
  const listed = list.json().data.find((row: { reference: string }) => row.reference === reference)
  const { rows } = await target.db.query(
    `select count(*)::int as n from audit_log where action = 'return.reveal' and subject = $1`,
    [`return/${reference}`],
  )
  assert.deepEqual([listed.sentBy, listed.payoutStatus], [sentBy, payoutStatus])
  assert.equal(listed.payerAccountNumber, data?.payerAccountNumber ?? null)
  assert.equal(rows[0].n > 0, data !== undefined && data !== null, 'a look is logged')
  return [sentBy, payoutStatus, data?.payerAccountNumber ?? code]
}

// Requests a return of unidentified money; returns its reference.
async function startReturn(
  bank: string,
  sourceAccountNumber = NUMBER,
  more: object = {},
): Promise<string> {
  const payer = { sourceAccountNumber, sourceBankCode: '033', ...more }
  const { id } = await suspend(bench, NOBODYS_NUMBER, '75', { bank, ...payer })
  return dataOf(await giveBack(bench, id)).returnReference
}

test('a return that a connector sends is the connector’s, from the queue until its answer', async () => {
  const { id, sessionId } = await suspend(bench, NOBODYS_NUMBER, '75', {
    bank: '035',
    sourceAccountNumber: NUMBER,
    sourceBankCode: '033',
  })
  await (await openDesk(bench)).giveBack(sessionId) // The bank has no report of it yet.
  const reference = await pendingReturnOf(bench.db, storedId('suspense', id))
  assert.deepEqual(await view(bench, reference), ['connector', 'queued', 'return_not_by_hand'])

  await settleAll(bench, CONFIRMED)
  assert.deepEqual(await view(bench, reference), [null, 'confirmed', NUMBER])

  const lost = await startReturn('035', `${SANDBOX_PREFIXES.losesAnswer}00001`)
  assert.deepEqual(await view(bench, lost), ['connector', 'unknown', 'return_not_by_hand'])
})

test('a return that goes into a file is the file’s, before it is in one and after', async () => {
  const reference = await startReturn(FILE_BANK)
  assert.deepEqual(await view(bench, reference), ['file', 'queued', 'return_not_by_hand'])

  const { id } = await createFile(bench)
  assert.deepEqual(await view(bench, reference), ['file', 'sending', 'return_not_by_hand'])

  await upload(bench, pain002({ file: id, of: [{ reference, status: 'RJCT' }] }))
  assert.deepEqual(await view(bench, reference), [null, 'failed', NUMBER])
})

test('a return in another currency is the operator’s, even if the bank sends others', async () => {
  const dollars = { currency: 'USD' }
  const naira = await startReturn(FILE_BANK)
  const forFile = await startReturn(FILE_BANK, NUMBER, dollars)
  const forConnector = await startReturn('035', NUMBER, dollars)

  const file = await createFile(bench)
  await using rounds = await payoutRounds(bench)
  await rounds.send()

  assert.deepEqual([file.payouts, file.amount], [1, 75])
  assert.deepEqual(await view(bench, naira), ['file', 'sending', 'return_not_by_hand'])
  assert.deepEqual(await view(bench, forFile), ['operator', 'queued', NUMBER])
  assert.deepEqual(await view(bench, forConnector), ['operator', 'queued', NUMBER])
  const url = PAYOUT_FILES
  const none = await bench.call({ url, body: { bankCode: FILE_BANK, format: 'csv' } })
  assertRefused(none, { status: 409, code: 'no_payouts_queued' })

  for (const [reference, answer] of [
    [forFile, 'confirm'],
    [forConnector, 'fail'],
  ] as const) {
    const body = answer === 'fail' ? { reason: 'The account is closed.' } : {}
    dataOf(await bench.call({ url: `${RETURNS}/${reference}/${answer}`, body }))
  }
  assert.deepEqual((await view(bench, forFile)).slice(0, 2), [null, 'confirmed'])
  assert.deepEqual((await view(bench, forConnector)).slice(0, 2), [null, 'failed'])
  await assertCleanBooks(bench)
})

test('a return that no connector and no file sends is the operator’s, until somebody claims it', async () => {
  await using live = await startLiveService()
  await addClient(live.db, live.clock(), { clientId: 'OPERATOR01', isOperator: true })
  const operator = { token: await live.login('OPERATOR01', 's3cret') }
  // Requests a return of unidentified money in live mode; returns its reference.
  const start = async (more: object): Promise<string> => {
    const sessionId = newSessionId()
    const body = { sessionId, accountNumber: NOBODYS_NUMBER, amount: '75', ...more }
    await postRail(live, '035/credits', body, { secrets: [OWN_RAIL_SECRET] })
    const { rows } = await live.db.query(
      `select i.id from suspense_items i join credits c on c.id = i.credit_id
        where c.session_id = $1`,
      [sessionId],
    )
    const answer = await giveBack(live, shownId('suspense', rows[0].id), {}, operator)
    return dataOf(answer).returnReference
  }
  const unnamed = await start({ sourceAccountNumber: NUMBER })
  assert.deepEqual(await view(live, unnamed, operator), ['operator', null, NUMBER])
  const seen = await start({ sourceAccountNumber: NUMBER, sourceBankCode: '033' })
  assert.deepEqual(await view(live, seen, operator), ['operator', 'queued', NUMBER])

  const claimed = await start({ sourceAccountNumber: NUMBER, sourceBankCode: '033' })
  const claiming = { bankCode: '035', limit: 10, by: 'bank:035' }
  await withTransaction(live.db, (tx) =>
    claimPayouts(tx, { ...sealingOf(live), now: live.clock() }, claiming),
  )
  const after = await view(live, claimed, operator)
  assert.deepEqual(after, ['connector', 'sending', 'return_not_by_hand'])
  const again = await live.call({ url: `${RETURNS}/${seen}?reveal=true`, ...operator })
  assertRefused(again, { status: 409, code: 'return_not_by_hand' })
})
