-- The operators' chat: an incoming webhook to which alerts and waiting approvals are posted.
--
-- works beside: 0023

create table operator_chat (
  is_only    boolean not null default true,
  url_sealed bytea not null, -- Everybody who knows the address can post.
  host       text not null,
  set_by     text collate "C" not null,
  set_at     timestamptz not null, -- Nothing older is posted.
  constraint operator_chat_pkey primary key (is_only),
  constraint operator_chat_is_one check (is_only)
);

create table chat_posts (
  id              bigint not null generated always as identity,
  subject         text collate "C" not null, -- alert/17, adjustment/ADJ…: each is posted once.
  text            text not null,
  created_at      timestamptz not null,
  attempts        integer not null default 0,
  next_attempt_at timestamptz, -- Null: posted, or given up. While a process posts it, the end of its claim.
  posted_at       timestamptz,
  problem         text,
  constraint chat_posts_pkey primary key (id),
  constraint chat_posts_subject_once unique (subject)
);

create index chat_posts_due on chat_posts (next_attempt_at) where next_attempt_at is not null;
