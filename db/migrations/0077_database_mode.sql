-- The mode that the database is of (src/domain/sandbox/database-mode.ts): once there is money, it stays.
--
-- works beside: 0060

create table database_mode (
  mode text collate "C" not null,
  since timestamptz not null,
  is_only boolean not null default true,
  constraint database_mode_pkey primary key (is_only),
  constraint database_mode_is_one check (is_only),
  constraint database_mode_known check (mode in ('sandbox', 'live'))
);
