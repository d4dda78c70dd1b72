-- Advices and payments by what became of them; expiries put off; answers remembered.

-- What a request with an idempotency key was answered with, so that one sent again gets the same
-- answer: sealed, because an answer may hold a secret. It goes with its key, by the day.
create table remembered_answers (
  id            uuid primary key, -- Version 7, of the moment of its key.
  answer_sealed bytea not null
) partition by range (id);

create table remembered_answers_default partition of remembered_answers default;

-- How much later than its terms say the payment of an advice expires. The terms stay as they were
-- given: the same request sent again still finds its advice.
alter table advices
  add column extended_seconds int not null default 0,
  add constraint advices_extended_within_48_hours
    check (extended_seconds >= 0 and expires_in_seconds + extended_seconds <= 172800) not valid;

-- Lists go by id, which is by time, along advices_of_client and payments_of_client. These few are
-- found by what became of them; nothing that is new is in here, so making an advice or a payment,
-- and paying one at once, costs no more than before.
create index payments_by_rare_status on payments (client_id, status, id)
  where status in ('PartPayment', 'Cancelled', 'Reversed');

create index advices_cancelled on advices (client_id, id) where cancelled_at is not null;
