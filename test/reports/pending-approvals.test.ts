// A user is told how many requests they may approve now: not those they made, nor those they are refused.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAfterTests } from '../support/closing.ts'
import { requestFailure } from '../support/failing.ts'
import { createFile, queuePayouts, startFileService } from '../support/payout-desk.ts'
import { addBankAccount, createPayout, fund, PAYOUTS } from '../support/payouts.ts'
import { type Browser, newBrowser, newBrowserGivenBy } from '../support/people.ts'

const bench = closeAfterTests(await startFileService())

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
  assert.equal((await pending(maker)).total, 0) // They made them.
  assert.equal((await pending(puppet)).total, 0) // Their maker let them in.
  assert.equal((await pending(reader)).total, 0) // Their role approves nothing.
  const chosen = await pending(chooser)
  assert.deepEqual([chosen.payouts, chosen.payoutFailures], [0, 1]) // They chose the account.
  await checker.call({ url: `${PAYOUTS}/${reference}/approve`, body: {} })
  assert.equal((await pending(checker)).total, 1)
})
