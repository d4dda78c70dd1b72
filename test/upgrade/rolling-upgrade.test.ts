// The previous release and this one run on one database under load: during the upgrade, after the new release
// is removed, and during a second upgrade. No acknowledged request is lost (I80).

import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadSchemaFiles, migrate } from '#db/migrate.ts'
import type { Pool } from '#db/pool.ts'
import { checkIntegrity } from '#integrity/checks.ts'
import { logIn, type Options, startChild } from '../support/child-service.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { until } from '../support/embedded-bench.ts'
import {
  type KeptRelease,
  readPreviousRelease,
  unpackRelease,
} from '../support/previous-release.ts'
import { SECRETS } from '../support/settings.ts'
import { createTempFolder } from '../support/temp-folder.ts'
import { listener, verifies } from '../support/webhook-bench.ts'
import { ShopLoad } from './shop-load.ts'

const ANSWERS = 30

test('beside the previous release, forth and back, nothing is lost or done twice', async (t) => {
  using folder = createTempFolder()
  await using database = await createEmptyDatabase()
  await using receiver = await listener()
  const release = readPreviousRelease()
  const program = unpackRelease(release, folder.path)
  const env = { ...SECRETS, DATABASE_URL: database.connectionString }
  const start = (more: Partial<Options> = {}) => startChild({ folder: folder.path, env, ...more })

  await using old = await start({ command: [process.execPath, program] })
  const secret = await subscribe(old.url, receiver.url)
  using load = new ShopLoad(await logIn(old.url), receiver.url)
  load.add('old', old.url)
  load.start()
  await load.served('old', ANSWERS)
  await until('the old one delivers', () => receiver.received.length > 0)

  await using killed = await start({ role: 'api' })
  load.add('new', killed.url)
  await Promise.all([load.served('new', ANSWERS), load.served('old', ANSWERS)])
  await until('the new one is ready', async () => (await readiness(killed.url)) === 200)
  const isReady =
    release.files['main.mjs']?.includes('works_beside') || (await hasSameFunctions(release))
  const expected = isReady ? 200 : 503
  await until('so is the old one', async () => (await readiness(old.url)) === expected)

  await migrateFurther(database.connectionString, release)
  await Promise.all([load.served('new', ANSWERS), load.served('old', ANSWERS)])

  await killed.stop('SIGKILL')
  load.remove('new')
  await load.served('old', ANSWERS)

  await using renewed = await start()
  load.add('new', renewed.url)
  await Promise.all([load.served('new', ANSWERS), load.served('old', ANSWERS)])
  load.remove('old')
  assert.equal(await old.stop(), 0)
  const before = receiver.received.length
  await load.served('new', ANSWERS)
  await until('the new one delivers', () => receiver.received.length > before)
  await load.end()

  const { credits, payments, payouts, retries } = load
  t.diagnostic(`${credits.size} credits, ${payments.length} payments, ${payouts.length} payouts`)
  t.diagnostic(`${retries} tried again, ${receiver.received.length} deliveries`)
  assert.deepEqual(load.refused, [])
  await checkMoney(database.pool, load)
  await checkDeliveries(database.pool, receiver.received, secret)
  assert.deepEqual(await checkIntegrity(database.pool), [])
  assert.equal(await renewed.stop(), 0)
})

// Applies the present migrations and one more, made up for a future release, which says that the kept release
// works beside it. Without it there may be no migration that is newer than the kept release.
async function migrateFurther(url: string, { files }: KeptRelease): Promise<void> {
  using folder = createTempFolder()
  const { migrations } = await loadSchemaFiles({})
  for (const { name, text } of migrations) writeFileSync(join(folder.path, name), text)
  const last = Object.keys(files)
    .filter((path) => path.startsWith('db/migrations/'))
    .sort()
    .at(-1)
  const release = last?.slice('db/migrations/'.length).slice(0, 4)
  const text = `-- Adds a column and a table that no process knows.
-- works beside: ${release}
create table of_tomorrow (id bigint primary key);
alter table credits add column of_tomorrow text not null default 'x';`
  writeFileSync(join(folder.path, '9999_of_tomorrow.sql'), text)
  const applied = await migrate(url, { migrationsDir: folder.path })
  assert.equal(applied[0], 'migrations/9999_of_tomorrow.sql')
}

// Registers a webhook endpoint for all events; returns its secret.
async function subscribe(url: string, receiver: string): Promise<string> {
  const token = await logIn(url)
  const answer = await fetch(`${url}/api/v1/webhook-endpoints`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ url: receiver }),
  })
  assert.equal(answer.status, 200)
  return ((await answer.json()) as { data: { secret: string } }).data.secret
}

async function readiness(url: string): Promise<number> {
  return (await fetch(`${url}/ready`)).status
}

// Whether the previous release has the same database functions as this one.
async function hasSameFunctions({ files }: ReturnType<typeof readPreviousRelease>) {
  const { functions } = await loadSchemaFiles({})
  return functions.every(({ path, text }) => (files[`db/${path}`] ?? text) === text)
}

// Asserts that the database has exactly the credits, payments and payouts that the service acknowledged to
// the simulated shop.
async function checkMoney(db: Pool, { credits, payments, payouts }: ShopLoad): Promise<void> {
  const booked = await db.query<{ id: string; kobo: bigint; count: bigint }>(
    `select session_id as id, sum(amount_kobo)::bigint as kobo, count(*) as count
       from credits group by 1`,
  )
  const found = new Map(booked.rows.map(({ id, kobo }) => [id, Number(kobo)]))
  assert.deepEqual(found, credits)
  assert(booked.rows.every(({ count }) => count === 1n))
  const paid = await db.query(
    `select id::text as reference from payments where status = 'Successful' order by 1`,
  )
  assert.deepEqual(
    paid.rows.map(({ reference }) => reference),
    payments.toSorted(),
  )
  await until('every payout is confirmed', async () => {
    const { rows } = await db.query(`select from payouts where status <> 'confirmed'`)
    return rows.length === 0
  })
  const sent = await db.query('select reference from payouts order by 1')
  assert.deepEqual(
    sent.rows.map(({ reference }) => reference),
    payouts.toSorted(),
  )
}

// Asserts that each event was delivered at least once, and that each delivery to the endpoint is signed.
async function checkDeliveries(
  db: Pool,
  webhooks: Awaited<ReturnType<typeof listener>>['received'],
  secret: string,
): Promise<void> {
  // The events that no webhook has delivered yet.
  const missing = async () => {
    const ids = new Set(webhooks.map(({ json }) => json.id))
    const { rows } = await db.query<{ id: string }>('select id from events')
    return rows.filter(({ id }) => !ids.has(id))
  }
  await until('every event is delivered', async () => (await missing()).length === 0)
  for (const webhook of webhooks) {
    if (webhook.path.includes('?')) continue // A callBackUrl, signed with the client's secret.
    assert(verifies(secret, webhook))
  }
}
