// Transfers that a bank reports without signing the report (I103). The question for each is committed before
// the report is acknowledged.

import type { CreditIdentifier } from '#banks/notifications.ts'
import { withTransaction } from '#db/transaction.ts'
import { askForReported } from '#domain/requery/questions.ts'
import type { Deps } from '#http/deps.ts'

export type Hinted = 'stored' | 'failed' // Failed: try again, it is safe.

export async function askForTransfers(
  { batchPool, clock, log }: Deps,
  bankCode: string,
  hints: readonly CreditIdentifier[],
): Promise<Map<CreditIdentifier, Hinted>> {
  const results = new Map<CreditIdentifier, Hinted>()
  for (const hint of hints) {
    try {
      await withTransaction(batchPool, (tx) => askForReported(tx, clock(), { bankCode, hint }))
      results.set(hint, 'stored')
    } catch (error) {
      log.error({ err: error }, 'failed to store a hint')
      results.set(hint, 'failed')
    }
  }
  return results
}
