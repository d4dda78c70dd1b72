// Splits booked and reversed by two processes at the same time: there is no deadlock, and no share is lost,
// doubled or taken back twice.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, countDeadlocks, startTwin } from '../support/bank-calls.ts'
import { createFeeRule } from '../support/fee-rules.ts'
import { createAccount, startPayment } from '../support/fixtures.ts'
import { newSessionId, postRail, wordsOf } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  balanceOfSubaccount,
  createSplit,
  postSplit,
  SUBACCOUNTS,
  splitBody,
  subaccountBody,
} from '../support/splits.ts'
import { untilBlocked } from '../support/waiting-locks.ts'

const ROUNDS = 12

test('credits, reversals and settled payments that share subaccounts meet no deadlock', async () => {
  await using bench = await startTestService()
  await using twin = await startTwin(bench)
  await createSplit(bench)
  await postSplit(bench, splitBody('BA', 'percentage', ['B', 50], ['A', 50]))
  await createFeeRule(bench)
  const accounts = [
    await createAccount(bench, { splitCode: 'AB' }),
    await createAccount(bench, { splitCode: 'BA' }),
  ]
  const before = await countDeadlocks(bench)

  const answers = await Promise.all(
    Array.from({ length: ROUNDS }, async (_, at) => {
      const [on, other] = at % 2 ? [twin, bench] : [bench, twin]
      const { accountNumber } = accounts[at % 2] as (typeof accounts)[0]
      const { bankAccount } = await startPayment(bench, { amount: 300, splitCode: 'AB' })
      const sessions = [newSessionId(), newSessionId(), newSessionId()] as const
      const numbers = [accountNumber, bankAccount, bankAccount]
      // Reports the three credits at the two processes in turn.
      const credits = sessions.map((sessionId, nth) => {
        const credit = { sessionId, accountNumber: numbers[nth], amount: '150' }
        return report(nth % 2 ? other : on, '035/credits', credit)
      })
      const booked = await Promise.all(credits)
      const reversals = await Promise.all(
        sessions.flatMap((originalSessionId) =>
          [on, other].map((by) => {
            const body = { sessionId: newSessionId(), originalSessionId, amount: '75' }
            return report(by, '035/reversals', body)
          }),
        ),
      )
      return [...booked, ...reversals]
    }),
  )

  assert.equal(await countDeadlocks(bench), before)
  const refused = answers
    .flat()
    .filter((says) => !/^(00 (booked|reversed)|01 duplicate)$/.test(says))
  assert.deepEqual(refused, [])
  assert.deepEqual(
    [await balanceOfSubaccount(bench, 'A'), await balanceOfSubaccount(bench, 'B')],
    [0, 0],
  )
  await assertCleanBooks(bench)
})

test('a reversal locks the accounts in the order of their ids, as posting does', async () => {
  await using bench = await startTestService()
  await createSplit(bench)
  const { accountNumber } = await createAccount(bench, { splitCode: 'AB' })
  const sessionId = newSessionId()
  await report(bench, '035/credits', { sessionId, accountNumber, amount: '100' })
  const lock = (kind: string, how = '') =>
    `select id from ledger_accounts where kind = '${kind}' order by id for no key update ${how}`
  const posting = await bench.db.connect()
  await posting.query('begin')
  const { rows: banks } = await posting.query<{ id: bigint }>(lock('bank'))

  const body = { sessionId: newSessionId(), originalSessionId: sessionId, amount: '100' }
  const reversal = report(bench, '035/reversals', body)
  await untilBlocked(bench.db, 1)
  const { rows: subaccounts } = await posting.query<{ id: bigint }>(lock('subaccount', 'nowait'))
  await posting.query('commit')
  posting.release()

  assert(banks.every((bank) => subaccounts.every(({ id }) => bank.id < id)))
  assert.equal(await reversal, '00 reversed')
})

// Repeats a report while the service responds with "retry" (03), as a bank does.
async function report(by: Bench, path: string, body: object) {
  for (;;) {
    const says = wordsOf((await postRail(by, path, body)).json())
    if (!says.startsWith('03')) return says
  }
}

test('the first of several requests that create the same code succeeds', async () => {
  await using bench = await startTestService()
  const body = subaccountBody('same')
  const race = <T>(ask: () => Promise<T>) => Promise.all(Array.from({ length: 6 }, ask))

  const made = await race(() => bench.call({ url: SUBACCOUNTS, body }))
  const split = splitBody('same', 'percentage', ['same', 1])
  const splits = await race(() => postSplit(bench, split))

  for (const answers of [made, splits]) {
    const codes = answers.map((answer) => answer.statusCode).sort()
    assert.deepEqual(codes, [200, 409, 409, 409, 409, 409])
  }
})
