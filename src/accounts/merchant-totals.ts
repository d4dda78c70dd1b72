// Totals of collection accounts by merchant, so that balances of a million accounts cost as little as those
// of ten. A worker counts the transfers; with those that are not counted yet, the totals always equal the
// ledger (I185; src/ledger/transfer-counts.ts).

import type { Transaction } from '#db/transaction.ts'
import { countNext, isUncounted } from '#ledger/transfer-counts.ts'

export const MERCHANT_CURSOR = 'merchant_totals_cursor'

const MERCHANT = 'merchant_id, merchant_code, currency'
const PARTS = ['balance_kobo', 'collected_kobo', 'reversed_kobo', 'suspended_kobo']
const COLUMNS = PARTS.join(', ')
const SUMS = PARTS.map((part) => `sum(${part})::bigint as ${part}`).join(', ')
const ADD_EXCLUDED = PARTS.map(
  (part) => `${part} = merchant_totals.${part} + excluded.${part}`,
).join(', ')

// SQL query: what these transfers changed, by client and merchant. `transfers` is what follows `from`, with
// its condition. Only banks' accounts are debited with the reason `credit`.
const changesOf = (transfers: string) => `
  with counted as materialized (
    select debit_account_id, credit_account_id, amount_kobo, credit_id, reason from ${transfers}
  ), sides as (
    select credit_account_id as account_id, amount_kobo as kobo, credit_id, reason from counted
    union all
    select debit_account_id, -amount_kobo, credit_id, reason from counted where reason <> 'credit'
  )
  select client_id, ${MERCHANT}, ${SUMS}
    from (select a.client_id, a.merchant_id, a.merchant_code, a.currency_code as currency,
                 s.kobo as balance_kobo,
                 case when s.credit_id is not null and s.reason <> 'split' then s.kobo else 0 end
                   as collected_kobo,
                 case when s.reason = 'reversal' then greatest(-s.kobo, 0) else 0 end
                   as reversed_kobo,
                 0 as suspended_kobo
            from sides s join collection_accounts a on a.id = s.account_id
          union all
          select a.client_id, a.merchant_id, a.merchant_code, a.currency_code, 0, 0, 0, s.kobo
            from sides s
            join ledger_accounts l on l.id = s.account_id and l.kind = 'suspense'
            join credits c on c.id = s.credit_id
            join collection_accounts a
              on a.id = c.collection_account_id and a.currency_code = c.currency
             and l.owner = 'client:' || a.client_id) as changes
   group by client_id, ${MERCHANT}`

// SQL query: the current totals of a client by merchant: merchant_id, merchant_code, currency and the columns
// of merchant_totals. `after` is the position of the totals (findPosition).
export const selectTotals = ({ client, after }: { client: string; after: string }) => `
  select ${MERCHANT}, ${SUMS}
    from (select ${MERCHANT}, ${COLUMNS}
            from merchant_totals where client_id = ${client}
          union all
          select ${MERCHANT}, ${COLUMNS}
            from (${changesOf(`transfers where ${isUncounted(MERCHANT_CURSOR, after)}`)}) as tail
           where client_id = ${client}) as parts
   group by ${MERCHANT}`

const COUNT = `
  insert into merchant_totals (client_id, ${MERCHANT}, ${COLUMNS})
  ${changesOf('transfers where id > $1 and id <= $2')}
  on conflict (client_id, ${MERCHANT}) do update set ${ADD_EXCLUDED}`

// Adds the next transfers to the totals. Returns whether more are left.
export function countByMerchant(tx: Transaction, limit?: number): Promise<boolean> {
  return countNext(tx, MERCHANT_CURSOR, { sql: COUNT, limit })
}
