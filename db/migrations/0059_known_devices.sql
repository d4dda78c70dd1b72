-- The devices on which a user has signed in, so that a sign-in on another is mailed to the user; and the
-- addresses from which the users of a client may sign in (docs/users-and-roles.md).
--
-- works beside: 0023

create table known_devices (
  user_id       uuid not null,
  client_id     bigint not null,
  token_hash    bytea not null, -- The browser's cookie is stored as its hash. Users of one browser share it.
  first_seen_at timestamptz not null,
  seen_at       timestamptz not null, -- The last sign-in.
  constraint known_devices_pkey primary key (user_id, token_hash),
  constraint known_devices_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

create index known_devices_by_seen_at on known_devices (seen_at);

alter table clients add column user_addresses text[]; -- In CIDR notation. Null allows any address.
