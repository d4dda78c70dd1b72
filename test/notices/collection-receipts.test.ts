// Receipts for credits to collection accounts: the holder gets one for each booking, and none for suspended
// money or repeated reports. Erased holders get none (I152, I153).

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { erase } from '../support/erasing.ts'
import { createAccount } from '../support/fixtures.ts'
import { logged, queue } from '../support/mailing.ts'
import { CONFIRMED, settleAll } from '../support/money-out.ts'
import { caught, follow, setNotices } from '../support/noticing.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import { pay, refund } from '../support/refunding.ts'
import { startTestService } from '../support/running-service.ts'
import { assign, suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
let lastHolder = 0

// Creates a collection account whose holder has a new email address.
async function newHolder() {
  const email = `holder${++lastHolder}@example.com`
  const { accountNumber } = await createAccount(bench, { email })
  return { email, accountNumber: accountNumber as string }
}

const mailsOf = (email: string) => caught(bench, `&recipient=${encodeURIComponent(email)}`)

test('account holders get no notices while their merchant has switched none on', async () => {
  const { email, accountNumber } = await newHolder()
  await pay(bench, accountNumber, '100.00')
  await follow(bench)
  assert.deepEqual(await mailsOf(email), [])
})

test('a credit to a collection account gets one receipt, however often the bank reports it', async () => {
  await setNotices(bench)
  const { email, accountNumber } = await newHolder()
  const sessionId = newSessionId()
  const report = { sessionId, accountNumber, amount: '2500.50' }
  for (const code of ['00', '01', '01']) {
    const answer = await postRail(bench, '035/credits', report)
    assert.equal(answer.json().responseCode, code)
    await Promise.all([follow(bench), follow(bench)])
  }

  const mails = await mailsOf(email)
  assert.deepEqual(
    mails.map(({ kind, subject }) => [kind, subject]),
    [['payer.receipt', 'Receipt: NGN 2,500.50']],
  )
  assert.match(mails[0]?.text ?? '', new RegExp(`Paid to account: ${accountNumber}`))
  assert.match(mails[0]?.text ?? '', new RegExp(`Reference: ${sessionId}`))
  assert.doesNotMatch(mails[0]?.text ?? '', /null|undefined|\/pay\//)
  const texts = (await caught(bench, '&channel=sms')).filter(({ short }) =>
    short.includes(sessionId),
  )
  assert.deepEqual(
    texts.map(({ short }) => short),
    [`We received your payment of NGN 2,500.50, reference ${sessionId}.`],
  )
})

test('suspended money gets no receipt until it is assigned to an account, and then one', async () => {
  await setNotices(bench)
  const [closed, open] = [await newHolder(), await newHolder()]
  const url = `/api/v1/accounts/static/${closed.accountNumber}/deactivate`
  assert.equal((await bench.call({ url, body: {} })).statusCode, 200)
  const { id } = await suspend(bench, closed.accountNumber, '700.00')
  await follow(bench)
  assert.deepEqual(await mailsOf(closed.email), [])

  const body = { accountNumber: open.accountNumber }
  assert.equal((await assign(bench, id, body)).statusCode, 200)
  await follow(bench)
  assert.deepEqual(
    (await mailsOf(open.email)).map(({ subject }) => subject),
    ['Receipt: NGN 700.00'],
  )
  assert.deepEqual(await mailsOf(closed.email), [])
})

test('a refund of a credit to a collection account is announced to its holder', async () => {
  await setNotices(bench)
  const { email, accountNumber } = await newHolder()
  const { sessionId } = await pay(bench, accountNumber, '150')
  await refund(bench, sessionId, '130')
  await settleAll(bench, CONFIRMED)
  await follow(bench)

  const [receipt, sent] = await mailsOf(email)
  assert.equal(receipt?.subject, 'Receipt: NGN 150.00')
  assert.equal(sent?.subject, 'Refund: NGN 130.00')
  assert.match(sent?.text ?? '', new RegExp(`Payment: ${sessionId}`))
})

test('an erased holder gets no receipt, and a queued one is cancelled', async () => {
  await setNotices(bench)
  const { email, accountNumber } = await newHolder()
  const { sessionId } = await pay(bench, accountNumber, '150')
  await refund(bench, sessionId, '150')
  await settleAll(bench, CONFIRMED)
  const { rows } = await bench.db.query('select id from collection_accounts where email = $1', [
    email,
  ])
  const reference = await queue(bench, { to: email, about: { accountId: rows[0].id } })
  const erased = await erase(bench, accountNumber)
  assert.equal(erased.statusCode, 200, erased.body)
  await follow(bench)

  assert.equal((await logged(bench, reference)).state, 'cancelled')
  assert.deepEqual(await mailsOf(email), [])
  const { rows: messages } = await bench.db.query(
    'select state from messages where account_id = $1',
    [rows[0].id],
  )
  assert.deepEqual(messages, [{ state: 'cancelled' }])
})
