-- Messages to people by e-mail, SMS and WhatsApp (docs/messages.md). A transaction that makes a change also
-- queues its messages; the worker sends them.
--
-- The address and the facts are sealed. The facts, which may hold a link with a token, stay only while the
-- message can still be sent, and in a sandbox, which catches messages.
--
-- An erasure erases the person's messages by a trigger, so that it also does under the previous release,
-- which knows none of these tables.
--
-- works beside: 0023

create table messages (
  id              bigint not null generated always as identity,
  reference       text collate "C" not null, -- Also its Message-ID, and its webhook-id at the gateway.
  client_id       bigint not null,
  key             text collate "C" not null, -- The same message is queued once.
  channel         text collate "C" not null,
  kind            text collate "C" not null,
  recipient       bytea, -- Keyed hash of the address. Null: erased, or no address.
  address_sealed  bytea, -- Null: erased.
  facts_sealed    bytea,
  advice_id       uuid,   -- The erasure of this advice …
  account_id      bigint, -- … or of this collection account erases the message.
  priority        int not null,
  waits_for_day   boolean not null, -- Not sent in quiet hours.
  state           text collate "C" not null default 'queued',
  problem         text,
  attempts        int not null default 0,
  next_attempt_at timestamptz not null,
  claimed_until   timestamptz,
  expires_at      timestamptz not null,
  created_at      timestamptz not null,
  ended_at        timestamptz,
  constraint messages_pkey primary key (id),
  constraint messages_reference_unique unique (reference),
  constraint messages_queued_once unique (client_id, key),
  constraint messages_client_id_fkey foreign key (client_id) references clients (id),
  constraint messages_channel_known check (channel in ('email', 'sms', 'whatsapp')),
  constraint messages_state_known check (state in
    ('queued', 'sending', 'sent', 'caught', 'unknown', 'failed', 'suppressed', 'cancelled')),
  constraint messages_facts_while_needed check (
    (state <> 'queued' or facts_sealed is not null and address_sealed is not null)
    and (facts_sealed is null or state in ('queued', 'sending', 'caught'))),
  constraint messages_end_when_over
    check ((ended_at is null) = (state in ('queued', 'sending'))),
  constraint messages_sending_is_claimed check (state <> 'sending' or claimed_until is not null)
);

create index messages_due on messages (channel, priority, next_attempt_at)
  where state in ('queued', 'sending');
create index messages_of_client on messages (client_id, id);
create index messages_of_recipient on messages (client_id, recipient, id);
create index messages_of_advice on messages (advice_id) where advice_id is not null;
create index messages_of_account on messages (account_id) where account_id is not null;
create index messages_ended on messages (ended_at) where ended_at is not null;

-- safe: new in this migration
create or replace function check_messages_transition() returns trigger language plpgsql as $$
begin
  return new;
end $$;

create trigger messages_follow_transitions before update of state on messages
  for each row when (old.state is distinct from new.state)
  execute function check_messages_transition();

-- I152: nothing is sent to an erased person. A message that is being handed over keeps its state until its
-- outcome is known.
create function erase_messages(of_advice uuid, of_account bigint, at timestamptz) returns void
language sql as $$
  update messages
     set address_sealed = null, recipient = null, facts_sealed = null,
         state = case when state = 'queued' then 'cancelled' else state end,
         problem = case when state = 'queued' then 'the recipient was erased' else problem end,
         ended_at = case when state = 'queued' then at else ended_at end
   where advice_id = of_advice or account_id = of_account
$$;

create function erase_messages_of_advice() returns trigger language plpgsql as $$
begin
  perform erase_messages(new.id, null, new.erased_at);
  return null;
end $$;

create function erase_messages_of_account() returns trigger language plpgsql as $$
begin
  perform erase_messages(null, new.id, new.erased_at);
  return null;
end $$;

-- safe: the previous release erases rarely, and the trigger is meant for it too
create trigger advices_erase_messages after update of erased_at on advices
  for each row when (new.erased_at is not null) execute function erase_messages_of_advice();
-- safe: likewise
create trigger collection_accounts_erase_messages after update of erased_at on collection_accounts
  for each row when (new.erased_at is not null) execute function erase_messages_of_account();

-- Addresses that get no messages of a client, because they bounced or a user listed them.
create table message_suppressions (
  id             bigint not null generated always as identity,
  client_id      bigint not null,
  recipient      bytea not null,
  address_sealed bytea not null,
  reason         text collate "C" not null,
  detail         text,
  created_by     text collate "C" not null,
  created_at     timestamptz not null,
  constraint message_suppressions_pkey primary key (id),
  constraint message_suppressions_once unique (client_id, recipient),
  constraint message_suppressions_client_id_fkey foreign key (client_id) references clients (id),
  constraint message_suppressions_reason_known check (reason in ('bounced', 'manual'))
);

create index message_suppressions_of_client on message_suppressions (client_id, id);

-- The circuit breaker of each way of sending, shared by all processes.
create table message_transports (
  name          text collate "C" not null,
  failures      int not null default 0,
  failing_since timestamptz,
  paused_until  timestamptz,
  problem       text, -- The reason of the last failure.
  constraint message_transports_pkey primary key (name),
  constraint message_transports_known check (name in ('smtp', 'gateway'))
);

insert into message_transports (name) values ('smtp'), ('gateway');
