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

type Taking = { sessionId: string; originalSessionId: string; amount: string }
type Item = Record<string, unknown> & { id: string }

// In camt.054, a reversal may have the credit's own reference, and so may several partial reversals.
function partsOf(originalSessionId: string): [Taking, Taking] {
  const names = { sessionId: originalSessionId, originalSessionId }
  return [
    { ...names, amount: '40' },
    { ...names, amount: '60' },
  ]
}

const newReversal = (amount = '100'): Taking => ({
  sessionId: newSessionId(),
  originalSessionId: newSessionId(),
  amount,
})

async function send(reversal: Taking): Promise<string> {
  return wordsOf((await postRail(bench, '035/reversals', reversal)).json())
}

const book = ({ originalSessionId: sessionId }: Taking, amount = '100') =>
  credit(bench, accountNumber, amount, { sessionId })

async function registered({ sessionId }: Taking): Promise<Item> {
  const { data } = (await bench.call({ url: '/api/v1/operator/rail-items?limit=100' })).json()
  const items = data.filter((item: Item) => item.sessionId === sessionId)
  assert.equal(items.length, 1)
  return items[0]
}

// In the order of arrival.
async function outcomesOf(sessionId: string): Promise<string[]> {
  const { data } = (await bench.call({ url: '/api/v1/operator/rail-items?limit=100' })).json()
  const items: Item[] = data.filter((item: Item) => item.sessionId === sessionId).reverse()
  return items.map(({ amount, outcome, reason }) => `${amount} ${outcome} ${reason}`)
}

function takeFromStatement({ sessionId, originalSessionId }: Taking, kobo: bigint) {
  const deps = { sharedAccounts: new SharedAccounts(bench.db), now: bench.clock() }
  const names = { bankCode: '035', sessionId, originalSessionId }
  const reversal = { ...names, amountKobo: kobo as Kobo, isFromStatement: true }
  return withTransaction(bench.db, (tx) => takeReversal(tx, deps, reversal))
}

async function openAlerts(subject: string): Promise<string[]> {
  const { rows } = await bench.db.query<{ kind: string }>(
    'select kind from alerts where subject = $1 and cleared_at is null',
    [subject],
  )
  return rows.map(({ kind }) => kind)
}

const watch = () => watchReversalsRound(bench)(new AbortController().signal)

test('a reversal that comes again after its credit is taken, and its alert is cleared', async () => {
  const [early, other] = [newReversal(), newReversal()]
  await send(early)
  await send(other)
  const awaited = await registered(early)
  await book(early)

  const answers = [await send(early), await send(early)]
  const { outcome, takenAt } = await registered(early)
  await watch()
  const whileOther = await openAlerts('035/original_not_found')
  await book(other)
  await send(other)
  await watch()

  assert.deepEqual([awaited.outcome, awaited.responseCode], ['awaited', '03'])
  assert.deepEqual([awaited.takenAt, awaited.reason], [null, 'original_not_found'])
  assert.deepEqual(answers, ['00 reversed', '01 duplicate'])
  assert.deepEqual([outcome, takenAt], ['taken', timestamp(bench.clock())])
  assert.deepEqual(whileOther, ['rail_item_rejected'])
  assert.deepEqual(await openAlerts('035/original_not_found'), [])
})

test('a credit that is booked after its reversal, which does not come again, is told of', async () => {
  const reversal = newReversal()
  const subject = `${reversal.sessionId}@035`
  await send(reversal)
  bench.advance(30 * MINUTE_MS)
  await send(reversal)
  const { outcome, responseCode } = await registered(reversal)
  await watch()
  await book(reversal)
  bench.advance(4 * MINUTE_MS)
  await watch()
  const early = await openAlerts(subject)
  bench.advance(MINUTE_MS)
  await watch()
  await watch()

  const alerts = await openAlerts(subject)
  const late = await send(reversal)
  await watch()

  assert.deepEqual([outcome, responseCode], ['rejected', '02'])
  assert.deepEqual([early, alerts], [[], ['reversal_outstanding']])
  assert.equal(late, '00 reversed')
  assert.deepEqual(await openAlerts(subject), [])
})

test('one that is booked from a statement, under another name, is taken too', async () => {
  const [reversal, smaller] = [newReversal(), newReversal('40.00')]
  await send(reversal)
  await send({ ...smaller, originalSessionId: reversal.originalSessionId })
  await book(reversal)

  const answer = await takeFromStatement({ ...reversal, sessionId: newSessionId() }, 4_000n)

  assert.equal(answer, 'reversed')
  assert.deepEqual(
    [(await registered(smaller)).outcome, (await registered(reversal)).outcome],
    ['taken', 'awaited'],
  )
})

test('a statement that names one of two alike reversals takes only that one', async () => {
  const [one, other] = [newReversal('40'), newReversal('40')]
  const { originalSessionId } = one
  await send({ ...other, originalSessionId })
  await send(one)
  await book(one)

  const answer = await takeFromStatement(one, 4_000n)

  assert.equal(answer, 'reversed')
  assert.deepEqual(
    [(await registered(one)).outcome, (await registered(other)).outcome],
    ['taken', 'awaited'],
  )
})

test('one that the previous release took, which does not mark it, is found', async () => {
  const reversal = newReversal()
  await send(reversal)
  await book(reversal)
  await send(reversal)
  await bench.db.query(
    'update rail_items set taken_at = null, originals = null where session_id = $1',
    [reversal.sessionId],
  )
  bench.advance(5 * MINUTE_MS)

  await watch()

  assert.equal((await registered(reversal)).outcome, 'taken')
  assert.deepEqual(await openAlerts(`${reversal.sessionId}@035`), [])
})

test('an awaited reversal that is then refused is in the register as it was last, and told of', async () => {
  const reversal = newReversal()
  const first = await send(reversal)
  const { receivedAt } = await registered(reversal)
  await book(reversal, '80')
  bench.advance(MINUTE_MS)

  const answers = [await send(reversal), await send(reversal)]

  assert.equal(first, '03 retry original_not_found')
  const refused = '02 rejected amount_exceeds_original'
  assert.deepEqual(answers, [refused, refused])
  const item = await registered(reversal)
  assert.deepEqual([item.reason, item.receivedAt], ['amount_exceeds_original', receivedAt])
  assert.deepEqual([item.outcome, item.responseCode], ['rejected', '02'])
  assert.deepEqual(await openAlerts('035/amount_exceeds_original'), ['rail_item_rejected'])
})

test('a part that is refused since another has its name is never taken', async () => {
  const sessionId = newSessionId()
  const [part, rest] = partsOf(sessionId)
  await book(part)

  const answers = [await send(part), await send(rest)]
  await watch()

  assert.deepEqual(answers, ['00 reversed', '02 rejected session_reused'])
  assert.deepEqual(await outcomesOf(sessionId), ['60 rejected session_reused'])
})

test('of two parts with one name that came before their credit, the other is outstanding', async () => {
  const sessionId = newSessionId()
  const subject = `${sessionId}@035`
  const [part, rest] = partsOf(sessionId)
  await send(part)
  await send(rest)
  await book(part)
  await send(part)
  const outcomes = await outcomesOf(sessionId)
  await bench.db.query('update rail_items set taken_at = null where session_id = $1', [sessionId])
  bench.advance(5 * MINUTE_MS)

  await watch()
  const found = await outcomesOf(sessionId)
  const alerts = [await openAlerts(subject), await openAlerts('035/original_not_found')]
  const answer = await send(rest)
  await watch()

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

test('one of another credit is not taken with it, though name and amount are the same', async () => {
  const [unknown, other] = [newReversal(), newReversal()]
  const { sessionId } = unknown
  await send(unknown)
  await book(other)

  const answer = await send({ ...other, sessionId })
  await watch()
  const outcomes = await outcomesOf(sessionId)
  const again = await send(unknown)
  await bench.db.query('update rail_items set originals = null where session_id = $1', [sessionId])
  await watch()

  assert.deepEqual([answer, again], ['00 reversed', '02 rejected session_reused'])
  assert.deepEqual(outcomes, ['100 awaited original_not_found'])
  assert.deepEqual(await outcomesOf(sessionId), ['100 rejected session_reused'])
})

test('one that was thought taken, and is refused when it comes again, is not taken', async () => {
  const reversal = newReversal()
  await send(reversal)
  await book(reversal)
  await takeFromStatement({ ...reversal, sessionId: newSessionId() }, 10_000n)
  const thought = await outcomesOf(reversal.sessionId)

  const answer = await send(reversal)

  assert.deepEqual(thought, ['100 taken original_not_found'])
  assert.equal(answer, '02 rejected amount_exceeds_original')
  assert.deepEqual(await outcomesOf(reversal.sessionId), ['100 rejected amount_exceeds_original'])
})

test('after all of this the books add up', () => assertCleanBooks(bench))
