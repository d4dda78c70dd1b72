// The merchant's own reference (merchantRef) identifies one advice of the client: a request with the same
// terms returns that advice, other terms are refused, also when many requests come at once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import {
  ADVICE,
  adviceBody,
  assertRefused,
  createAdvice,
  initiate,
  readAdvice,
  simulate,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const AT_ONCE = 20

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

test('the same merchantRef and terms give the same advice', async () => {
  const made = await createAdvice(bench, { merchantRef: 'again' })

  const again = await createAdvice(bench, { merchantRef: 'again' })
  const written = await createAdvice(bench, { merchantRef: 'again', amount: '6000.00', mcc: 1 })

  assert.deepEqual(again, made)
  assert.deepEqual(written, made)
})

test('the same merchantRef later gives the advice as it is by then', async () => {
  const made = await createAdvice(bench, { merchantRef: 'paid' })
  const { bankAccount, paymentReference } = await initiate(bench, made.adviceReference)
  await simulate(bench, bankAccount, '6000')

  const again = await createAdvice(bench, { merchantRef: 'paid' })

  assert.deepEqual(again, { ...made, status: 'Paid', paymentReference })
})

test('the same merchantRef on other terms is refused', async () => {
  const made = await createAdvice(bench, { merchantRef: 'other-terms' })
  const changes = [
    { amount: 6000.01 },
    { narration: 'Two pairs' },
    { callBackUrl: 'https://shop.example.com/other' },
    { customer: { customerFirstName: 'Bola' } },
    { amountPolicy: 'exact' },
    { expiresInSeconds: 60 },
    { notificationUrl: 'https://shop.example.com/hook' },
  ]

  for (const change of changes) {
    const body = adviceBody({ merchantRef: 'other-terms', ...change })
    const answer = await bench.call({ url: ADVICE, body })
    assertRefused(answer, { code: 'merchant_ref_reused' }, 'payment')
  }
  assert.deepEqual(await readAdvice(bench, made.adviceReference), made)
})

test("another client's merchantRef is its own, and without one every advice is new", async () => {
  const mine = await createAdvice(bench, { merchantRef: 'shared' })
  const theirs = await createAdvice(
    bench,
    { merchantRef: 'shared', amount: 5 },
    { token: otherClient },
  )
  const one = await createAdvice(bench)
  const other = await createAdvice(bench)

  const references = [mine, theirs, one, other].map(({ adviceReference }) => adviceReference)
  assert.equal(new Set(references).size, 4)
})

test('two clients that use one merchantRef at once get an advice each', async () => {
  const requests = Array.from({ length: AT_ONCE }, (_, at) =>
    at % 2
      ? createAdvice(bench, { merchantRef: 'both', amount: 1 })
      : createAdvice(bench, { merchantRef: 'both', amount: 2 }, { token: otherClient }),
  )
  const advices = await Promise.all(requests)

  const seen = new Set(advices.map(({ adviceReference, amount }) => `${adviceReference} ${amount}`))
  assert.equal(seen.size, 2)
})

test(`${AT_ONCE} requests at once with one merchantRef make one advice`, async () => {
  const same = await Promise.all(
    Array.from({ length: AT_ONCE }, () => createAdvice(bench, { merchantRef: 'at-once' })),
  )
  const race = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, at) =>
      bench.call({ url: ADVICE, body: adviceBody({ merchantRef: 'race', amount: 1 + (at % 2) }) }),
    ),
  )

  assert.equal(new Set(same.map(({ adviceReference }) => adviceReference)).size, 1)
  const winners = race.filter(({ statusCode }) => statusCode === 200)
  assert.equal(winners.length, AT_ONCE / 2)
  assert.equal(new Set(winners.map(({ body }) => body)).size, 1)
  for (const answer of race.filter((each) => !winners.includes(each))) {
    assertRefused(answer, { code: 'merchant_ref_reused' }, 'payment')
  }
})
