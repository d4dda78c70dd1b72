-- Saved views: the filters, order and hidden columns of a list of the dashboard under a name, for one user.
--
-- The content is sealed, because filters may name a payer.
--
-- The previous release does not know the table.
--
-- works beside: 0023

create table saved_views (
  id             uuid not null,
  client_id      bigint not null,
  user_id        uuid not null,
  list           text collate "C" not null, -- The path of the list in the API.
  name           text not null,
  content_sealed bytea not null,
  is_default     boolean not null,
  created_at     timestamptz not null,
  constraint saved_views_pkey primary key (id),
  constraint saved_views_name_unique unique (user_id, list, name),
  constraint saved_views_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade
);

create unique index saved_views_one_default on saved_views (user_id, list) where is_default;
create index saved_views_of_user on saved_views (client_id, user_id);
