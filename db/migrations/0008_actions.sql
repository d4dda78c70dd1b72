-- Who did what by hand, and why: append-only.

create table actions (
  id         bigint primary key generated always as identity,
  client_id  bigint not null references clients, -- Who did it …
  action     text collate "C" not null,          -- … what …
  subject    text collate "C" not null,          -- … to what …
  detail     jsonb not null,                     -- … and the reason given.
  taken_at   timestamptz not null
);

create index actions_by_subject on actions (subject, id);

create trigger actions_append_only
  before update or delete or truncate on actions
  for each statement execute function refuse_change();
