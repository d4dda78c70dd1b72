// I120–I122: nothing posts into a closed month; its pack never changes and its signature stays valid; and
// only two people can reopen it, which stays visible.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDay, DAY_MS, OPERATOR, REASON } from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { assertRefused, createAccount, dataOf } from '../support/fixtures.ts'
import { actionsOf, newBrowser, takeOver } from '../support/people.ts'
import { PYTHON, verifyEdits, verifyPack } from '../support/proving.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'

const MONTH = '2026-11'
const URL = `${OPERATOR}/months/${MONTH}`
const LAST_DAY = 30

// Creates one credit and closes every day of the month.
async function closeDaysOfMonth(bench: Bench): Promise<void> {
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '1000.00')
  bench.advance(16 * DAY_MS)
  for (let day = 15; day <= LAST_DAY; day++) await closeDay(bench, `${MONTH}-${day}`)
}

const closeMonth = (by: Pick<Bench, 'call'>, body: object = REASON) =>
  by.call({ url: `${URL}/close`, body })
const requestReopening = (by: Pick<Bench, 'call'>, reason = 'A statement came late.') =>
  by.call({ url: `${URL}/reopen`, body: { reason } })

test('a month closes after its days, with its checks done or a reason, once', async () => {
  await using bench = await startTestService()
  assertRefused(await closeMonth(bench), { status: 409, code: 'month_not_over' })
  assertRefused(await bench.call({ url: `${URL}/pack` }), {
    status: 404,
    code: 'month_not_closed',
  })
  await closeDaysOfMonth(bench)

  const before = dataOf(await bench.call({ url: URL }))
  const refusal = await closeMonth(bench, {})
  const closed = dataOf(await closeMonth(bench))
  const again = dataOf(await closeMonth(bench))

  const brief = before.checks.map(({ name, isDone, open }: Check) => `${name} ${isDone} ${open}`)
  assert.deepEqual(brief, [
    'days_closed true 0',
    'banks_reconciled false 16',
    'suspense_reviewed true 0',
    'approvals_decided true 0',
    'vat_ready true 0',
    'seller_tin_set true 0',
    'wht_ready true 0',
  ])
  assert.equal(before.isClosed, false)
  assertRefused(refusal, { status: 409, code: 'month_not_ready' })
  assert.match(refusal.body, /banks_reconciled: 16 open/)
  assert.deepEqual([closed.isClosed, closed.closings.length], [true, 1])
  assert.equal(closed.closings[0].reason, REASON.reason)
  assert.deepEqual(again.closings, closed.closings)
  assert.deepEqual(await actionsOf(bench, `month/${MONTH}`), ['month.close'])
})

type Check = { name: string; isDone: boolean; open: number }

test('nothing is dated into a closed month, and its closing and pack cannot be changed', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonth(bench)
  await closeMonth(bench)
  const { db } = bench

  const post = db.query(
    `insert into transfers
       (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
     select debit_account_id, credit_account_id, 100, credit_id, reason, $1
       from transfers where reason = 'credit' limit 1`,
    ['2026-11-20T12:00:00Z'],
  )
  await assert.rejects(post, /a month that is closed/)
  const changes = [
    'update closed_months set reason = null',
    'delete from closed_months',
    `update closed_month_files set content = replace(content, '1000.00', '1000.01')`,
    'delete from closed_month_files',
    'truncate closed_month_files',
  ]
  for (const change of changes)
    await assert.rejects(db.query(change), /stays as it is|may not be changed/, change)
})

test('the pack stays the same bytes and verifies, but with no other manifest or key', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonth(bench)
  await closeMonth(bench)
  const answer = await bench.call({ url: `${URL}/pack` })
  assert.equal(
    answer.headers['content-disposition'],
    'attachment; filename="manilla-2026-11-v1.zip"',
  )
  const pack = answer.rawPayload
  assert.deepEqual((await bench.call({ url: `${URL}/pack` })).rawPayload, pack)
  if (!PYTHON) return

  const verified = verifyPack(pack)
  assert.equal(verified.status, 0, verified.output)
  assert.match(verified.output, /journal\.csv: NGN debits 1,000\.00, credits 1,000\.00/)
  const [resigned] = verifyEdits(pack, [
    { name: 'manifest.json', change: (text) => text.replace('"version": 1', '"version": 2') },
  ])
  assert.match(resigned?.output ?? '', /the signature is wrong/)
  assert.equal(verifyPack(pack, '00'.repeat(32)).status, 1)
})

test('two people reopen a month, one alone cannot; every closing stays visible', async () => {
  await using bench = await startTestService()
  await closeDaysOfMonth(bench)
  const [one, other] = [await newBrowser(bench, 'operator'), await newBrowser(bench, 'operator')]
  await takeOver(bench, one, other)
  await closeMonth(bench)

  assertRefused(await requestReopening(bench), { status: 403, code: 'people_only' })
  const pending = dataOf(await requestReopening(one))
  assertRefused(await requestReopening(other), {
    status: 409,
    code: 'reopening_requested',
  })
  const [request] = pending.reopenings
  // Approves or rejects the request to reopen the month.
  const decide = (by: Pick<Bench, 'call'>, verb: string, body = {}) =>
    by.call({ url: `${URL}/reopen/${request.id}/${verb}`, body })
  assertRefused(await decide(one, 'approve'), {
    status: 409,
    code: 'other_person_needed',
  })
  assert.equal(pending.isClosed, true)
  const alone = bench.db.query('update closed_months set reopened_at = now()')
  await assert.rejects(alone, /approval of a second person/)

  const reopened = dataOf(await decide(other, 'approve'))
  assert.equal(reopened.isClosed, false)
  assertRefused(await bench.call({ url: `${URL}/pack` }), {
    status: 404,
    code: 'month_not_closed',
  })
  const again = dataOf(await closeMonth(bench))

  assert.deepEqual(
    again.closings.map(({ version, reopenedAt }: Record<string, unknown>) => [
      version,
      !!reopenedAt,
    ]),
    [
      [2, false],
      [1, true],
    ],
  )
  assert.equal(again.reopenings[0].state, 'approved')
  assert.deepEqual(await actionsOf(bench, `month/${MONTH}`), [
    'month.close',
    'month.reopen.request',
    'month.reopen.approve',
    'month.close',
  ])
  await assertCleanBooks(bench)
})
