// All kinds of money movements at once, through two processes, must not deadlock. They touch accounts of
// every age: shared accounts from before migration 0021 have lower ids than some collection accounts, later
// ones higher ids than all.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertCleanBooks,
  closeExpired,
  countDeadlocks,
  startTwin,
  tally,
} from '../support/bank-calls.ts'
import { createAccount, MINUTE_MS, startPayment } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { assign, giveBack, NOBODYS_NUMBER, suspend } from '../support/suspense-desk.ts'

const ROUNDS = 4

test('old accounts beside new ones: whatever moves money at once, no deadlock is met', async () => {
  await using bench = await startTestService()
  await using twin = await startTwin(bench)
  const early = [await createAccount(bench), await createAccount(bench)]
  await openLowAccounts(bench)
  const numbers = [...early, await createAccount(bench), await createAccount(bench)].map(
    ({ accountNumber }) => accountNumber,
  )
  await startExpiring(bench)
  bench.advance(31 * MINUTE_MS)
  const before = await countDeadlocks(bench)

  // Each round moves money at once by credits of two banks, the suspense desk and a cancelled advice.
  const rounds = Array.from({ length: ROUNDS }, async (_, at) => {
    const on = at % 2 ? twin : bench
    const [first, second, payment] = await Promise.all([
      suspend(on, NOBODYS_NUMBER, '50'),
      suspend(on, NOBODYS_NUMBER, '40', { bank: '035' }),
      startPayment(bench, { amount: 80 }),
    ])
    // Reports a credit of 30 to each of the numbers, in one list.
    const creditAll = (bank: string, accountNumbers: readonly string[]) => {
      const sessionIds = accountNumbers.map(() => newSessionId())
      const body = accountNumbers.map((accountNumber, nth) => ({
        sessionId: sessionIds[nth],
        accountNumber,
        amount: '30',
      }))
      return { sessionIds, answer: postRail(on, `${bank}/credits`, body) }
    }
    const there = creditAll('058', [...numbers, payment.bankAccount])
    const back = creditAll('035', [payment.bankAccount, NOBODYS_NUMBER, ...numbers.toReversed()])
    const answers = await Promise.all([
      there.answer,
      back.answer,
      assign(bench, first.id, { paymentReference: payment.paymentReference }),
      assign(bench, second.id, { accountNumber: numbers[at % numbers.length] }),
      giveBack(bench, first.id),
      createAccount(bench).then(() => undefined),
      bench.call({ method: 'POST', url: `/Payment/advice/${payment.adviceReference}/cancel` }),
    ])
    const reversals = await Promise.all(
      [
        ...there.sessionIds.map((originalSessionId) => ({ bank: '058', originalSessionId })),
        ...back.sessionIds.map((originalSessionId) => ({ bank: '035', originalSessionId })),
      ].map(({ bank, originalSessionId }, nth) =>
        postRail(nth % 2 ? twin : bench, `${bank}/reversals`, {
          sessionId: newSessionId(),
          originalSessionId,
          amount: '10',
        }),
      ),
    )
    return [...answers, ...reversals]
  })
  const [all] = await Promise.all([Promise.all(rounds), closeExpired(bench)])

  const answers = all.flat().flatMap((answer) => answer ?? [])

  const faults = answers.filter((answer) => answer.statusCode >= 500)
  assert.deepEqual(
    faults.map((answer) => answer.body),
    [],
  )
  const reversed = answers.map((answer) => answer.json().outcome).filter(Boolean)
  assert.deepEqual(tally(reversed), { reversed: ROUNDS * 11 })
  assert.equal((await countDeadlocks(bench)) - before, 0)
  await assertCleanBooks(bench)
})

// Creates shared accounts with ids below 1,000, as they were before migration 0021.
async function openLowAccounts({ db }: Bench): Promise<void> {
  const { rows } = await db.query(
    `insert into ledger_accounts (kind, owner)
     values ('suspense', 'bank:058'), ('bank', 'bank:035'),
            ('available', (select 'client:' || id from clients where client_id = 'MAN0000001'))
     returning id < 1000 as low`,
  )
  assert(rows.every(({ low }) => low))
}

// Creates part-paid payments that expire in half an hour, so that the worker moves their money too.
async function startExpiring(bench: Bench): Promise<void> {
  // Pays 30 of the 70 naira that each payment expects.
  const started = Array.from({ length: ROUNDS }, async () => {
    const { bankAccount } = await startPayment(bench, { amount: 70, graceSeconds: 0 })
    const body = { sessionId: newSessionId(), accountNumber: bankAccount, amount: '30' }
    const answer = await postRail(bench, '035/credits', body)
    assert.equal(answer.json().outcome, 'booked')
  })
  await Promise.all(started)
}
