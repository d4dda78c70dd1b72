// Simulating a payment books a credit as a bank's report does: it pays what is due, never more even if many
// come at once, and money that is too much, late or of the wrong amount is suspended.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startLiveService } from '../support/bank-calls.ts'
import { closeAfterTests } from '../support/closing.ts'
import {
  assertAlike,
  assertBooksBalance,
  assertRefused,
  balanceOf,
  createAccount,
  databaseText,
  initiate,
  ledgerNaira,
  MINUTE_MS,
  readAdvice,
  SIMULATE,
  simulate,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { startTestService } from '../support/running-service.ts'

const AT_ONCE = 10
const EXPIRY_MS = 30 * MINUTE_MS
const GRACE_MS = 5 * MINUTE_MS

const bench = closeAfterTests(await startTestService())
const otherClient = await bench.newClient('OTHER00001')

test('the full amount makes the payment successful, in the documented envelope', async () => {
  const { adviceReference, ...payment } = await startPayment(bench)
  const body = { virtualAccountNumber: payment.bankAccount, amount: '6000.00' }

  const answer = await bench.call({ url: SIMULATE, body })

  assert.equal(answer.statusCode, 200)
  const { responseData, ...envelope } = answer.json()
  assert.deepEqual(envelope, { requestSuccessful: true, message: 'Successful', responseCode: '00' })
  const { sessionId, outcome, reason, ...state } = responseData
  assert.deepEqual(state, {
    ...payment,
    status: 'Successful',
    message: 'Successful',
    amountPaid: 6000,
  })
  assert.match(sessionId, /^\d{30}$/)
  assert.deepEqual([outcome, reason], ['booked', null])
  assert.equal((await readAdvice(bench, adviceReference)).status, 'Paid')
})

test('less than due is a part payment that can be topped up', async () => {
  const held = await holdings()
  const { bankAccount, paymentReference } = await startPayment(bench, { amount: '100.10' })

  const first = await simulate(bench, bankAccount, '33.40')
  const second = await simulate(bench, bankAccount, '33.4')
  const last = await simulate(bench, bankAccount, '33.30')

  const states = [first, second, last].map((each) => [each.status, each.message, each.amountPaid])
  assert.deepEqual(states, [
    ['PartPayment', 'PartPayment', 33.4],
    ['PartPayment', 'PartPayment', 66.8],
    ['Successful', 'Successful', 100.1],
  ])
  assert.equal((await verify(bench, paymentReference)).amountCollected, 100.1)
  assert.deepEqual(await holdings(), { bank: sum(held.bank, 100.1), suspense: held.suspense })
  await assertBooksBalance(bench)
})

test('more than due books what was due and holds the excess in suspense', async () => {
  const held = await holdings()
  const { bankAccount } = await startPayment(bench)

  const over = await simulate(bench, bankAccount, '6000.01')
  const more = await simulate(bench, bankAccount, '10')

  assert.deepEqual([over.status, over.amountPaid], ['Successful', 6000])
  assert.deepEqual([over.outcome, over.reason], ['booked', 'excess'])
  assert.deepEqual([more.status, more.amountPaid], ['Successful', 6000])
  assert.equal(more.outcome, 'suspended')
  const now = await holdings()
  assert.deepEqual(now, { bank: sum(held.bank, 6010.01), suspense: sum(held.suspense, 10.01) })
  await assertBooksBalance(bench)
})

test('an exact payment takes no other amount', async () => {
  const held = await holdings()
  const { bankAccount } = await startPayment(bench, { amountPolicy: 'exact' })

  const under = await simulate(bench, bankAccount, '5999.99')
  const over = await simulate(bench, bankAccount, '6000.01')
  const exact = await simulate(bench, bankAccount, '6000')

  for (const other of [under, over]) {
    assert.deepEqual([other.status, other.amountPaid], ['Processing', 0])
    assert.equal(other.outcome, 'suspended')
  }
  assert.deepEqual([exact.status, exact.amountPaid], ['Successful', 6000])
  assert.equal((await holdings()).suspense, sum(held.suspense, 12000))
  await assertBooksBalance(bench)
})

test('a payment of any size is settled by its first transfer', async () => {
  const held = await holdings()

  for (const amount of ['1', '6000', '7000.5']) {
    const { bankAccount } = await startPayment(bench, { amountPolicy: 'any' })
    const { status, amountPaid } = await simulate(bench, bankAccount, amount)
    assert.deepEqual([status, amountPaid], ['Successful', Number(amount)])
    assert.equal((await holdings()).suspense, held.suspense)
    const further = await simulate(bench, bankAccount, '1')
    assert.deepEqual([further.outcome, further.amountPaid], ['suspended', Number(amount)])
    held.suspense = sum(held.suspense, 1)
  }
  await assertBooksBalance(bench)
})

test('a collection account is credited again and again, to the kobo', async () => {
  const { accountNumber } = await createAccount(bench)

  const first = await simulate(bench, accountNumber, '0.10')
  const second = await simulate(bench, accountNumber, '0.20')

  for (const credited of [first, second]) {
    assert.equal(credited.bankAccount, accountNumber)
    assert.deepEqual([credited.status, credited.message], ['Successful', 'Successful'])
  }
  assert.deepEqual([first.amountPaid, second.amountPaid], [0.1, 0.2])
  assert.equal(await balanceOf(bench, accountNumber), 0.3)
  await assertBooksBalance(bench)
})

test('a late transfer is accepted within the grace period and suspended after it', async () => {
  const inTime = await startPayment(bench)
  const late = await startPayment(bench)
  const held = await holdings()

  bench.advance(EXPIRY_MS + GRACE_MS - 1000)
  const accepted = await simulate(bench, inTime.bankAccount, '6000')
  bench.advance(2000)
  const refused = await simulate(bench, late.bankAccount, '6000')

  assert.deepEqual([accepted.status, accepted.amountPaid], ['Successful', 6000])
  assert.deepEqual([refused.status, refused.message], ['Expired', 'Expired'])
  assert.equal(refused.amountPaid, 0)
  assert.equal(refused.outcome, 'suspended')
  assert.equal((await holdings()).suspense, sum(held.suspense, 6000))
  await assertBooksBalance(bench)
})

test(`${AT_ONCE} transfers at once never pay more than is due`, async () => {
  const held = await holdings()
  const { bankAccount, adviceReference, paymentReference } = await startPayment(bench)
  const { bankAccount: second } = await initiate(bench, adviceReference, '058')

  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, at) =>
      simulate(bench, at % 2 ? second : bankAccount, '1000'),
    ),
  )

  const outcomes = answers.map(({ outcome }) => outcome).sort()
  assert.deepEqual(outcomes, [...Array(6).fill('booked'), ...Array(4).fill('suspended')])
  for (const { status, amountPaid } of answers) {
    assert(amountPaid >= 1000 && amountPaid <= 6000, `${amountPaid}`)
    assert.equal(status, amountPaid === 6000 ? 'Successful' : 'PartPayment')
  }
  assert.equal(new Set(answers.map(({ sessionId }) => sessionId)).size, AT_ONCE)
  const { transactionStatus, amountCollected } = await verify(bench, paymentReference)
  assert.deepEqual([transactionStatus, amountCollected], ['Successful', 6000])
  const now = await holdings()
  assert.deepEqual(now, { bank: sum(held.bank, 10_000), suspense: sum(held.suspense, 4000) })
  await assertBooksBalance(bench)
})

test(`one of ${AT_ONCE} simultaneous full transfers pays and the rest is held`, async () => {
  const held = await holdings()
  const { bankAccount, paymentReference } = await startPayment(bench)

  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, () => simulate(bench, bankAccount, '6000.00')),
  )

  assert.equal(answers.filter(({ outcome }) => outcome === 'booked').length, 1)
  assert(answers.every(({ status, amountPaid }) => status === 'Successful' && amountPaid === 6000))
  assert.equal((await verify(bench, paymentReference)).amountCollected, 6000)
  const now = await holdings()
  assert.deepEqual(now, { bank: sum(held.bank, 60_000), suspense: sum(held.suspense, 54_000) })
  await assertBooksBalance(bench)
})

test(`${AT_ONCE} transfers at once to one collection account all count`, async () => {
  const { accountNumber } = await createAccount(bench)

  await Promise.all(
    Array.from({ length: AT_ONCE }, (_, at) => simulate(bench, accountNumber, `${at}.01`)),
  )

  assert.equal(await balanceOf(bench, accountNumber), 45.1)
  await assertBooksBalance(bench)
})

test("another client's number answers like one that does not exist, and gets no money", async () => {
  const { bankAccount } = await startPayment(bench)
  const { accountNumber } = await createAccount(bench)
  const send = (virtualAccountNumber: string) =>
    bench.call({ url: SIMULATE, body: { virtualAccountNumber, amount: '1' }, token: otherClient })

  const before = await databaseText(bench)
  const missing = await send('0000000000')
  const foreignPayment = await send(bankAccount)
  const foreignAccount = await send(accountNumber)

  assertRefused(missing, { code: 'number_not_found' }, 'payment')
  assertAlike(foreignPayment, missing)
  assertAlike(foreignAccount, missing)
  assert.equal(await databaseText(bench), before)
})

test('an amount that is not plain money is refused and books nothing', async () => {
  const { bankAccount } = await startPayment(bench)
  const texts = [
    '0',
    '0.00',
    '-1',
    '+1',
    '0.001',
    '1.000',
    '1e3',
    '1,000',
    '١٢',
    '',
    ' ',
    ' 1',
    '1 ',
  ]
  const odd = ['.5', '5.', '0x10', 'NaN', 'Infinity', '9'.repeat(30), '9'.repeat(400), '1\u0000']
  const before = await databaseText(bench)

  const accepted: unknown[] = []
  for (const amount of [...texts, ...odd, null, true, [], ['1'], {}, undefined]) {
    const body = { virtualAccountNumber: bankAccount, amount }
    const answer = await bench.call({ url: SIMULATE, body })
    if (answer.statusCode === 200) accepted.push(amount)
    else assertRefused(answer, { code: 'invalid_request' }, 'payment')
  }
  assert.deepEqual(accepted, [])
  assert.equal(await databaseText(bench), before)
})

test('the path may be written in any case, and needs a token', async () => {
  const { bankAccount } = await startPayment(bench)
  const body = { virtualAccountNumber: bankAccount, amount: '1' }
  const url = '/payment/Process/bankTransfer/Simulate/PAYMENT'

  const answer = await bench.call({ url, body })
  const stranger = await bench.call({ url, body, token: null })

  assert.equal(answer.json().responseData?.amountPaid, 1, answer.body)
  assertRefused(stranger, { status: 401, code: 'unauthorized' }, 'payment')
})

test('a live service simulates nothing, and knows no sandbox client', async () => {
  await using live = await startLiveService()
  const token = await live.newClient('LIVE000001')
  const { accountNumber } = await createAccount(live, {}, { token })
  const before = await databaseText(live)

  const body = { virtualAccountNumber: accountNumber, amount: '1' }
  const answer = await live.call({ url: SIMULATE, body, token })
  const demo = { clientId: 'MAN0000001', clientSecret: 'sandbox-secret' }
  const login = await live.call({ url: '/api/Account/login', body: demo, token: null })

  assertRefused(answer, { code: 'sandbox_only' }, 'payment')
  assertRefused(login, { status: 401, code: 'invalid_credentials' })
  assert.equal(await databaseText(live), before)
})

async function holdings() {
  return { bank: await ledgerNaira(bench, 'bank'), suspense: await ledgerNaira(bench, 'suspense') }
}

function sum(one: number, other: number): number {
  return (Math.round(one * 100) + Math.round(other * 100)) / 100
}
