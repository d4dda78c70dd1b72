// Payments for which the caller names no bank: all processes avoid a bank whose calls fail, that is silent,
// or that has no numbers left, and return to it step by step. A bank that the caller names is always used.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { startLiveService, startTwin, startWithBanks } from '../support/bank-calls.ts'
import { assertRefused, createAdvice, INITIATE } from '../support/fixtures.ts'
import { routeState, startRouted, until } from '../support/routed-banks.ts'
import type { Bench } from '../support/running-service.ts'

type Caller = Pick<Bench, 'call'>

const send = async (bench: Caller, adviceReference: string, body: object = {}) =>
  bench.call({ url: `${INITIATE}/${adviceReference}`, body, token: null })

// Creates an advice and initiates its payment, by default without naming a bank.
async function initiate(bench: Bench, body: object = {}, by: Caller = bench) {
  const { adviceReference } = await createAdvice(bench)
  const answer = await send(by, adviceReference, body)
  assert.equal(answer.statusCode, 200, answer.body)
  return { adviceReference, ...answer.json().responseData }
}

// The entries of a payment's timeline about its numbers, which say why a bank was chosen.
async function issued(bench: Bench, paymentReference: string) {
  const answer = await bench.call({ url: `/api/v1/payments/${paymentReference}/timeline` })
  return answer.json().data.entries.filter(({ kind }: { kind: string }) => kind === 'number')
}

// Lets the bank's calls fail now and half a minute later, so that the service stops using the bank.
async function failCalls(bench: Bench, bankCode: string): Promise<void> {
  const { paymentReference } = await initiate(bench, { bankCode })
  const answer = await bench.call({ url: `/api/v1/payments/${paymentReference}/requery`, body: {} })
  assert.equal(answer.statusCode, 200, answer.body)
  const isInState = (state: string) => async () =>
    (await routeState(bench, bankCode, 'in')) === state
  await until(isInState('in_use'))
  // Waits until the failed call's result is stored, because that plans the next call by the clock, which then
  // moves.
  await until(async () => (await countUnfinished(bench, bankCode)) === 0)
  bench.advance(31_000)
  await until(isInState('left'))
  await bench.service.syncRouting()
}

// How many requeries are under way, or due now.
async function countUnfinished(bench: Bench, bankCode: string): Promise<number | undefined> {
  const { rows } = await bench.db.query<{ open: number }>(
    `select count(*)::int as open from requeries
      where bank_code = $1 and state = 'open' and (leased_until is not null or due_at <= $2)`,
    [bankCode, bench.clock()],
  )
  return rows[0]?.open
}

test('without a bankCode the bank is chosen, and the timeline says why', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  const { adviceReference, ...payment } = await initiate(bench)

  assert.deepEqual([payment.bankCode, payment.bankName], ['035', 'Bank 035'])
  const [entry] = await issued(bench, payment.paymentReference)
  assert.equal(
    entry.description,
    `Account number ${payment.bankAccount} issued at Bank 035. ` +
      'The bank was chosen because it has the most numbers left. Passed over: 1 other that rank lower.',
  )
  assert.equal(entry.detail.chosenFor, 'most_room')
  const again = await send(bench, adviceReference)
  assert.deepEqual(again.json().responseData, payment)
  const metrics = await bench.service.metrics.registry.metrics()
  assert.match(metrics, /routing_choices_total\{kind="payment",bank="035",reason="most_room"\} 1/)
})

test('a bank that is named is used, whatever its state, and the timeline says nothing more', async () => {
  await using routed = await startRouted()
  const { bench, other } = routed
  other.fail()
  bench.service.startWorkers()
  await failCalls(bench, '058')

  const payment = await initiate(bench, { bankCode: '058' })
  assert.equal(payment.bankCode, '058')
  const [entry] = await issued(bench, payment.paymentReference)
  assert.equal(entry.description, `Account number ${payment.bankAccount} issued at Bank 058.`)
  const { adviceReference } = await createAdvice(bench)
  const unknown = await send(bench, adviceReference, { bankCode: '999' })
  assertRefused(unknown, { status: 400, code: 'bank_not_supported' }, 'payment')
})

test('a bank whose calls fail is left by every process, and returned to step by step', async () => {
  await using routed = await startRouted()
  const { bench, one } = routed
  await using twin = await startTwin(bench)
  const before = await initiate(bench)
  one.fail()
  bench.service.startWorkers()
  const startedMs = bench.clock().getTime()
  await failCalls(bench, '035')
  assert(bench.clock().getTime() - startedMs <= 60_000, 'within a minute')

  await twin.service.syncRouting()
  for (const by of [bench, twin]) {
    const { bankCode, paymentReference } = await initiate(bench, {}, by)
    assert.equal(bankCode, '058')
    const [entry] = await issued(bench, paymentReference)
    assert.match(entry.description, /Passed over: Bank 035 \(its calls fail\)\.$/)
  }
  const moved = await send(bench, before.adviceReference)
  assert.equal(moved.json().responseData.bankCode, '058')
  assert.equal(moved.json().responseData.paymentReference, before.paymentReference)

  one.recover()
  await until(async () => {
    bench.advance(5_000)
    await bench.service.syncRouting()
    return (await routeState(bench, '035', 'in')) === 'returning'
  })
  const codes: string[] = []
  for (let at = 0; at < 30; at++) codes.push((await initiate(bench)).bankCode)
  assert(codes.filter((code) => code === '035').length < 15, 'a trickle')
  bench.advance(60_000)
  await bench.service.syncRouting()
  for (let at = 0; at < 5; at++) assert.equal((await initiate(bench)).bankCode, '035')
})

// Stores that the service has stopped using these banks for payments (state `left` of the direction `in`).
async function stopUsingBanks(
  bench: Bench,
  codes: readonly string[],
  reason = 'failing',
): Promise<void> {
  await bench.db.query(
    `insert into bank_routes (bank_code, direction, state, since, reason, failed_at, retry_at)
     select code, 'in', 'left', $2, $3, $2, $2 from unnest($1::text[]) as b (code)
     on conflict (bank_code, direction) do update
        set state = 'left', since = $2, reason = $3, failed_at = $2, retry_at = $2`,
    [codes, bench.clock(), reason],
  )
  await bench.service.syncRouting()
}

test('while every bank fails, the best of them is used, and a payment keeps its number', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  const { adviceReference, ...before } = await initiate(bench, { bankCode: '058' })
  await stopUsingBanks(bench, ['035', '058'])

  const { bankCode, paymentReference } = await initiate(bench)
  assert.equal(bankCode, '035')
  const [entry] = await issued(bench, paymentReference)
  assert.equal(entry.detail.chosenFor, 'last_resort')
  assert.match(
    entry.description,
    /every bank is failing or silent, and it ranks first\. Passed over: Bank 058 \(its calls fail\)\.$/,
  )
  const again = await send(bench, adviceReference)
  assert.deepEqual(again.json().responseData, before)
})

test('the only bank is used even while its calls fail', async () => {
  await using bench = await startWithBanks([
    {
      code: '035',
      static: { from: 100_000, to: 100_009 },
      dynamic: { from: 100_010, to: 100_019 },
    },
  ])
  await stopUsingBanks(bench, ['035'])
  assert.equal((await initiate(bench)).bankCode, '035')
})

test('I107: a bankCode is used as it is sent, and a wrong one is refused', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  await stopUsingBanks(bench, ['058'])
  assert.equal((await initiate(bench, { bankCode: '058' })).bankCode, '058')
  const { adviceReference } = await createAdvice(bench)
  for (const bankCode of [
    '',
    null,
    '  ',
    '999',
    '0'.repeat(11),
    '03 5',
    58,
    {},
    [],
    ['058'],
    true,
  ]) {
    const answer = await send(bench, adviceReference, { bankCode })
    assert.equal(answer.statusCode, 400, `${JSON.stringify(bankCode)}: ${answer.body}`)
  }
  const { rows } = await bench.db.query('select from payment_numbers where bank_code = $1', ['058'])
  assert.equal(rows.length, 1)
})

test('a payment that is refused uses up no trial', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  const { adviceReference } = await createAdvice(bench)
  await bench.db.query(`update advices set cancelled_at = now()`)
  await bench.db.query(
    `insert into bank_health (bank_code, silent_since) values ('058', $1)
     on conflict (bank_code) do update set silent_since = $1`,
    [bench.clock()],
  )
  await stopUsingBanks(bench, ['058'], 'silent')
  assert.equal((await send(bench, adviceReference)).statusCode, 400)
  assert.equal((await initiate(bench)).bankCode, '058')
})

test('a trial that could not be written is written later, so that another follows', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  await bench.db.query(
    `insert into bank_health (bank_code, silent_since) values ('058', $1)
     on conflict (bank_code) do update set silent_since = $1`,
    [bench.clock()],
  )
  await stopUsingBanks(bench, ['058'], 'silent')
  await bench.db.query(
    `alter table bank_routes add constraint not_now check (times_left = 0) not valid`,
  )
  assert.equal((await initiate(bench)).bankCode, '058')
  await bench.service.syncRouting()
  await bench.db.query('alter table bank_routes drop constraint not_now')
  await bench.service.syncRouting()
  const { rows } = await bench.db.query(
    `select times_left as times from bank_routes where bank_code = '058' and direction = 'in'`,
  )
  assert.deepEqual(rows, [{ times: 1 }])
})

test('while no bank has numbers, a payment is refused, and costs no key', async () => {
  await using bench = await startWithBanks([
    {
      code: '035',
      static: { from: 100_000, to: 100_009 },
      dynamic: { from: 100_010, to: 100_010 },
    },
  ])
  await initiate(bench)
  const { adviceReference } = await createAdvice(bench)
  const url = `${INITIATE}/${adviceReference}`
  const call = { url, body: {}, headers: { 'idempotency-key': 'again' } }
  await bench.service.syncRouting()
  assertRefused(await bench.call(call), { status: 503, code: 'no_bank_usable' }, 'payment')

  await bench.db.query('update numbers set reusable_at = $1', [bench.clock()])
  await bench.service.syncRouting()
  const first = await bench.call(call)
  const second = await bench.call(call)
  assert.deepEqual([first.statusCode, second.json()], [200, first.json()])
  assert.equal(second.headers['idempotent-replayed'], 'true')
})

test('a bank that runs out of numbers is left for another within the request', async () => {
  const small = (code: string, from: number) => ({
    code,
    static: { from, to: from + 9 },
    dynamic: { from: from + 10, to: from + 10 },
  })
  await using bench = await startWithBanks([small('035', 100_000), small('058', 200_000)])
  const codes = [(await initiate(bench)).bankCode, (await initiate(bench)).bankCode]
  assert.deepEqual(codes.toSorted(), ['035', '058'])
  const { adviceReference } = await createAdvice(bench)
  const none = await send(bench, adviceReference)
  assertRefused(none, { status: 503, code: 'no_bank_usable' }, 'payment')
  const named = await send(bench, adviceReference, { bankCode: '035' })
  assertRefused(named, { status: 503, code: 'numbers_exhausted' }, 'payment')
})

test('in live mode, a silent bank gets one payment as a trial, and more once it calls', async () => {
  await using bench = await startLiveService({
    code: '058',
    static: { from: 300_000_000, to: 300_000_999 },
    dynamic: { from: 400_000_000, to: 400_000_999 },
    railSecrets: [`whsec_${Buffer.alloc(32, 's').toString('base64')}`],
  })
  let token = await bench.newClient('LIVE000001')
  // Starts a payment; returns the bank that the service chose.
  const next = async () => {
    token = await bench.login('LIVE000001', 's3cret')
    const { adviceReference } = await createAdvice(bench, {}, { token })
    return (await send(bench, adviceReference)).json().responseData?.bankCode
  }
  assert.equal(await next(), '035')
  // Marks bank 035 as silent since this time or, without one, as calling again.
  const silence = async (since: Date | null) => {
    await bench.db.query(
      `insert into bank_health (bank_code, silent_since) values ('035', $1)
       on conflict (bank_code) do update set silent_since = $1`,
      [since],
    )
    await bench.service.syncRouting()
  }
  await silence(bench.clock())
  assert.deepEqual([await next(), await next()], ['058', '058'])
  bench.advance(15_000)
  await bench.service.syncRouting()
  assert.deepEqual([await next(), await next(), await next()], ['035', '058', '058'])
  await bench.service.syncRouting()
  assert.equal(await next(), '058')
  await silence(null)
  bench.advance(60_000)
  await bench.service.syncRouting()
  assert.equal(await next(), '035')
})

test('choosing the bank of a payment takes no SQL statement', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  // Initiates a payment; returns the names of the batch statements that this took.
  const statementsFor = async (body: object) => {
    const { adviceReference } = await createAdvice(bench)
    const { result, names } = await statementsOf(() => send(bench, adviceReference, body))
    assert.equal(result.statusCode, 200)
    return names.filter((name) => name.startsWith('group:')).toSorted()
  }
  await statementsFor({ bankCode: '035' })
  const withBank = await statementsFor({ bankCode: '035' })
  assert(withBank.includes('group:insert-payment-numbers'), withBank.join(', '))
  assert.deepEqual(await statementsFor({}), withBank)
})

// Runs `work`, and returns the names of the SQL statements that all connections of this process sent
// meanwhile.
async function statementsOf<T>(work: () => Promise<T>): Promise<{ result: T; names: string[] }> {
  const prototype = pg.Connection.prototype as unknown as {
    bind: (config: { statement?: string }) => void
  }
  const { bind } = prototype
  const names: string[] = []
  prototype.bind = function (config) {
    names.push(config.statement ?? '')
    Reflect.apply(bind, this, [config])
  }
  try {
    return { result: await work(), names }
  } finally {
    prototype.bind = bind
  }
}

test('another client’s advice stays unknown without a bankCode', async () => {
  await using routed = await startRouted()
  const { bench } = routed
  const token = await bench.newClient('OTHER00001')
  const { adviceReference } = await createAdvice(bench)
  const answer = await bench.call({ url: `${INITIATE}/${adviceReference}`, body: {}, token })
  assertRefused(answer, { status: 400, code: 'advice_not_found' }, 'payment')
})
