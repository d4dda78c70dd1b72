// Sums by hour of the movements on the accounts that a client's settlements draw from, so that the upcoming
// settlement costs the same for ten transfers as for millions. A worker counts the transfers (I186;
// src/ledger/transfer-counts.ts). Transfers of settlements are left out.

import { HOUR_MS } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { countNext, isUncounted } from '#ledger/transfer-counts.ts'

export const HOURS_CURSOR = 'settlement_hours_cursor'

// SQL query: the movements of these transfers on accounts that settlements draw from: client_id, currency,
// posted_at, reason, cause and kobo. The client is null for all other accounts. `transfers` is what follows
// `from`, with its condition. Only banks' accounts are debited with the reason `credit`.
const movesOf = (transfers: string) => `
  with counted as materialized (
    select debit_account_id, credit_account_id, amount_kobo, reason, posted_at,
           case when credit_id is not null then 'credit'
                when adjustment_id is not null then 'adjustment' else 'other' end as cause
      from ${transfers} and settlement_id is null
  ), sides as (
    select credit_account_id as account_id, amount_kobo as kobo, reason, posted_at, cause from counted
    union all
    select debit_account_id, -amount_kobo, reason, posted_at, cause from counted
     where reason <> 'credit'
  )
  select coalesce(a.client_id, u.client_id,
                  case l.kind when 'available' then substr(l.owner, 8)::bigint end) as client_id,
         coalesce(a.currency_code, l.currency) as currency, s.posted_at, s.reason, s.cause, s.kobo
    from sides s
    left join collection_accounts a on a.id = s.account_id
    left join ledger_accounts l on l.id = s.account_id and l.kind in ('available', 'subaccount')
    left join subaccounts u
      on u.id = case l.kind when 'subaccount' then substr(l.owner, 12)::bigint end`

const COUNT = `
  insert into settlement_hours (client_id, currency, hour, reason, cause, kobo, brought)
  select client_id, currency, date_trunc('hour', posted_at, 'UTC'), reason, cause, sum(kobo)::bigint,
         count(*) filter (where kobo > 0)
    from (${movesOf('transfers where id > $1 and id <= $2')}) as moves
   where client_id is not null
   group by 1, 2, 3, 4, 5
  on conflict (client_id, currency, hour, reason, cause) do update
    set kobo = settlement_hours.kobo + excluded.kobo,
        brought = settlement_hours.brought + excluded.brought`

// Adds the next transfers to the hours. Returns whether more are left.
export function countHours(tx: Transaction, limit?: number): Promise<boolean> {
  return countNext(tx, HOURS_CURSOR, { sql: COUNT, limit })
}

// SQL query: the movements that the next settlement would cover, as reason, cause, kobo and brought. $1 is
// the client, $2 the currency and $3 the end. $4 is the position of the hours. $5 and $6 are the previous
// settlement's cut-off, on the hour, and its last id.
//
// All hours from $5 on are after the previous cut-off. Of the time before, only what that settlement left
// over counts: transfers with a higher id.
const selectUpcoming = (hasPrevious: boolean) => `
  select reason, cause, kobo, brought
    from settlement_hours
   where client_id = $1 and currency = $2 and hour >= $5 and hour < $3
  union all
  select reason, cause, kobo, (kobo > 0)::int
    from (${movesOf(`(
      select * from transfers where ${isUncounted(HOURS_CURSOR, '$4')} and posted_at >= $5
      ${hasPrevious ? LEFT_OVER : ''}) as left_over where posted_at < $3`)}) as moves
   where client_id = $1 and currency = $2`

const LEFT_OVER = `
      union all
      select * from transfers where id > $6 and posted_at < $5`

type Upcoming = {
  clientId: bigint
  currency: string
  cutOff: Date
  after: bigint // The position of the hours (findPosition).
  previous: { cutOff: Date; toId: bigint } | undefined
}

// Whether the hours can begin at the cut-off. The hour of any other cut-off would have to be read from the
// transfers of all clients, which may be more than those of this client's accounts.
export function isFullHour(cutOff: Date): boolean {
  return cutOff.getTime() % HOUR_MS === 0
}

// Returns the query selectUpcoming() with its values.
export function queryUpcoming({ clientId, currency, cutOff, after, previous }: Upcoming): {
  text: string
  values: unknown[]
} {
  const values = [clientId, currency, cutOff, after]
  if (!previous) return { text: selectUpcoming(false), values: [...values, '-infinity'] }
  return { text: selectUpcoming(true), values: [...values, previous.cutOff, previous.toId] }
}
