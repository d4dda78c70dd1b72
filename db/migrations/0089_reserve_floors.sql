-- The least reserve of a client's settlements, as the operator sets it. Settlements hold back the greater
-- of this and the client's own. The previous release knows none, and holds back the client's own.
--
-- works beside: 0060

alter table payout_settings
  add column reserve_floor_bps  integer not null default 0,
  add column reserve_floor_days integer not null default 0,
  add constraint payout_settings_reserve_floor_bounded
    check (reserve_floor_bps between 0 and 10000 and reserve_floor_days between 0 and 365
           and (reserve_floor_bps = 0) = (reserve_floor_days = 0)) not valid;
