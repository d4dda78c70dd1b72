-- Password resets by e-mail (docs/users-and-roles.md), and the user to whom a message goes.
--
-- A request is stored for every e-mail address that somebody types, known or not, so that neither the answer
-- nor its time tells which addresses have a user. A worker reads the requests and mails the links.
--
-- works beside: 0023

alter table messages add column user_id uuid; -- A message to a user who is removed or disabled is not sent.

create table password_reset_requests (
  id           bigint not null generated always as identity,
  email        text collate "C" not null, -- As typed, in lower case.
  address      text collate "C" not null, -- The IP address of the caller, for the audit log.
  requested_at timestamptz not null,
  constraint password_reset_requests_pkey primary key (id)
);

-- The last link of each user. It stays after its use, so that a user gets one mail an hour at most.
create table password_resets (
  user_id    uuid not null,
  client_id  bigint not null,
  token_hash bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at    timestamptz, -- Also set when the password is changed in another way.
  constraint password_resets_pkey primary key (user_id),
  constraint password_resets_token_once unique (token_hash),
  constraint password_resets_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);
