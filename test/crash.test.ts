// Killed with -9 at any moment and started again: no request that was answered 200 is lost, an
// unanswered request has no double effect when repeated, and the books add up. These tests use a
// real database with fsync, in its own data folder.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '#db/pool.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { type Ask, type Customer, driveJourneys, type Journal, naira } from './crash-journal.ts'
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
    for (const whom of ['everything', 'database', 'process'] as const) {
      await t.test(`${whom} is killed`, async (round) => {
        const journal = await runUntilKilled(service, whom)
        const asks = journal.customers.flatMap((customer) => customer.asks)
        const unanswered = asks.filter((ask) => !ask.answer)
        const answered = asks.length - unanswered.length
        round.diagnostic(`${answered} answered, ${unanswered.length} in flight`)
        assert(answered >= ANSWERS_BEFORE_KILL)
        assert(unanswered.length > 0)
        // Whichever process answers, payers are sent to the chosen port.
        assert.deepEqual(payersSentTo(asks), [service.url])

        service = await start()
        const ask = journal.asker(service.url)
        await Promise.all(journal.customers.map((customer) => checkCustomer(ask, customer)))
        await Promise.all(unanswered.map((request) => askAgain(ask, request)))
        await checkBooks(folder.path, journal)
      })
    }
    assert.equal(await service.stop(), 0)
  } finally {
    await service[Symbol.asyncDispose]()
  }
})

// One of the two HTTP processes is killed before: the other continues, and a new one joins.
async function runUntilKilled(
  service: ChildService,
  whom: 'everything' | 'database' | 'process',
): Promise<Journal> {
  const [one, other] = service.httpProcesses()
  const enough = Promise.withResolvers<void>()
  const enoughAfter = Promise.withResolvers<void>()
  const driven = driveJourneys(service.url, CUSTOMERS, (answers) => {
    if (answers === ANSWERS_BEFORE_KILL) enough.resolve()
    if (answers === ANSWERS_BEFORE_KILL + ANSWERS_AFTER_ONE) enoughAfter.resolve()
  })
  await Promise.race([enough.promise, driven])
  assert(one && other)
  kill(one)
  await Promise.race([enoughAfter.promise, driven])
  await until('another takes its place', () => service.httpProcesses().length === 2)
  assert(service.httpProcesses().includes(other), 'the other goes on')
  assert(!service.httpProcesses().includes(one))
  await service.kill(whom)
  return driven
}

function payersSentTo(asks: readonly Ask[]): string[] {
  const urls = asks.map(({ answer }) => answer?.responseData?.paymentUrl).filter(Boolean)
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

type Asker = ReturnType<Journal['asker']>

async function checkCustomer(ask: Asker, customer: Customer): Promise<void> {
  const { account, payment } = customer
  if (account) {
    const found = await ask({ url: `/api/v1/accounts/static/${account.accountNumber}` })
    const { accountBalance, updatedAt: _, ...fields } = found.data
    const { accountBalance: __, updatedAt: ___, ...answered } = account
    assert.deepEqual(fields, answered)
    between(naira(accountBalance), customer.paidIn('account'))
  }
  if (payment) {
    const url = `/api/Transaction/bypaymentreference/${payment.paymentReference}`
    const { responseData: found } = await ask({ url })
    assert.equal(found.accountNumber, payment.bankAccount)
    const [least, most] = customer.paidIn('payment')
    const due = naira(found.amount)
    // The excess is in suspense.
    between(naira(found.amountCollected), [Math.min(least, due), Math.min(most, due)])
    const status = { [due]: 'Successful', 0: 'Processing' }[naira(found.amountCollected)]
    assert.equal(found.transactionStatus, status ?? 'PartPayment')
  }
}

function between(value: number, [least, most]: readonly [number, number]): void {
  assert(value >= least && value <= most, `${value} is not from ${least} to ${most}`)
}

// Repeats the request with its own key and body: it takes effect now, or took effect then, but
// once.
async function askAgain(ask: Asker, request: Ask): Promise<void> {
  if (!request.isRepeatable) return
  const [first, second] = [await ask(request), await ask(request)]
  assert.deepEqual(second, first)
}

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
