// Messages to payers: they get only the kinds that the merchant turned on, each once, and none after an
// erasure (I152, I153).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { eraseAdvice } from '../support/erasing.ts'
import { adviceBody, simulate, startPayment } from '../support/fixtures.ts'
import { startMailServer } from '../support/mail-server.ts'
import { logged, mailingOf, queue, work } from '../support/mailing.ts'
import { caught, follow, setNotices } from '../support/noticing.ts'
import { startTestService } from '../support/running-service.ts'

const bench = closeAfterTests(await startTestService())
const CUSTOMER = adviceBody().customer as Record<string, string>

const sentTo = (customerEmail: string) =>
  caught(bench, `&recipient=${encodeURIComponent(customerEmail)}`)

let lastPayer = 0

// The body of a payment request to a payer with a new email address.
function newPayer(changes: object = {}) {
  const customerEmail = `payer${++lastPayer}@example.com`
  return { customerEmail, body: { customer: { ...CUSTOMER, customerEmail }, ...changes } }
}

test('payers get no notices while their merchant has switched none on', async () => {
  const { customerEmail, body } = newPayer()
  const { bankAccount } = await startPayment(bench, body)
  await simulate(bench, bankAccount, '6000.00')
  await follow(bench)

  assert.deepEqual(await sentTo(customerEmail), [])
})

test('a payer gets instructions, what is still due, and a receipt, each once on each channel', async () => {
  assert.equal((await setNotices(bench)).statusCode, 200)
  const { customerEmail, body } = newPayer({ amountPolicy: 'allow_under' })
  const { bankAccount, adviceReference } = await startPayment(bench, body)
  await simulate(bench, bankAccount, '2500.00')
  await simulate(bench, bankAccount, '3500.00')
  await Promise.all([follow(bench), follow(bench)])
  await follow(bench)

  const mails = await sentTo(customerEmail)
  assert.deepEqual(
    mails.map(({ kind }) => kind),
    ['payer.instructions', 'payer.part_payment', 'payer.receipt'],
  )
  const [instructions, part, receipt] = mails
  assert.match(instructions?.text ?? '', new RegExp(`Account number: ${bankAccount}`))
  assert.match(
    instructions?.text ?? '',
    new RegExp(`https://pay\\.example/pay/${adviceReference}`.replaceAll('-', '.')),
  )
  assert.equal(part?.subject, 'NGN 3,500.00 still due')
  assert.equal(receipt?.subject, 'Receipt: NGN 6,000.00')
  const texts = await caught(bench, '&channel=sms')
  assert.equal(texts.length, 3)
})

test('a queued message of an erased payer is cancelled, and its address and facts are gone', async () => {
  const { customerEmail, body } = newPayer()
  const { bankAccount, adviceReference } = await startPayment(bench, body)
  await simulate(bench, bankAccount, '6000.00')
  await follow(bench)
  const { rows: before } = await bench.db.query(
    `select reference from messages where advice_id = $1 and state = 'queued'`,
    [adviceReference],
  )
  assert(before.length > 0)
  const erased = await eraseAdvice(bench, adviceReference)
  assert.equal(erased.statusCode, 200, erased.body)

  for (const { reference } of before) {
    const { state, hasFacts, hasAddress } = await logged(bench, reference)
    assert.deepEqual(
      { state, hasFacts, hasAddress },
      { state: 'cancelled', hasFacts: false, hasAddress: false },
    )
  }
  assert.deepEqual(await sentTo(customerEmail), [])
})

test('an erasure takes the words of the mail server and the suppression of the address', async () => {
  const server = await startMailServer()
  const { customerEmail, body } = newPayer()
  const { bankAccount, adviceReference } = await startPayment(bench, body)
  await simulate(bench, bankAccount, '6000.00')
  const about = { adviceId: adviceReference as never }
  const reference = await queue(bench, { to: customerEmail, about })
  server.faults.push({ at: 'RCPT', to: customerEmail, answer: '550 5.1.1 no such user' })
  await work(mailingOf(bench, { smtpPort: server.port }))
  await server.stop()
  const suppressed = async () =>
    (await bench.call({ url: '/api/v1/message-suppressions' })).body.includes(customerEmail)
  assert.equal(await suppressed(), true)
  assert.equal((await eraseAdvice(bench, adviceReference)).statusCode, 200)

  const { state, problem, hasAddress } = await logged(bench, reference)
  assert.deepEqual([state, problem, hasAddress], ['failed', null, false])
  assert.equal(await suppressed(), false)
})

test('a message that was queued while the payer was being erased is never handed over', async () => {
  const server = await startMailServer()
  const { customerEmail, body } = newPayer()
  const { bankAccount, adviceReference } = await startPayment(bench, body)
  await simulate(bench, bankAccount, '6000.00')
  assert.equal((await eraseAdvice(bench, adviceReference)).statusCode, 200)
  const about = { adviceId: adviceReference as never }
  const reference = await queue(bench, { to: customerEmail, about })
  await work(mailingOf(bench, { smtpPort: server.port }))
  await server.stop()

  assert.equal((await logged(bench, reference)).state, 'cancelled')
  assert.deepEqual(
    server.mails.filter(({ to }) => to === customerEmail),
    [],
  )
})
