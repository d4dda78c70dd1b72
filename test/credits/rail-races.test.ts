// A credit is taken exactly once under concurrency: reported by many senders at once, to two processes,
// over connections that break, and under overload.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertCleanBooks, holdTable, startTwin, tally } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { balanceOf, createAccount, startPayment, verify } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const UNKNOWN_NUMBER = '0123456789'

const creditOf = (accountNumber: string, amount = '10.00') => ({
  sessionId: newSessionId(),
  accountNumber,
  amount,
})
const times = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at))
type Sent = Awaited<ReturnType<typeof postRail>>
const codeOf = (answer: Sent): string => answer.json().responseCode

// Counts the stored credits that have one of these session ids.
async function countCredits(sessionIds: readonly string[]): Promise<number> {
  const { rows } = await bench.db.query(
    'select count(*)::int as count from credits where session_id = any($1)',
    [sessionIds],
  )
  return rows[0].count
}

test('the same credit reported fifty times at once is taken once', async () => {
  const { accountNumber } = await createAccount(bench)
  const credit = creditOf(accountNumber)

  const answers = await Promise.all(times(50, () => postRail(bench, '035/credits', credit)))

  assert.deepEqual(tally(answers.map(codeOf)), { '00': 1, '01': 49 })
  assert.equal(await balanceOf(bench, accountNumber), 10)
})

test('the same credit fifty times at once through two processes is taken once', async () => {
  await using twin = await startTwin(bench)
  const { accountNumber } = await createAccount(bench)

  for (const number of [accountNumber, UNKNOWN_NUMBER]) {
    const credit = creditOf(number)
    const answers = await Promise.all(
      times(50, (at) => postRail(at % 2 ? twin : bench, '035/credits', credit)),
    )
    assert.deepEqual(tally(answers.map(codeOf)), { '00': 1, '01': 49 })
  }
  assert.equal(await balanceOf(bench, accountNumber), 10)
})

test('two processes given the same lists in opposite orders take each credit once', async () => {
  await using twin = await startTwin(bench)
  const accounts = await Promise.all(times(4, () => createAccount(bench)))
  const numbers = [...accounts.map((account) => account.accountNumber), UNKNOWN_NUMBER]
  const list = times(200, (at) => creditOf(numbers[at % numbers.length] as string))
  const opposite = list.toReversed()

  const [forward, backward] = await Promise.all([
    postRail(bench, '035/credits', list),
    postRail(twin, '035/credits', opposite),
  ])

  const answers = [...forward.json(), ...backward.json()].map((each) => each.responseCode)
  assert.deepEqual(tally(answers), { '00': 200, '01': 200 })
  for (const { accountNumber } of accounts) {
    assert.equal(await balanceOf(bench, accountNumber), 400)
  }
})

test('a payment is settled once by a hundred top-ups at once, and the rest is excess', async () => {
  await using twin = await startTwin(bench)
  const payment = await startPayment(bench, { amount: 500 })

  const answers = await Promise.all(
    times(100, (at) =>
      postRail(at % 2 ? twin : bench, '035/credits', creditOf(payment.bankAccount)),
    ),
  )

  const outcomes = answers.map((answer) => [answer.json().outcome, answer.json().code].join(' '))
  assert.deepEqual(tally(outcomes), { 'booked ': 50, 'suspended already_paid': 50 })
  const { transactionStatus, amountCollected } = await verify(bench, payment.paymentReference)
  assert.deepEqual([transactionStatus, amountCollected], ['Successful', 500])
})

test('a connection lost while money is taken is 03 with 503; trying again takes it once', async () => {
  const { accountNumber } = await createAccount(bench)
  const credits = times(20, () => creditOf(accountNumber))
  let answers: Sent[]
  {
    await using hold = await holdTable(bench, 'credits')
    const sent = Promise.all(credits.map((credit) => postRail(bench, '035/credits', credit)))
    const pids = await hold.waiting(1)
    await bench.db.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids])
    answers = await sent
  }

  for (const answer of answers) {
    assert.deepEqual([answer.statusCode, codeOf(answer)], [503, '03'], answer.body)
    assert.equal(answer.headers['retry-after'], '1')
    assert.equal(answer.json().outcome, 'retry')
    assert.match(answer.json().responseMessage, /retry/)
  }
  assert.equal(await countCredits(credits.map((credit) => credit.sessionId)), 0)
  const again = await Promise.all(credits.map((credit) => postRail(bench, '035/credits', credit)))
  assert.deepEqual(tally(again.map(codeOf)), { '00': 20 })
  assert.equal(await balanceOf(bench, accountNumber), 200)
})

test('under load with connections cut at random, a bank that repeats until 00 or 01 pays once', async () => {
  const { accountNumber } = await createAccount(bench)
  const credits = times(75, () => creditOf(accountNumber, '1.00'))
  const seen: string[] = []
  // Reports a credit again and again, as a bank does, until the answer is 200.
  const reportUntilAccepted = async (credit: object): Promise<void> => {
    for (;;) {
      const answer = await postRail(bench, '035/credits', credit)
      seen.push(`${answer.statusCode} ${codeOf(answer)}`)
      if (answer.statusCode === 200) return
    }
  }
  // Ends all busy database connections, three times.
  const cutConnections = async () => {
    for (let at = 0; at < 3; at++) {
      await bench.db.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
      )
    }
  }

  for (let at = 0; at < credits.length; at += 5) {
    await Promise.all([...credits.slice(at, at + 5).map(reportUntilAccepted), cutConnections()])
  }

  const { '200 00': accepted = 0, '200 01': found = 0, '503 03': lost = 0, ...others } = tally(seen)
  assert.deepEqual(others, {})
  assert.equal(accepted + found, credits.length)
  assert(lost > 0, 'no connection was cut')
  assert.equal(await countCredits(credits.map((credit) => credit.sessionId)), credits.length)
  assert.equal(await balanceOf(bench, accountNumber), credits.length)
})

test('reports beyond the queue are refused at once with 503, 03 and a time to retry', async () => {
  const credit = creditOf(UNKNOWN_NUMBER)
  const list = JSON.stringify(times(1000, () => credit))
  let sent: Promise<Sent[]>
  {
    await using hold = await holdTable(bench, 'credits')
    // Two lists are being written and ten more may wait. The last two of the fourteen are refused.
    sent = Promise.all(times(14, () => postRail(bench, '035/credits', list)))
    await hold.waiting(1)
  }
  const answers = await sent

  const busy = answers.filter((answer) => answer.statusCode === 503)
  assert(busy.length >= 2, `${busy.length} refused`)
  for (const answer of busy) {
    assert.deepEqual([codeOf(answer), answer.json().code], ['03', 'busy'])
    assert.equal(answer.headers['retry-after'], '1')
  }
  const codes = answers
    .filter((answer) => answer.statusCode === 200)
    .flatMap((answer) => answer.json().map((each: { responseCode: string }) => each.responseCode))
  assert.deepEqual(tally(codes), { '00': 1, '01': (14 - busy.length) * 1000 - 1 })
})

test('after all these tests the books add up', () => assertCleanBooks(bench))
