// A reversal that came before its credit is stored until it is taken: the register shows its outcome, and
// operators get an alert if the bank never sends it again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timestamp } from '#clock.ts'
import { takeReversal } from '#credits/reverse.ts'
import { watchReversalsRound } from '#credits/workers.ts'
import { withTransaction } from '#db/transaction.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'

const bench = closeAfterTests(await startTestService())
const { accountNumber } = await createAccount(bench)
const MINUTE_MS = 60_000

type Reversal = { sessionId: string; originalSessionId: string; amount: string }
type Item = Record<string, unknown> & { id: string }

// Returns two partial reversals of one credit. In camt.054 the two may have the credit’s own reference.
function partsOf(originalSessionId: string): [Reversal, Reversal] {
  const names = { sessionId: originalSessionId, originalSessionId }
  return [
    { ...names, amount: '40' },
    { ...names, amount: '60' },
  ]
}

const newReversal = (amount = '100'): Reversal => ({
  sessionId: newSessionId(),
  originalSessionId: newSessionId(),
  amount,
})

async function sendReversal(reversal: Reversal): Promise<string> {
  return wordsOf((await postRail(bench, '035/reversals', reversal)).json())
}

// Reports the credit that the reversal is of.
const bookOriginal = ({ originalSessionId: sessionId }: Reversal, amount = '100') =>
  credit(bench, accountNumber, amount, { sessionId })

// Returns the one rail item with this session id.
async function railItemOf({ sessionId }: Reversal): Promise<Item> {
  const { data } = (await bench.call({ url: '/api/v1/operator/rail-items?limit=100' })).json()
  const items = data.filter((item: Item) => item.sessionId === sessionId)
  assert.equal(items.length, 1)
  return items[0]
}

// Returns the outcomes of all reversals with this session id, in the order of arrival.
async function outcomesOf(sessionId: string): Promise<string[]> {
  const { data } = (await bench.call({ url: '/api/v1/operator/rail-items?limit=100' })).json()
  const items: Item[] = data.filter((item: Item) => item.sessionId === sessionId).reverse()
  return items.map(({ amount, outcome, reason }) => `${amount} ${outcome} ${reason}`)
}

// Takes a reversal as if a statement had reported it.
function takeFromStatement({ sessionId, originalSessionId }: Reversal, kobo: bigint) {
  const deps = { sharedAccounts: new SharedAccounts(bench.db), now: bench.clock() }
  const names = { bankCode: '035', sessionId, originalSessionId }
  const reversal = { ...names, amountKobo: kobo as Kobo, isFromStatement: true }
  return withTransaction(bench.db, (tx) => takeReversal(tx, deps, reversal))
}

// Returns the kinds of the open alerts about this subject.
async function openAlerts(subject: string): Promise<string[]> {
  const { rows } = await bench.db.query<{ kind: string }>(
    'select kind from alerts where subject = $1 and cleared_at is null',
    [subject],
  )
  return rows.map(({ kind }) => kind)
}

const runWatchRound = () => watchReversalsRound(bench)(new AbortController().signal)

test('a reversal that comes again after its credit is taken, and its alert is cleared', async () => {
  const [early, other] = [newReversal(), newReversal()]
  await sendReversal(early)
  await sendReversal(other)
  const awaited = await railItemOf(early)
  await bookOriginal(early)

  const answers = [await sendReversal(early), await sendReversal(early)]
  const { outcome, takenAt } = await railItemOf(early)
  await runWatchRound()
  const whileOther = await openAlerts('035/original_not_found')
  await bookOriginal(other)
  await sendReversal(other)
  await runWatchRound()

  assert.deepEqual([awaited.outcome, awaited.responseCode], ['awaited', '03'])
  assert.deepEqual([awaited.takenAt, awaited.reason], [null, 'original_not_found'])
  assert.deepEqual(answers, ['00 reversed', '01 duplicate'])
  assert.deepEqual([outcome, takenAt], ['taken', timestamp(bench.clock())])
  assert.deepEqual(whileOther, ['rail_item_rejected'])
  assert.deepEqual(await openAlerts('035/original_not_found'), [])
})

test('operators get an alert if a credit is booked after a reversal that never comes again', async () => {
  const reversal = newReversal()
  const subject = `${reversal.sessionId}@035`
  await sendReversal(reversal)
  bench.advance(30 * MINUTE_MS)
  await sendReversal(reversal)
  const { outcome, responseCode } = await railItemOf(reversal)
  await runWatchRound()
  await bookOriginal(reversal)
  bench.advance(4 * MINUTE_MS)
  await runWatchRound()
  const early = await openAlerts(subject)
  bench.advance(MINUTE_MS)
  await runWatchRound()
  await runWatchRound()

  const alerts = await openAlerts(subject)
  const late = await sendReversal(reversal)
  await runWatchRound()

  assert.deepEqual([outcome, responseCode], ['rejected', '02'])
  assert.deepEqual([early, alerts], [[], ['reversal_outstanding']])
  assert.equal(late, '00 reversed')
  assert.deepEqual(await openAlerts(subject), [])
})

test('a stored reversal whose credit comes from a statement, under another name, is taken too', async () => {
  const [reversal, smaller] = [newReversal(), newReversal('40.00')]
  await sendReversal(reversal)
  await sendReversal({ ...smaller, originalSessionId: reversal.originalSessionId })
  await bookOriginal(reversal)

  const answer = await takeFromStatement({ ...reversal, sessionId: newSessionId() }, 4_000n)

  assert.equal(answer, 'reversed')
  assert.deepEqual(
    [(await railItemOf(smaller)).outcome, (await railItemOf(reversal)).outcome],
    ['taken', 'awaited'],
  )
})

test('a statement that names one of two alike reversals takes only that one', async () => {
  const [one, other] = [newReversal('40'), newReversal('40')]
  const { originalSessionId } = one
  await sendReversal({ ...other, originalSessionId })
  await sendReversal(one)
  await bookOriginal(one)

  const answer = await takeFromStatement(one, 4_000n)

  assert.equal(answer, 'reversed')
  assert.deepEqual(
    [(await railItemOf(one)).outcome, (await railItemOf(other)).outcome],
    ['taken', 'awaited'],
  )
})

test('a reversal that the previous release took without marking it is recognised', async () => {
  const reversal = newReversal()
  await sendReversal(reversal)
  await bookOriginal(reversal)
  await sendReversal(reversal)
  await bench.db.query(
    'update rail_items set taken_at = null, originals = null where session_id = $1',
    [reversal.sessionId],
  )
  bench.advance(5 * MINUTE_MS)

  await runWatchRound()

  assert.equal((await railItemOf(reversal)).outcome, 'taken')
  assert.deepEqual(await openAlerts(`${reversal.sessionId}@035`), [])
})

test('an awaited reversal that is then refused is in the register as it was last, and told of', async () => {
  const reversal = newReversal()
  const first = await sendReversal(reversal)
  const { receivedAt } = await railItemOf(reversal)
  await bookOriginal(reversal, '80')
  bench.advance(MINUTE_MS)

  const answers = [await sendReversal(reversal), await sendReversal(reversal)]

  assert.equal(first, '03 retry original_not_found')
  const refused = '02 rejected amount_exceeds_original'
  assert.deepEqual(answers, [refused, refused])
  const item = await railItemOf(reversal)
  assert.deepEqual([item.reason, item.receivedAt], ['amount_exceeds_original', receivedAt])
  assert.deepEqual([item.outcome, item.responseCode], ['rejected', '02'])
  assert.deepEqual(await openAlerts('035/amount_exceeds_original'), ['rail_item_rejected'])
})

test('a part that is refused since another has its name is never taken', async () => {
  const sessionId = newSessionId()
  const [part, rest] = partsOf(sessionId)
  await bookOriginal(part)

  const answers = [await sendReversal(part), await sendReversal(rest)]
  await runWatchRound()

  assert.deepEqual(answers, ['00 reversed', '02 rejected session_reused'])
  assert.deepEqual(await outcomesOf(sessionId), ['60 rejected session_reused'])
})

test('of two parts with one name that came before their credit, the other is outstanding', async () => {
  const sessionId = newSessionId()
  const subject = `${sessionId}@035`
  const [part, rest] = partsOf(sessionId)
  await sendReversal(part)
  await sendReversal(rest)
  await bookOriginal(part)
  await sendReversal(part)
  const outcomes = await outcomesOf(sessionId)
  await bench.db.query('update rail_items set taken_at = null where session_id = $1', [sessionId])
  bench.advance(5 * MINUTE_MS)

  await runWatchRound()
  const found = await outcomesOf(sessionId)
  const alerts = [await openAlerts(subject), await openAlerts('035/original_not_found')]
  const answer = await sendReversal(rest)
  await runWatchRound()

  assert.deepEqual(outcomes, ['40 taken original_not_found', '60 awaited original_not_found'])
  assert.deepEqual(found, outcomes)
  assert.deepEqual(alerts, [['reversal_outstanding'], ['rail_item_rejected']])
  assert.equal(answer, '02 rejected session_reused')
  assert.deepEqual(await outcomesOf(sessionId), [
    '40 taken original_not_found',
    '60 rejected session_reused',
  ])
  assert.deepEqual(await openAlerts(subject), ['session_reused'])
})

test('a reversal of another credit with the same name and amount is not taken with it', async () => {
  const [unknown, other] = [newReversal(), newReversal()]
  const { sessionId } = unknown
  await sendReversal(unknown)
  await bookOriginal(other)

  const answer = await sendReversal({ ...other, sessionId })
  await runWatchRound()
  const outcomes = await outcomesOf(sessionId)
  const again = await sendReversal(unknown)
  await bench.db.query('update rail_items set originals = null where session_id = $1', [sessionId])
  await runWatchRound()

  assert.deepEqual([answer, again], ['00 reversed', '02 rejected session_reused'])
  assert.deepEqual(outcomes, ['100 awaited original_not_found'])
  assert.deepEqual(await outcomesOf(sessionId), ['100 rejected session_reused'])
})

test('a reversal that seemed taken, but is refused when it comes again, is not taken', async () => {
  const reversal = newReversal()
  await sendReversal(reversal)
  await bookOriginal(reversal)
  await takeFromStatement({ ...reversal, sessionId: newSessionId() }, 10_000n)
  const thought = await outcomesOf(reversal.sessionId)

  const answer = await sendReversal(reversal)

  assert.deepEqual(thought, ['100 taken original_not_found'])
  assert.equal(answer, '02 rejected amount_exceeds_original')
  assert.deepEqual(await outcomesOf(reversal.sessionId), ['100 rejected amount_exceeds_original'])
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
