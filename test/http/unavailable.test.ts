// If the database is full, read-only, overwhelmed or silent, callers quickly get a "try again" in the
// envelope of their family, and no batch is retried item by item.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LightMyRequestResponse } from 'fastify'
import pg from 'pg'
import { createTestDatabase } from '../support/database.ts'
import { until } from '../support/embedded-bench.ts'
import { ACCOUNTS, ADVICE, accountBody, adviceBody, createAccount } from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { startStallingProxy } from '../support/stalling-proxy.ts'

const READY_MAX_MS = 25_000 // Sooner than any other request must be answered.
const ANSWERS_MAX_MS = 30_000

const SYSTEMIC = {
  'the disk is full': '53100',
  'memory is used up': '53200',
  'the transaction is read-only': '25006',
  'the statement took too long': '57014',
  'the disk cannot be written': '58030',
}

for (const [what, code] of Object.entries(SYSTEMIC)) {
  test(`${what} (${code}): the batch fails at once, and everybody is told to try again`, async () => {
    await using bench = await startTestService()
    const { accountNumber } = await createAccount(bench)
    await failInsertsWith(bench, code, ['credits', 'collection_accounts'])

    const credits = await postRail(bench, '058/credits', threeCredits(accountNumber))
    const account = await bench.call({ url: ACCOUNTS, body: accountBody() })

    assert.equal(credits.statusCode, 503)
    assert.equal(credits.headers['retry-after'], '1')
    assert.deepEqual(
      credits.json().map((each: { responseCode: string }) => each.responseCode),
      ['03', '03', '03'],
    )
    assertTryAgain(account)
    assert.equal(failedBatches(bench), 2)
  })
}

test('a disk without room: not ready until there is some', async () => {
  await using bench = await startTestService()
  const isReady = async () => (await bench.call({ url: '/ready', token: null })).statusCode === 200
  const redefineDiskCheck = (body: string) =>
    bench.db.query(`create or replace function require_disk_space() returns void
                    language plpgsql as $$ begin ${body} end $$`)
  assert(await isReady())

  await redefineDiskCheck(`raise exception 'No space left on device' using errcode = 'disk_full';`)
  await until('it is not ready', async () => !(await isReady()))
  assert.match(bench.logText(), /it cannot write: No space left on device/)
  await redefineDiskCheck('perform 1;')
  await until('it is ready', isReady)
})

test('a read-only database: not ready, and every family is told to try again', async () => {
  await using bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await makeReadOnly(bench)

  const [credits, advice, account, read, ready] = await Promise.all([
    postRail(bench, '058/credits', threeCredits(accountNumber)),
    bench.call({ url: ADVICE, body: adviceBody() }),
    bench.call({ url: ACCOUNTS, body: accountBody() }),
    bench.call({ url: `${ACCOUNTS}/${accountNumber}` }),
    bench.call({ url: '/ready', token: null }),
  ])

  assert.equal(credits.statusCode, 503)
  assert.equal(credits.json()[0].responseCode, '03')
  assertTryAgain(advice)
  assertTryAgain(account)
  assert.equal(read.statusCode, 200)
  assert.equal(ready.statusCode, 503)
})

test('a database that falls silent: everybody is answered, and served again when it is back', async () => {
  await using database = await createTestDatabase()
  await using proxy = await startStallingProxy(database.connectionString)
  const { connectionString } = proxy
  const bench = await startTestService({ database: { ...database, connectionString }, patience: 1 })
  await using _closing = {
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]() // Cuts the requests that still wait for the database.
      await bench.service.close()
    },
  }
  const { accountNumber } = await retryOnBusyMachine(() => createAccount(bench))
  const report = () => postRail(bench, '058/credits', threeCredits(accountNumber)[0])

  proxy.stall()
  const calls = [
    report(),
    bench.call({ url: ADVICE, body: adviceBody() }),
    bench.call({ url: ACCOUNTS, body: accountBody() }),
    bench.call({ url: `${ACCOUNTS}/${accountNumber}` }),
    bench.call({ url: `${ACCOUNTS}?name=ada` }),
    bench.tryLogin('MAN0000001', 'sandbox-secret'),
    postRail(bench, '058/name-enquiry', { accountNumber }),
  ]
  const startedMs = performance.now()
  const ready = await bench.call({ url: '/ready', token: null })
  const readyMs = performance.now() - startedMs
  const [credit, ...others] = await Promise.all(calls)
  const allMs = performance.now() - startedMs
  proxy.letNewOnes()
  await until('a credit is booked', async () => (await report()).json().responseCode === '00')

  assert.equal(ready.statusCode, 503)
  assert(readyMs < READY_MAX_MS, `${readyMs} ms`)
  assert(allMs < ANSWERS_MAX_MS, `${allMs} ms`)
  assert.equal(credit?.statusCode, 503)
  assert.equal(credit?.json().responseCode, '03')
  for (const answer of others) assertTryAgain(answer)
})

// Tries again, because on a busy machine the database may take longer than the service waits for it.
async function retryOnBusyMachine<T>(work: () => Promise<T>, tries = 10): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (tries === 1) throw error
    return retryOnBusyMachine(work, tries - 1)
  }
}

function threeCredits(accountNumber: unknown) {
  return [1, 2, 3].map(() => ({ sessionId: newSessionId(), accountNumber, amount: '10.00' }))
}

// Asserts that the answer asks the caller to try again after a second.
function assertTryAgain(answer: LightMyRequestResponse): void {
  assert.equal(answer.statusCode, 503, answer.body)
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal(answer.json().code, 'try_again', answer.body)
}

function failedBatches(bench: Bench): number {
  return bench.logText().split('"batch failed"').length - 1
}

// Makes every insert into these tables fail with this error code.
async function failInsertsWith(
  { db }: Bench,
  code: string,
  tables: readonly string[],
): Promise<void> {
  await db.query(
    `create function fail() returns trigger language plpgsql as
     $$ begin raise exception 'it failed' using errcode = '${code}'; end $$`,
  )
  for (const table of tables) {
    await db.query(
      `create trigger fail before insert on ${table} for each statement execute function fail()`,
    )
  }
}

// Makes the database read-only for new connections, and ends all existing ones.
async function makeReadOnly({ database, db }: Bench): Promise<void> {
  const name: string = (await db.query('select current_database() as name')).rows[0].name
  const admin = new pg.Client(database.connectionString.replace(name, 'postgres'))
  await admin.connect()
  try {
    await admin.query(`alter database ${name} set default_transaction_read_only = on`)
    await admin.query(
      'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = $1',
      [name],
    )
  } finally {
    await admin.end()
  }
}
