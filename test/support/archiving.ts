// Archives a month of a test service, as `manilla archive` does.

import { join } from 'node:path'
import { archiveMonth } from '#domain/archive/archive-month.ts'
import { monthAt } from '#domain/archive/months.ts'
import { createFeeRule } from './fee-rules.ts'
import { createAccount } from './fixtures.ts'
import { chargesOf, takeIncoming } from './incoming-credits.ts'
import { KEY } from './proving.ts'
import { type Bench, START } from './running-service.ts'
import { createTempFolder } from './temp-folder.ts'

export const YEAR_MS = 365 * 86_400_000

export const MONTH = monthAt(START)

// The month in which test services start, unless another is named.
export function archive(bench: Pick<Bench, 'db' | 'clock'>, folder: string, month = MONTH) {
  return archiveMonth(bench.db, {
    month,
    folder: join(folder, month.name),
    actor: 'ops',
    exportedAt: bench.clock(),
    product: 'manilla 0.0.0',
    mode: 'sandbox',
    key: KEY,
    onProgress: () => {},
  })
}

// In the next year. All of its credits that are finished.
export async function archiveLater(bench: Bench): Promise<void> {
  bench.advance(YEAR_MS)
  using folder = createTempFolder()
  await archive(bench, folder.path)
}

// So many credits to two new accounts, a minute apart, with the operator's fee; of every other one the
// bank has withheld charges. Answers the accounts' numbers.
export async function finishedCredits(bench: Bench, count = 6): Promise<string[]> {
  await createFeeRule(bench)
  const numbers = [await createAccount(bench), await createAccount(bench)].map(
    ({ accountNumber }) => accountNumber as string,
  )
  for (let at = 0; at < count; at++) {
    bench.advance(60_000)
    const charges = at % 2 === 0 ? { charges: chargesOf(10, 0.75, 50) } : {}
    const accountNumber = numbers[Math.floor(at / 2) % 2] as string
    await takeIncoming(bench, { accountNumber, amount: 1_000 + at, ...charges })
  }
  return numbers
}
