// A user sees how many requests they could approve now: this leaves out their own, and those that the service
// would not let them approve.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { requestFailure } from '../support/failing.ts'
import { createFile, queuePayouts, startFileService } from '../support/payout-desk.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import { type Browser, newBrowser, newBrowserGivenBy } from '../support/people.ts'
import { CREDIT_RULE, draft, SCREENING, testRule } from '../support/screening.ts'

const bench = closeAfterTests(await startFileService())

// How many requests the user could approve now, by workflow.
async function pending(by: Browser) {
  const answer = await by.call({ url: '/dashboard/api/approvals' })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().data
}

test('each user counts what they may approve, by workflow', async () => {
  const [maker, checker] = [await newBrowser(bench, 'operator'), await newBrowser(bench, 'finance')]
  const [reader, chooser] = [
    await newBrowser(bench, 'support'),
    await newBrowser(bench, 'operator'),
  ]
  const puppet = await newBrowserGivenBy(bench, maker, 'operator')
  await fund(bench, '1000')
  const { reference: bankAccount } = await addBankAccount(chooser)
  const body = { payoutApproval: 'all' }
  await bench.call({ method: 'PUT', url: '/api/v1/payout-settings', body })
  assert.equal((await pending(checker)).total, 0)

  const { reference } = await createPayout(maker, { amount: 1, bankAccount })
  const [failing = ''] = await queuePayouts(bench, { amountsKobo: [100n] })
  await createFile(bench)
  await requestFailure(maker, failing)

  const seen = await pending(checker)
  assert.deepEqual([seen.payouts, seen.payoutFailures, seen.total], [1, 1, 2])
  assert.equal((await pending(maker)).total, 0) // `maker` made the requests.
  assert.equal((await pending(puppet)).total, 0) // `maker` invited this user.
  assert.equal((await pending(reader)).total, 0) // The role of this user approves nothing.
  const chosen = await pending(chooser)
  // `chooser` chose the bank account of the payout.
  assert.deepEqual([chosen.payouts, chosen.payoutFailures], [0, 1])
  await checker.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })
  assert.equal((await pending(checker)).total, 1)
})

test('only operators count changes of screening to approve and open cases', async () => {
  const [maker, checker] = [
    await newBrowser(bench, 'operator'),
    await newBrowser(bench, 'operator'),
  ]
  const finance = await newBrowser(bench, 'finance')
  const before = await pending(checker)
  const desk = { call: maker.call, clock: bench.clock } as never
  const rule = { ...CREDIT_RULE, name: 'Large', kind: 'new_payer', amount: '5000', days: 5 }
  const reference = String((await draft(desk, rule)).reference)
  assert.equal((await testRule(desk, reference)).statusCode, 200)
  const request = await maker.call({
    url: `${SCREENING}/rules/${reference}/activate`,
    body: { reason: 'Tested' },
  })
  assert.equal(request.statusCode, 200, request.body)
  const body = { kind: 'payer_report', summary: 'Reported' }
  const opened = await maker.call({ url: '/api/v1/operator/cases', body })
  assert.equal(opened.statusCode, 200, opened.body)

  const after = await pending(checker)
  assert.equal(after.screening, before.screening + 1)
  assert.equal(after.openCases, before.openCases + 1)
  assert.equal((await pending(maker)).screening, 0)
  const { screening, openCases } = await pending(finance)
  assert.deepEqual([screening, openCases], [0, null])
})
