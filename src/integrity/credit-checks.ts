// Checks of account numbers (I6, I41), blocks of credits (I84) and the isolation of clients (I11), on live
// data.

import { BLOCK_IDS } from '#db/bounds.ts'
import type { Check } from '#ledger/checks.ts'

export const NUMBER_CHECKS: readonly Check[] = [
  {
    // I6. A number belongs to one collection account or one payment, of the same client and bank, and a
    // collection account keeps its number permanently. The checks below cover additional numbers and numbers
    // of payments.
    name: 'numbers_have_one_owner',
    sql: `
      select 'number ' || coalesce(n.account_number, a.account_number) as subject,
             case when a.id is not null
                  then format('collection account %s at %s', a.id, a.bank_code)
                  else 'an owner that is there' end as expected,
             case when n.account_number is null then 'nobody'
                  when n.payment_id is not null then 'payment ' || n.payment_id
                  else format('collection account %s at %s', n.collection_account_id, n.bank_code)
             end as found
        from (select * from numbers where added_at is null) as n
        full join collection_accounts a on a.account_number = n.account_number
        left join payments p on p.id = n.payment_id and p.client_id = n.client_id
       where (a.id is not null or p.id is null)
         and (n.collection_account_id, n.client_id, n.bank_code)
             is distinct from (a.id, a.client_id, a.bank_code)
       order by 1`,
  },
  {
    // An account has at most one additional number at each bank, and none at its own bank.
    name: 'additional_numbers_are_elsewhere',
    sql: `
      select 'number ' || n.account_number as subject,
             'another bank than ' || a.bank_code as expected, n.bank_code as found
        from numbers n join collection_accounts a on a.id = n.collection_account_id
       where n.added_at is not null and n.bank_code = a.bank_code
       order by 1`,
  },
  {
    // I41. A reserved number has an owner of the kind that it was reserved for, or no owner yet.
    name: 'reserved_numbers_are_used_once',
    sql: `
      select 'reserved number ' || r.account_number as subject,
             case when r.state = 'available' then 'nobody'
                  else format('%s at %s', case r.purpose when 'static' then 'collection account'
                                          else 'payment' end, r.bank_code) end as expected,
             case when n.account_number is null then 'nobody'
                  else format('%s at %s', case when n.payment_id is null then 'collection account'
                                          else 'payment' end, n.bank_code) end as found
        from reserved_numbers r left join numbers n on n.account_number = r.account_number
       where r.state <> 'asked'
         and case when r.state = 'available' then n.account_number is not null
                  else (n.bank_code, n.payment_id is null)
                       is distinct from (r.bank_code, r.purpose = 'static') end
       order by 1`,
  },
  {
    // A dynamic number belongs to the last payment that it was issued to.
    name: 'leases_are_with_their_payments',
    sql: `
      with leases as (
        select distinct on (account_number) account_number, payment_id, bank_code
          from payment_numbers order by account_number, issued_at desc
      )
      select 'number ' || coalesce(n.account_number, l.account_number) as subject,
             coalesce('payment ' || l.payment_id, 'no payment') as expected,
             coalesce('payment ' || n.payment_id, 'no payment') as found
        from (select * from numbers where payment_id is not null) as n
        full join leases l on l.account_number = n.account_number
       where (n.payment_id, n.bank_code) is distinct from (l.payment_id, l.bank_code)
       order by 1`,
  },
]

const SAMPLE_SIZE = 16

// I84. Credits are grouped into blocks by id, and each block stores the times of its first and last credit.
// The times are correct, and no credit is outside the blocks. Each run samples a few blocks, because checking
// all would read every credit once more.
export const CREDIT_BLOCK_CHECKS: readonly Check[] = [
  {
    name: 'credit_blocks_have_their_times',
    sql: `
      with some_blocks as (
        select * from (select *, lead(block, 1, block + 1) over (order by block) as next
                         from credit_blocks) as b
         order by random() limit ${SAMPLE_SIZE}
      )
      select 'credit block ' || b.block as subject,
             format('%s to %s', b.first_at, b.last_at) as expected,
             format('%s to %s', c.first_at, c.last_at) as found
        from some_blocks b,
             lateral (select min(received_at) as first_at, max(received_at) as last_at
                        from credits
                       where id >= b.block * ${BLOCK_IDS} and id < b.next * ${BLOCK_IDS}) as c
       where (c.first_at, c.last_at) is distinct from (b.first_at, b.last_at)
       order by b.block`,
  },
]

const OBJECT_NAMES: Record<string, string> = {
  credits: 'credit',
  events: 'event',
  deliveries: 'delivery',
}

// SQL query: the rows of `from` whose `key` references a row of `to` that belongs to another client.
const rowsOfAnotherClient = (from: string, key: string, to: string) => `
  select format('${OBJECT_NAMES[from]} %s', f.${from === 'deliveries' ? 'event_id' : 'id'}) as subject,
         'client ' || coalesce(f.client_id::text, 'nobody') as expected,
         format('${to} of client %s', t.client_id) as found
    from ${from} f join ${to} t on t.id = f.${key}
   where f.client_id is distinct from t.client_id`

// I11. No row references a row of another client. This check covers references without a foreign key: rows
// that are written for every credit or event have none, because a foreign key costs a look-up and a lock. The
// code that writes them copies the client from the referenced row.
export const ISOLATION_CHECKS: readonly Check[] = [
  {
    name: 'nothing_points_at_another_client',
    sql: [
      rowsOfAnotherClient('credits', 'collection_account_id', 'collection_accounts'),
      rowsOfAnotherClient('credits', 'payment_id', 'payments'),
      rowsOfAnotherClient('events', 'collection_account_id', 'collection_accounts'),
      rowsOfAnotherClient('events', 'payment_id', 'payments'),
      rowsOfAnotherClient('deliveries', 'destination_id', 'destinations'),
      rowsOfAnotherClient('deliveries', 'event_id', 'events'),
    ].join(' union all '),
  },
]
