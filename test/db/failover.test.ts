// I79: acknowledged work survives the promotion of a synchronous standby, and service resumes by
// itself within five seconds: the primary dies, is demoted, becomes read-only, or falls silent,
// under load. Every credit is in the books of the new primary once.

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

const SENDERS = 16 // Per service.
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

async function openPair(): Promise<Pair> {
  const folder = closeAfterTests(createTempFolder(await chooseParent()))
  return closeAfterTests(await startPair(folder.path))
}

async function startService(connectionString: string): Promise<Bench> {
  const pool = createPool({ connectionString, max: 4, onIdleError: () => {} })
  const database = { pool, connectionString, [Symbol.asyncDispose]: () => pool.end() }
  const env = { MANILLA_RATE_LIMITS: 'rail=60000000' }
  return closeAfterTests(await startTestService({ database, env }))
}

async function isReady({ call }: Bench): Promise<boolean> {
  return (await call({ url: '/ready', token: null })).statusCode === 200
}

// `leave` disables the old primary, then the standby is promoted.
async function failOver(leave: (primary: Node) => Promise<void>) {
  await pair.requireStandby()
  const banks = benches.map((each) => new PersistentBank(each, { accounts, senders: SENDERS }))
  const acknowledgedIds = () => banks.flatMap(({ acknowledged }) => acknowledged)
  await until('the load is on', () => acknowledgedIds().length >= CREDITS_BEFORE)

  await leave(pair.primary)
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

async function checkBooks(acknowledgedIds: readonly string[]): Promise<void> {
  for (const sessionId of acknowledgedIds) everTaken.add(sessionId)
  const rows = await pair.primary.server.query('select session_id from credits', 'manilla')
  const booked = rows.map((row) => row.session_id)
  assert.deepEqual(booked.toSorted(), [...everTaken].toSorted())
  assert.deepEqual(await checkIntegrity(bench.db), [])
}

test('a commit is not taken for one while the standby has not confirmed it', async () => {
  const { primary, standby } = pair
  const credit = newCredit('3999999990') // Nobody's number: to find it again nothing is locked.
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
  assert.deepEqual(data, {
    hosts: [
      { host: primary, state: 'writable', isUsed: true },
      { host: standby, state: 'standby', isUsed: false },
    ],
    isSynchronous: true,
    synchronousCommit: 'on',
    synchronousStandbyNames: '*',
    standbys: 1,
  })
  assert.equal(
    text,
    `${primary}\twritable\tused\n${standby}\tstandby\t\nReplication is synchronous: ` +
      'synchronous_commit on, synchronous_standby_names *; 1 standby follows.',
  )
})

test('killed: the standby has all that was acknowledged, and serves', async (t) => {
  t.diagnostic(await failOver(({ server }) => server.kill()))
  await pair.followAnew()
})

test('demoted to a standby: the other serves, and it follows', async (t) => {
  t.diagnostic(await failOver(({ server }) => server.stop()))
  await pair.follow()
})

test('made read-only, with its connections open: it is left for the other', async (t) => {
  t.diagnostic(
    await failOver(async ({ server }) => {
      await server.query('alter system set default_transaction_read_only = on')
      await server.query('select pg_reload_conf()')
    }),
  )
  await pair.followAnew()
})

test('cut off without a word, and still at work: it is left for the other', async (t) => {
  t.diagnostic(await failOver(async ({ link }) => link.halfOpen()))
})
