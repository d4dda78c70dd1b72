// The SDK's client with a whole service: the calls of a shop, from an account to a refund.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Manilla, ManillaConnectionError, ManillaError } from '../../sdk/src/sdk.ts'
import { closeExpired } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { accountBody, adviceBody, MINUTE_MS } from '../support/fixtures.ts'
import { startFlakyProxy } from '../support/flaky-proxy.ts'
import { pay } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { setBankAccount } from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
const baseUrl = await listenLocally(bench.service.app)
const credentials = { baseUrl, clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
const manilla = new Manilla(credentials)

test('an advice is created, initiated, paid, seen and refunded', async () => {
  const advice = await manilla.advices.create(adviceBody({ merchantRef: 'ORDER-1' }) as never)
  const { adviceReference } = advice
  const issued = await manilla.payments.initiate(adviceReference, { bankCode: '035' })

  await pay(bench, issued.bankAccount, '6000.00')
  const payment = await manilla.waitForPayment(issued.paymentReference)

  assert.equal(payment.status, 'Successful')
  assert.equal(payment.amountPaid, 6000)
  assert.equal((await manilla.advices.get('ORDER-1')).status, 'Paid')
  const credit = await manilla.credits.get(payment.credits[0]?.id as number)
  assert.equal(credit.amount, 6000)
  const types: string[] = []
  for await (const event of manilla.events.list()) types.unshift(event.type)
  assert.deepEqual(types, ['payment.processing', 'payment.successful'])
  assert.deepEqual((await manilla.settlements.list().page()).data, [])
  const terms = { amount: '1000.00', reason: 'Out of stock' }
  const refund = await manilla.payments.refund(payment.paymentReference, terms)
  const refunds = await manilla.payments.refunds(payment.paymentReference).page()
  assert.deepEqual(refunds.data, [refund])
})

test('a settlement is approved to the payees that were looked at, or not at all', async () => {
  await setBankAccount(bench, { status: 'unconfirmed' })
  const { reference } = await manilla.settlements.close({})
  const { revision: old } = await manilla.settlements.get(reference)
  await setBankAccount(bench)
  const { revision } = await manilla.settlements.get(reference)

  const others = manilla.settlements.approve(reference, { revision: old })
  await assert.rejects(others, { code: 'request_changed' })
  const approved = await manilla.settlements.approve(reference, { revision })

  assert.equal(approved.payouts.length, 1)
})

test('waiting ends with the payment: paid, cancelled, or expired once its grace is over', async () => {
  const [paid, cancelled, expired] = await Promise.all([1, 2, 3].map(() => newPayment()))
  assert(paid && cancelled && expired)
  const waiting = [paid, cancelled].map(({ reference }) => manilla.waitForPayment(reference))
  await assert.rejects(manilla.waitForPayment(expired.reference, { timeoutMs: 1 }), {
    code: 'wait_timed_out',
    status: undefined,
  })

  await manilla.sandbox.pay(paid.number, 2000)
  await manilla.sandbox.pay(paid.number, 4000)
  await manilla.payments.cancel(cancelled.reference)
  await manilla.sandbox.pay(expired.number, 100)
  const statuses = (await Promise.all(waiting)).map(({ status }) => status)
  bench.advance(31 * MINUTE_MS)
  const { status } = await manilla.payments.get(expired.reference)
  const inGrace = manilla.waitForPayment(expired.reference, { timeoutMs: 1 })
  await assert.rejects(inGrace, { code: 'wait_timed_out' })
  bench.advance(5 * MINUTE_MS)
  await closeExpired(bench)

  assert.deepEqual(statuses, ['Successful', 'Cancelled'])
  assert.equal(status, 'Expired')
  assert.equal((await manilla.waitForPayment(expired.reference)).status, 'Expired')
})

test('a stream that is cut goes on after the last event: none is lost, none comes twice', async () => {
  await using proxy = await startFlakyProxy(baseUrl)
  await bench.newClient('STREAMING')
  const own = { baseUrl: proxy.url, clientId: 'STREAMING', clientSecret: 's3cret' }
  const client = new Manilla(own)
  const abort = new AbortController()
  const cuts: unknown[] = []
  const stream = client.events.stream({
    after: 0,
    signal: abort.signal,
    onDisconnect: (error) => cuts.push(error),
  })
  const seen: [number, string][] = []
  const create = () => client.accounts.create(accountBody() as never)
  // Reads the stream until this many events have come in all.
  const readUntil = async (count: number) => {
    while (seen.length < count) {
      const { value } = await stream.next()
      assert(value)
      seen.push([value.sequence, value.type])
    }
  }

  await create()
  await readUntil(1)
  await Promise.all([create(), create()])
  await readUntil(2)
  proxy.cut()
  await create()
  proxy.fail('/api/v1/events/stream', 'drop')
  await readUntil(4)
  abort.abort()

  assert.deepEqual(
    seen,
    [1, 2, 3, 4].map((sequence) => [sequence, 'account.created']),
  )
  assert(cuts.length >= 1)
  await assert.rejects(stream.next(), { name: 'AbortError' })
  const stranger = new Manilla({ ...own, clientSecret: 'wrong' })
  await assert.rejects(stranger.events.stream().next(), { code: 'invalid_credentials' })
})

test('a list is iterated over all its pages, in order, as often as asked', async () => {
  const created: string[] = []
  for (let count = 0; count < 5; count++) {
    created.unshift((await manilla.accounts.create(accountBody() as never)).accountNumber)
  }
  const list = manilla.accounts.list({ limit: 2 })

  for (const _ of [1, 2]) {
    const seen: string[] = []
    for await (const { accountNumber } of list) seen.push(accountNumber)
    assert.deepEqual(seen, created)
  }
  const first = await list.page()
  assert.equal(first.hasMore, true)
  const second = await list.page(first.nextCursor as string)
  assert.deepEqual(
    [...first.data, ...second.data].map(({ accountNumber }) => accountNumber),
    created.slice(0, 4),
  )
  const byPath: string[] = []
  for await (const { accountNumber } of manilla.list('/api/v1/accounts/static', {
    filter: { limit: 2 },
  })) {
    byPath.push(accountNumber)
  }
  assert.deepEqual(byPath, created)
})

test('scenarios of the sandbox are asked for as they are described', async () => {
  const { reference, number } = await newPayment()
  const sent = await manilla.sandbox.transfer({
    accountNumber: number,
    kind: 'duplicate',
    times: 2,
  })
  const hook = { url: 'https://shop.example.com/hook' }
  const { id } = await manilla.request('post', '/api/v1/webhook-endpoints', { body: hook })

  const chaos = await manilla.sandbox.chaos.set(id, { dropNext: 2 })
  const settings = await manilla.sandbox.chaos.get(id)
  await manilla.sandbox.chaos.stop(id)
  const payouts = await manilla.sandbox.payoutOutcome({ outcome: 'failed', times: 1 })

  assert.equal((await manilla.payments.get(reference)).amountPaid, 6000)
  assert.equal(sent.steps.length, 3)
  assert.equal(chaos.dropNext, 2)
  assert.deepEqual(settings, chaos)
  assert.equal((await manilla.sandbox.chaos.get(id)).dropNext, 0)
  assert.equal(payouts.outcome, 'failed')
})

test('a refusal is thrown with its code, status, fields and request', async () => {
  await assert.rejects(manilla.accounts.get('0000000000'), (error) => {
    assert(error instanceof ManillaError && !(error instanceof ManillaConnectionError))
    assert.equal(error.code, 'account_not_found')
    assert.equal(error.status, 400)
    assert.match(error.requestId ?? '', /./)
    return true
  })
  await assert.rejects(manilla.accounts.create({ ...accountBody(), bvn: '1' } as never), {
    code: 'invalid_request',
    errors: [{ field: 'bvn', message: 'Must be 11 digits.' }],
  })
  await assert.rejects(manilla.payments.get('..'), TypeError)
  await assert.rejects(manilla.payments.get(undefined as never), TypeError)
  await assert.rejects(manilla.sandbox.pay('1', 1, { idempotencyKey: 'Ọdún' }), TypeError)
  assert(!inspect(manilla, { depth: 9, showHidden: true }).includes('sandbox-secret'))
})

// Starts a payment that accepts part payments.
async function newPayment() {
  const { adviceReference } = await manilla.advices.create(
    adviceBody({ amountPolicy: 'allow_under' }) as never,
  )
  const issued = await manilla.payments.initiate(adviceReference, { bankCode: '035' })
  return { reference: issued.paymentReference, number: issued.bankAccount }
}
