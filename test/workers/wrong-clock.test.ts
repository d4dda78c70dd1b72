// Work that a process scheduled while its clock ran ahead is done soon after the clock is right again, and
// not hours later (I260).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countAttempt, LOGIN_LIMITS } from '#access/attempts.ts'
import { claimPosts, queuePosts, recordPost, setChat } from '#chat/posts.ts'
import { withTransaction } from '#db/transaction.ts'
import { claimPayouts } from '#payouts/send.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { FAILURES_TO_PAUSE } from '#records/call-rates.ts'
import { nextPeriod } from '#schedules/schedule.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount, dataOf, startPayment } from '../support/fixtures.ts'
import { startMailServer } from '../support/mail-server.ts'
import { clientIdOf, logged, mailingOf, queue, work } from '../support/mailing.ts'
import { startRequeryBench } from '../support/requery-bench.ts'
import { startTestService } from '../support/running-service.ts'
import { scripted, UNKNOWN } from '../support/scripted-bank.ts'
import { sealingOf } from '../support/sealing.ts'
import { identityOf, verifyAll } from '../support/verified.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const AHEAD_MS = 9 * 24 * HOUR_MS
const UNSENT = { status: 'unsent', reason: 'ECONNREFUSED' } as const
const PAID = { status: 'confirmed', bankReference: 'BANK-1' } as const
const bench = closeAfterTests(await startTestService())

test('a payout that could not be sent is sent again', async () => {
  await using world = await scripted({ send: UNSENT, find: UNKNOWN })
  world.bench.advance(AHEAD_MS)
  await world.rounds.send()
  world.bench.advance(-AHEAD_MS)
  world.answers.send = PAID

  await world.rounds.send()

  assert.equal(await world.status(), 'confirmed')
  await assertCleanBooks(world.bench)
})

test('a payout whose sender died becomes unknown, and the bank is asked about it', async () => {
  await using world = await scripted({ send: UNKNOWN, find: PAID })
  const { db, clock } = world.bench
  const { rows } = await db.query('select bank_code from payouts')
  const ahead = { ...sealingOf(world.bench), now: new Date(clock().getTime() + AHEAD_MS) }
  const claiming = { bankCode: rows[0].bankCode, limit: 1, by: 'worker' }
  const claimed = await withTransaction(db, (tx) => claimPayouts(tx, ahead, claiming))
  assert.equal(claimed.length, 1)

  await world.rounds.query()
  world.bench.advance(MINUTE_MS)
  await world.rounds.query()

  assert.equal(await world.status(), 'confirmed')
})

test('a bank is asked for transfers again after a lease and a pause', async () => {
  await using world = await startRequeryBench({ settings: { ratePerSecond: 100 } })
  const demand = async () => {
    const { paymentReference } = await startPayment(world)
    dataOf(await world.call({ url: `/api/v1/payments/${paymentReference}/requery`, body: {} }))
  }
  world.advance(AHEAD_MS)
  world.bank.state.mood = 'failing'
  for (let at = 0; at < FAILURES_TO_PAUSE + 1; at++) {
    await demand()
    await world.ask()
  }
  const { rows } = await world.db.query(
    'select paused_until is not null as paused from bank_health',
  )
  assert.deepEqual(rows, [{ paused: true }])
  // A process that died left a lease.
  await world.db.query(`update requeries set due_at = $1, leased_until = $2 where state = 'open'`, [
    world.clock(),
    new Date(world.clock().getTime() + 120_000),
  ])
  world.advance(-AHEAD_MS)
  world.bank.state.mood = 'well'
  const before = world.bank.asked.length

  await world.ask()
  await world.ask()

  assert.ok(world.bank.asked.length > before + 1)
})

test('a message is sent, whether queued, put off or claimed by a process that died', async () => {
  const server = await startMailServer()
  closeAfterTests({ [Symbol.asyncDispose]: () => server.stop() })
  const deps = mailingOf(bench, { smtpPort: server.port })
  bench.advance(AHEAD_MS)
  const references = []
  for (const to of ['queued@ahead.example', 'deferred@ahead.example', 'claimed@ahead.example']) {
    references.push(await queue(bench, { to }))
  }
  const inAnHour = new Date(bench.clock().getTime() + HOUR_MS)
  await bench.db.query(
    `update messages set attempts = 1,
                         next_attempt_at = case reference when $1 then $4 else next_attempt_at end,
                         claimed_until = case reference when $2 then $3::timestamptz end
      where reference in ($1, $2)`,
    [references[1], references[2], inAnHour, new Date(inAnHour.getTime() + AHEAD_MS)],
  )
  bench.advance(-AHEAD_MS)

  await work(deps)

  assert.equal((await logged(bench, references[0] as string)).state, 'sent')
  assert.equal((await logged(bench, references[1] as string)).state, 'sent')
  assert.equal((await logged(bench, references[2] as string)).state, 'sent')
})

test('a message that was being sent when its process died ends as unknown', async () => {
  const deps = mailingOf(bench, { smtpPort: 1 })
  const reference = await queue(bench, { to: 'sending@ahead.example' })
  await bench.db.query(
    `update messages set state = 'sending', attempts = 1, claimed_until = $2 where reference = $1`,
    [reference, new Date(bench.clock().getTime() + AHEAD_MS)],
  )

  await work(deps)

  assert.equal((await logged(bench, reference as string)).state, 'unknown')
})

test('a post to the chat is claimed at once, and again after a failure', async () => {
  const clientId = await clientIdOf(bench)
  const { sealer } = sealingOf(bench)
  const by = { clientId, actor: 'ada', now: bench.clock(), sealer }
  const chat = { url: 'https://chat.example/x', alertSeverity: 'notice' } as const
  await withTransaction(bench.db, (tx) => setChat(tx, by, chat))
  const ahead = new Date(bench.clock().getTime() + AHEAD_MS)
  await withTransaction(bench.db, async (tx) => {
    await raiseAlerts(tx, ahead, [{ kind: 'pool_low', subject: 'bank/035', detail: {} }])
    await queuePosts(tx, ahead, { address: 'https://pay.example' })
  })
  const claim = (now: Date) => withTransaction(bench.db, (tx) => claimPosts(tx, now))

  const [post] = await claim(bench.clock())
  assert.ok(post)
  const result = {
    ok: false,
    status: 500,
    latencyMs: 1,
    error: 'x',
    responseStart: '',
    retryAfter: null,
  }
  const failed = { post, result, retryAfterSeconds: undefined }
  await recordPost(bench.db, ahead, failed)

  assert.equal((await claim(bench.clock())).length, 1)
})

test('an identity is verified', async () => {
  const { accountNumber } = await createAccount(bench)
  await bench.db.query('update identity_checks set due_at = $1 where due_at is not null', [
    new Date(bench.clock().getTime() + 2 * HOUR_MS),
  ])
  await bench.db.query('update identity_service set failures = 5, paused_until = $1', [
    new Date(bench.clock().getTime() + AHEAD_MS),
  ])

  await verifyAll(bench)

  assert.deepEqual(await identityOf(bench, accountNumber), [1, 'verified', 'not_checked'])
})

test('a user who was locked out may sign in', async () => {
  const count = (now: Date) => countAttempt(bench.db, now, { kind: 'client', key: 'MAN0000009' })
  const ahead = new Date(bench.clock().getTime() + AHEAD_MS)
  for (let at = 0; at <= LOGIN_LIMITS.client.attempts; at++) await count(ahead)
  assert.equal((await count(ahead)).isLocked, true)

  assert.equal((await count(bench.clock())).isLocked, false)
})

test('a report whose period lies ahead is made of the last period that is over', () => {
  const timing = { frequency: 'daily', hour: 7 } as const
  const at = new Date('2026-11-18T08:00:00Z')
  assert.equal(nextPeriod(timing, '2026-12-24', at).from, '2026-11-17')
  assert.equal(nextPeriod(timing, '2026-11-17', at).from, '2026-11-17')
})
