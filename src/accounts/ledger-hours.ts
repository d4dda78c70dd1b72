// The movements of ledger accounts, summed by hour, kind of account, owner, reason and cause. So the journal
// of a day and the upcoming settlement cost the same for ten transfers as for millions. A worker counts the
// transfers; with those that are not counted yet, the sums always equal the ledger (I186;
// src/ledger/transfer-counts.ts).

import { HOUR_MS } from '#clock.ts'
import type { Transaction } from '#db/transaction.ts'
import { countNext, isUncounted } from '#ledger/transfer-counts.ts'

export const HOURS_CURSOR = 'ledger_hours_cursor'

// SQL joins and scalars: the owner of the ledger account `l`, which is a client (directly, by a subaccount,
// or by the operator's account for it) or a bank.
const JOIN_SUBACCOUNT = `
  left join subaccounts sub
    on sub.id = case when l.owner like 'subaccount:%' then split_part(l.owner, ':', 2)::bigint end`
export const OWNER_JOINS = `
  left join collection_accounts own on own.id = l.id and l.kind = 'collection' ${JOIN_SUBACCOUNT}`
export const OWNER_CLIENT = `
  coalesce(own.client_id, sub.client_id,
           case when l.owner ~ '^(client|operator):' then split_part(l.owner, ':', 2)::bigint end)`
export const OWNER_BANK = `case when l.owner like 'bank:%' then substr(l.owner, 6) end`

const KEY = 'hour, kind, currency, client_id, bank_code, reason, cause'
const PARTS = ['debit_kobo', 'credit_kobo', 'debits', 'credits']
const COLUMNS = `${KEY}, ${PARTS.join(', ')}`
const SUMS = PARTS.map((part) => `sum(s.${part})::bigint as ${part}`).join(', ')
const ADD_EXCLUDED = PARTS.map((part) => `${part} = ledger_hours.${part} + excluded.${part}`)

// SQL query: the rows of ledger_hours that these transfers make. `transfers` is what follows `from`, with its
// condition. Sums each side by account first, and looks each account up in one table: most are collection
// accounts, and that is most of the work.
const hoursOf = (transfers: string) => `
  with counted as materialized (
    select debit_account_id, credit_account_id, amount_kobo, reason,
           date_trunc('hour', posted_at, 'UTC') as hour,
           case when settlement_id is not null then 'settlement'
                when credit_id is not null then 'credit'
                when adjustment_id is not null then 'adjustment' else 'other' end as cause
      from ${transfers}
  )
  select s.hour, coalesce(l.kind, 'collection') as kind,
         coalesce(l.currency, own.currency_code) as currency, ${OWNER_CLIENT} as client_id,
         ${OWNER_BANK} as bank_code, s.reason, s.cause, ${SUMS}
    from (select debit_account_id as id, hour, reason, cause, sum(amount_kobo) as debit_kobo,
                 0 as credit_kobo, count(*) as debits, 0 as credits
            from counted group by 1, 2, 3, 4
          union all
          select credit_account_id, hour, reason, cause, 0, sum(amount_kobo), 0, count(*)
            from counted group by 1, 2, 3, 4) as s
    left join collection_accounts own on own.id = s.id
    left join ledger_accounts l on l.id = case when own.id is null then s.id end ${JOIN_SUBACCOUNT}
   group by 1, 2, 3, 4, 5, 6, 7`

const COUNT = `
  insert into ledger_hours (${COLUMNS})
  ${hoursOf('transfers where id > $1 and id <= $2')}
  on conflict on constraint ledger_hours_once do update set ${ADD_EXCLUDED.join(', ')}`

// Adds the next transfers to the hours. Returns whether more are left.
export function countHours(tx: Transaction, limit?: number): Promise<boolean> {
  return countNext(tx, HOURS_CURSOR, { sql: COUNT, limit })
}

// SQL query: the rows of ledger_hours for transfers posted from $1 (included) to $2 (excluded), both on the
// hour, with the transfers that are not counted. `after` is the position of the hours (findPosition). One
// movement may have several rows.
export const selectHours = (after: string) => `
  select ${COLUMNS} from ledger_hours where hour >= $1 and hour < $2
  union all
  select ${COLUMNS} from (${hoursOf(`transfers where ${isUncounted(HOURS_CURSOR, after)}
                                       and posted_at >= $1 and posted_at < $2`)}) as tail`

// SQL condition: settlements draw from this kind of account, and the transfer is not of a settlement.
const IS_SETTLED = `
  kind = any('{collection,available,subaccount}') and cause <> 'settlement'`

// SQL query: the movements that the next settlement would cover, as reason, cause, kobo and brought. $1 is
// the client, $2 the currency and $3 the end. $4 is the position of the hours. $5 and $6 are the previous
// settlement's cut-off, on the hour, and its last id.
//
// All hours from $5 on are after the previous cut-off. Of the time before, only what that settlement left
// over counts: transfers with a higher id.
const selectUpcoming = (hasPrevious: boolean) => `
  select reason, cause, credit_kobo - debit_kobo as kobo, credits as brought
    from (select ${COLUMNS} from ledger_hours
           where client_id = $1 and currency = $2 and hour >= $5 and hour < $3
          union all
          select ${COLUMNS}
            from (${hoursOf(`(
              select * from transfers where ${isUncounted(HOURS_CURSOR, '$4')} and posted_at >= $5
              ${hasPrevious ? LEFT_OVER : ''}) as left_over where posted_at < $3`)}) as tail
           where client_id = $1 and currency = $2) as hours
   where ${IS_SETTLED}`

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

// Whether the hours can begin or end at this time. The rest of the hour would have to be read from the
// transfers of all clients, which may be more than those of one client's accounts.
export function isFullHour(time: Date): boolean {
  return time.getTime() % HOUR_MS === 0
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
