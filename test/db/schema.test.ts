// db/schema.sql, the committed copy of the schema, is current and complete.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { renderSchema } from '../../scripts/render-schema.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'

const COMMITTED = join(import.meta.dirname, '../../db/schema.sql')

test('db/schema.sql is what `npm run generate` draws of the migrations', async () => {
  await using database = await createTestDatabase()

  const committed = await readFile(COMMITTED, 'utf8').catch(() => '')

  assert.equal(committed, await renderSchema(database.pool))
})

test('db/schema.sql shows tables, partitions, constraints, indexes, triggers and functions', async () => {
  await using database = await createEmptyDatabase()
  await database.pool.query(`
    create table merchants (
      id       bigint generated always as identity primary key,
      code     text collate "C" not null default 'none',
      doubled  bigint generated always as (2) stored,
      constraint merchants_code_known check (code <> '')
    ) with (fillfactor = 70);
    create table credits (taken_at date not null, merchant_id bigint references merchants)
      partition by range (taken_at);
    create table credits_2026 partition of credits
      for values from ('2026-01-01') to ('2027-01-01');
    create index credits_by_merchant on credits (merchant_id) where merchant_id > 0;
    create function refuse_change() returns trigger language plpgsql
      as $$ begin return null; end $$;
    create trigger credits_kept before update on credits
      for each statement execute function refuse_change();
    create function total(of_merchant bigint default 1) returns table (kobo bigint)
      language sql as $$ select of_merchant $$;
    create type mood as enum ('calm', 'busy');
  `)

  const picture = await renderSchema(database.pool)

  assert.equal(
    picture.slice(picture.indexOf('\n') + 1),
    `
create type mood as enum ('calm', 'busy');

create table credits (
  taken_at date not null,
  merchant_id bigint,
  constraint credits_merchant_id_fkey FOREIGN KEY (merchant_id) REFERENCES merchants(id)
) partition by RANGE (taken_at);
CREATE INDEX credits_by_merchant ON ONLY credits USING btree (merchant_id) WHERE merchant_id > 0;
CREATE TRIGGER credits_kept BEFORE UPDATE ON credits \
FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table credits_2026 partition of credits FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');

create table merchants (
  id bigint not null generated always as identity,
  code text collate "C" not null default 'none'::text,
  doubled bigint generated always as (2) stored,
  constraint merchants_pkey PRIMARY KEY (id),
  constraint merchants_code_known CHECK (code <> ''::text)
) with (fillfactor=70);

create function refuse_change() returns trigger;
create function total(of_merchant bigint DEFAULT 1) returns TABLE(kobo bigint);
`,
  )
})

test('db/schema.sql is the same in every clone, and changes with the schema', async () => {
  await using one = await createTestDatabase()
  await using other = await createTestDatabase()
  const picture = await renderSchema(one.pool)
  assert.equal(await renderSchema(other.pool), picture)

  await other.pool.query('alter table schema_migrations alter applied_at drop default')

  assert.notEqual(await renderSchema(other.pool), picture)
})
