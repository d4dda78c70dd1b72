// I79: acknowledged work survives the promotion of a synchronous standby, and the service resumes by itself
// within five seconds. Under load the primary dies, is demoted, becomes read-only, or falls silent. Every
// credit is in the books of the new primary exactly once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPool } from '#db/pool.ts'
import { isUnavailable, withTransaction } from '#db/transaction.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { type Node, type Pair, startPair } from '../../torture/pair.ts'
import { operate } from '../support/cli-terminal.ts'
import { closeAfterTests } from '../support/closing.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount } from '../support/fixtures.ts'
import { patience } from '../support/patience.ts'
import { PersistentBank } from '../support/persistent-bank.ts'
import { newCredit, postRail, wordsOf } from '../support/rail.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { chooseParent } from '../support/server.ts'
import { createTempFolder } from '../support/temp-folder.ts'

const SENDERS = 16 // Concurrent senders of credits for each service.
const CREDITS_BEFORE = 300
const RESUMED_MAX_MS = patience(5_000)

const pair = await openPair()
const hosts = [pair.primary.host, pair.standby.host]
const urls = [pair.url(hosts), pair.url(hosts.toReversed())] as const
const benches = [await startService(urls[0]), await startService(urls[1])] as const
const [bench] = benches
const accounts = await Promise.all(
  Array.from({ length: 8 }, async () => (await createAccount(bench)).accountNumber as string),
)

// Starts a primary with a synchronous standby.
async function openPair(): Promise<Pair> {
  const folder = closeAfterTests(createTempFolder(await chooseParent()))
  return closeAfterTests(await startPair(folder.path))
}

// Starts a service on these servers, with a rate limit of the rail that the test does not reach.
async function startService(connectionString: string): Promise<Bench> {
  const pool = createPool({ connectionString, max: 4, onIdleError: () => {} })
  const database = { pool, connectionString, [Symbol.asyncDispose]: () => pool.end() }
  const env = { MANILLA_RATE_LIMITS: 'rail=60000000' }
  return closeAfterTests(await startTestService({ database, env }))
}

async function isReady({ call }: Bench): Promise<boolean> {
  return (await call({ url: '/ready', token: null })).statusCode === 200
}

// Calls `disablePrimary` while banks send credits, promotes the standby, and checks how soon
// the service works again. Returns a summary of the times.
async function failOver(disablePrimary: (primary: Node) => Promise<void>) {
  await pair.requireStandby()
  const banks = benches.map((each) => new PersistentBank(each, { accounts, senders: SENDERS }))
  const acknowledgedIds = () => banks.flatMap(({ acknowledged }) => acknowledged)
  await until('the load is on', () => acknowledgedIds().length >= CREDITS_BEFORE)

  await disablePrimary(pair.primary)
  await until(
    'none is ready',
    async () => !(await isReady(benches[0])) && !(await isReady(benches[1])),
  )
  const before = acknowledgedIds().length
  const begunMs = performance.now()
  await pair.promote()
  const promotedMs = performance.now() - begunMs
  const resumedMs = await Promise.all(
    banks.map((bank) => bank.next().then(() => performance.now() - begunMs)),
  )
  await until('both are ready', async () => (await isReady(benches[0])) && isReady(benches[1]))
  const readyMs = performance.now() - begunMs
  await Promise.all(banks.map((bank) => bank.stop()))

  await checkBooks(acknowledgedIds())
  for (const ms of [...resumedMs, readyMs]) assert(ms < RESUMED_MAX_MS, `after ${ms} ms`)
  const repeats = banks.reduce((sum, bank) => sum + bank.repeats, 0)
  const times = [promotedMs, ...resumedMs, readyMs].map((ms) => Math.round(ms))
  return (
    `${before} acknowledged before, ${acknowledgedIds().length - before} after, ${repeats} of them known; ` +
    `promoted in ${times[0]} ms, acknowledging again after ${times[1]} and ${times[2]} ms, ` +
    `ready after ${times[3]} ms`
  )
}

const everTaken = new Set<string>()

// Checks that the books have exactly the credits that were ever acknowledged.
async function checkBooks(acknowledgedIds: readonly string[]): Promise<void> {
  for (const sessionId of acknowledgedIds) everTaken.add(sessionId)
  const rows = await pair.primary.server.query('select session_id from credits', 'manilla')
  const booked = rows.map((row) => row.session_id)
  assert.deepEqual(booked.toSorted(), [...everTaken].toSorted())
  assert.deepEqual(await checkIntegrity(bench.db), [])
}

test('a commit does not count until the standby has confirmed it', async () => {
  const { primary, standby } = pair
  // An unissued number, so that finding its credit again takes no lock.
  const credit = newCredit('3999999990')
  const first = (await postRail(bench, '035/credits', credit)).json()
  everTaken.add(credit.sessionId)
  await pair.requireStandby()
  await standby.server.stop()
  const waiting = `select pid from pg_stat_activity where wait_event = 'SyncRep'`
  const isWaiting = async () => (await primary.server.query(waiting)).length > 0

  const committing = withTransaction(bench.db, (tx) => tx.query('create table unconfirmed ()'))
  const committed = committing.then(() => false, isUnavailable)
  await until('it waits', isWaiting)
  await primary.server.query(`select pg_cancel_backend(pid) from (${waiting}) as waiting`)
  const isRefused = await committed
  let isAnswered = false
  const repeated = postRail(bench, '035/credits', credit).finally(() => {
    isAnswered = true
  })
  await until('the repetition waits', async () => isAnswered || isWaiting())
  const wasAnswered = isAnswered
  await pair.follow()

  assert(isRefused)
  assert(!wasAnswered)
  assert.equal(wordsOf(first), '00 suspended unknown_number')
  assert.equal(wordsOf((await repeated).json()), '01 duplicate unknown_number')
})

test('an operator sees which host is used, and whether a standby has everything', async () => {
  const context = { db: bench.db, env: { DATABASE_URL: urls[0] }, clock: bench.clock }

  const { data, text } = await operate(context, ['admin', 'database'])

  const [primary, standby] = [pair.primary.host, pair.standby.host]
  const { version } = data as { version: string }
  assert.deepEqual(data, {
    hosts: [
      { host: primary, state: 'writable', isUsed: true },
      { host: standby, state: 'standby', isUsed: false },
    ],
    version,
    versionProblem: null,
    isSynchronous: true,
    synchronousCommit: 'on',
    synchronousStandbyNames: '*',
    standbys: 1,
  })
  assert.match(version, /^\d+\.\d+$/)
  assert.equal(
    text,
    `${primary}\twritable\tused\n${standby}\tstandby\t\n` +
      `The server is PostgreSQL ${version}. Replication is synchronous: ` +
      'synchronous_commit on, synchronous_standby_names *; 1 standby follows.',
  )
})

test('a killed primary: the standby has everything acknowledged, and serves', async (t) => {
  t.diagnostic(await failOver(({ server }) => server.kill()))
  await pair.followAnew()
})

test('a primary demoted to a standby: the other server serves, and the demoted one follows', async (t) => {
  t.diagnostic(await failOver(({ server }) => server.stop()))
  await pair.follow()
})

test('a primary made read-only with open connections: the service moves to the other server', async (t) => {
  t.diagnostic(
    await failOver(async ({ server }) => {
      await server.query('alter system set default_transaction_read_only = on')
      await server.query('select pg_reload_conf()')
    }),
  )
  await pair.followAnew()
})

test('a primary cut off silently while still working: the service moves to the other server', async (t) => {
  t.diagnostic(await failOver(async ({ link }) => link.halfOpen()))
})
