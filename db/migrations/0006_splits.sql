-- Subaccounts, and splits that share a client's money with them.
--
--   I55  shares are posted in the transaction that books the money, after its fee. Together they are
--        never more than is left of it;
--   I56  when a bank takes the money back, a subaccount gives back its share in proportion, as far as
--        it still has it.
create table subaccounts (
  id                       bigint primary key generated always as identity,
  client_id                bigint not null references clients,
  code                     text collate "C" not null,
  name                     text not null,
  bank_account_id          bigint not null, -- Receives its settlements.
  is_active                boolean not null default true,
  created_at               timestamptz not null,
  updated_at               timestamptz not null,
  -- The user who chose the bank account of a subaccount, and the time: that user does not approve a
  -- settlement to it alone (I53). Null for older subaccounts and for client credentials.
  account_chosen_by_user   uuid,
  account_chosen_at        timestamptz,
  account_chosen_by_people uuid[],

  constraint subaccounts_of_client unique (client_id, id),
  constraint subaccounts_code_unique unique (client_id, code),
  constraint subaccounts_code_valid check (code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$')
);

create function keep_subaccount_people() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or new.account_chosen_at is distinct from old.account_chosen_at
     or new.bank_account_id <> old.bank_account_id then
    new.account_chosen_by_people :=
      people_behind(new.account_chosen_by_user, new.client_id, new.account_chosen_at);
  end if;
  return new;
end $$;

create trigger subaccounts_keep_people before insert or update of account_chosen_at on subaccounts
  for each row execute function keep_subaccount_people();

create table splits (
  id             bigint primary key generated always as identity,
  client_id      bigint not null references clients,
  code           text collate "C" not null,
  name           text not null,
  type           text collate "C" not null,
  created_at     timestamptz not null,
  deactivated_at timestamptz, -- New accounts and advices cannot use it from then on.

  constraint splits_of_client unique (client_id, id),
  constraint splits_code_unique unique (client_id, code),
  constraint splits_code_valid check (code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,39}$'),
  constraint splits_type_known check (type in ('percentage', 'flat'))
);

-- Terms never change: other terms are another split.
create function refuse_other_than_deactivation() returns trigger language plpgsql as $$
begin
  if to_jsonb(new) - 'deactivated_at' = to_jsonb(old) - 'deactivated_at'
     and old.deactivated_at is null and new.deactivated_at is not null then return new; end if;
  raise exception 'a split can only be deactivated' using errcode = 'restrict_violation';
end $$;

create trigger splits_only_deactivated before update on splits
  for each row execute function refuse_other_than_deactivation();

create trigger splits_not_deleted before delete on splits
  for each statement execute function refuse_change();

create trigger splits_not_truncated before truncate on splits
  for each statement execute function refuse_change();

create table split_parts (
  client_id     bigint not null,
  split_id      bigint not null,
  position      smallint not null,
  subaccount_id bigint not null,
  share         bigint not null, -- Basis points for a percentage, else kobo.
  bears_fee     boolean not null,

  primary key (split_id, position),
  constraint split_parts_name_a_subaccount_once unique (split_id, subaccount_id),
  constraint split_parts_at_most_ten check (position between 1 and 10),
  constraint split_parts_share_positive check (share > 0),
  constraint split_parts_split_of_same_client
    foreign key (client_id, split_id) references splits (client_id, id),
  constraint split_parts_subaccount_of_same_client
    foreign key (client_id, subaccount_id) references subaccounts (client_id, id)
);

create index split_parts_of_subaccount on split_parts (client_id, subaccount_id);

create function refuse_more_than_the_whole() returns trigger language plpgsql as $$
begin
  if exists (select from inserted i
               join splits s on s.id = i.split_id and s.type = 'percentage'
               join split_parts p on p.split_id = s.id
              group by i.split_id, i.position having sum(p.share) > 10000) then
    raise exception 'the parts of a split are at most the whole' using errcode = 'check_violation';
  end if;
  return null;
end $$;

create trigger split_parts_at_most_the_whole after insert on split_parts
  referencing new table as inserted
  for each statement execute function refuse_more_than_the_whole();

create trigger split_parts_append_only before update or delete on split_parts
  for each statement execute function refuse_change();

create trigger split_parts_not_truncated before truncate on split_parts
  for each statement execute function refuse_change();

-- The share of each subaccount in each part of a credit: the booked part, or an assigned suspense item.
create table credit_splits (
  id            bigint primary key generated always as identity,
  credit_id     bigint not null,
  item_id       bigint, -- Null: the booked part.
  client_id     bigint not null,
  split_id      bigint not null,
  subaccount_id bigint not null,
  account_id    bigint not null references ledger_accounts, -- The account that was debited.
  base_kobo     bigint not null, -- The booked amount.
  share_kobo    bigint not null,
  returned_kobo bigint not null default 0, -- Given back when a bank took the money back, …
  lost_kobo     bigint not null default 0, -- … or due then, when the subaccount had it no more.
  split_at      timestamptz not null,

  constraint credit_splits_split_of_same_client
    foreign key (client_id, split_id) references splits (client_id, id),
  constraint credit_splits_subaccount_of_same_client
    foreign key (client_id, subaccount_id) references subaccounts (client_id, id),
  constraint credit_splits_fit check (
    share_kobo between 1 and base_kobo and returned_kobo >= 0 and lost_kobo >= 0
    and returned_kobo + lost_kobo <= share_kobo)
);

create unique index credit_splits_posted_once
  on credit_splits (credit_id, coalesce(item_id, 0), subaccount_id);
create index credit_splits_by_account on credit_splits (account_id);
create index credit_splits_by_subaccount on credit_splits (subaccount_id);
