-- People: who signs in to the dashboard, with what, and what was tried in vain.
--
-- A person belongs to one client. The same address may be a user of several clients, and none of
-- them learns of the others.

create table users (
  id                    uuid primary key,
  client_id             bigint not null references clients,
  email                 text collate "C" not null,
  role                  text collate "C" not null,
  password_hash         text not null,        -- scrypt, with its parameters and salt.
  password_set_at       timestamptz not null,
  is_password_temporary boolean not null,     -- Set by somebody else: to be changed first of all.
  totp_sealed           bytea,                -- Null: no second factor.
  totp_pending_sealed   bytea,                -- Begun and not yet confirmed.
  totp_step             bigint,               -- A code counts once: only later steps are taken.
  is_active             boolean not null default true,
  created_at            timestamptz not null,
  signed_in_at          timestamptz,

  constraint users_email_once_per_client unique (client_id, email),
  constraint users_of_client unique (client_id, id),
  constraint users_email_in_lower_case check (email = lower(email)),
  constraint users_role_known
    check (role in ('owner', 'developer', 'finance', 'support', 'operator'))
);

create index users_by_email on users (email);

create table recovery_codes (
  user_id   uuid not null references users on delete cascade,
  code_hash bytea not null, -- Keyed. A code that was used is deleted.

  constraint recovery_codes_pkey primary key (user_id, code_hash)
);

create table sessions (
  id         uuid primary key,
  client_id  bigint not null,
  user_id    uuid not null,
  token_hash bytea not null,       -- The token itself is known to the browser only.
  address    text not null,
  user_agent text not null,
  created_at timestamptz not null,
  seen_at    timestamptz not null, -- Ends when it has been idle for too long …
  expires_at timestamptz not null, -- … and at this time, however busy.

  constraint sessions_token_once unique (token_hash),
  constraint sessions_user_of_same_client
    foreign key (client_id, user_id) references users (client_id, id) on delete cascade
);

create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

-- Logins that failed, by whom and from where: counted here so that the count is the same for every
-- process.
create table login_attempts (
  kind     text collate "C" not null,
  key_hash bytea not null, -- Of the name or the address.
  attempts integer not null,
  ends_at  timestamptz not null, -- From then on it counts for nothing.

  constraint login_attempts_pkey primary key (kind, key_hash)
);

create index login_attempts_by_end on login_attempts (ends_at);

-- The record of what was done by hand can be read by its client: a scope of its own, which everyone
-- gets who was not restricted.
alter table clients drop constraint clients_scopes_known;

alter table clients
  alter column scopes set default
    array['accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
          'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read'],
  add constraint clients_scopes_known check (scopes <@ array[
    'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
    'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
    'operator']);

update clients set scopes = scopes || array['actions:read']
 where scopes @> array['accounts:read', 'accounts:write', 'payments:read', 'payments:write',
                       'credits:read', 'webhooks:read', 'webhooks:write', 'suspense:read',
                       'suspense:write'];

create index actions_by_client on actions (client_id, id);
