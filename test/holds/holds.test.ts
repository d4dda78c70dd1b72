// A hold stops money at once, and two users must agree to release or forfeit it (I130). Each test checks
// exactly the transfers.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fillHoldsRound } from '#holds/workers.ts'
import { assertCleanBooks } from '../support/bank-calls.ts'
import { createAccount, dataOf } from '../support/fixtures.ts'
import { tryPayOut } from '../support/money-out.ts'
import { begin, credit, itemOf, recordMovements, resolve, reverse } from '../support/movements.ts'
import { type Browser, newBrowser } from '../support/people.ts'
import { askRefund, pay } from '../support/refunding.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  linesOf,
  requestClosing,
  SETTLEMENTS,
  setBankAccount,
  settlementOf,
} from '../support/settlements.ts'

const HOLDS = '/api/v1/operator/holds'
const CLIENT = { clientId: 'MAN0000001', reason: 'Reported as fraud' }

// Starts a service with two users of the operator.
async function setup() {
  const bench = await startTestService()
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  return Object.assign(bench, { maker, checker })
}

type BenchWithOperators = Awaited<ReturnType<typeof setup>>

const tryPlaceHold = (by: Browser, body: object) =>
  by.call({ url: HOLDS, body: { ...CLIENT, ...body } })

async function placeHold(by: Browser, body: object) {
  return dataOf(await tryPlaceHold(by, body))
}

// Requests or decides something about a hold. `verb` is the last part of the path.
const act = (by: Browser, reference: string, verb: string, body: object = {}) =>
  by.call({ url: `${HOLDS}/${reference}/${verb}`, body })

// Returns the code of a refusal, or else the new state.
async function codeOf(answer: ReturnType<typeof act>) {
  const json = (await answer).json()
  return json.code ?? json.data.state
}

// Requests the end of a hold as the maker and approves it as the checker.
async function requestAndApprove(
  { maker, checker }: BenchWithOperators,
  reference: string,
  verb: string,
  more = {},
) {
  assert.equal(await codeOf(act(maker, reference, verb, { reason: 'Decided', ...more })), 'open')
  assert.equal(await codeOf(act(checker, reference, 'approve')), 'approved')
  return (await maker.call({ url: `${HOLDS}/${reference}` })).json().data
}

// Returns the client's totals in naira that a hold can change.
async function balanceOf(bench: Bench) {
  const { available, held, forfeited, net } = (await bench.call({ url: '/api/v1/balances' })).json()
    .data.totals[0]
  return { available, held, forfeited, net }
}

// Runs the worker’s round that moves money into holds that are not full yet.
const runFillRound = (bench: Bench) => fillHoldsRound(bench)(AbortSignal.timeout(60_000))

test('a hold takes present money, then later money, and a release brings it back', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  await pay(bench, accountNumber, '100')
  const { moves } = await recordMovements(bench)

  const { reference, heldAmount } = await placeHold(bench.maker, {
    target: 'account',
    accountNumber,
    amount: '150',
  })
  assert.equal(heldAmount, 100)
  assert.deepEqual(await moves(), ['hold: collection → held 100.00'])
  assert.deepEqual(await balanceOf(bench), { available: 0, held: 100, forfeited: 0, net: 100 })

  await pay(bench, accountNumber, '80')
  await runFillRound(bench)
  assert.deepEqual(await balanceOf(bench), { available: 30, held: 150, forfeited: 0, net: 180 })

  const ended = await requestAndApprove(bench, reference, 'release')
  assert.equal(ended.state, 'released')
  assert.deepEqual(await balanceOf(bench), { available: 180, held: 0, forfeited: 0, net: 180 })
  await assertCleanBooks(bench)
})

test('payouts, refunds and settlements leave what is held, also before a worker has filled it', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  await placeHold(bench.maker, { target: 'client' })
  const { sessionId } = await pay(bench, accountNumber, '100')

  assert.equal(await tryPayOut(bench, 1), 'insufficient_balance')
  const refund = await askRefund(bench, sessionId, { amount: '1' })
  assert.equal(refund.json().code, 'insufficient_balance')
  await setBankAccount(bench)
  const { reference } = dataOf(await requestClosing(bench))
  assert.equal((await settlementOf(bench, reference)).net, 0)
  assert.deepEqual(await balanceOf(bench), { available: 0, held: 100, forfeited: 0, net: 100 })
  await assertCleanBooks(bench)
})

test('a settlement and its preview count what holds took as carried, never as paid out', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  await setBankAccount(bench)
  await pay(bench, accountNumber, '100')
  const body = { target: 'account', accountNumber, amount: '40' }
  const { reference: held } = await placeHold(bench.maker, body)

  const preview = (await bench.call({ url: `${SETTLEMENTS}/upcoming` })).json().data
  assert.deepEqual(amountsOf(preview), { gross: 100, paidOut: 0, carried: -40, net: 60 })
  const { reference } = dataOf(await requestClosing(bench))
  assert.deepEqual(amountsOf(await settlementOf(bench, reference)), amountsOf(preview))
  const lines = await linesOf(bench, reference)
  assert.deepEqual(
    lines.map(({ kind, net }: { kind: string; net: number }) => [kind, net]),
    [
      ['credit', 100],
      ['carried', -40],
    ],
  )

  bench.advance(1_000)
  await requestAndApprove(bench, held, 'release')
  const next = dataOf(await requestClosing(bench))
  const amounts = amountsOf(await settlementOf(bench, next.reference))
  assert.deepEqual(amounts, { gross: 0, paidOut: 0, carried: 40, net: 40 })
  await assertCleanBooks(bench)
})

type Amounts = Record<'gross' | 'paidOut' | 'carried' | 'net', number>

const amountsOf = ({ gross, paidOut, carried, net }: Amounts) => ({ gross, paidOut, carried, net })

test('part of a hold is forfeited, the rest is released where it came from', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  await pay(bench, accountNumber, '100')
  const { reference } = await placeHold(bench.maker, { target: 'account', accountNumber })

  const part = await requestAndApprove(bench, reference, 'forfeit', { amount: '30' })
  assert.deepEqual([part.state, part.heldAmount, part.forfeitedAmount], ['active', 70, 30])
  assert.deepEqual(await balanceOf(bench), { available: 0, held: 70, forfeited: 30, net: 100 })
  await assertCleanBooks(bench)

  const rest = await requestAndApprove(bench, reference, 'release')
  assert.deepEqual([rest.state, rest.heldAmount, rest.forfeitedAmount], ['released', 0, 30])
  assert.deepEqual(await balanceOf(bench), { available: 70, held: 0, forfeited: 30, net: 100 })
  await assertCleanBooks(bench)
})

test('a credit is held where it was booked, and a reversal leaves what is held', async () => {
  await using bench = await setup()
  const { number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '100')

  const { reference, amount, heldAmount } = await placeHold(bench.maker, {
    target: 'credit',
    sessionId,
  })
  assert.deepEqual([amount, heldAmount], [100, 100])
  await reverse(bench, sessionId, '100')
  assert.deepEqual(await balanceOf(bench), { available: 0, held: 100, forfeited: 0, net: 0 })
  await assertCleanBooks(bench)

  await requestAndApprove(bench, reference, 'release')
  assert.deepEqual(await balanceOf(bench), { available: 100, held: 0, forfeited: 0, net: 0 })
  await assertCleanBooks(bench)
})

test('suspended money of a held credit stays in suspense until the hold ends', async () => {
  await using bench = await setup()
  const { number } = await begin(bench)
  await credit(bench, number, '100')
  // The payment is paid already, so this credit is suspended.
  const { sessionId } = await credit(bench, number, '40')
  const { reference, heldAmount } = await placeHold(bench.maker, { target: 'credit', sessionId })
  assert.equal(heldAmount, 0)

  const { id } = await itemOf(bench, sessionId)
  const refused = await bench.call({ url: `/api/v1/suspense/${id}/return`, body: { note: 'Back' } })
  assert.equal(refused.json().code, 'credit_held')
  await requestAndApprove(bench, reference, 'release')
  await resolve(bench, sessionId, 'return')
  await assertCleanBooks(bench)
})

test('nobody ends a hold alone, twice, or for more than it has', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  const { reference } = await placeHold(bench.maker, { target: 'account', accountNumber })
  const reason = 'Decided'

  assert.equal(await codeOf(act(bench.maker, reference, 'forfeit', { reason })), 'hold_empty')
  await pay(bench, accountNumber, '10')
  await runFillRound(bench)
  const tooMuch = { reason, amount: '10.01' }
  assert.equal(await codeOf(act(bench.maker, reference, 'forfeit', tooMuch)), 'hold_too_small')
  assert.equal(await codeOf(act(bench.checker, reference, 'approve')), 'hold_request_not_found')
  assert.equal(await codeOf(act(bench.maker, reference, 'release', { reason })), 'open')
  assert.equal(
    await codeOf(act(bench.checker, reference, 'release', { reason })),
    'hold_request_open',
  )
  assert.equal(await codeOf(act(bench.maker, reference, 'approve')), 'other_person_needed')
  assert.equal(await codeOf(act(bench.checker, reference, 'reject', { reason })), 'rejected')
  assert.equal((await balanceOf(bench)).held, 10)
  await requestAndApprove(bench, reference, 'forfeit')
  assert.equal(await codeOf(act(bench.maker, reference, 'release', { reason })), 'hold_ended')
  await assertCleanBooks(bench)
})

test('nobody approves another request than the one that they have read', async () => {
  await using desk = await setup()
  const { maker, checker } = desk
  const { accountNumber } = await createAccount(desk)
  await credit(desk, accountNumber as string, '100')
  const reference = (await placeHold(maker, { target: 'account', accountNumber }))
    .reference as string
  const release = dataOf(await act(maker, reference, 'release', { reason: 'Cleared' }))
  assert.equal(await codeOf(act(maker, reference, 'withdraw')), 'withdrawn')
  assert.equal(await codeOf(act(maker, reference, 'forfeit', { reason: 'An order' })), 'open')

  const read = { revision: release.revision }
  assert.equal(await codeOf(act(checker, reference, 'approve', read)), 'request_changed')
  const rejection = act(checker, reference, 'reject', { request: release.id, reason: 'No' })
  assert.equal(await codeOf(rejection), 'request_decided')
  const other = (await placeHold(maker, { target: 'client', amount: '1' })).reference as string
  assert.equal(await codeOf(act(checker, other, 'approve', read)), 'hold_request_not_found')
  assert.deepEqual(await balanceOf(desk), { available: 0, held: 100, forfeited: 0, net: 100 })
})

test('bad input places no hold', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  const of = { target: 'account', accountNumber }
  for (const [body, code] of [
    [{ target: 'account' }, 'invalid_request'],
    [{ target: 'client', accountNumber }, 'invalid_request'],
    [{ target: 'everything' }, 'invalid_request'],
    [{ ...of, amount: '0' }, 'invalid_request'],
    [{ ...of, amount: '1.001' }, 'invalid_request'],
    [{ ...of, deadline: '2020-01-01' }, 'invalid_request'],
    [{ ...of, reason: '' }, 'invalid_request'],
    [{ ...of, clientId: 'NOBODY' }, 'client_not_found'],
    [{ target: 'account', accountNumber: '0000000000' }, 'account_not_found'],
    [{ target: 'credit', sessionId: 'none' }, 'credit_not_found'],
  ] as const) {
    assert.equal((await tryPlaceHold(bench.maker, body)).json().code, code, JSON.stringify(body))
  }
  const outsider = await newBrowser(bench, 'support')
  assert.equal((await tryPlaceHold(outsider, of)).statusCode, 403)
  assert.deepEqual((await bench.maker.call({ url: HOLDS })).json().data, [])
})

test('the client reads in events, timelines and statements what is held, but not why', async () => {
  await using bench = await setup()
  const { accountNumber } = await createAccount(bench)
  const { sessionId } = await pay(bench, accountNumber, '100')
  const read = async (url: string) => (await bench.call({ url })).json().data
  const account = `/api/v1/accounts/static/${accountNumber}`

  const ofCredit = await placeHold(bench.maker, { target: 'credit', sessionId, amount: '60' })
  bench.advance(1_000)
  const ofAccount = await placeHold(bench.maker, { target: 'account', accountNumber })
  bench.advance(1_000)
  await requestAndApprove(bench, ofCredit.reference, 'forfeit')
  bench.advance(1_000)
  await requestAndApprove(bench, ofAccount.reference, 'release')

  const events = (await read('/api/v1/events')).filter(({ type }: { type: string }) =>
    type.startsWith('hold.'),
  )
  const facts = events.map((event: { type: string; data: Record<string, unknown> }) => {
    const { reference, held, forfeited, state } = event.data
    return [event.type, reference, held, forfeited, state]
  })
  assert.deepEqual(facts.toReversed(), [
    ['hold.placed', ofCredit.reference, 60, 0, 'active'],
    ['hold.placed', ofAccount.reference, 40, 0, 'active'],
    ['hold.forfeited', ofCredit.reference, 0, 60, 'forfeited'],
    ['hold.released', ofAccount.reference, 0, 0, 'released'],
  ])
  const timelines = {
    credit: await read(`/api/v1/credits/${sessionId}/timeline`),
    account: await read(`${account}/timeline`),
  }
  const stepsIn = ({ entries = [] }: { entries?: { kind: string; description: string }[] }) =>
    entries.filter(({ kind }) => kind === 'hold').map(({ description }) => description)
  const ofCreditSteps = [
    'Hold placed by the operator.',
    'Held by the operator.',
    'Forfeited: taken for good by the operator.',
    'Hold ended: forfeited.',
  ]
  assert.deepEqual(stepsIn(timelines.credit).toSorted(), ofCreditSteps.toSorted())
  assert.deepEqual(
    stepsIn({ entries: timelines.account }).toSorted(),
    [
      ...ofCreditSteps,
      'Hold placed by the operator.',
      'Held by the operator.',
      'Released from the hold; the funds are available again.',
      'Hold ended: released.',
    ].toSorted(),
  )
  const statement = await read(`${account}/transactions`)
  const rows = statement.map((row: Record<string, unknown>) => [row.type, row.holdReference])
  assert.deepEqual(rows, [
    ['hold_release', ofAccount.reference],
    ['hold', ofAccount.reference],
    ['hold', ofCredit.reference],
    ['credit', null],
  ])
  const csv = (await bench.call({ url: `${account}/statement.csv` })).body
  assert(csv.includes(ofCredit.reference), csv)
  const page = (await bench.call({ url: `${account}/statement.html` })).body
  assert(page.includes(`Released from a hold`) && page.includes(ofAccount.reference))
  const all = JSON.stringify([events, timelines, statement]) + csv + page
  assert(
    !all.includes(CLIENT.reason) && !all.includes('user:'),
    'the client learned why, or by whom',
  )
  await assertCleanBooks(bench)
})
