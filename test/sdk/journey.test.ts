// The client against a whole service: what a shop does, from an account to a refund.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Manilla, ManillaConnectionError, ManillaError } from '../../sdk/src/sdk.ts'
import { closeAfterTests } from '../support/closing.ts'
import { listenLocally } from '../support/event-source.ts'
import { accountBody, adviceBody } from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const baseUrl = await listenLocally(bench.service.app)
const credentials = { baseUrl, clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
const manilla = new Manilla(credentials)

test('an advice is created, initiated, paid, seen and refunded', async () => {
  const advice = await manilla.advices.create(adviceBody({ merchantRef: 'ORDER-1' }) as never)
  const { adviceReference } = advice
  const issued = await manilla.payments.initiate(adviceReference, { bankCode: '035' })

  const paid = await manilla.sandbox.pay(issued.bankAccount, '6000.00')
  const payment = await manilla.waitForPayment(issued.paymentReference)

  assert.equal(paid.outcome, 'booked')
  assert.equal(payment.status, 'Successful')
  assert.equal(payment.amountPaid, 6000)
  assert.equal((await manilla.advices.get('ORDER-1')).status, 'Paid')
  const credit = await manilla.credits.get(payment.credits[0]?.id as number)
  assert.equal(credit.amount, 6000)
  const types: string[] = []
  for await (const event of manilla.events.list()) types.unshift(event.type)
  assert.deepEqual(types, ['payment.processing', 'payment.successful'])
  assert.deepEqual((await manilla.settlements.list().page()).data, [])
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
})
