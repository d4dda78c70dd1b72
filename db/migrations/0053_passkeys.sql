-- Passkeys (WebAuthn): keys that users' devices hold, and the challenges that they sign (I71).

create table passkeys (
  id            uuid primary key,
  client_id     bigint not null,
  user_id       uuid not null,
  credential_id bytea not null,
  public_key    bytea not null,          -- COSE.
  counter       bigint not null,         -- Only a higher one is taken; 0 for ever: the device has none.
  transports    text[] collate "C" not null,
  name          text not null,
  created_at    timestamptz not null,
  used_at       timestamptz,

  constraint passkeys_credential_once unique (credential_id),
  constraint passkeys_user_of_same_client
    foreign key (client_id, user_id) references users (client_id, id) on delete cascade
);

create index passkeys_by_user on passkeys (user_id);

-- Deleted when it comes back, whatever comes with it: each works once.
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
