// Banks whose day does not equal their statement: no statement covers it, or a difference stands that
// is not explained.

import type { Queryable } from '#db/pool.ts'
import type { UnbalancedBank } from './closed-days.ts'

// Differences that time is expected to clear, while they are younger than this.
const TIMING_DAYS = 2

export async function findUnbalancedBanks(
  db: Queryable,
  { day, endsAt }: { day: string; endsAt: Date },
): Promise<UnbalancedBank[]> {
  const { rows } = await db.query<UnbalancedBank>({
    name: 'find-unbalanced-banks',
    text: `select bank_code as "bankCode", currency, status
             from (select substr(l.owner, 6) as bank_code, l.currency,
                          case when not exists (
                                 select from statements s
                                  where s.bank_code = substr(l.owner, 6) and s.currency = l.currency
                                    and $1 between s.from_day and s.to_day) then 'missing_statement'
                               when exists (
                                 select from differences d
                                  where d.bank_code = substr(l.owner, 6) and d.currency = l.currency
                                    and d.day <= $1 and d.state in ('open', 'asked')
                                    and not (d.kind in ('missing_in_books', 'missing_at_bank')
                                             and d.day > $1::date - ${TIMING_DAYS})) then 'differences'
                               else 'balanced' end as status
                     from ledger_accounts l
                    where l.kind = 'bank'
                      and exists (select from transfers t
                                   where l.id in (t.debit_account_id, t.credit_account_id)
                                     and t.posted_at < $2)) as b
            where status <> 'balanced' order by 1, 2`,
    values: [day, endsAt],
  })
  return rows
}
