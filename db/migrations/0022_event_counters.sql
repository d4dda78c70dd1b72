-- The number of a client's last event, in a row of its own. It is rewritten by every batch that has
-- something to tell; in the client's row that was a copy of all its settings, and a check of them, each
-- time, and whatever refers to the client met it half way.
--
--   I5  a client's events are numbered 1, 2, 3, … in the order they were committed: the number is
--       taken under this row's lock, which is held until commit.

create table event_counters (
  client_id bigint primary key references clients,
  sequence  bigint not null default 0
) with (fillfactor = 50); -- Rewritten once per batch.

insert into event_counters (client_id, sequence) select id, event_sequence from clients;

alter table clients drop column event_sequence;

-- Every client has one.
create function open_event_counter() returns trigger language plpgsql as $$
begin
  insert into event_counters (client_id) values (new.id);
  return null;
end $$;

create trigger clients_count_events after insert on clients
  for each row execute function open_event_counter();
