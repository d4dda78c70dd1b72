-- Ceilings: the operator's limits on what a client's collection accounts receive and hold, by KYC tier. The
-- client's own limits may be lower, never higher (I142). Null: none.
--
-- The previous release does not read them: they are in force once this release has replaced it.
--
-- works beside: 0023

create table collection_ceilings (
  client_id bigint not null,
  tier smallint not null,
  per_credit_kobo bigint,
  per_day_kobo bigint,
  balance_max_kobo bigint,
  constraint collection_ceilings_pkey primary key (client_id, tier),
  constraint collection_ceilings_client_id_fkey foreign key (client_id) references clients (id),
  constraint collection_ceilings_tier_known check (tier between 1 and 3),
  constraint collection_ceilings_positive
    check (per_credit_kobo > 0 and per_day_kobo > 0 and balance_max_kobo > 0)
);
