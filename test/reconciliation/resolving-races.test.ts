// A difference is resolved once and its line is booked once (I66, I67), even if requests come at the same
// time, the bank reports the credit meanwhile, or the process crashes at any step.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import type { DifferenceId } from '#ids.ts'
import { type FinishDeps, finishBooking } from '#reconciliation/book.ts'
import { matchStatements } from '#reconciliation/match.ts'
import { finishBookingsRound } from '#reconciliation/workers.ts'
import { assertCleanBooks, startTwin, tally } from '../support/bank-calls.ts'
import {
  addLineDifference,
  assertLinesExplained,
  changesOf,
  outcomeOf,
  pairsOf,
  REASON,
  RECONCILIATION,
  resolve,
} from '../support/differences.ts'
import { balanceOf, createAccount } from '../support/fixtures.ts'
import { credit, recordMovements } from '../support/movements.ts'
import { newBrowser } from '../support/people.ts'
import { newSessionId } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const MINUTE_MS = 60_000

// Starts a service with a statement line for a credit that the books lack, and records movements from then
// on.
async function setup() {
  const bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  const sessionId = newSessionId()
  const line = { amount: 100, sessionId, accountNumber }
  const missing = await addLineDifference(bench, { kind: 'missing_in_books', line })
  const movements = await recordMovements(bench)
  return Object.assign(bench, { ...missing, accountNumber, sessionId, movements })
}

type Desk = Awaited<ReturnType<typeof setup>>

// Asserts that the credit was booked once, that the line is matched, and that the difference is cleared.
async function assertBookedOnce(bench: Desk): Promise<void> {
  assert.deepEqual(await bench.movements.moves(), ['credit: bank 035 → collection 100.00'])
  assert.deepEqual(
    (await pairsOf(bench, bench.lineId)).map((pair) => pair.replace(/ \w+$/, '')),
    ['credit 100.00'],
  )
  const { rows } = await bench.db.query('select state from differences')
  assert.deepEqual(rows, [{ state: 'cleared' }])
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
}

// The dependencies of the worker that finishes bookings whose process died.
function finishing(bench: Bench, more: Partial<FinishDeps> = {}) {
  const { service, clock } = bench
  return {
    db: service.db,
    batchPool: service.db,
    clock,
    sealer: sealingOf(bench).sealer,
    submitCredits: (credits) => service.writers.credits.submitAll(credits),
    ...more,
  } satisfies Omit<FinishDeps, 'now'> & { db: unknown; clock: unknown }
}

test('one of ten simultaneous resolutions succeeds', async () => {
  await using bench = await setup()
  const people = []
  for (let made = 0; made < 10; made++) people.push(await newBrowser(bench, 'operator'))

  const outcomes = await Promise.all(
    people.map((person, at) => outcomeOf(resolve(person, bench.id, at % 2 ? 'book' : 'note'))),
  )

  const won = outcomes.filter((outcome) => outcome !== 'difference_resolved')
  assert.equal(won.length, 1, outcomes.join())
  assert.equal(
    (await changesOf(bench, bench.id)).filter((line) => /^resolved/.test(line)).length,
    1,
  )
  const booked = won[0] === 'cleared' ? 1 : 0
  assert.equal((await bench.movements.moves()).length, booked)
  await assertLinesExplained(bench)
  await assertCleanBooks(bench)
})

test('the same person asking ten times at once, through two processes, books once', async () => {
  await using bench = await setup()
  await using twin = await startTwin(bench)
  const person = await newBrowser(bench, 'operator')
  // Sends the request to the two processes in turn.
  const call = (index: number) => {
    const { cookie, csrfToken } = person
    const headers = { cookie, 'x-csrf-token': csrfToken }
    const url = `${RECONCILIATION}/${bench.id}/resolve`
    const body = { action: 'book', reason: REASON }
    return (index % 2 ? bench : twin).call({ url, body, headers, token: null })
  }

  const calls = Array.from({ length: 10 }, (_, index) => outcomeOf(call(index)))
  const outcomes = await Promise.all(calls)

  assert.deepEqual(tally(outcomes), { cleared: 10 })
  await assertBookedOnce(bench)
})

test('ten requests with one key get the same response, and the fee is booked once', async () => {
  await using bench = await startTestService()
  const { id } = await addLineDifference(bench, {
    kind: 'unexplained_debit',
    line: { amount: -5, kind: 'fee' },
  })
  const { moves } = await recordMovements(bench)
  const headers = { 'idempotency-key': 'fee-of-today' }

  const answers = await Promise.all(
    Array.from({ length: 10 }, () => resolve(bench, id, 'book', { headers })),
  )

  assert.deepEqual(tally(answers.map(({ body }) => body)), { [answers[0]?.body as string]: 10 })
  assert.equal((await moves()).length, 1)
  await assertCleanBooks(bench)
})

test('the bank’s notification at the same moment is the same credit', async () => {
  for (let round = 0; round < 5; round++) {
    await using bench = await setup()
    const { accountNumber, sessionId } = bench

    const [outcome, reported] = await Promise.all([
      outcomeOf(resolve(bench, bench.id, 'book')),
      credit(bench, accountNumber, '100', { sessionId }),
    ])

    assert.equal(outcome, 'cleared')
    assert.match(reported.says, /^(?:00 booked|01 duplicate)$/)
    await assertBookedOnce(bench)
  }
})

test('a notification before the resolution is matched, not booked again', async () => {
  await using bench = await setup()
  const { accountNumber, sessionId } = bench
  await credit(bench, accountNumber, '100', { sessionId })

  assert.equal(await outcomeOf(resolve(bench, bench.id, 'book')), 'cleared')

  assert.equal(await balanceOf(bench, accountNumber), 100)
  await assertBookedOnce(bench)
})

test('matching at the same moment explains the line once', async () => {
  await using bench = await setup()
  const { accountNumber, sessionId } = bench
  await credit(bench, accountNumber, '100', { sessionId })
  const account = { bankCode: '035', currency: 'NGN', now: bench.clock() }
  const match = () => withTransaction(bench.service.db, (tx) => matchStatements(tx, account))
  const holder = await bench.db.connect()
  await holder.query(`begin; insert into reconciled_banks (bank_code, currency)
                      values ('035', 'NGN') on conflict do nothing;
                      select from reconciled_banks for update`)

  const racing = Promise.all([outcomeOf(resolve(bench, bench.id, 'book')), match(), match()])
  await untilBlocked(bench.db, 3)
  await holder.query('commit')
  holder.release()
  const [outcome] = await racing

  assert.match(outcome, /^(cleared|difference_resolved)$/)
  await assertBookedOnce(bench)
})

for (const death of ['before the credit is taken', 'after the credit is taken'] as const) {
  for (const [heir, inherit] of [
    ['a retry', (bench: Desk) => outcomeOf(resolve(bench, bench.id, 'book'))],
    ['a worker', runWorker],
  ] as const) {
    test(`a process that dies ${death} leaves it to ${heir}`, async () => {
      await using bench = await setup()
      const id = BigInt(bench.id) as DifferenceId
      const headers = { 'idempotency-key': 'dies' }
      const working = bench.service.writers.credits.submitAll
      bench.service.writers.credits.submitAll = async () => Promise.reject(new Error('died'))
      const died = await resolve(bench, bench.id, 'book', { headers })
      bench.service.writers.credits.submitAll = working
      assert.equal(died.statusCode, 500)
      if (death === 'after the credit is taken') {
        const deps = finishing(bench, {
          submitCredits: async (credits) => {
            await bench.service.writers.credits.submitAll(credits)
            throw new Error('died')
          },
        })
        await assert.rejects(finishBooking({ ...deps, now: bench.clock() }, id), /died/)
      }
      const { rows } = await bench.db.query('select state, action from differences')
      assert.deepEqual(rows, [{ state: 'open', action: 'book' }])
      const other = await newBrowser(bench, 'operator')
      assert.equal(await outcomeOf(resolve(other, bench.id, 'note')), 'difference_resolved')

      await inherit(bench)

      await assertBookedOnce(bench)
      assert.equal(await outcomeOf(resolve(bench, bench.id, 'book', { headers })), 'cleared')
    })
  }
}

// Runs the worker that finishes bookings whose process died. It leaves a booking alone for a minute, in which
// the process of the request normally finishes it.
async function runWorker(bench: Desk): Promise<void> {
  const round = finishBookingsRound(finishing(bench))
  const { signal } = new AbortController()
  await round(signal)
  assert.equal((await pairsOf(bench, bench.lineId)).length, 0, 'whoever decided finishes it first')
  bench.advance(MINUTE_MS)
  await round(signal)
}

test('a booking that cannot be finished does not stop the worker from finishing others', async () => {
  await using bench = await setup()
  const broken = await addLineDifference(bench, {
    kind: 'missing_in_books',
    line: { amount: 1, counterpartySealed: Buffer.from('sealed by nobody') },
  })
  await bench.db.query(
    `update differences set action = 'book', reason = 'x', decided_by = 'user:x', decided_at = $1
      where state = 'open'`,
    [bench.clock()],
  )
  await bench.db.query(
    `update differences set decided_at = decided_at - interval '1 hour' where id = $1`,
    [broken.id],
  )
  bench.advance(MINUTE_MS)

  await assert.rejects(finishBookingsRound(finishing(bench))(new AbortController().signal))

  assert.equal(await balanceOf(bench, bench.accountNumber), 100)
  assert.deepEqual((await changesOf(bench, bench.id)).at(-1), 'cleared')
  assert.deepEqual(await changesOf(bench, broken.id), ['opened'])
})
