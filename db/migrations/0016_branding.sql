-- How a client looks to those who pay it: the name and colour of the payer's page.

alter table clients
  add column brand_name   text,             -- Null: the client's own name.
  add column brand_colour text collate "C", -- Null: ours.
  add constraint clients_brand_colour_is_hex check (brand_colour ~ '^#[0-9a-f]{6}$');
