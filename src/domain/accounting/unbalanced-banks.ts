// Banks whose day is not proved (daily-proof.ts): no statement covers it, or a difference stands that
// is not explained. A bank that no money moved at yet needs no statement.

import type { Queryable } from '#db/pool.ts'
import { readDailyProofs, type TimingWindows } from '#domain/reconciliation/daily-proof.ts'
import type { UnbalancedBank } from './closed-days.ts'

type Asked = { day: string; windows: TimingWindows; now: Date }

export async function findUnbalancedBanks(
  db: Queryable,
  { day, windows, now }: Asked,
): Promise<UnbalancedBank[]> {
  const proofs = await readDailyProofs(db, { fromDay: day, toDay: day, windows, now })
  return proofs
    .filter(({ status }) => status !== 'balanced')
    .filter(({ status, isExpected }) => status !== 'missing_statement' || isExpected)
    .map(({ bankCode, currency, status, openDifferences }) => {
      return { bankCode, currency, status, openDifferences }
    })
}
