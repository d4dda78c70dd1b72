-- Returns the active holds and open cases for which personal data must be kept (I250): of a collection
-- account, an advice or a credit, whichever is not null.
--
-- A hold counts if it applies to the client, to the subject, to one of its credits, or to the account or
-- merchantCode where its money is. A case counts if it names the client, the subject's credit, or a credit of
-- the subject. A person whose money is held has holds on accounts; an account that waits for such a hold
-- counts too.

create or replace function erasure_bars(
  of_client bigint, of_account bigint, of_advice uuid, of_credit bigint
) returns table (kind text, reference text) language sql stable as $$
  with places as (
    select of_account as account_id, null::uuid as payment_id
    union all select null, id from payments where advice_id = of_advice
    union all select collection_account_id, payment_id from credits where id = of_credit
    union all select assigned_account_id, assigned_payment_id from suspense_items
               where credit_id = of_credit
    union all select n.collection_account_id, null
                from credits c join numbers n on n.account_number = c.account_number
               where c.id = of_credit
  ), owners as (
    select of_client as id
    union select client_id from credits where id = of_credit
    union select a.client_id from places p join collection_accounts a on a.id = p.account_id
    union select y.client_id from places p join payments y on y.id = p.payment_id
  ), found as (
    select 'hold' as kind, h.reference, h.credit_id,
           h.target = 'client'
           or h.account_id in (select account_id from places)
           or h.merchant_code in (select a.merchant_code from collection_accounts a
                                    join places p on p.account_id = a.id) as is_of_subject
      from holds h where h.client_id in (select id from owners) and h.state = 'active'
    union all
    select 'hold', h.reference, null, true
      from held_person_accounts q join holds h on h.id = q.hold_id
     where q.account_id in (select account_id from places) and h.state = 'active'
    union all
    select 'case', reference, null, true
      from cases where client_id in (select id from owners) and state <> 'closed'
    union all
    select 'case', c.reference, l.credit_id, false
      from cases c join case_credits l on l.case_id = c.id
     where of_credit is null and c.state <> 'closed'
    union all
    select 'case', c.reference, l.credit_id, false
      from case_credits l join cases c on c.id = l.case_id
     where l.credit_id = of_credit and c.state <> 'closed'
  )
  select distinct f.kind, f.reference
    from found f left join credits c on c.id = f.credit_id
   where f.is_of_subject
      or f.credit_id = of_credit
      or c.collection_account_id = of_account
      or c.account_number in (select account_number from numbers
                               where collection_account_id = of_account)
      or of_credit is null and c.payment_id in (select payment_id from places)
      or of_credit is null and exists (
           select from suspense_items i join places p
               on i.assigned_account_id = p.account_id or i.assigned_payment_id = p.payment_id
            where i.credit_id = f.credit_id)
$$;
