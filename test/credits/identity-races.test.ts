// Two processes learn of the same credit by two routes at the same moment: it is still taken once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { IncomingCredit } from '#credits/judge.ts'
import { countDeadlocks, holdTable, startTwin } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { routesOf } from '../support/incoming-credits.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const bench = closeAfterTests(await startTestService())
// A number that was never issued, so that the two writers do not wait for each other’s lock on an account.
const NOBODYS_NUMBER = '0123456789'

const takeCredit = (credit: IncomingCredit, by: Bench = bench) =>
  by.service.writers.credits.submit(credit)
const routes = (accountNumber: string) => routesOf(bench, accountNumber)

// Counts the stored credits to an account number.
async function countCredits(accountNumber: string): Promise<number> {
  const { rows } = await bench.db.query(
    'select count(*)::int as count from credits where account_number = $1',
    [accountNumber],
  )
  return rows[0].count
}

test('two processes that get one credit by two routes at the same moment book it once', async () => {
  await using twin = await startTwin(bench)
  const before = await countDeadlocks(bench)
  for (const [one, other] of [
    ['notification', 'requery'],
    ['requery', 'statement'],
    ['statement', 'notification'],
  ] as const) {
    const { known: _, ...by } = await routes(NOBODYS_NUMBER)
    const credits = await countCredits(NOBODYS_NUMBER)

    // Neither process sees the credit of the other process yet, and the two are about to write.
    const held = await holdTable(bench, 'credit_identifiers')
    const racing = Promise.all([takeCredit(by[one]), takeCredit(by[other], twin)])
    await untilBlocked(bench.db, 2)
    await held[Symbol.asyncDispose]()
    const answers = await racing

    assert.deepEqual(answers.map(({ status }) => status).sort(), ['duplicate', 'taken'])
    assert.equal(await countCredits(NOBODYS_NUMBER), credits + 1)
  }
  assert.equal(await countDeadlocks(bench), before)
})

test('two processes with the same lists by two routes, in opposite orders, book each once', async () => {
  await using twin = await startTwin(bench)
  const before = await countDeadlocks(bench)
  const credits = await countCredits(NOBODYS_NUMBER)
  const transfers = await Promise.all(Array.from({ length: 60 }, () => routes(NOBODYS_NUMBER)))

  // A third writer holds the identifier in the middle, so that each of the two batches is half written when
  // it has to wait.
  const other = await bench.db.connect()
  const middle = transfers[transfers.length / 2]?.requery.sessionId
  await other.query(`begin; insert into credit_identifiers values (0, true, '${middle}', '035',
                                                                   'settlement_id')`)
  const racing = Promise.all([
    bench.service.writers.credits.submitAll(transfers.map(({ notification }) => notification)),
    twin.service.writers.credits.submitAll(transfers.map(({ requery }) => requery).reverse()),
  ])
  await untilBlocked(bench.db, 2)
  await other.query('rollback')
  other.release()
  const answers = (await racing).flat().map((answer) => answer.ok && answer.value.status)

  assert.equal(answers.filter((status) => status === 'taken').length, 60)
  assert.equal(answers.filter((status) => status === 'duplicate').length, 60)
  assert.equal(await countCredits(NOBODYS_NUMBER), credits + 60)
  assert.equal(await countDeadlocks(bench), before)
})

test('two processes that learn the same identifier at the same moment both succeed', async () => {
  await using twin = await startTwin(bench)
  const { notification, statement, known } = await routes(NOBODYS_NUMBER)
  await takeCredit({ ...notification, otherIdentifiers: [] })

  const held = await holdTable(bench, 'credit_identifiers')
  const learning = Promise.all([takeCredit(statement), takeCredit(statement, twin)])
  await untilBlocked(bench.db, 2)
  await held[Symbol.asyncDispose]()

  assert.deepEqual(
    (await learning).map(({ status }) => status),
    ['duplicate', 'duplicate'],
  )
  const { rows } = await bench.db.query(
    `select kind, value from credit_identifiers where credit_id =
       (select credit_id from credit_identifiers where value = $1) order by kind`,
    [statement.sessionId],
  )
  assert.deepEqual(rows, known.slice(0, 2))
})
