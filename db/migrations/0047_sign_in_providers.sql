-- Signing in with an OpenID Connect provider, addresses from which users may sign in, password resets by
-- e-mail, and the operators' chat.
--
-- works beside: 0023

-- The user who sets a provider can have it sign in any user of the client: set_by_people stand behind every
-- user without a second factor of ours (I155).
create table sign_in_providers (
  client_id            bigint not null,
  issuer               text not null,
  provider_client_id   text not null,
  client_secret_sealed bytea not null,
  role_claim           text,
  roles                jsonb not null, -- [{"value": …, "role": …}]: the first that fits decides.
  creates_users        boolean not null,
  trusts_email         boolean not null, -- Without email_verified.
  is_enforced          boolean not null,
  set_by_user          uuid not null,
  set_by_people        uuid[] not null,
  updated_at           timestamptz not null,
  constraint sign_in_providers_pkey primary key (client_id),
  constraint sign_in_providers_roles_need_claim check ((role_claim is null) = (roles = '[]')),
  constraint sign_in_providers_client_id_fkey foreign key (client_id) references clients (id)
);

-- The identity of a user at the provider.
create table provider_identities (
  user_id   uuid not null,
  client_id bigint not null,
  issuer    text not null,
  subject   text not null,
  linked_at timestamptz not null,
  constraint provider_identities_pkey primary key (user_id),
  constraint provider_identities_once unique (client_id, issuer, subject),
  constraint provider_identities_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

-- Sign-ins in progress: sent to the provider (state_hash), or back from it and waiting for a second factor
-- (user_id). The browser that began one holds a token; browser_hash is its hash.
create table provider_sign_ins (
  browser_hash     bytea not null,
  client_id        bigint not null,
  provider_set_at  timestamptz not null, -- A change of the provider ends it.
  state_hash       bytea,
  nonce            text collate "C" not null,
  verifier_sealed  bytea not null,
  is_fresh         boolean not null, -- The provider had to ask the user again.
  user_id          uuid,
  expires_at       timestamptz not null,
  constraint provider_sign_ins_pkey primary key (browser_hash),
  constraint provider_sign_ins_state_once unique (state_hash),
  constraint provider_sign_ins_client_id_fkey foreign key (client_id) references clients (id),
  constraint provider_sign_ins_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

create index provider_sign_ins_by_expiry on provider_sign_ins (expires_at);
create index provider_sign_ins_by_user on provider_sign_ins (user_id);

alter table sessions add column through_provider boolean not null default false;
alter table sessions add column proven_at timestamptz; -- When the provider last asked the user.
