// I68 under concurrency: nothing posts into a closed day, even if transfers are posted while it closes or
// clocks are wrong; and no transfer is lost.

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { markDay } from '#accounting/close-day.ts'
import { DEFAULT_CHART } from '#config/chart-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import type { AccountId, CreditId } from '#ids.ts'
import { postTransfers } from '#ledger/transfers.ts'
import { kobo } from '#money.ts'
import {
  closeDay,
  DAY_MS,
  FIRST_DAY,
  journalOf,
  pass,
  reportOf,
  startBeside,
  tryClose,
} from '../support/accounting.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { credit } from '../support/tracing.ts'
import { untilDeciding } from '../support/waiting-locks.ts'

const NEXT_DAY = '2026-11-16'

// Returns a transfer between the two accounts of the first credit, to be posted by a test.
async function transferLikeFirst({ db }: Pick<Bench, 'db'>) {
  const { rows } = await db.query<{ bank: AccountId; account: AccountId; creditId: CreditId }>(
    `select debit_account_id as bank, credit_account_id as account, credit_id as "creditId"
       from transfers where reason = 'credit' order by id limit 1`,
  )
  const { bank, account, creditId } = rows[0] as (typeof rows)[0]
  const accounts = { debitAccountId: bank, creditAccountId: account, creditId }
  return { ...accounts, amountKobo: kobo(500n), reason: 'settle' as const }
}

// Posts a transfer in a transaction that stays open until the test calls `commit`.
async function openTransfer(bench: Bench) {
  const transfer = await transferLikeFirst(bench)
  const commit = Promise.withResolvers<void>()
  const posted = Promise.withResolvers<void>()
  const at = bench.clock()
  // Resolves `posted` once the transfer is posted, and keeps the transaction open until `commit` resolves.
  const done = withTransaction(bench.db, async (tx) => {
    await postTransfers(tx, at, [transfer])
    posted.resolve()
    await commit.promise
  })
  await posted.promise
  return { commit: commit.resolve, done }
}

test('a credit by a clock that is behind is not lost: the bank is told to send it again', async () => {
  await using bench = await startTestService()
  await using late = await startBeside(bench) // Its clock is a day behind.
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')
  pass(bench, FIRST_DAY)
  const { journalHash } = await closeDay(bench, FIRST_DAY)
  const report = () => postRail(late, '035/credits', { sessionId, accountNumber, amount: '7.00' })
  const sessionId = newSessionId()

  const first = await report()
  const failed = await late.call({
    url: '/api/v1/payouts',
    body: { amount: 1, narration: 'Proceeds' },
  })
  pass(late, FIRST_DAY)
  const second = await report()
  const third = await report()

  assert.deepEqual([first.statusCode, first.json().responseCode], [503, '03'])
  assert.equal(failed.statusCode, 503, failed.body)
  assert.deepEqual([second.statusCode, second.json().responseCode], [200, '00'])
  assert.equal(third.json().responseCode, '01')
  const text = await journalOf(bench, FIRST_DAY)
  assert.equal(createHash('sha256').update(text).digest('hex'), journalHash)
  const { totals } = await reportOf(bench, `journal?day=${NEXT_DAY}`)
  assert.deepEqual(totals, [{ currency: 'NGN', debit: 7, credit: 7 }])
  await assertCleanBooks(bench)
})

test('a transaction that comes too late for its day runs again, in the next', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')
  const transfer = await transferLikeFirst(bench)
  const times = [bench.clock()]
  pass(bench, FIRST_DAY)
  await closeDay(bench, FIRST_DAY)
  times.push(bench.clock())

  let tries = 0
  await withTransaction(bench.db, (tx) => postTransfers(tx, times[tries++] as Date, [transfer]))

  assert.equal(tries, 2)
  const { rows } = await bench.db.query(
    `select posted_at as at from transfers where reason = 'settle'`,
  )
  assert.deepEqual(rows, [{ at: times[1] }])
})

test('closing waits for whoever was posting, and counts it', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')
  const held = await openTransfer(bench)
  pass(bench, FIRST_DAY)

  const closing = closeDay(bench, FIRST_DAY)
  await untilDeciding(bench.db)
  held.commit()
  await held.done
  const day = await closing

  assert.deepEqual([day.transfers, day.debit], [2, 10])
})

test('a closing that was cut off is completed by the next attempt, as it was begun', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')
  pass(bench, FIRST_DAY)
  const { rows } = await bench.db.query(`select id from clients where client_id = 'MAN0000001'`)
  const by = { clientId: rows[0]?.id, actor: 'user:first@example.com' }
  const chart = { ...DEFAULT_CHART, bank: { code: '1234', name: 'Our bank' } }
  const marking = { day: FIRST_DAY, reason: 'Begun', chart, windows: new Map(), by }
  await withTransaction(bench.db, (tx) =>
    markDay(tx, { clockTime: bench.clock(), realTime: bench.clock() }, marking),
  )

  const [marked] = await reportOf(bench, `days?from=${FIRST_DAY}&to=${FIRST_DAY}`)
  const transfer = await transferLikeFirst(bench)
  const into = withTransaction(bench.db, (tx) =>
    postTransfers(tx, new Date(`${FIRST_DAY}T12:00:00Z`), [transfer]),
  )
  await assert.rejects(into, { code: 'MN001' })
  bench.advance(DAY_MS)
  const next = await closeDay(bench, NEXT_DAY)
  const [, first] = await reportOf(bench, `days?from=${FIRST_DAY}&to=${NEXT_DAY}`)

  assert.deepEqual([marked.isClosed, marked.journalHash, marked.transfers], [true, null, null])
  assert.deepEqual([first.reason, first.transfers, first.debit], ['Begun', 1, 5])
  assert.equal(first.closedBy, 'user:first@example.com')
  assert.match(await journalOf(bench, FIRST_DAY), /1234,Our bank,5\.00/)
  assert.deepEqual([next.transfers, next.debit], [0, 0])
  await assertCleanBooks(bench)
})

test('several users who close a day at the same moment get the same answer', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await credit(bench, accountNumber, '5.00')
  pass(bench, FIRST_DAY)

  const answers = await Promise.all([1, 2, 3, 4].map(() => tryClose(bench, FIRST_DAY)))

  const bodies = answers.map(({ body }) => body)
  assert.deepEqual(bodies, Array(4).fill(bodies[0]))
  assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([200]))
  const { rows } = await bench.db.query(`select count(*) from audit_log where action = 'day.close'`)
  assert.deepEqual(rows, [{ count: 1n }])
})

test('while days close, each transfer is in the journal of exactly one day', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await using slow = await startBeside(bench)
  slow.advance(-60_000)
  const pay = (by: Bench) =>
    postRail(by, '035/credits', { sessionId: newSessionId(), accountNumber, amount: '1.00' })
  let booked = 0
  // Reports twenty credits at once, and adds the number of booked ones to `booked`.
  const round = async (by: Bench) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => pay(by)))
    booked += answers.filter((answer) => answer.json().responseCode === '00').length
  }
  await Promise.all([round(bench), round(slow)])
  for (const day of [FIRST_DAY, NEXT_DAY, '2026-11-17']) {
    pass(bench, day)
    slow.advance(bench.clock().getTime() - slow.clock().getTime() - 11 * 60_000)
    await Promise.all([closeDay(bench, day), round(slow), round(bench)])
  }

  const days = await reportOf(bench, `days?from=${FIRST_DAY}&to=2026-11-17`)
  const closed = days.reduce((sum: number, each: { transfers: number }) => sum + each.transfers, 0)
  const { transfers } = await reportOf(bench, 'journal?day=2026-11-18')
  assert.equal(closed + transfers, booked)
  assert(booked >= 100)
  await assertCleanBooks(bench)
})
