// An event shows the same as the API at its moment: all common fields are equal, whatever happens to the
// money.
//
// Replay a failure with: SEED=<seed> npm test -- test/webhooks/events-match-api.test.ts

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeExpired } from '../support/bank-calls.ts'
import {
  ACCOUNTS,
  ADVICE,
  createAccount,
  dataOf,
  MINUTE_MS,
  startPayment,
} from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { readSeed } from '../support/random.ts'
import { randomMoney } from '../support/random-money.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import { CREDITS, credit, openDesk, type Row, reverse } from '../support/tracing.ts'
import { EVENTS } from '../support/webhook-journeys.ts'

const SEED = readSeed()
const STEPS = 150

// Fields that are not compared for credits. In an event they name the owner that the money was assigned
// to or came from; in the API, the credit's original target.
const OF_THE_EVENT = [
  'paymentReference',
  'adviceReference',
  'merchantRef',
  'collectionAccountNumber',
]

test('every outcome has the same fields in its event as in the API', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const check = await startComparing(bench)
  const { accountNumber } = await createAccount(bench)
  const inactive = await createAccount(bench)
  await bench.call({ method: 'PUT', url: `${ACCOUNTS}/deactivate/${inactive.accountNumber}` })
  const start = (more = {}) => startPayment(bench, { amount: 100, ...more })
  const types = new Set<string>()
  // Waits for an action, and then compares the events that it caused.
  const step = async <T>(doing: Promise<T>): Promise<T> => {
    const done = await doing
    for (const type of await check()) types.add(type)
    return done
  }

  const booked = await step(credit(bench, accountNumber, '50.00'))
  await step(reverse(bench, booked, '20.00'))
  await step(reverse(bench, booked, '30.00'))
  const over = await step(start())
  const excess = await step(credit(bench, over.bankAccount, '130.00'))
  await step(desk.assign(excess, { accountNumber }))
  await step(reverse(bench, excess, '130.00'))
  const cancelled = await step(start())
  const part = await step(credit(bench, cancelled.bankAccount, '40.00'))
  await step(bench.call({ method: 'POST', url: `${ADVICE}/${cancelled.adviceReference}/cancel` }))
  await step(reverse(bench, part, '15.00'))
  await step(desk.giveBack(part))
  await step(desk.confirm(part, 'BANK-1'))
  const any = await step(start({ amountPolicy: 'any' }))
  const more = await step(credit(bench, any.bankAccount, '150.00'))
  await step(reverse(bench, more, '20.00'))
  const expiring = await step(start())
  const nobodys = await step(credit(bench, '0123456789', '60.00'))
  await step(desk.assign(nobodys, { paymentId: expiring.paymentReference }))
  bench.advance(60 * MINUTE_MS)
  await step(closeExpired(bench))
  await step(reverse(bench, nobodys, '25.00'))

  for (const type of ['part_paid', 'successful', 'cancelled', 'expired', 'reversed']) {
    assert(types.has(`payment.${type}`), type)
  }
  for (const type of ['suspended', 'assigned', 'returned', 'reversed']) {
    assert(types.has(`credit.${type}`), type)
  }
  assert(types.has('collection.received') && types.has('collection.reversed'))
})

test(`events equal the API after a random history (seed ${SEED})`, async () => {
  await using bench = await startTestService()
  const step = await randomMoney(bench, SEED)
  const check = await startComparing(bench)

  for (let steps = 0; steps < STEPS; steps++) {
    await step()
    await check()
  }
})

test('a reversal after a partial return is reported whole, with the part that had left', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const { bankAccount } = await startPayment(bench, { amount: 10 })
  const session = await credit(bench, bankAccount, '30.00') // 20 too much.
  await desk.giveBack(session)
  await desk.confirm(session, 'BANK-1')

  const sessionId = await reverse(bench, session, '30.00')

  const traced = dataOf(await bench.call({ url: `${CREDITS}/${session}` }))
  assert.deepEqual(
    [traced.amountReversed, traced.amountShortfall, traced.amountReturned, traced.amountBooked],
    [30, 20, 20, 0],
  )
  assert.match(traced.locations.at(-1).description, /had already left/)
  const events: Row[] = (await bench.call({ url: EVENTS })).json().data
  const event = events.find(({ type }) => type === 'payment.reversed') as Row
  assert.equal(event.data.amountReversed, 10)
  assert.deepEqual(event.data.reversal, {
    sessionId,
    amount: 30,
    shortfall: 20,
    receivable: 0,
  })
})

test('a return that fails after the bank reversed the credit has an event as reversed', async () => {
  await using bench = await startTestService()
  const desk = await openDesk(bench)
  const { accountNumber } = await createAccount(bench, { payerRules: { minAmount: 100 } })
  const session = await credit(bench, accountNumber, '30.00')
  await desk.giveBack(session)
  const original = { sessionId: newSessionId(), originalSessionId: session, amount: '12.00' }
  assert.equal((await postRail(bench, '035/reversals', original)).json().responseCode, '00')
  const check = await startComparing(bench)

  await desk.fail(session)

  assert.deepEqual(await check(), ['credit.return_failed', 'credit.reversed'])
  const [, event] = (await bench.call({ url: EVENTS })).json().data
  assert.deepEqual([event.data.amountReversed, event.data.amountShortfall], [12, 0])
})

// Returns a function that compares the events since its last call with the API, and returns their types.
// Among several events about one object only the newest shows the present state, so only that is compared.
async function startComparing(bench: Bench) {
  const newest = async (): Promise<Row[]> =>
    (await bench.call({ url: `${EVENTS}?limit=100` })).json().data
  let seen = (await newest())[0]?.sequence ?? 0
  return async (): Promise<string[]> => {
    const events = (await newest()).filter(({ sequence }) => sequence > seen)
    seen = events[0]?.sequence ?? seen
    const comparedUrls = new Set<string>()
    for (const { type, data } of events) {
      const url = addressOf(type, data)
      if (!url || comparedUrls.has(url)) continue
      comparedUrls.add(url)
      assertSame(type, data, dataOf(await bench.call({ url })))
    }
    return events.map(({ type }) => type)
  }
}

// The API's address of the object of an event, if it has one.
function addressOf(type: string, data: Row): string | undefined {
  if (type.startsWith('payment.')) return `/api/v1/payments/${data.paymentReference}`
  if (type.startsWith('credit.')) return `${CREDITS}/${data.id}`
  return type.startsWith('collection.') ? `${ACCOUNTS}/${data.accountNumber}` : undefined
}

// Asserts that the fields that event and API have in common are equal.
function assertSame(type: string, event: Row, api: Row): void {
  const isOwn = (name: string) => type.startsWith('credit.') && OF_THE_EVENT.includes(name)
  const both = Object.keys(event).filter((name) => name in api && !isOwn(name))
  assert(both.length > 8, `${type}: ${both}`)
  // During grace a payment reads Expired, and these events show the result (docs/states.md).
  const inGrace =
    ['payment.part_paid', 'payment.reversed'].includes(type) && api.status === 'Expired'
  const compared = inGrace ? both.filter((name) => name !== 'status') : both
  const pickCompared = (body: Row) => Object.fromEntries(compared.map((name) => [name, body[name]]))
  assert.deepEqual(pickCompared(event), pickCompared(api), type)
}
