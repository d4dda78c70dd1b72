// Banks whose day is not proved (daily-proof.ts): no statement covers it, or a difference stands that
// is not explained. A bank that no money moved at yet needs no statement.

import type { Queryable } from '#db/pool.ts'
import { readDailyProofs, type TimingWindows } from '#domain/reconciliation/daily-proof.ts'
import type { UnbalancedBank } from './closed-days.ts'

type Asked = { day: string; endsAt: Date; windows: TimingWindows; now: Date }

export async function findUnbalancedBanks(
  db: Queryable,
  { day, endsAt, windows, now }: Asked,
): Promise<UnbalancedBank[]> {
  const proofs = await readDailyProofs(db, { fromDay: day, toDay: day, windows, now })
  const moved = await findMoved(db, endsAt)
  return proofs
    .filter(({ status }) => status !== 'balanced')
    .filter(({ status, ...bank }) => status !== 'missing_statement' || moved.has(keyOf(bank)))
    .map(({ bankCode, currency, status }) => ({ bankCode, currency, status }))
}

type Bank = Pick<UnbalancedBank, 'bankCode' | 'currency'>

const keyOf = ({ bankCode, currency }: Bank) => `${bankCode} ${currency}`

async function findMoved(db: Queryable, until: Date): Promise<Set<string>> {
  const { rows } = await db.query<Bank>({
    name: 'find-moved-banks',
    text: `select substr(l.owner, 6) as "bankCode", l.currency
             from ledger_accounts l
            where l.kind = 'bank'
              and exists (select from transfers t
                           where l.id in (t.debit_account_id, t.credit_account_id)
                             and t.posted_at < $1)`,
    values: [until],
  })
  return new Set(rows.map(keyOf))
}
