// A month of a client's money that is finished, and what came after it: enough to see that nothing told of
// it changes when it is archived.

import { archive, MONTH, YEAR_MS } from './archiving.ts'
import { createFeeRule } from './fee-rules.ts'
import { createAccount, simulate, startPayment } from './fixtures.ts'
import { chargesOf, takeIncoming } from './incoming-credits.ts'
import { CONFIRMED, payOut, settleAll } from './money-out.ts'
import type { Bench } from './running-service.ts'
import { closed } from './settlements.ts'
import { createTempFolder } from './temp-folder.ts'

const DAY_MS = 86_400_000
const TAKEN = 8

// Where the ledger begins, once the month is archived.
export const BEGINS = MONTH.to

// To two accounts by turns, a day apart, with fees and half of them with charges of the bank; and what
// stays: a payment that is paid, and a payout.
export async function liveAMonth(bench: Bench): Promise<string[]> {
  await createFeeRule(bench, { vatBps: 750 })
  const numbers: string[] = []
  for (const merchantCode of ['Nai0000319', 'Nai0000320']) {
    numbers.push((await createAccount(bench, { merchantCode })).accountNumber)
  }
  for (let at = 0; at < TAKEN; at++) {
    bench.advance(DAY_MS)
    const accountNumber = numbers[at % 2] as string
    const charges = at < TAKEN / 2 ? { charges: chargesOf(10, 0.75, 50) } : {}
    await takeIncoming(bench, { accountNumber, amount: 1_000 + at, ...charges })
  }
  const { bankAccount } = await startPayment(bench, { amount: 500 })
  await simulate(bench, bankAccount, '500.00')
  await payOut(bench, 100)
  await settleAll(bench, CONFIRMED)
  return numbers
}

// A year later it is settled, and more comes.
export async function liveOn(bench: Bench, numbers: readonly string[]): Promise<void> {
  bench.advance(YEAR_MS)
  await closed(bench)
  for (const accountNumber of numbers) {
    bench.advance(60_000)
    await takeIncoming(bench, { accountNumber, amount: 70 })
  }
  bench.advance(60_000)
}

// All of the eight that are to be archived.
export async function archiveLived(bench: Bench, month = MONTH): Promise<bigint> {
  using folder = createTempFolder()
  return (await archive(bench, folder.path, month)).credits
}
