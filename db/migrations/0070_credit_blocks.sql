-- When the credits of each block of ids were received, written once no more can come into it
-- (src/db/received-bounds.ts). Blocks are written in order, from the first credit on; one
-- without credits has no row.
--
-- works beside: 0060

create table credit_blocks (
  block    bigint primary key,
  first_at timestamptz not null,
  last_at  timestamptz not null,
  constraint credit_blocks_in_order check (first_at <= last_at)
);
