// A finished month of a client's money and its aftermath, to show that archiving changes no report.

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

// The start of the ledger once the month is archived.
export const BEGINS = MONTH.to

// Credits to two accounts in turn, a day apart, with fees and half of them with bank charges; and rows
// that stay: a paid payment and a payout.
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

// A year later, the month is settled and more money comes.
export async function liveOn(bench: Bench, numbers: readonly string[]): Promise<void> {
  bench.advance(YEAR_MS)
  await closed(bench)
  for (const accountNumber of numbers) {
    bench.advance(60_000)
    await takeIncoming(bench, { accountNumber, amount: 70 })
  }
  bench.advance(60_000)
}

// Archives all eight archivable credits.
export async function archiveLived(bench: Bench, month = MONTH): Promise<bigint> {
  using folder = createTempFolder()
  return (await archive(bench, folder.path, month)).credits
}
