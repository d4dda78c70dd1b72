-- What payers see of a client beyond its name and colour: its name in account names, whom to ask for
-- help, and its logo.

alter table clients
  add column brand_account_name  text,              -- Null: the client's own name.
  add column brand_support_email text,
  add column brand_support_phone text collate "C",
  add column brand_support_url   text;

-- Apart from clients, which are read often. Payers' browsers ask for a logo by its hash and may keep
-- it for ever; two clients may have the same.

create table client_logos (
  client_id  bigint primary key references clients,
  sha256     text collate "C" not null
             constraint client_logos_sha256_is_hex check (sha256 ~ '^[0-9a-f]{64}$'),
  media_type text collate "C" not null
             constraint client_logos_media_type_known
             check (media_type in ('image/png', 'image/jpeg', 'image/webp')),
  width      integer not null, -- In pixels, as the header of the image says.
  height     integer not null,
  bytes      bytea not null
             constraint client_logos_small check (octet_length(bytes) between 1 and 32768),
  updated_at timestamptz not null
);

create index client_logos_by_sha256 on client_logos (sha256);
