// Banks whose day is not proved (daily-proof.ts): no statement covers it, or a difference is open.
// A bank without any movements yet needs no statement.

import type { Queryable } from '#db/pool.ts'
import { readDailyProofs, type TimingWindows } from '#domain/reconciliation/daily-proof.ts'
import type { UnbalancedBank } from './closed-days.ts'

export async function findUnbalancedBanks(
  db: Queryable,
  { day, windows, now }: { day: string; windows: TimingWindows; now: Date },
): Promise<UnbalancedBank[]> {
  const proofs = await readDailyProofs(db, { fromDay: day, toDay: day, windows, now })
  return proofs
    .filter(({ status }) => status !== 'balanced')
    .filter(({ status, isExpected }) => status !== 'missing_statement' || isExpected)
    .map(({ bankCode, currency, status, openDifferences }) => {
      return { bankCode, currency, status, openDifferences }
    })
}
