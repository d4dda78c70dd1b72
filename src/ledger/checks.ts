// Checks the ledger on live data. Recomputes the balances from the transfers alone, and checks the rules that
// 0001_ledger.sql enforces at every write: balances are the sums of transfers, each currency sums to zero,
// and no account is overdrawn (I1, I3, I4).
//
// A check is one SQL statement that returns a row for each violation.

import type { Queryable } from '#db/pool.ts'

export type Finding = { check: string; subject: string; expected: string; found: string }

// The statement returns `subject`, `expected` and `found`, as text.
export type Check = { name: string; sql: string }

// Enough for a diagnosis. Broken books may have as many findings as accounts.
export const FINDINGS_PER_CHECK_MAX = 100

export const LEDGER_CHECKS: readonly Check[] = [
  {
    // Uses a full join, to find transfers whose account is missing too.
    name: 'balances_are_their_transfers',
    sql: `
      with sides as (
        select debit_account_id as id, sum(amount_kobo) as debits, 0 as credits
          from transfers group by debit_account_id
        union all
        select credit_account_id, 0, sum(amount_kobo) from transfers group by credit_account_id
      ), sums as (
        select id, sum(debits) as debits, sum(credits) as credits from sides group by id
      )
      select 'ledger account ' || coalesce(a.id, s.id) as subject,
             format('debits %s, credits %s', coalesce(s.debits, 0), coalesce(s.credits, 0))
               as expected,
             case when a.id is null then 'no such account'
                  else format('debits %s, credits %s', a.debits_kobo, a.credits_kobo) end as found
        from ledger_accounts a full join sums s on s.id = a.id
       where a.debits_kobo is distinct from coalesce(s.debits, 0)
          or a.credits_kobo is distinct from coalesce(s.credits, 0)
       order by coalesce(a.id, s.id)`,
  },
  {
    name: 'currencies_sum_to_zero',
    sql: `
      select currency as subject, '0' as expected,
             (sum(debits_kobo) - sum(credits_kobo))::text as found
        from ledger_accounts
       group by currency having sum(debits_kobo) <> sum(credits_kobo)
       order by currency`,
  },
  {
    name: 'nothing_is_overdrawn',
    sql: `
      select format('ledger account %s (%s %s)', id, kind, owner) as subject,
             '0 or more' as expected, balance::text as found
        from (select id, kind, owner,
                     case when kind in ('shortfall', 'bank_cost', 'stamp_duty', 'input_vat',
                                       'receivable', 'write_off', 'wht_receivable', 'wht_credit',
                                       'doubtful_debt')
                          then debits_kobo - credits_kobo
                          else credits_kobo - debits_kobo end as balance
                from ledger_accounts where kind <> 'bank') as balances
       where balance < 0
       order by id`,
  },
]

// Runs a check, and returns the violations that it finds.
export async function runCheck(db: Queryable, { name, sql }: Check): Promise<Finding[]> {
  const { rows } = await db.query<Omit<Finding, 'check'>>(`${sql} limit ${FINDINGS_PER_CHECK_MAX}`)
  return rows.map((row) => ({ check: name, ...row }))
}
