// Makes every frequent request to a service once, so that plans.test.ts can check how PostgreSQL plans its
// statements: the daily work of banks, merchants, payers and workers, and the first page of every list.

import assert from 'node:assert/strict'
import { expirePaymentsRound } from '#credits/workers.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { countTotalsRound } from '#reports/workers.ts'
import { codeOfId } from '#short-codes.ts'
import { setLimits } from '../support/account-calls.ts'
import {
  ACCOUNTS,
  accountBody,
  adviceBody,
  BY_ADVICE,
  createAccount,
  createAdvice,
  initiate,
  readAccount,
  simulate,
  startPayment,
  verify,
} from '../support/fixtures.ts'
import { newSessionId, postRail } from '../support/rail.ts'
import type { WebhookBench } from '../support/webhook-bench.ts'

const LISTS = [
  ACCOUNTS,
  '/api/v1/credits',
  '/api/v1/credits?outcome=suspended',
  '/api/v1/payments',
  '/api/v1/payments?status=PartPayment',
  '/api/v1/advices',
  '/api/v1/suspense',
  '/api/v1/suspense/summary?state=open',
  '/api/v1/overview',
  '/api/v1/events',
  '/api/v1/webhook-endpoints',
  '/api/v1/limit-profiles',
  '/api/v1/audit-log',
]
const IN_A_LIST = 25
const EXPIRED_MS = 61_000

let turns = 0

// Makes every request once. Webhooks go to `hook`.
export async function everyJourney(bench: WebhookBench, hook: string): Promise<void> {
  turns += 1
  const number = await runAccounts(bench, hook)
  await runPayments(bench, hook)
  await runCredits(bench, number, hook)
  await readLists(bench, number)
  await runWorkers(bench)
}

// Creates accounts, also with a repeated request. Returns the number of one.
async function runAccounts(bench: WebhookBench, hook: string): Promise<string> {
  const { accountNumber } = await createAccount(bench, { notificationUrl: hook })
  const headers = { 'idempotency-key': `plans-${turns}` }
  const keyed = { url: ACCOUNTS, body: accountBody({ notificationUrl: hook }), headers }
  const [first, again] = [await bench.call(keyed), await bench.call(keyed)]
  assert.equal(first.statusCode, 200)
  assert.equal(again.body, first.body)
  await readAccount(bench, accountNumber)
  return accountNumber
}

// Creates advices, changes the bank of a payment, pays it in parts, and verifies it.
async function runPayments(bench: WebhookBench, hook: string): Promise<void> {
  const urls = { notificationUrl: hook, callBackUrl: hook }
  const merchantRef = `plans-${turns}`
  const keyed = { headers: { 'idempotency-key': `advice-${turns}` } }
  const advice = await createAdvice(bench, { ...urls, merchantRef })
  await createAdvice(bench, { ...urls, merchantRef })
  await createAdvice(bench, { ...urls }, keyed)
  await bench.call({ url: '/Payment/advice', body: adviceBody(urls), ...keyed })
  for (const bank of ['035', '101', '035']) await initiate(bench, advice.adviceReference, bank)
  const payment = await initiate(bench, advice.adviceReference)
  for (const amount of ['2000', '4000', '10']) await simulate(bench, payment.bankAccount, amount)
  assert.equal((await verify(bench, payment.paymentReference)).transactionStatus, 'Successful')
  await verify(bench, advice.adviceReference, BY_ADVICE)
  const unpaid = await startPayment(bench, { ...urls, expiresInSeconds: 60, graceSeconds: 0 })
  await simulate(bench, unpaid.bankAccount, '10')
}

// Reports credits one by one and as lists, each also a second time, and a reversal.
async function runCredits(bench: WebhookBench, busyNumber: string, hook: string): Promise<void> {
  const credit = (accountNumber: string) => ({
    sessionId: newSessionId(),
    accountNumber,
    amount: '100.00',
  })
  const report = async (body: unknown) => (await postRail(bench, '035/credits', body)).json()
  const one = credit(busyNumber)
  assert.equal((await report(one)).responseCode, '00')
  assert.equal((await report(one)).responseCode, '01')
  const newAccounts = await Promise.all(
    Array.from({ length: 3 }, () => createAccount(bench, { notificationUrl: hook })),
  )
  const { bankAccount } = await startPayment(bench, { callBackUrl: hook })
  const limited = await createAccount(bench, { notificationUrl: hook })
  await setLimits(bench, limited.accountNumber, { perDay: 1000 })
  const accounts = [...newAccounts, limited].map((each) => each.accountNumber)
  const numbers = [busyNumber, bankAccount, '0000000002', ...accounts]
  const list = Array.from({ length: IN_A_LIST }, (_, at) =>
    credit(numbers[at % numbers.length] as string),
  )
  for (const responseCode of ['00', '01']) {
    const answers = await report(list)
    assert(
      answers.every((answer: { responseCode: string }) => answer.responseCode === responseCode),
    )
  }
  const reversal = { sessionId: newSessionId(), originalSessionId: one.sessionId, amount: '100.00' }
  assert.equal((await postRail(bench, '035/reversals', reversal)).json().responseCode, '00')
}

// Reads the first page of every list.
async function readLists(bench: WebhookBench, number: string): Promise<void> {
  const [payment] = (await bench.call({ url: '/api/v1/payments' })).json().data
  const code = codeOfId('PAY', payment.paymentReference)
  const urls = [
    ...LISTS,
    `/api/v1/payments/${code}`,
    `${ACCOUNTS}/${number}/transactions`,
    `/api/v1/credits?accountNumber=${number}`,
  ]
  for (const url of urls) {
    const answer = await bench.call({ url })
    assert.equal(answer.statusCode, 200, `${url} ${answer.body}`)
  }
  const [event] = (await bench.call({ url: '/api/v1/events' })).json().data
  const deliveries = await bench.call({ url: `/api/v1/events/${event.id}/deliveries` })
  assert.equal(deliveries.statusCode, 200, deliveries.body)
}

// Runs the workers' rounds until nothing is left.
async function runWorkers(bench: WebhookBench): Promise<void> {
  const { clock, webhookPool: batchPool } = bench
  const { db } = bench.service // The pool on which every statement is explained.
  bench.advance(EXPIRED_MS)
  const deps = { db, batchPool, sharedAccounts: new SharedAccounts(db), clock }
  const { signal } = new AbortController()
  for (const round of [expirePaymentsRound(deps), countTotalsRound(deps)]) {
    while ((await round(signal)).more);
  }
  await bench.run()
}
