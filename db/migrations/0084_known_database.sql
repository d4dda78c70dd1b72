-- Which database the payouts that are known here were sent from: a cluster, and a timeline of its log
-- (db/functions/current_database_identity.sql). Where the server says otherwise, this is a standby that
-- was promoted or a copy that was restored, and may lack the last payouts
-- (src/domain/payouts/follow-database.ts).
-- The previous release does not look at it.
--
-- works beside: 0060

create table known_database (
  is_only        boolean primary key default true,
  identity       text collate "C" not null,
  is_synchronous boolean not null, -- Commits waited for a standby.
  noted_at       timestamptz not null,
  constraint known_database_is_one check (is_only)
);
