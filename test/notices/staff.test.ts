// Notices to users of merchants and operators: the role decides which notices a user gets.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { noticeApprovalsRound, summariseDaysRound } from '#notices/workers.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { countTotalsRound } from '#reports/workers.ts'
import { codeOf } from '#short-codes.ts'
import { closeAfterTests } from '../support/closing.ts'
import { createAccount } from '../support/fixtures.ts'
import { clientIdOf } from '../support/mailing.ts'
import { caught, follow, noticingOf } from '../support/noticing.ts'
import { createPayout, fund } from '../support/payouts.ts'
import { makeUser, newBrowser } from '../support/people.ts'
import { type Bench, startTestService } from '../support/running-service.ts'
import {
  CONFIRMED,
  FAILED,
  requestClosing,
  setBankAccount,
  settlementOf,
  settleOf,
} from '../support/settlements.ts'
import { suspend } from '../support/suspense-desk.ts'

const bench = closeAfterTests(await startTestService())
const owner = await makeUser(bench, { role: 'owner' })
const finance = await makeUser(bench, { role: 'finance' })
const developer = await makeUser(bench, { role: 'developer' })
const operator = await makeUser(bench, { role: 'operator' })
const idle = new AbortController().signal

const toldTo = async (email: string, kind: string) =>
  (await caught(bench, `&recipient=${email}&kind=${kind}`)).map(({ subject, text }) => ({
    subject,
    text,
  }))

// Appends an event of the sandbox's client.
async function append(target: Bench, event: object) {
  const clientId = await clientIdOf(target)
  await withTransaction(target.db, (tx) =>
    appendEvents(tx, target.clock(), [{ clientId, ...event } as never]),
  )
}

test('users who decide on suspended money are notified once an hour, with the number of items', async () => {
  const { accountNumber } = await createAccount(bench, {
    payerRules: { accounts: [{ accountNumber: '0123456789', bankCode: '058' }] },
  })
  for (const amount of ['700', '800']) {
    await suspend(bench, accountNumber, amount, {
      sourceAccountNumber: '9876543210',
      sourceBankCode: '044',
    })
  }
  await follow(bench)

  const [mail, ...others] = await toldTo(finance, 'merchant.suspense')
  assert.equal(others.length, 0)
  assert.equal(mail?.subject, 'Money to review: NGN 700.00')
  assert.match(mail?.text ?? '', /In suspense now: 2 items/)
  assert.deepEqual(await toldTo(developer, 'merchant.suspense'), [])
})

test('a paid settlement comes with its statement, and a failed payout with its reason', async () => {
  await setBankAccount(bench)
  await fund(bench, '5000')
  const answer = await requestClosing(bench)
  const { reference } = answer.json().data
  const approver = await newBrowser(bench)
  await approver.call({ method: 'POST', url: `/api/v1/settlements/${reference}/approve`, body: {} })
  const { payouts } = await settlementOf(bench, reference)
  await settleOf(bench, payouts[0].reference, CONFIRMED)
  await fund(bench, '3000')
  const payout = await createPayout(bench, { amount: '1000' })
  await settleOf(bench, payout.reference, FAILED)
  await follow(bench)

  const [settled] = await toldTo(owner, 'merchant.settlement_paid')
  assert.match(settled?.subject ?? '', /^Settlement paid: NGN [0-9,.]+$/)
  assert.match(settled?.text ?? '', /The statement is attached/)
  const [failed] = await toldTo(owner, 'merchant.payout_failed')
  assert.match(
    failed?.text ?? '',
    new RegExp(`Payout: ${codeOf(payout.reference)}[\\s\\S]*Account closed`),
  )
})

test('the notice of a disabled webhook leaves out the secrets in its URL', async () => {
  await append(bench, {
    type: 'endpoint.disabled',
    facts: {
      ...{ id: null, url: 'https://shop.example.com/hook?key=s3cr3t', isActive: false },
      ...{ reason: 'the receiver answered 410', failingSince: null },
    },
  })
  await follow(bench)

  const [mail] = await toldTo(developer, 'merchant.webhook_failing')
  assert.match(mail?.text ?? '', /shop\.example\.com/)
  assert.doesNotMatch(mail?.text ?? '', /s3cr3t/)
})

test('operators get alerts from their severity on', async () => {
  const raise = (kind: 'audit_failed' | 'pool_low', subject: string) =>
    withTransaction(bench.db, async (tx) => {
      const alerts = [{ kind, subject, detail: {} }]
      await appendEvents(tx, bench.clock(), await raiseAlerts(tx, bench.clock(), alerts))
    })
  await raise('audit_failed', 'books/one')
  await raise('pool_low', 'bank/058')
  await follow(bench)

  const mails = await toldTo(operator, 'operator.alert')
  assert.deepEqual(
    mails.map(({ subject }) => subject),
    ['Critical: The books don’t balance'],
  )
  assert.deepEqual(await toldTo(owner, 'operator.alert'), [])
})

test('a request is notified once to the users who may approve it, and not to its maker', async () => {
  const maker = await newBrowser(bench)
  const settings = { payoutApproval: 'all' }
  await maker.call({ method: 'PUT', url: '/api/v1/payout-settings', body: settings })
  await fund(bench, '2000')
  const payout = await createPayout(maker, { amount: '500' })
  const round = noticeApprovalsRound(noticingOf(bench))
  await round(idle)
  await round(idle)

  const mails = await toldTo(finance, 'user.approval_waiting')
  assert.equal(mails.length, 1, payout.status)
  assert.match(mails[0]?.text ?? '', new RegExp(maker.user.email))
  assert.deepEqual(await toldTo(maker.user.email, 'user.approval_waiting'), [])
})

test('the summary of a day comes once, the next morning, with the sums of that day', async () => {
  await fund(bench, '1234.50')
  const round = summariseDaysRound(noticingOf(bench))
  bench.advance(24 * 3_600_000)
  await countTotalsRound({ db: bench.db, clock: bench.clock } as never)(idle)
  while ((await round(idle)).more);
  while ((await round(idle)).more);

  const mails = await toldTo(owner, 'merchant.daily_summary')
  assert.equal(mails.length, 1)
  assert.match(mails[0]?.text ?? '', /Received: NGN [1-9][0-9,.]+/)
})
