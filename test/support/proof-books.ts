// Fills a test's books so that each file of a proof export except the differences has lines: a credit with
// charges is settled, paid out, reversed after the money had left, and recovered.

import assert from 'node:assert/strict'
import { PAYER, PERSON } from './erasing.ts'
import { createFeeRule } from './fee-rules.ts'
import { createAccount, dataOf, simulate } from './fixtures.ts'
import { chargesOf, takeIncoming } from './incoming-credits.ts'
import { begin, credit, resolve, reverse } from './movements.ts'
import { createPayout, payoutRounds } from './payouts.ts'
import { newBrowser } from './people.ts'
import type { Bench } from './running-service.ts'
import { closeSettlement, setBankAccount, setSettings } from './settlements.ts'
import { NOBODYS_NUMBER } from './suspense-desk.ts'

const HOLDS = '/api/v1/operator/holds'
const ADJUSTMENTS = '/api/v1/operator/adjustments'

// Fills the books with credits, fees, payouts, settlements, reversals, a return, a recovery and a forfeiture.
export async function keepBooks(bench: Bench): Promise<void> {
  await using rounds = await payoutRounds(bench)
  await setBankAccount(bench)
  const { accountNumber } = await createAccount(bench, PERSON)
  const charges = chargesOf(10, 0.75)
  await takeIncoming(bench, { accountNumber, amount: 5_000, charges, ...PAYER })
  await setSettings(bench, { schedule: 'manual', reservePercent: 10, reserveDays: 7 })
  await closeSettlement(bench)
  await createFeeRule(bench)
  await createFeeRule(bench, { basis: 'payout' })
  await simulate(bench, accountNumber, '2000.00')
  const { number } = await begin(bench)
  const { sessionId } = await credit(bench, number, '100')
  await createPayout(bench, { amount: '1900', narration: PAYER.narration })
  await rounds.send()
  await reverse(bench, sessionId, '100')
  const nobodys = await credit(bench, NOBODYS_NUMBER, '40')
  await resolve(bench, nobodys.sessionId, 'return')
  await rounds.send()
  await reverse(bench, nobodys.sessionId, '40')
  await recoverShortfall(bench)
  await simulate(bench, accountNumber, '500.00')
  await createPayout(bench, { amount: '300' })
  await forfeitPart(bench, accountNumber)
}

// Two operators hold 20 naira and forfeit 5 of them.
async function forfeitPart(bench: Bench, accountNumber: string): Promise<void> {
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const clientId = 'MAN0000001'
  const body = { target: 'account', clientId, accountNumber, amount: '20', reason: 'Reported' }
  const { reference } = dataOf(await maker.call({ url: HOLDS, body }))
  const part = { amount: '5', reason: 'By order' }
  dataOf(await maker.call({ url: `${HOLDS}/${reference}/forfeit`, body: part }))
  dataOf(await checker.call({ url: `${HOLDS}/${reference}/approve`, body: {} }))
}

// Two operators record that 10 naira of the bank's shortfall were paid back.
async function recoverShortfall(bench: Bench): Promise<void> {
  const maker = await newBrowser(bench, 'operator')
  const checker = await newBrowser(bench, 'operator')
  const debt = { kind: 'recovery', of: 'shortfall', bankCode: '035', amount: '10', reason: 'Paid' }
  const answer = await maker.call({ url: ADJUSTMENTS, body: debt })
  const { reference } = dataOf(answer)
  const approved = await checker.call({ url: `${ADJUSTMENTS}/${reference}/approve`, body: {} })
  assert.equal(dataOf(approved).state, 'approved')
}
