-- What a client may do, from where, and with which secrets; and who acted, when something was done
-- by hand.

alter table clients
  add column scopes text[] collate "C" not null default
    array['accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
          'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write'],
  -- Null: all. Else only collection accounts with one of these merchantCodes exist for the client.
  add column merchant_codes text[],
  -- Null: from anywhere. Else only from these addresses, in CIDR notation.
  add column allowed_addresses text[] collate "C",
  -- Tokens carry it. One more, and every token issued before is dead.
  add column token_generation integer not null default 0,

  add constraint clients_scopes_known check (scopes <@ array[
    'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
    'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'operator']),
  add constraint clients_operator_scope_is_operators
    check (is_operator or not scopes @> array['operator']);

update clients set scopes = scopes || array['operator'] where is_operator;

-- A client may have several while it changes from one to the next.
create table client_secrets (
  client_id   bigint not null references clients,
  -- The part of a secret that is not secret: it says which hash to compare with, so that a login
  -- costs one comparison however many there are. Empty for a secret that we did not make.
  key_id      text collate "C" not null,
  secret_hash text not null,             -- scrypt, with its parameters and salt.
  created_at  timestamptz not null,
  retires_at  timestamptz,               -- Null: the current one.
  used_at     timestamptz,               -- About; to see that an old one is out of use.

  constraint client_secrets_pkey primary key (client_id, key_id)
);

create unique index client_secrets_one_current on client_secrets (client_id)
  where retires_at is null;

insert into client_secrets (client_id, key_id, secret_hash, created_at)
select id, '', secret_hash, created_at from clients;

alter table clients drop column secret_hash;

-- `client_id` is whose record it stands in; this is who did it: client:<client id>, user:<email>, …
-- Null in rows from before it was kept: the client itself.
alter table actions add column actor text collate "C";

-- I11 where it costs the path of money nothing: these are written by hand only. Money that was
-- nobody's (client_id null) may be assigned to anybody's; that is an operator's decision.
alter table suspense_items
  add constraint suspense_items_account_of_same_client
    foreign key (client_id, assigned_account_id) references collection_accounts (client_id, id),
  add constraint suspense_items_payment_of_same_client
    foreign key (client_id, assigned_payment_id) references payments (client_id, id);
