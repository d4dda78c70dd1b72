-- I93: keeps the people behind whoever chose a subaccount's bank account. Null for a user: a client's
-- credentials.
create or replace function keep_subaccount_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.account_chosen_at is distinct from old.account_chosen_at
     or new.bank_account_id <> old.bank_account_id then
    new.account_chosen_by_people := people_making(
      'client:', new.account_chosen_by_user, new.client_id, new.account_chosen_at);
  end if;
  return new;
end $$;
