// Transfers that changed the refunded amount of a client's credits: confirmed by a bank, or shown by its
// statement, less the amounts that came back. They belong to payouts, not to credits, so the outbox does
// not count them (hourly-totals.ts) and they are read from the ledger.

const IS_REFUND = `t.credit_id is null and t.reason = 'refunded'`
const LEFT = `'refunding', 'receivable'`

// All refunds of client $1: `id`, `posted_at`, `currency`, `payout_id` and `refunded_kobo`.
export const CLIENT_REFUNDS = `
  select t.id, t.posted_at, l.currency, coalesce(t.payout_id, f.payout_id) as payout_id,
         t.amount_kobo as refunded_kobo
    from ledger_accounts l
    join transfers t on t.debit_account_id = l.id
    left join differences f on f.id = t.difference_id
   where l.owner = format('client:%s', $1::bigint) and l.kind in (${LEFT})
     and l.kind <> 'collection' and ${IS_REFUND}
  union all
  select t.id, t.posted_at, l.currency, coalesce(t.payout_id, f.payout_id), -t.amount_kobo
    from ledger_accounts l
    join transfers t on t.credit_account_id = l.id
    left join differences f on f.id = t.difference_id
   where l.owner = format('client:%s', $1::bigint) and l.kind = 'available'
     and l.kind <> 'collection' and ${IS_REFUND}`

// The refunds of the credits $1 by client $2: `id`, `credit_id`, `posted_at` and `refunded_kobo`.
export const CREDIT_REFUNDS = `
  select t.id, p.credit_id, t.posted_at,
         case when d.kind in (${LEFT}) then t.amount_kobo else -t.amount_kobo end as refunded_kobo
    from payouts p
   cross join lateral (
      select * from transfers where payout_id = p.id
      union all
      select o.* from differences f join transfers o on o.difference_id = f.id
       where f.payout_id = p.id) as t
    join ledger_accounts d on d.id = t.debit_account_id
    join ledger_accounts k on k.id = t.credit_account_id
   where p.credit_id = any($1::bigint[]) and p.client_id = $2 and ${IS_REFUND}
     and (d.kind in (${LEFT}) or k.kind = 'available')`
