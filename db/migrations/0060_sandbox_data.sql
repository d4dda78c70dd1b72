-- Sandbox data: histories that are seeded, and clients that were reset.

-- One at a time for a client. Each step is written in the transaction that counts it, so a seed goes on
-- after a crash exactly where it was.
create table sandbox_seeds (
  id          bigint generated always as identity primary key,
  client_id   bigint not null references clients,
  seed        int not null, -- The same seed makes the same names, amounts and outcomes.
  accounts    int not null,
  days        int not null,
  ends_at     timestamptz not null, -- The client's time when it was asked for: history ends there.
  steps       int not null,
  done        int not null default 0,
  begun_at    timestamptz not null, -- In real time, as is the end.
  finished_at timestamptz,
  problem     text, -- Why it ended early.

  constraint sandbox_seeds_within check (done between 0 and steps),
  constraint sandbox_seeds_finish_whole
    check (finished_at is null or problem is not null or done = steps)
);

create index sandbox_seeds_of_client on sandbox_seeds (client_id, id);
create unique index sandbox_seeds_one_running on sandbox_seeds (client_id) where finished_at is null;

-- A client that was reset is archived: its books stay as they are, at the time they had, and no round
-- takes anything of it any more. Its credentials and users are with the client that took its place.
alter table test_clocks add column archived_at timestamptz;

alter table sessions
  drop constraint sessions_user_of_same_client,
  add constraint sessions_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade;

alter table passkeys
  drop constraint passkeys_user_of_same_client,
  add constraint passkeys_user_of_same_client foreign key (client_id, user_id)
    references users (client_id, id) on update cascade on delete cascade;
