// The history of a suspense item is stored step by step: its amount is the remainder, and its original
// amount is not lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAccount, dataOf, MINUTE_MS } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { shownId } from '../support/shown-ids.ts'
import { readItem, SUSPENSE } from '../support/suspense-desk.ts'
import { CREDITS, credit, openDesk, type Row, reverse } from '../support/tracing.ts'

test('each change of an item is in its history, and in the timeline of its credit', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const strict = await createAccount(bench, { payerRules: { minAmount: 100 } })
  const { accountNumber } = await createAccount(bench)
  const session = await credit(bench, strict.accountNumber, '30.00')
  const id = shownId('suspense', await desk.itemOf(session))
  // Does the next step of the history a minute after the last one.
  const later = <T>(doing: () => Promise<T>) => {
    bench.advance(MINUTE_MS)
    return doing()
  }

  const first = await later(() => reverse(bench, session, '12.00'))
  await later(() => desk.giveBack(session))
  await later(() => desk.fail(session))
  await later(() => desk.assign(session, { accountNumber }))
  const second = await later(() => reverse(bench, session, '3.00'))

  const item = await readItem(bench, id)
  assert.deepEqual([item.originalAmount, item.amount], [30, 15])
  assert.deepEqual(
    item.history.map((change: Row) => [
      change.at.slice(11, 16),
      change.change,
      change.amount,
      change.amountLeft,
      change.reference,
    ]),
    [
      ['09:01', 'reversed', 12, 18, first],
      ['09:02', 'return_requested', 18, 18, item.returnReference],
      ['09:03', 'return_failed', 18, 18, null],
      ['09:04', 'assigned', 18, 18, accountNumber],
      ['09:05', 'reversed', 3, 15, second],
    ],
  )
  const url = `${CREDITS}/${session}/timeline`
  const { entries } = dataOf(await bench.call({ url }))
  assert.deepEqual(
    entries
      .filter(({ kind }: Row) => kind === 'suspense')
      .map(({ amount, detail }: Row) => [detail.change ?? Object.keys(detail).at(-1), amount]),
    [
      ['reason', 30],
      ['reversed', 12],
      ['returnReference', 18],
      ['failureReason', 18],
      ['assigned', 18],
      ['reversed', 3],
    ],
  )
  await assert.rejects(bench.db.query('update suspense_changes set amount_kobo = 1'), /changed/)
  await assert.rejects(bench.db.query('delete from suspense_changes'), /changed/)
  assert.equal((await bench.call({ url: `${SUSPENSE}/${id}`, token: null })).statusCode, 401)
})
