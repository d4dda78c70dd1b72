-- Clients, their secrets, and the users who sign in.

-- A client logs in, and owns what it creates.
create table clients (
  id                   bigint primary key generated always as identity,
  client_id            text collate "C" not null, -- The client logs in with it, e.g. MAN0000001.
  name                 text not null,
  is_active            boolean not null default true,
  is_operator          boolean not null default false, -- May resolve unidentified money.
  created_at           timestamptz not null,
  scopes               text[] collate "C" not null default array[
    'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
    'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
    'payouts:read', 'payouts:write', 'refunds:write'],
  -- Null: all. Else only collection accounts with one of these merchantCodes exist for the client.
  merchant_codes       text[],
  -- Null: from anywhere. Else only from these addresses, in CIDR notation.
  allowed_addresses    text[] collate "C",
  -- Tokens carry it. Raising it by one revokes every token issued before.
  token_generation     integer not null default 0,
  -- The name and colour of the payer's page.
  brand_name           text, -- Null: the client's own name.
  brand_colour         text collate "C", -- Null: ours.
  -- Maker-checker for suspended money: one person requests, another approves (0015_suspense.sql).
  has_maker_checker    boolean not null default false,
  -- The name in account names, and the contact for help.
  brand_account_name   text, -- Null: the client's own name.
  brand_support_email  text,
  brand_support_phone  text collate "C",
  brand_support_url    text,
  -- When a client was suspended, and the reason.
  suspended_at         timestamptz,
  suspension_reason    text,
  -- The name in account names that waits for the operator's review (I102).
  pending_account_name text,
  -- Clients that a reset replaced. The API does not show them.
  archived_at          timestamptz,

  constraint clients_client_id_unique unique (client_id),
  constraint clients_brand_colour_is_hex check (brand_colour ~ '^#[0-9a-f]{6}$'),
  constraint clients_scopes_known check (scopes <@ array[
    'accounts:read', 'accounts:write', 'payments:read', 'payments:write', 'credits:read',
    'webhooks:read', 'webhooks:write', 'suspense:read', 'suspense:write', 'actions:read',
    'payouts:read', 'payouts:write', 'refunds:write', 'returns:read', 'returns:write',
    'accounting:read', 'accounting:write', 'operator']),
  constraint clients_operator_scopes_are_operators
    check (is_operator or not scopes && array['returns:read', 'returns:write', 'accounting:read',
                                              'accounting:write', 'operator'])
) with (fillfactor = 50); -- Rewritten once per batch.

-- Every client has one.
create function open_event_counter() returns trigger language plpgsql as $$
begin
  insert into event_counters (client_id) values (new.id);
  return null;
end $$;

create trigger clients_count_events after insert on clients
  for each row execute function open_event_counter();

-- A client may have several while it changes from one to the next.
create table client_secrets (
  client_id   bigint not null references clients,
  -- The part of a secret that is not secret: it says which hash to compare with, so that a login
  -- costs one comparison however many there are. Empty for a secret that we did not make.
  key_id      text collate "C" not null,
  secret_hash text not null, -- scrypt, with its parameters and salt.
  created_at  timestamptz not null,
  retires_at  timestamptz, -- Null: the current one.
  used_at     timestamptz, -- Approximate. Shows whether an old secret is still in use.
  made_by     uuid[],

  constraint client_secrets_pkey primary key (client_id, key_id)
);

create unique index client_secrets_one_current on client_secrets (client_id)
  where retires_at is null;

-- Users of the dashboard, their passwords and second factors, and failed sign-ins.
--
-- A user belongs to one client. The same email address may belong to users of several clients, and no
-- client learns of the others.
create table users (
  id                      uuid primary key,
  client_id               bigint not null references clients,
  email                   text collate "C" not null,
  role                    text collate "C" not null,
  password_hash           text not null, -- scrypt, with its parameters and salt.
  password_set_at         timestamptz not null,
  is_password_temporary   boolean not null, -- Set by somebody else. The user changes it before anything else.
  totp_sealed             bytea, -- Null: no second factor.
  totp_pending_sealed     bytea, -- Set up, but not confirmed by a code yet.
  totp_step               bigint, -- A code is accepted once: only later steps are valid.
  is_active               boolean not null default true,
  created_at              timestamptz not null,
  signed_in_at            timestamptz,
  -- When somebody else last gave this user access or changed it: a new user, a new password, another
  -- role, enabled again. A new user waits before approving.
  access_changed_at       timestamptz not null default '-infinity',
  -- An authenticator app that is being added belongs to the session that began it, for some minutes.
  totp_pending_session_id uuid,
  totp_pending_until      timestamptz,
  -- The maker of a request is the person who controls the credential (I93). A user counts as the person
  -- who set their password, until they have taken the account over; client credentials count as the
  -- person who made the secret. The people behind a maker are kept with the request, as of its time.
  -- The user who set it, and those behind that user then. Null: see people_of.
  password_by             uuid[],
  link_used_at            timestamptz, -- When the user chose a password of their own by a single-use link.
  own_from                timestamptz, -- The user counts as themselves from this time on. Null: not yet.

  constraint users_email_once_per_client unique (client_id, email),
  constraint users_of_client unique (client_id, id),
  constraint users_email_in_lower_case check (email = lower(email)),
  constraint users_role_known
    check (role in ('owner', 'developer', 'finance', 'support', 'operator'))
);

create index users_by_email on users (email);

create function remember_removed_user() returns trigger language plpgsql as $$
begin
  insert into removed_users (id, client_id, email) values (old.id, old.client_id, old.email);
  return null;
end $$;

create trigger users_remembered after delete on users
  for each row execute function remember_removed_user();

create function forget_take_over() returns trigger language plpgsql as $$
begin
  new.own_from := null;
  new.link_used_at := null;
  return new;
end $$;

create trigger users_lose_their_account before update of password_hash on users
  for each row when (new.is_password_temporary) execute function forget_take_over();

create table sessions (
  id         uuid primary key,
  client_id  bigint not null,
  user_id    uuid not null,
  token_hash bytea not null, -- The token itself is known to the browser only.
  address    text not null,
  user_agent text not null,
  created_at timestamptz not null,
  seen_at    timestamptz not null, -- Ends when it has been idle for too long …
  expires_at timestamptz not null, -- … and at this time, however busy.

  constraint sessions_token_once unique (token_hash),
  constraint sessions_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

create index sessions_by_user on sessions (user_id);
create index sessions_by_expiry on sessions (expires_at);

-- Failed logins by name and by address, counted here so that all processes share the count.
create table login_attempts (
  kind     text collate "C" not null,
  key_hash bytea not null, -- Hash of the name or the address.
  attempts integer not null,
  ends_at  timestamptz not null, -- Ignored from this time on.

  constraint login_attempts_pkey primary key (kind, key_hash)
);

create index login_attempts_by_end on login_attempts (ends_at);

create table recovery_codes (
  user_id   uuid not null references users on delete cascade,
  code_hash bytea not null, -- Keyed. A code that was used is deleted.

  constraint recovery_codes_pkey primary key (user_id, code_hash)
);

-- Passkeys (WebAuthn): keys that users' devices hold, and the challenges that they sign (I71).
create table passkeys (
  id            uuid primary key,
  client_id     bigint not null,
  user_id       uuid not null,
  credential_id bytea not null,
  public_key    bytea not null, -- COSE.
  counter       bigint not null, -- Only a higher one is accepted. Always 0 if the device has no counter.
  transports    text[] collate "C" not null,
  name          text not null,
  created_at    timestamptz not null,
  used_at       timestamptz,

  constraint passkeys_credential_once unique (credential_id),
  constraint passkeys_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

create index passkeys_by_user on passkeys (user_id);

-- Deleted when an answer arrives, right or wrong: each challenge works once.
create table passkey_challenges (
  challenge_hash bytea primary key,
  purpose        text collate "C" not null,
  session_id     uuid references sessions on delete cascade, -- Null: nobody is signed in yet.
  expires_at     timestamptz not null,

  constraint passkey_challenges_purpose_known
    check (purpose in ('register', 'confirm', 'sign_in')),
  constraint passkey_challenges_bound_to_session
    check ((session_id is null) = (purpose = 'sign_in'))
);

create index passkey_challenges_by_session on passkey_challenges (session_id);
create index passkey_challenges_by_expiry on passkey_challenges (expires_at);

-- Single-use links by which a user chooses a password of their own. The token is in the link only; here is
-- its hash. A user has one at a time.
create table invitations (
  user_id    uuid not null,
  client_id  bigint not null,
  token_hash bytea not null,
  created_by text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,

  constraint invitations_pkey primary key (user_id),
  constraint invitations_token_once unique (token_hash),
  constraint invitations_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on delete cascade
);

-- Removed users and their email addresses. A later user of the client with the same address is the same
-- person, and cannot approve what the removed user requested, chose or granted.
create table removed_users (
  id        uuid not null,
  client_id bigint not null,
  email     text collate "C" not null,

  constraint removed_users_pkey primary key (id),
  constraint removed_users_client_id_fkey foreign key (client_id) references clients (id)
);

create index removed_users_by_email on removed_users (client_id, email);

-- Maker-checker between people who are independent of one another, also for switching it off; and
-- requests that keep the amount they were made for.
--
-- Two users are independent if no person stands behind both: a person who gave or changed their access,
-- directly or through others, or one of the two themselves.
--
-- Grants of access from one user to another. They outlive both users, because access that a removed user
-- granted still counts. Grants by operators of other clients and by the command line have no row.
create table access_grants (
  client_id  bigint not null references clients,
  user_id    uuid not null,
  granted_by uuid not null,
  granted_at timestamptz not null, -- The first time.

  constraint access_grants_pkey primary key (user_id, granted_by),
  constraint access_grants_by_another check (user_id <> granted_by)
);
