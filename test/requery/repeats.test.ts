// A bank that finds nothing or does not answer is queried again. All processes together stay within the
// bank's limits: calls per second, and calls at a time.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FAILURES_TO_PAUSE, PAUSE_MIN_MS } from '#records/call-rates.ts'
import { LEASE_MS, nextStep } from '#requery/ask.ts'
import { assertCleanBooks, startTwin } from '../support/bank-calls.ts'
import { until } from '../support/embedded-bench.ts'
import { createAccount, dataOf, MINUTE_MS, startPayment, verify } from '../support/fixtures.ts'
import {
  BANK,
  type RequeryBench,
  requeriesOf,
  requeryRounds,
  startRequeryBench,
} from '../support/requery-bench.ts'

const SECOND_MS = 1_000
// The timeout for banks that do not answer. Banks that do answer need less, even on a busy machine.
const IMPATIENT = { timeoutMs: SECOND_MS }

// Starts a payment and demands a requery of it.
async function demand(bench: RequeryBench, changes = {}, sessionId?: string) {
  const payment = await startPayment(bench, changes)
  const url = `/api/v1/payments/${payment.paymentReference}/requery`
  dataOf(await bench.call({ url, body: sessionId ? { sessionId } : {} }))
  return payment
}
// How many queries to banks ended with this answer, for example `not_found`.
const countAttempts = async ({ db }: RequeryBench, answer: string) => {
  const { rows } = await db.query(
    'select count(*)::int as n from requery_attempts where answer = $1',
    [answer],
  )
  return rows[0].n
}

for (const [mood, answer] of [
  ['well', 'listed'],
  ['silent', 'no_answer'],
  ['failing', 'no_answer'],
] as const) {
  test(`a bank that is ${mood} and has nothing to say is asked again, later each time`, async () => {
    await using bench = await startRequeryBench({ settings: mood === 'silent' ? IMPATIENT : {} })
    const { bankAccount, paymentReference } = await demand(bench)
    bench.bank.state.mood = mood

    const waits: number[] = []
    for (let time = 1; time <= 3; time++) {
      await bench.ask()
      const [requery] = await requeriesOf(bench)
      assert.deepEqual([requery?.state, requery?.attempts], ['open', time])
      const waitMs = (requery?.dueAt.getTime() ?? 0) - bench.clock().getTime()
      waits.push(waitMs)
      bench.advance(waitMs)
    }
    bench.bank.state.mood = 'well'
    bench.transfer(bankAccount, '6000.00')
    await bench.ask()

    assert.deepEqual(waits, [30 * SECOND_MS, MINUTE_MS, 2 * MINUTE_MS])
    assert.equal(await countAttempts(bench, answer), mood === 'well' ? 4 : 3)
    assert.equal((await verify(bench, paymentReference)).transactionStatus, 'Successful')
  })
}

// The step that the database is too slow for, once.
for (const [step, table] of [
  ['record', 'requery_attempts'],
  ['book', 'credits'],
] as const) {
  test(`while the clock stands still, an answer too slow to ${step} is asked for again at once`, async () => {
    await using bench = await startRequeryBench()
    const { bankAccount } = await demand(bench)
    bench.transfer(bankAccount, '6000.00')
    // Fails the first time only: a sequence keeps its value when its transaction is rolled back.
    await bench.db.query(`
      create sequence recordings;
      create function refuse_first() returns trigger language plpgsql as $$ begin
        if nextval('recordings') = 1 then
          raise 'canceling statement due to statement timeout' using errcode = 'query_canceled';
        end if;
        return new;
      end $$;
      create trigger refuse_first before insert on ${table}
        for each row execute function refuse_first()`)

    await assert.rejects(
      bench.ask(),
      step === 'record' ? /statement timeout/ : { code: 'try_again' },
    )
    await bench.ask()

    assert.equal(await countAttempts(bench, 'listed'), 1)
    assert.equal(bench.bank.asked.length, 2)
    await assertCleanBooks(bench)
  })
}

test('a transfer that is not found, or in progress, is asked for again', async () => {
  await using bench = await startRequeryBench()
  const sessionId = '000013261115090000999999999999'
  const { bankAccount, paymentReference } = await demand(bench, {}, sessionId)

  await bench.ask()
  bench.advance(30 * SECOND_MS)
  bench.bank.state.mood = 'in_progress'
  await bench.ask()
  bench.advance(MINUTE_MS)
  bench.bank.state.mood = 'well'
  bench.transfer(bankAccount, '6000.00', { sessionId })
  await bench.ask()

  const counts = [
    await countAttempts(bench, 'not_found'),
    await countAttempts(bench, 'in_progress'),
  ]
  assert.deepEqual(counts, [1, 1])
  assert.equal((await verify(bench, paymentReference)).transactionStatus, 'Successful')
})

test('“not found” is final after a while; no answer never is', () => {
  const now = new Date('2026-11-15T08:00:00Z')
  const requery = { coversBank: false, cursor: null, newCredits: 0, repeats: 3 }
  const nothing = { newCredits: 0, nextCursor: null }
  const step = (answer: 'not_found' | 'no_answer', repeatUntil: Date) =>
    nextStep({ ...requery, repeatUntil }, { ...nothing, answer }, now).state

  assert.equal(step('not_found', new Date(now.getTime() + 10 * MINUTE_MS)), 'open')
  assert.equal(step('not_found', now), 'not_found')
  assert.equal(step('no_answer', new Date(0)), 'open')
})

test('a bank that keeps failing is paused, probed once, and asked again when it answers', async () => {
  await using bench = await startRequeryBench({ settings: { ratePerSecond: 100, concurrency: 1 } })
  for (let at = 0; at < FAILURES_TO_PAUSE + 3; at++) await demand(bench)
  // Reads the state of the circuit breaker of the bench's only bank.
  const circuit = async () => {
    const banks = dataOf(await bench.call({ url: '/api/v1/operator/banks' }))
    return banks[0].circuit
  }
  bench.bank.state.mood = 'failing'

  await bench.ask()
  const failed = bench.bank.asked.length
  const opened = await circuit()
  bench.advance(PAUSE_MIN_MS)
  const halfOpen = await circuit()
  await bench.ask()
  const probed = bench.bank.asked.length
  bench.bank.state.mood = 'well'
  bench.advance(2 * PAUSE_MIN_MS)
  await bench.ask()

  assert.deepEqual([failed, opened, halfOpen], [FAILURES_TO_PAUSE, 'open', 'half_open'])
  assert.equal(probed, FAILURES_TO_PAUSE + 1)
  assert.equal(await circuit(), 'closed')
  assert(bench.bank.asked.length > probed + 1)
  assert((await requeriesOf(bench)).every(({ state }) => state === 'open'))
})

test('each request of a requery that takes several counts towards the bank’s rate', async () => {
  await using bench = await startRequeryBench({ settings: { ratePerSecond: 100 } })
  await demand(bench)
  const { connection } = bench
  const listTransfers: typeof connection.calls.listTransfers = async (_query, { takeTurn }) => {
    for (let request = 2; request <= 6; request++) assert.equal(await takeTurn?.(), true)
    return { status: 'listed', items: [], nextCursor: null }
  }
  const connections = new Map([[BANK, { ...connection, calls: { listTransfers } }]])
  const rounds = requeryRounds(bench, { connections })

  await rounds.askOnce()
  await rounds.close()

  const { rows } = await bench.db.query('select cardinality(calls) as calls from bank_health')
  assert.deepEqual(rows, [{ calls: 6 }])
})

test('while a bank is probed, no other process asks it', async () => {
  await using bench = await startRequeryBench({ settings: { ...IMPATIENT, ratePerSecond: 100 } })
  await using twin = await startTwin(bench)
  const rounds = requeryRounds({ ...twin, config: bench.config })
  for (let at = 0; at < 2 * FAILURES_TO_PAUSE; at++) await demand(bench)
  bench.bank.state.mood = 'failing'
  await bench.ask()
  const failed = bench.bank.asked.length
  bench.advance(PAUSE_MIN_MS)
  bench.bank.state.mood = 'silent'

  await Promise.all([bench.askOnce(), rounds.askOnce(), bench.askOnce()])
  await rounds.close()

  assert.equal(bench.bank.asked.length, failed + 1)
})

test('two processes together ask no more at a time than the limit', async () => {
  const settings = { ...IMPATIENT, ratePerSecond: 100, concurrency: 2 }
  await using bench = await startRequeryBench({ settings })
  await using twin = await startTwin(bench)
  const rounds = requeryRounds({ ...twin, config: bench.config })
  for (let at = 0; at < 10; at++) await demand(bench)
  bench.bank.state.mood = 'silent'

  const first = bench.askOnce()
  await until('it asks', () => bench.bank.asked.length === 2)
  await Promise.all([rounds.askOnce(), bench.askOnce()])
  await first
  await rounds.close()

  assert.deepEqual([bench.bank.asked.length, bench.bank.state.inFlightMost], [2, 2])
})

test('two processes together ask no faster than the rate', async () => {
  await using bench = await startRequeryBench({ settings: { ratePerSecond: 3, concurrency: 2 } })
  await using twin = await startTwin(bench)
  const rounds = requeryRounds({ ...twin, config: bench.config })
  for (let at = 0; at < 10; at++) await demand(bench)
  const both = () => Promise.all([bench.ask(), rounds.ask(), bench.ask(), rounds.ask()])

  const perSecond: number[] = []
  for (let second = 0; second < 4; second++) {
    const before = bench.bank.asked.length
    await both()
    bench.advance(SECOND_MS / 2)
    await both()
    perSecond.push(bench.bank.asked.length - before)
    bench.advance(SECOND_MS / 2)
  }
  await rounds.close()

  assert.deepEqual(perSecond, [3, 3, 3, 1])
})

test('a clock that is set back stops no requeries', async () => {
  await using bench = await startRequeryBench({ settings: { ratePerSecond: 1 } })
  await demand(bench)
  bench.advance(MINUTE_MS)
  await bench.ask()
  bench.advance(-MINUTE_MS)
  await demand(bench)

  await bench.ask()

  assert.equal(bench.bank.asked.length, 2)
})

test('a crash between booking and recording repeats the requery, and books the money once', async () => {
  await using bench = await startRequeryBench()
  const { bankAccount, paymentReference } = await demand(bench)
  bench.transfer(bankAccount, '6000.00')
  await bench.db.query(`
    create function crash() returns trigger language plpgsql as $$ begin
      raise exception 'crashed'; end $$;
    create trigger crash before insert on requery_attempts execute function crash()`)

  await assert.rejects(bench.ask(), /crashed/)
  const paid = await verify(bench, paymentReference)
  await bench.db.query('drop trigger crash on requery_attempts')
  await bench.ask()
  const early = bench.bank.asked.length
  bench.advance(LEASE_MS)
  await bench.ask()

  assert.equal(paid.transactionStatus, 'Successful')
  assert.deepEqual([early, bench.bank.asked.length], [1, 2])
  const { rows } = await bench.db.query('select count(*)::int as n from credits')
  assert.equal(rows[0].n, 1)
  await assertCleanBooks(bench)
})

test('money that cannot be booked is kept as a rail item, once, and holds up nothing else', async () => {
  await using bench = await startRequeryBench()
  const { accountNumber } = await createAccount(bench)
  await demand(bench)
  bench.transfer(accountNumber, '10.00')
  bench.transfer(accountNumber, '1.234')
  await bench.plan()

  await bench.ask()
  await bench.ask()

  const items = await bench.call({ url: '/api/v1/operator/rail-items' })
  assert.deepEqual(
    items.json().data.map(({ reason, amount }: Record<string, string>) => [reason, amount]),
    [['invalid_amount', '1.234']],
  )
  const { rows } = await bench.db.query('select count(*)::int as n from credits')
  assert.equal(rows[0].n, 1)
})
