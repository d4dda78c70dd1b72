// Nobody misses a notice after a fault: an event that cannot be rendered, a long outage, many alerts at once,
// or a request that is made again.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTransaction } from '#db/transaction.ts'
import { noticeApprovalsRound, summariseDaysRound } from '#notices/workers.ts'
import { raiseAlerts } from '#records/alerts.ts'
import { appendEvents } from '#records/events.ts'
import { countTotalsRound } from '#reports/workers.ts'
import { closeAfterTests } from '../support/closing.ts'
import { addLineDifference, decide, outcomeOf, resolve } from '../support/differences.ts'
import { simulate, startPayment } from '../support/fixtures.ts'
import { clientIdOf } from '../support/mailing.ts'
import { setMakerChecker } from '../support/maker-checker-desk.ts'
import { caught, follow, noticingOf } from '../support/noticing.ts'
import { fund } from '../support/payouts.ts'
import { makeUser, newBrowser } from '../support/people.ts'
import { startTestService } from '../support/running-service.ts'
import { sealingOf } from '../support/sealing.ts'
import {
  CONFIRMED,
  requestClosing,
  setBankAccount,
  settlementOf,
  settleOf,
} from '../support/settlements.ts'

const bench = closeAfterTests(await startTestService())
const owner = await makeUser(bench, { role: 'owner' })
const operator = await makeUser(bench, { role: 'operator' })
const idle = new AbortController().signal

const subjectsTo = async (email: string, kind: string) =>
  (await caught(bench, `&recipient=${email}&kind=${kind}`)).map(({ subject }) => subject)

const raise = (kind: 'audit_failed' | 'bank_silent', subject: string) =>
  withTransaction(bench.db, async (tx) => {
    const alerts = [{ kind, subject, detail: {} }]
    await appendEvents(tx, bench.clock(), await raiseAlerts(tx, bench.clock(), alerts))
  })

// Appends an event of the sandbox's client.
async function append(type: string, facts: object) {
  const clientId = await clientIdOf(bench)
  const events = [{ clientId, type, facts } as never]
  await withTransaction(bench.db, (tx) => appendEvents(tx, bench.clock(), events))
}

const disableEndpoint = (host: string) => append('endpoint.disabled', endpointAt(host))

const endpointAt = (host: string) => ({
  ...{ id: null, url: `https://${host}/hook`, isActive: false },
  ...{ reason: 'the receiver answered 410', failingSince: null },
})

test('no cell of an attached statement is a formula, in any spreadsheet', async () => {
  await setBankAccount(bench)
  const { bankAccount } = await startPayment(bench, { merchantRef: 'ORDER;\u200b=HYPERLINK("x")' })
  await simulate(bench, bankAccount, '6000.00')
  const { reference } = (await requestClosing(bench)).json().data
  const approver = await newBrowser(bench)
  await approver.call({ method: 'POST', url: `/api/v1/settlements/${reference}/approve`, body: {} })
  const { payouts } = await settlementOf(bench, reference)
  await settleOf(bench, payouts[0].reference, CONFIRMED)
  await follow(bench)

  const { rows } = await bench.db.query(
    `select facts_sealed as sealed from messages where kind = 'merchant.settlement_paid' limit 1`,
  )
  const { statement } = JSON.parse(sealingOf(bench).sealer.open(rows[0].sealed))
  assert.match(statement, /"ORDER;'\u200b=HYPERLINK\(""x""\)"/)
  assert.match(statement, /"=""\d{30}"""/, 'a session id stays text')
})

test('each critical alert of an hour is mailed, and of the others one of each kind', async () => {
  for (const bank of ['035', '058']) {
    await raise('audit_failed', `books/${bank}`)
    await raise('bank_silent', `bank/${bank}`)
  }
  await follow(bench)

  assert.deepEqual((await subjectsTo(operator, 'operator.alert')).sort(), [
    'Critical: The books don’t balance',
    'Critical: The books don’t balance',
    'Warning: A bank has reported nothing for longer than usual',
  ])
})

test('a request that is rejected and made again is notified again', async () => {
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const line = { amount: -40, kind: 'fee' as const }
  assert.equal((await setMakerChecker(maker, true)).statusCode, 200)
  const { id } = await addLineDifference(bench, { kind: 'unexplained_debit', line })
  const round = noticeApprovalsRound(noticingOf(bench))
  for (const expected of [1, 2]) {
    assert.equal(await outcomeOf(resolve(maker, id, 'book')), 'asked')
    await round(idle)
    await round(idle)
    const mails = await subjectsTo(operator, 'user.approval_waiting')
    assert.equal(mails.length, expected)
    const rejected = await decide(checker, id, 'reject', { reason: 'Not so' })
    assert.equal(rejected.statusCode, 200, rejected.body)
    bench.advance(1_000)
  }
})

test('an event that cannot be written is skipped after a minute, with an alert', async () => {
  await disableEndpoint('before.example.com')
  await append('alert.raised', { kind: 'unheard_of', subject: 'x/1' })
  await disableEndpoint('after.example.com')
  await follow(bench)
  assert.deepEqual(await subjectsTo(owner, 'merchant.webhook_failing'), [])
  bench.advance(59_000)
  await follow(bench)
  assert.deepEqual(await subjectsTo(owner, 'merchant.webhook_failing'), [])
  bench.advance(1_000)
  await follow(bench)
  await follow(bench)

  assert.deepEqual(await subjectsTo(owner, 'merchant.webhook_failing'), [
    'Webhook disabled: before.example.com',
    'Webhook disabled: after.example.com',
  ])
  const { rows } = await bench.db.query(
    `select subject, detail ->> 'type' as type from alerts where kind = 'notices_skipped'`,
  )
  assert.deepEqual(rows, [{ subject: 'client/MAN0000001', type: 'alert.raised' }])
})

test('after an outage of days each day has its summary, oldest first, for a week at most', async () => {
  const round = summariseDaysRound(noticingOf(bench))
  // Counts the latest events, and then sends the summaries of all finished days.
  const summarise = async () => {
    await countTotalsRound({ db: bench.db, clock: bench.clock } as never)(idle)
    while ((await round(idle)).more);
  }
  bench.advance(24 * 3_600_000)
  await summarise()
  const before = (await subjectsTo(owner, 'merchant.daily_summary')).length
  const amounts = ['1001', '1002', '1003']
  for (const amount of amounts) {
    await fund(bench, amount)
    bench.advance(24 * 3_600_000)
  }
  await summarise()
  await summarise()
  const subjects = await subjectsTo(owner, 'merchant.daily_summary')
  assert.deepEqual(
    subjects.slice(before).map((subject) => subject.replace(/^.*NGN (\S+) received$/, '$1')),
    ['1,001.00', '1,002.00', '1,003.00'],
  )
  await fund(bench, '1004')
  bench.advance(8 * 24 * 3_600_000)
  await summarise()
  assert.equal((await subjectsTo(owner, 'merchant.daily_summary')).length, subjects.length)
})
