// The worker that audits the books: one audit at a time across all processes, one alert while the books are
// wrong, and a stored result.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkIntegrityRound, INTERVAL_MS } from '#integrity/workers.ts'
import type { Logger } from '#log.ts'
import { createAccount, simulate } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'
import { untilWaiting } from '../support/waiting-locks.ts'

const DAY_MS = 86_400_000

test('books that add up are recorded as correct, without an alert', async () => {
  await using bench = await setup()

  await bench.round()

  assert.deepEqual(await bench.checks(), [{ ok: true, findings: [] }])
  assert.deepEqual(await bench.alerts(), [])
})

test('one of many processes that start an audit at once audits, and the others wait', async () => {
  await using bench = await setup()
  const gate = await bench.db.connect()
  await gate.query('begin; lock table integrity_checks in access exclusive mode')

  const rounds = Promise.all([bench.round(), bench.round(), bench.round(), bench.round()])
  await untilWaiting(gate, 4)
  await gate.query('rollback')
  gate.release()
  await rounds

  assert.equal((await bench.checks()).length, 1)
})

test('an audit is due a quarter of an hour after the last one began', async () => {
  await using bench = await setup()
  await bench.round()

  bench.advance(INTERVAL_MS - 1)
  await bench.round()
  assert.equal((await bench.checks()).length, 1)

  bench.advance(1)
  await bench.round()
  assert.equal((await bench.checks()).length, 2)
})

test('an audit recorded by a clock that was a day ahead does not delay the next audit', async () => {
  await using bench = await setup()
  bench.advance(DAY_MS)
  await bench.round()

  bench.advance(-DAY_MS)
  await bench.round()

  assert.equal((await bench.checks()).length, 2)
})

test('books that do not add up raise one alert, which stays open until they add up again', async () => {
  await using bench = await setup()
  await bench.tamper(1)

  await bench.round()
  bench.advance(INTERVAL_MS)
  await bench.round()

  const [audit] = await bench.checks()
  assert.equal(audit?.ok, false)
  assert.equal(audit?.findings[0]?.check, 'balances_are_their_transfers')
  const [alert, ...more] = await bench.alerts()
  assert.deepEqual(more, [])
  assert.equal(alert?.cleared, false)
  assert.equal(alert?.detail.count, audit?.findings.length)
  assert.match(bench.logText(), /"level":"error".*"integrity check failed"/)

  await bench.tamper(-1)
  bench.advance(INTERVAL_MS)
  await bench.round()

  assert.equal((await bench.checks()).at(-1)?.ok, true)
  assert.deepEqual(
    (await bench.alerts()).map(({ cleared }) => cleared),
    [true],
  )
})

test('books that add up do not close an alert of another kind', async () => {
  await using bench = await setup()
  await bench.db.query(
    `insert into alerts (kind, subject, detail, raised_at)
     values ('session_reused', 'x', '{}', $1)`,
    [bench.clock()],
  )

  await bench.round()

  assert.deepEqual(
    (await bench.alerts()).map(({ cleared }) => cleared),
    [false],
  )
})

test('an audit that was killed stops the others for an hour at most', async () => {
  await using bench = await setup()
  await bench.db.query('insert into integrity_checks (started_at) values ($1)', [bench.clock()])

  bench.advance(INTERVAL_MS * 4 - 1)
  await bench.round()
  assert.deepEqual(await bench.checks(), [])

  bench.advance(1)
  await bench.round()
  assert.deepEqual(await bench.checks(), [{ ok: true, findings: [] }])
})

test('an audit that is stopped stores nothing, and runs at the next start', async () => {
  await using bench = await setup()
  const stopping = new AbortController()
  stopping.abort()

  await bench.round(stopping.signal)

  const { rows } = await bench.db.query('select from integrity_checks')
  assert.equal(rows.length, 0)
  await bench.round()
  assert.equal((await bench.checks()).length, 1)
})

test('an audit that fails reports its error to the loop, and is retried in the next round', async () => {
  await using bench = await setup()
  await bench.db.query('alter table suspense_items rename to elsewhere')

  await assert.rejects(bench.round(), /suspense_items/)

  await bench.db.query('alter table elsewhere rename to suspense_items')
  await bench.round()
  assert.deepEqual(await bench.checks(), [{ ok: true, findings: [] }])
})

test('results are kept for 90 days', async () => {
  await using bench = await setup()
  await bench.round()
  bench.advance(90 * DAY_MS)
  await bench.round()
  assert.equal((await bench.checks()).length, 2)

  bench.advance(INTERVAL_MS)
  await bench.round()

  assert.equal((await bench.checks()).length, 2)
})

// A service with some money in its books, and the worker's round on demand.
async function setup() {
  const bench = await startTestService()
  const { accountNumber } = await createAccount(bench)
  await simulate(bench, accountNumber, '100.00')
  const log = bench.service.app.log as Logger
  const round = checkIntegrityRound({ db: bench.db, clock: bench.clock, log })

  return {
    db: bench.db,
    clock: bench.clock,
    advance: bench.advance,
    logText: bench.logText,
    round: (signal = new AbortController().signal) => round(signal),
    // Corrupts a balance: switches the database's triggers off, as only its owner can.
    async tamper(kobo: number) {
      await bench.db.query('alter table ledger_accounts disable trigger user')
      await bench.db.query(
        `update ledger_accounts set credits_kobo = credits_kobo + $1 where kind = 'collection'`,
        [kobo],
      )
    },
    checks: async () =>
      (
        await bench.db.query<{ ok: boolean; findings: { check: string }[] }>(
          'select ok, findings from integrity_checks where finished_at is not null order by id',
        )
      ).rows,
    alerts: async () =>
      (
        await bench.db.query<{ cleared: boolean; detail: { count: number } }>(
          'select cleared_at is not null as cleared, detail from alerts order by id',
        )
      ).rows,
    [Symbol.asyncDispose]: () => bench[Symbol.asyncDispose](),
  }
}
