// The service is killed with -9 at any moment and started again. No request that was answered 200 is lost,
// an unanswered request takes effect at most once when it is repeated, and the books add up. These tests
// use a real database with fsync, in its own data folder.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '#db/pool.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import {
  type Customer,
  driveJourneys,
  type Journal,
  type JournalEntry,
  koboOfNaira,
} from './crash-journal.ts'
import { type ChildService, databaseOf, kill, startChild } from './support/child-service.ts'
import { until } from './support/embedded-bench.ts'
import { createTempFolder } from './support/temp-folder.ts'

const CUSTOMERS = 32
const ANSWERS_BEFORE_KILL = 200

const ANSWERS_AFTER_ONE = 100

test('after any kill, the next start has all that was answered', async (t) => {
  using folder = createTempFolder()
  const start = () => startChild({ folder: folder.path, env: { MANILLA_PROCESSES: '2' } })
  let service = await start()
  try {
    for (const target of ['everything', 'database', 'process'] as const) {
      await t.test(`${target} is killed`, async (round) => {
        const journal = await runUntilKilled(service, target)
        const entries = journal.customers.flatMap((customer) => customer.entries)
        const unanswered = entries.filter((entry) => !entry.answer)
        const answered = entries.length - unanswered.length
        round.diagnostic(`${answered} answered, ${unanswered.length} in flight`)
        assert(answered >= ANSWERS_BEFORE_KILL)
        assert(unanswered.length > 0)
        // Payment links always lead to the chosen port, whichever process creates them.
        assert.deepEqual(payersSentTo(entries), [service.url])

        service = await start()
        const send = journal.sendTo(service.url)
        await Promise.all(journal.customers.map((customer) => checkCustomer(send, customer)))
        await Promise.all(unanswered.map((request) => repeatRequest(send, request)))
        await checkBooks(folder.path, journal)
      })
    }
    assert.equal(await service.stop(), 0)
  } finally {
    await service[Symbol.asyncDispose]()
  }
})

// Lets customers act until the test kills the target: the whole service, its database or its main process.
// Before that, the test kills one of the two HTTP processes: the second continues, and a new one replaces
// the first.
async function runUntilKilled(
  service: ChildService,
  target: 'everything' | 'database' | 'process',
): Promise<Journal> {
  const [firstProcess, secondProcess] = service.httpProcesses()
  const enoughAnswers = Promise.withResolvers<void>()
  const enoughLater = Promise.withResolvers<void>()
  // Drives the customers, and resolves each of the two promises once enough requests were answered.
  const journal = driveJourneys(service.url, CUSTOMERS, (answers) => {
    if (answers === ANSWERS_BEFORE_KILL) enoughAnswers.resolve()
    if (answers === ANSWERS_BEFORE_KILL + ANSWERS_AFTER_ONE) enoughLater.resolve()
  })
  await Promise.race([enoughAnswers.promise, journal])
  assert(firstProcess && secondProcess)
  kill(firstProcess)
  await Promise.race([enoughLater.promise, journal])
  await until('another takes its place', () => service.httpProcesses().length === 2)
  assert(service.httpProcesses().includes(secondProcess), 'the other goes on')
  assert(!service.httpProcesses().includes(firstProcess))
  await service.kill(target)
  return journal
}

// Returns the distinct origins of all payment links.
function payersSentTo(entries: readonly JournalEntry[]): string[] {
  const urls = entries.map(({ answer }) => answer?.responseData?.paymentUrl).filter(Boolean)
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

type Send = ReturnType<Journal['sendTo']>

// Compares the customer's account and payment with the answers in the journal. An amount may include payments
// that were not answered, so it lies between two bounds. `paidIn` returns both bounds in kobo.
async function checkCustomer(send: Send, customer: Customer): Promise<void> {
  const { account, payment } = customer
  if (account) {
    const answer = await send({ url: `/api/v1/accounts/static/${account.accountNumber}` })
    const { accountBalance, updatedAt: _, ...fields } = answer.data
    const { accountBalance: __, updatedAt: ___, ...acknowledged } = account
    assert.deepEqual(fields, acknowledged)
    assertBetween(koboOfNaira(accountBalance), customer.paidIn('account'))
  }
  if (payment) {
    const url = `/api/Transaction/bypaymentreference/${payment.paymentReference}`
    const { responseData: stored } = await send({ url })
    assert.equal(stored.accountNumber, payment.bankAccount)
    const [least, most] = customer.paidIn('payment')
    const due = koboOfNaira(stored.amount)
    // The payment collects at most the amount due; the excess is in suspense.
    assertBetween(koboOfNaira(stored.amountCollected), [Math.min(least, due), Math.min(most, due)])
    const status = { [due]: 'Successful', 0: 'Processing' }[koboOfNaira(stored.amountCollected)]
    assert.equal(stored.transactionStatus, status ?? 'PartPayment')
  }
}

// Asserts that a value lies between two bounds, including the bounds.
function assertBetween(value: number, [least, most]: readonly [number, number]): void {
  assert(value >= least && value <= most, `${value} is not from ${least} to ${most}`)
}

// Repeats a request with the same key and body, twice. The first repetition may
// be the one that takes effect; the second must get the same answer. Only `updatedAt` of an account moves on,
// when its identity has been checked.
async function repeatRequest(send: Send, request: JournalEntry): Promise<void> {
  if (!request.isRepeatable) return
  const [first, second] = [await send(request), await send(request)]
  const { updatedAt: _first, ...firstData } = first.data ?? {}
  const { updatedAt: _second, ...secondData } = second.data ?? {}
  assert.deepEqual({ ...second, data: secondData }, { ...first, data: firstData })
}

// Runs the integrity checks, and checks that event numbers have no gaps, and that no account or advice of a
// customer is missing or exists twice.
async function checkBooks(folder: string, { customers }: Journal): Promise<void> {
  const db = createPool({
    connectionString: databaseOf(folder),
    max: 2,
    onIdleError: () => {},
  })
  try {
    assert.deepEqual(await checkIntegrity(db), [])
    const { rows: sequences } = await db.query(
      `select c.sequence::int as issued, count(*)::int as stored, max(e.sequence)::int as last
         from event_counters c join events e on e.client_id = c.client_id group by c.client_id`,
    )
    for (const { issued, stored, last } of sequences)
      assert.deepEqual([stored, last], [issued, issued])
    assert(sequences.length > 0)
    const names = customers.map((customer) => customer.name)
    const { rows: accounts } = await db.query(
      `select account_name from collection_accounts where account_name = any($1)`,
      [names],
    )
    assert.deepEqual(accounts.map((row) => row.accountName).sort(), names.sort())
    const { rows: advices } = await db.query(
      `select customer_name from advices where customer_name = any($1)
        group by customer_name having count(*) > 1`,
      [names],
    )
    assert.deepEqual(advices, [])
  } finally {
    await db.end()
  }
}
