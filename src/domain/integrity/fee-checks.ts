// I44 on live data: fees and their VAT are in the ledger as they were charged.

import type { Check } from '#ledger/ledger-checks.ts'

// Deductions from the receipts of each ledger account that were not given back: fees, their VAT and
// the shares of subaccounts.
export const DEDUCTED = `
  select account_id, sum(kobo) as kobo
    from (select account_id,
                 fee_kobo + vat_kobo - fee_returned_kobo - vat_returned_kobo as kobo
            from credit_fees
          union all
          select account_id, share_kobo - returned_kobo from credit_splits
          union all
          select collection_account_id, coalesce(merchant_fee_kobo, 0) + coalesce(merchant_vat_kobo, 0)
            from archived_credits) as deductions
   group by account_id`

export const FEE_CHECKS: readonly Check[] = [
  {
    // I44. The ledger has each leg as charged, minus the amount given back. Nothing else moves
    // these accounts.
    name: 'fees_are_booked',
    sql: `
      with incomes as (
        select id, kind from ledger_accounts where kind in ('fee_income', 'vat_payable')
      ), legs as (
        select t.credit_id, i.kind, t.amount_kobo as kobo
          from transfers t join incomes i on i.id = t.credit_account_id
         where t.credit_id is not null and t.archive_id is null
        union all
        select t.credit_id, i.kind, -t.amount_kobo
          from transfers t join incomes i on i.id = t.debit_account_id
         where t.credit_id is not null and t.archive_id is null
      ), booked as (
        select credit_id, coalesce(sum(kobo) filter (where kind = 'fee_income'), 0) as fee,
               coalesce(sum(kobo) filter (where kind = 'vat_payable'), 0) as vat
          from legs group by credit_id
      ), charged as (
        select credit_id, sum(fee_kobo - fee_returned_kobo) as fee,
               sum(vat_kobo - vat_returned_kobo) as vat
          from credit_fees group by credit_id
      )
      select 'credit ' || coalesce(c.credit_id, b.credit_id) as subject,
             format('fee %s, VAT %s', coalesce(c.fee, 0), coalesce(c.vat, 0)) as expected,
             format('fee %s, VAT %s', coalesce(b.fee, 0), coalesce(b.vat, 0)) as found
        from charged c full join booked b on b.credit_id = c.credit_id
       where (c.fee, c.vat) is distinct from (b.fee, b.vat)
       order by coalesce(c.credit_id, b.credit_id)`,
  },
  {
    // I44. A payment shows the fees that its credits bore.
    name: 'payments_show_their_fees',
    sql: `
      with charged as (
        select coalesce(i.assigned_payment_id, case when f.item_id is null then c.payment_id end)
                 as payment_id,
               sum(f.fee_kobo - f.fee_returned_kobo) as fee,
               sum(f.vat_kobo - f.vat_returned_kobo) as vat
          from credit_fees f
          join credits c on c.id = f.credit_id
          left join suspense_items i on i.id = f.item_id
         group by 1
      )
      select 'payment ' || coalesce(p.id, c.payment_id) as subject,
             format('fee %s, VAT %s', coalesce(c.fee, 0), coalesce(c.vat, 0)) as expected,
             format('fee %s, VAT %s', p.fee, p.vat) as found
        from (select id, charged_fee_kobo as fee, charged_vat_kobo as vat from payments) as p
        full join (select * from charged where payment_id is not null) as c on c.payment_id = p.id
       where (p.fee, p.vat) is distinct from (coalesce(c.fee, 0), coalesce(c.vat, 0))
       order by coalesce(p.id, c.payment_id)`,
  },
]
