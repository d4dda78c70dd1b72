// A dynamic number is reused only if its range is exhausted and its quarantine after the close of its
// payment is over. Until then money for it belongs to its old payment. A number in use is never given to
// another payment.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assertCleanBooks,
  closeExpired,
  holdTable,
  startTwin,
  startWithBanks,
} from '../support/bank-calls.ts'
import {
  assertRefused,
  createAdvice,
  dataOf,
  INITIATE,
  initiate,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import type { Bench } from '../support/running-service.ts'
import { assign, suspend } from '../support/suspense-desk.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60 * SECOND_MS
const DAY_MS = 24 * 60 * MINUTE_MS
const QUARANTINE_DAYS = 30
const EXPIRY_MS = 30 * MINUTE_MS
const GRACE_MS = 5 * MINUTE_MS
const FREE_AFTER_MS = EXPIRY_MS + GRACE_MS + QUARANTINE_DAYS * DAY_MS

const startWithDynamicNumbers = (size: number) =>
  startWithBanks([
    {
      code: '035',
      static: { from: 100_000_000, to: 100_000_009 },
      dynamic: { from: 200_000_000, to: 200_000_000 + size - 1 },
    },
  ])

// Creates an advice and initiates its payment, which fails if no number is free.
async function tryInitiate(bench: Bench) {
  const { adviceReference } = await createAdvice(bench)
  const url = `${INITIATE}/${adviceReference}`
  return bench.call({ url, body: { bankCode: '035' }, token: null })
}
const assertExhausted = (answer: Awaited<ReturnType<typeof tryInitiate>>) =>
  assertRefused(answer, { status: 503, code: 'numbers_exhausted' }, 'payment')

// Reports a credit to a number. Returns the outcome, and the payment that it was booked to.
async function pay(bench: Bench, accountNumber: string, amount = '6000') {
  const sessionId = newSessionId()
  const body = { sessionId, accountNumber, amount }
  const answer = (await postRail(bench, '035/credits', body)).json()
  const { rows } = await bench.db.query(
    'select payment_id as payment from credits where session_id = $1',
    [sessionId],
  )
  const { outcome, code = '' } = answer
  return { said: `${outcome} ${code}`.trim(), payment: rows[0]?.payment }
}

test('a number is reusable to the millisecond when its quarantine after the close is over', async () => {
  await using bench = await startWithDynamicNumbers(1)
  const old = await startPayment(bench)

  bench.advance(FREE_AFTER_MS - 1)
  assertExhausted(await tryInitiate(bench))
  bench.advance(1)
  const next = dataOf(await tryInitiate(bench), 'payment')

  assert.equal(next.bankAccount, old.bankAccount)
  assert.notEqual(next.paymentReference, old.paymentReference)
  assertExhausted(await tryInitiate(bench))
  await assertCleanBooks(bench)
})

test('while a range has fresh numbers, none is reused', async () => {
  await using bench = await startWithDynamicNumbers(3)
  const first = await startPayment(bench)
  bench.advance(2 * FREE_AFTER_MS)

  const later = [await startPayment(bench), await startPayment(bench)]

  assert(later.every(({ bankAccount }) => bankAccount !== first.bankAccount))
  assert.equal((await startPayment(bench)).bankAccount, first.bankAccount)
})

test('numbers are reused in the order in which they became free, and paid ones no sooner', async () => {
  await using bench = await startWithDynamicNumbers(4)
  const order: string[] = []
  for (const expiresInSeconds of [4 * 3600, 3600, 3 * 3600, 2 * 3600]) {
    order.push((await startPayment(bench, { expiresInSeconds })).bankAccount)
  }
  const [last, first, third, second] = order
  await pay(bench, first as string)
  bench.advance(3600 * SECOND_MS + GRACE_MS + QUARANTINE_DAYS * DAY_MS - 1)
  assertExhausted(await tryInitiate(bench))
  bench.advance(4 * 3600 * SECOND_MS)

  const again = []
  for (let at = 0; at < 4; at++) again.push((await startPayment(bench)).bankAccount)

  assert.deepEqual(again, [first, second, third, last])
})

test('late money within quarantine is its old payment’s; after reuse it is the new one’s', async () => {
  await using bench = await startWithDynamicNumbers(1)
  const old = await startPayment(bench)
  bench.advance(FREE_AFTER_MS - 1)

  const within = await pay(bench, old.bankAccount)
  bench.advance(1)
  const free = await pay(bench, old.bankAccount)
  const next = await startPayment(bench)
  const reused = await pay(bench, old.bankAccount)

  assert.deepEqual(within, { said: 'suspended late', payment: old.paymentReference })
  assert.deepEqual(free, { said: 'suspended late', payment: old.paymentReference })
  assert.equal(next.bankAccount, old.bankAccount)
  assert.deepEqual(reused, { said: 'booked', payment: next.paymentReference })
  const { transactionStatus } = await verify(bench, next.paymentReference)
  assert.equal(transactionStatus, 'Successful')
  assert.equal((await verify(bench, old.paymentReference)).transactionStatus, 'Expired')
  await assertCleanBooks(bench)
})

test('a credit sent again after its number went to another payment is still a duplicate', async () => {
  await using bench = await startWithDynamicNumbers(1)
  const old = await startPayment(bench)
  const credit = { sessionId: newSessionId(), accountNumber: old.bankAccount, amount: '6000' }
  await postRail(bench, '035/credits', credit)
  bench.advance(FREE_AFTER_MS)
  const next = await startPayment(bench)

  const again = (await postRail(bench, '035/credits', credit)).json()

  assert.equal(next.bankAccount, old.bankAccount)
  assert.equal(again.responseCode, '01')
  assert.equal((await verify(bench, next.paymentReference)).transactionStatus, 'Processing')
})

test('many payments at once get the reusable numbers, each a different one', async () => {
  await using bench = await startWithDynamicNumbers(6)
  await using twin = await startTwin(bench)
  const old = await Promise.all(Array.from({ length: 6 }, () => startPayment(bench)))
  bench.advance(FREE_AFTER_MS)
  const advices = await Promise.all(Array.from({ length: 12 }, () => createAdvice(bench)))

  const answers = await Promise.all(
    advices.map(({ adviceReference }, at) =>
      (at % 2 ? twin : bench).call({
        method: 'POST',
        url: `${INITIATE}/${adviceReference}`,
        body: { bankCode: '035' },
        token: null,
      }),
    ),
  )

  const numbers = answers.flatMap((answer) => answer.json().responseData?.bankAccount ?? [])
  assert.deepEqual(numbers.toSorted(), old.map(({ bankAccount }) => bankAccount).toSorted())
  await assertCleanBooks(bench)
})

test('an expired payment that the desk opens again keeps its number for a new quarantine', async () => {
  await using bench = await startWithDynamicNumbers(1)
  const payment = await startPayment(bench, { amount: 100 })
  const { paymentReference, bankAccount } = payment
  bench.advance(FREE_AFTER_MS - MINUTE_MS)
  await closeExpired(bench)
  const { id } = await suspend(bench, '0123456789', '60', { bank: '035' })
  dataOf(await assign(bench, id, { paymentReference }))
  assert.equal((await verify(bench, paymentReference)).transactionStatus, 'PartPayment')

  bench.advance(2 * MINUTE_MS)
  assertExhausted(await tryInitiate(bench)) // The reopened payment uses the only number.
  const rest = await pay(bench, bankAccount, '40')
  bench.advance(EXPIRY_MS + GRACE_MS + QUARANTINE_DAYS * DAY_MS - 3 * MINUTE_MS)
  assertExhausted(await tryInitiate(bench))
  bench.advance(MINUTE_MS)

  assert.deepEqual(rest, { said: 'booked', payment: paymentReference })
  assert.equal((await startPayment(bench)).bankAccount, bankAccount)
  await assertCleanBooks(bench)
})

test('an expired payment whose number went to another is not opened again in part', async () => {
  await using bench = await startWithDynamicNumbers(1)
  const old = await startPayment(bench, { amount: 100 })
  const { paymentReference, adviceReference } = old
  bench.advance(FREE_AFTER_MS)
  await closeExpired(bench)
  const next = await startPayment(bench)
  const part = await suspend(bench, '0123456789', '60', { bank: '035' })
  const whole = await suspend(bench, '0123456789', '100', { bank: '035' })

  const inPart = await assign(bench, part.id, { paymentReference })

  // If the payment were only paid in part, its page would ask for the rest at a number that now belongs to
  // another payment.
  assertRefused(inPart, { status: 409, code: 'suspense_not_fitting' })
  dataOf(await assign(bench, whole.id, { paymentReference }))
  assert.equal((await verify(bench, paymentReference)).transactionStatus, 'Successful')
  const url = `${INITIATE}/${adviceReference}`
  const again = await bench.call({ url, body: { bankCode: '035' }, token: null })
  assertRefused(again, { code: 'advice_paid' }, 'payment')
  assert.equal((await initiate(bench, next.adviceReference)).bankAccount, next.bankAccount)
  await assertCleanBooks(bench)
})

test('a number that is being reused does not stay with a payment that is reopened', async () => {
  await using bench = await startWithDynamicNumbers(1)
  const old = await startPayment(bench, { amount: 100 })
  const { paymentReference, bankAccount } = old
  bench.advance(FREE_AFTER_MS)
  await closeExpired(bench)
  const { id } = await suspend(bench, '0123456789', '60', { bank: '035' })
  const { adviceReference } = await createAdvice(bench)
  let initiated: ReturnType<typeof initiate>
  let assigned: ReturnType<typeof assign>
  {
    await using hold = await holdTable(bench, 'payment_numbers')
    initiated = initiate(bench, adviceReference)
    await hold.waiting(1) // The request has chosen the number, and waits for the lock to store it.
    assigned = assign(bench, id, { paymentReference })
    await hold.waiting(2)
  }

  assert.equal((await initiated).bankAccount, bankAccount)
  assertRefused(await assigned, { status: 409, code: 'suspense_not_fitting' })
  assert.equal((await verify(bench, paymentReference)).transactionStatus, 'Expired')
  await assertCleanBooks(bench)
})
