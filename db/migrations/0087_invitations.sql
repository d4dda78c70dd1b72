-- Single-use links by which a user chooses a password of their own. The token is in the link only; here is
-- its hash. A user has one at a time.
--
-- works beside: 0060

create table invitations (
  user_id uuid not null,
  client_id bigint not null,
  token_hash bytea not null,
  created_by text collate "C" not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint invitations_pkey primary key (user_id),
  constraint invitations_token_once unique (token_hash),
  constraint invitations_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on delete cascade
);
