// Writes the ledger transfers of books that were inserted without the service's rules (books.ts), so that
// journals and trial balances contain them. One credit in ten is in suspense; the other credits and the
// payouts belong to the sandbox's client.

import type pg from 'pg'

const CLIENT = `(select 'client:' || min(id) from clients)`

const OPEN_ACCOUNTS = `
  insert into ledger_accounts (id, kind, owner, currency)
  select nextval('ledger_account_ids'), kind, owner, 'NGN'
    from (select distinct k.kind, 'bank:' || c.bank_code as owner
            from credits c
           cross join unnest('{suspense,bank_cost,input_vat,stamp_duty}'::text[]) as k (kind)
          union all
          select k.kind, ${CLIENT} from unnest('{available,paying}'::text[]) as k (kind)) as a
  on conflict (kind, owner, currency) where kind <> 'collection' do nothing`

// SQL condition: the credit is in suspense. No credit of the first days is, because money that is in suspense
// for more than 30 days must be reviewed before the month can be closed.
const IS_SUSPENDED = `c.id % 10 = 0
  and c.received_at >= ($1::date + 2)::timestamp at time zone 'Africa/Lagos'`

const POST = `
  insert into transfers
    (debit_account_id, credit_account_id, amount_kobo, credit_id, payout_id, reason, posted_at)
  select d.id, c.id, m.kobo, m.credit_id, m.payout_id, m.reason, m.at
    from (
      select 'bank' as debit, case when ${IS_SUSPENDED} then 'suspense' else 'available' end as credit,
             c.bank_code, c.amount_kobo as kobo, c.id as credit_id, null::bigint as payout_id,
             'credit' as reason, c.received_at as at
        from credits c
      union all
      select k.kind, 'bank', c.bank_code, k.kobo, c.id, null, 'bank_charge', c.received_at
        from credits c
       cross join lateral (values ('bank_cost', c.fee_kobo), ('input_vat', c.vat_kobo),
                                  ('stamp_duty', c.duty_kobo)) as k (kind, kobo)
       where k.kobo > 0
      union all
      select 'available', 'paying', p.bank_code, p.amount_kobo, null, p.id, 'payout', p.requested_at
        from payouts p
      union all
      select 'paying', 'bank', p.bank_code, p.amount_kobo, null, p.id, 'paid', p.settled_at
        from payouts p
    ) as m
    join ledger_accounts d on d.kind = m.debit and d.currency = 'NGN'
     and d.owner in ('bank:' || m.bank_code, ${CLIENT})
    join ledger_accounts c on c.kind = m.credit and c.currency = 'NGN'
     and c.owner in ('bank:' || m.bank_code, ${CLIENT})
   order by m.at`

const ADD_UP = `
  update ledger_accounts l set debits_kobo = s.debits, credits_kobo = s.credits
    from (select id, sum(debit) as debits, sum(credit) as credits
            from (select debit_account_id as id, amount_kobo as debit, 0 as credit from transfers
                  union all
                  select credit_account_id, 0, amount_kobo from transfers) as t
           group by id) as s
   where s.id = l.id`

const SUSPEND = `
  insert into suspense_items (credit_id, account_id, amount_kobo, reason, opened_at)
  select c.id, l.id, c.amount_kobo, 'unknown_number', c.received_at
    from credits c
    join ledger_accounts l on l.kind = 'suspense' and l.owner = 'bank:' || c.bank_code
   where ${IS_SUSPENDED}`

// Inserts the ledger accounts, the transfers, the balances and the suspense items. `openingDay` is the day
// before the first statement; its credits are not in suspense. The writer's connection has the database's
// triggers switched off.
export async function writeTransfers(writer: pg.Client, openingDay: string): Promise<void> {
  await writer.query(OPEN_ACCOUNTS)
  await writer.query(POST, [openingDay])
  await writer.query(ADD_UP)
  await writer.query(SUSPEND, [openingDay])
}
