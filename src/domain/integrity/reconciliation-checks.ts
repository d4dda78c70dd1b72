// I63 on live data: a bank's ledger account holds what its items brought and took.

import type { Check } from '#ledger/ledger-checks.ts'

export const RECONCILIATION_CHECKS: readonly Check[] = [
  {
    name: 'bank_items_are_the_balance',
    sql: `
      with items as (
        select bank_code, currency, sum(amount_kobo) as kobo from bank_items group by 1, 2
      ), balances as (
        select substr(owner, 6) as bank_code, currency, debits_kobo - credits_kobo as kobo
          from ledger_accounts where kind = 'bank'
      )
      select format('bank %s, %s', coalesce(i.bank_code, b.bank_code),
                    coalesce(i.currency, b.currency)) as subject,
             format('balance %s', coalesce(i.kobo, 0)) as expected,
             format('balance %s', coalesce(b.kobo, 0)) as found
        from items i full join balances b using (bank_code, currency)
       where coalesce(i.kobo, 0) <> coalesce(b.kobo, 0)
       order by 1`,
  },
]
