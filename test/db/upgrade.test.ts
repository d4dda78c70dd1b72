// Migrations on a database that is in use, by a process of the version before: nothing is lost.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { migrate } from '#db/migrate.ts'
import { readSuspenseChanges } from '#domain/credits/suspense-history.ts'
import { readBalances } from '#domain/reports/balances.ts'
import { readTotals } from '#domain/reports/hourly-totals.ts'
import { SharedAccounts } from '#ledger/accounts.ts'
import { asId } from '../support/as-id.ts'
import { createOlderDatabase as setup } from '../support/older-database.ts'

test('0026: who let whom in is read from the audit log, also through somebody else', async () => {
  await using bench = await setup('0026')
  const { pool } = bench
  for (const [at, name] of ['a', 'b', 'c', 'd'].entries()) {
    await pool.query(
      `insert into users (id, client_id, email, role, password_hash, password_set_at,
                          is_password_temporary, created_at)
       select $1, id, $2, 'owner', 'x', now(), false, now() from clients where client_id = 'BUSY'`,
      [idOf(at), `${name}@x.example`],
    )
  }
  const acts = [
    ['cli:ada', 'user.create', 'a'],
    ['user:a@x.example', 'user.create', 'b'],
    ['user:b@x.example', 'user.reset_password', 'c'],
    ['user:c@x.example', 'user.disable', 'd'],
  ]
  for (const [actor, action, name] of acts) {
    await pool.query(
      `insert into actions (client_id, actor, action, subject, detail, taken_at)
       select id, $1, $2, $3, '{}', now() from clients where client_id = 'BUSY'`,
      [actor, action, `user/${name}@x.example`],
    )
  }

  await migrate(pool)

  const apart = async (one: number, other: number) => {
    const { rows } = await pool.query('select not stands_behind($1, $2) as apart', [
      idOf(one),
      idOf(other),
    ])
    return rows[0].apart
  }
  assert.deepEqual([await apart(0, 1), await apart(0, 2), await apart(2, 0)], [false, false, true])
  assert.deepEqual([await apart(2, 3), await apart(0, 3)], [true, true])
})

const idOf = (at: number) => `00000000-0000-4000-8000-00000000000${at}`

test('0022: events are counted on from where they were, also those that were being written', async () => {
  await using bench = await setup('0022')
  const writer = await bench.pool.connect()
  await writer.query('begin; update clients set event_sequence = event_sequence + 5')

  const migrated = migrate(bench.pool)
  await bench.isWaiting()
  await writer.query('commit')
  writer.release()
  await migrated

  assert.deepEqual(await bench.counters(), { BUSY: 12n, QUIET: 5n })
  await bench.pool.query(
    `insert into clients (client_id, name, created_at) values ('NEW', 'New', now())`,
  )
  assert.deepEqual(await bench.counters(), { BUSY: 12n, NEW: 0n, QUIET: 5n })
})

test('0021: shared accounts that are open keep their ids, and new ones come after all others', async () => {
  await using bench = await setup('0021')
  const shared = { owner: 'bank:058', currency: 'NGN' }
  await bench.pool.query(`insert into ledger_accounts (kind, owner) values ('bank', 'bank:058')`)

  await migrate(bench.pool)
  const accounts = new SharedAccounts(bench.pool)
  await accounts.open([
    { kind: 'bank', ...shared },
    { kind: 'suspense', ...shared },
  ])

  assert.equal(accounts.id({ kind: 'bank', ...shared }), 1n)
  assert.equal(accounts.id({ kind: 'suspense', ...shared }) / 1_000_000_000_000_000n, 1n)
})

test('0027: what was counted before is counted again by the one definition, from the ledger', async () => {
  await using bench = await setup('0027')
  const { rows } = await bench.pool.query(`select id from clients where client_id = 'BUSY'`)
  const id = rows[0].id
  await bench.pool.query(AS_IT_WAS.replaceAll('$1', id))

  await migrate(bench.pool)

  const { hours, isComplete } = await readTotals(bench.pool, id, { since: new Date(0) })
  assert.deepEqual(
    hours.map(({ hour: _, ...totals }) => totals),
    [
      {
        credits: 2n, // One of them unidentified, until it was assigned.
        grossKobo: 6000n + 500n,
        reversedKobo: 1000n,
        returnedKobo: 0n,
        refundedKobo: 0n,
        suspendedKobo: 3000n,
        feesKobo: 0n,
        successful: 1n,
        expired: 1n,
        cancelled: 0n,
      },
    ],
  )
  assert(isComplete)
  const [balance] = await readBalances(bench.pool, id)
  assert.deepEqual(
    [balance?.grossKobo, balance?.reversedKobo, balance?.suspendedKobo, balance?.netKobo],
    [6500n, 1000n, 3000n, 2500n],
  )
  const history = await readSuspenseChanges(bench.pool, [asId(1n), asId(2n)])
  assert.deepEqual(
    history
      .get(asId(1n))
      ?.map(({ change, amountKobo, leftKobo }) => [change, amountKobo, leftKobo]),
    [['reversed', 1000n, 3000n]],
  )
  const given = await bench.pool.query('select given_client_id from suspense_items order by id')
  assert.deepEqual(given.rows, [{ given_client_id: null }, { given_client_id: id }])
})

// A credit of 60.00 to a payment that took 20.00 of it, so 40.00 are in suspense, of which the bank
// took 10.00 back; and one of 5.00 to nobody's number, which was assigned. An event is not counted.
const AS_IT_WAS = `
  insert into ledger_accounts (id, kind, owner) values
    (1, 'bank', 'bank:058'), (2, 'settled', 'client:$1'), (3, 'suspense', 'client:$1'),
    (4, 'suspense', 'bank:058'), (5, 'collection', '');
  insert into collection_accounts (id, client_id, account_number, bank_code, account_name,
      bvn_sealed, bvn_hash, email, merchant_id, merchant_code, notification_url, phone_number,
      channel, created_at, updated_at)
    values (5, $1, '1234567890', '058', 'Ada Obi', '', '', '', 'M', 'C', '', '', 'API', now(), now());
  insert into credits (id, bank_code, session_id, account_number, client_id, amount_kobo,
      suspended_kobo, currency, outcome, received_at) values
    (1, '058', repeat('1', 30), '1', $1, 6000, 4000, 'NGN', 'booked', '2026-11-01T10:00Z'),
    (2, '058', repeat('2', 30), '2', null, 500, 500, 'NGN', 'assigned', '2026-11-01T10:00Z');
  insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id, reason,
      posted_at) values
    (1, 2, 2000, 1, 'credit', '2026-11-01T10:00Z'), (1, 3, 4000, 1, 'credit', '2026-11-01T10:00Z'),
    (1, 4, 500, 2, 'credit', '2026-11-01T10:00Z'), (3, 1, 1000, 1, 'reversal', '2026-11-01T10:01Z'),
    (4, 5, 500, 2, 'assign', '2026-11-01T10:02Z');
  insert into suspense_items (credit_id, client_id, account_id, amount_kobo, reason, state,
      assigned_account_id, opened_at, closed_at) values
    (1, $1, 3, 3000, 'excess', 'open', null, '2026-11-01T10:00Z', null),
    (2, null, 4, 500, 'unknown_number', 'assigned', 5, '2026-11-01T10:00Z', '2026-11-01T10:02Z');
  insert into hourly_totals values ($1, '2026-11-01T10:00Z', 9, 9900, 0, 1, 0, 0);
  insert into totals_cursors values ($1, 6);
  insert into events (id, client_id, sequence, type, facts, created_at)
    values (gen_random_uuid(), $1, 7, 'payment.expired', '{}', '2026-11-01T10:05Z');`

test('0035: limits that somebody set are the account’s own, those of the settings its defaults', async () => {
  await using bench = await setup('0035')
  await bench.pool.query(`
    insert into ledger_accounts (id, kind) values (5, 'collection'), (6, 'collection'), (7, 'collection');
    insert into collection_accounts (id, client_id, account_number, bank_code, account_name,
        bvn_sealed, bvn_hash, email, merchant_id, merchant_code, notification_url, phone_number,
        channel, created_at, updated_at, limit_per_credit_kobo, limit_per_day_kobo)
    select n, c.id, '100000000' || n, '058', 'Ada Obi', '', '', '', 'M', 'C', '', '', 'API', now(),
           now(), 500, case n when 7 then null else 900 end
      from clients c, generate_series(5, 7) as n where c.client_id = 'BUSY';
    insert into actions (client_id, actor, action, subject, detail, taken_at)
    select id, 'client:BUSY', 'account.update', 'account/100000000' || n,
           jsonb_build_object('changes', jsonb_build_array(case n when 5 then 'email' else 'limits' end)),
           now()
      from clients, generate_series(5, 6) as n where client_id = 'BUSY'`)

  await migrate(bench.pool)

  const { rows } = await bench.pool.query(
    `select own_per_credit_kobo as own_credit, own_per_day_kobo as own_day,
            default_per_credit_kobo as credit, default_per_day_kobo as day, kyc_tier as tier
       from collection_accounts order by id`,
  )
  const none = { own_credit: null, own_day: null, credit: null, day: null, tier: 3 }
  assert.deepEqual(rows, [
    { ...none, credit: 500n, day: 900n },
    { ...none, own_credit: 500n, own_day: 900n },
    { ...none, credit: 500n },
  ])
})

test('0028: returns on their way, or back, keep their references', async () => {
  await using bench = await setup('0028')
  await bench.pool.query(`
    insert into clients (client_id, name, is_operator, scopes, created_at)
    values ('OPERATOR', 'Operator', true, array['accounts:read', 'operator'], now()),
           ('MERCHANT', 'Merchant', false, array['accounts:read'], now());
    insert into ledger_accounts (id, kind, owner) values (1, 'suspense', 'bank:058');
    insert into credits (bank_code, session_id, account_number, amount_kobo, suspended_kobo, outcome,
                         reason, currency, received_at)
    select '058', lpad(n::text, 30, '0'), '0123456789', 500, 500, 'suspended', 'late', 'NGN', now()
      from generate_series(1, 3) as n;
    insert into suspense_items (credit_id, account_id, amount_kobo, reason, state, return_reference,
                                opened_at, closed_at)
    select id, 1, 500, 'late', (array['open', 'returning', 'returned'])[id],
           case id when 3 then 'WEMA/1' end, now(), case id when 1 then null else now() end
      from credits order by id;
    insert into actions (client_id, actor, action, subject, detail, taken_at)
    select id, 'user:ada@shop.example', 'suspense.return', 'suspense/2', '{}', now()
      from clients where client_id = 'OPERATOR';
    insert into alerts (kind, subject, detail, raised_at) values ('session_reused', 'x', '{}', now())`)

  await migrate(bench.pool)

  const { rows } = await bench.pool.query(
    `select reference, item_id::int as item, status, bank_reference as bank, requested_by as by
       from returns order by id`,
  )
  assert.deepEqual(rows, [
    {
      reference: 'RTN000000000002',
      item: 2,
      status: 'pending',
      bank: null,
      by: 'user:ada@shop.example',
    },
    { reference: 'RTN000000000003', item: 3, status: 'confirmed', bank: 'WEMA/1', by: null },
  ])
  const clients = await bench.pool.query(
    "select scopes from clients where client_id in ('OPERATOR', 'MERCHANT') order by client_id",
  )
  assert.deepEqual(
    clients.rows.map(({ scopes }) => scopes),
    [['accounts:read'], ['accounts:read', 'operator', 'returns:read', 'returns:write']],
  )
  const unlogged = await bench.pool.query('select from alerts where logged_at is null')
  assert.equal(unlogged.rowCount, 0)
})

test('0030: to lift what refuses an update does not lift what refuses a truncate', async () => {
  await using bench = await setup('0030')
  await migrate(bench.pool)
  const tables = { transfers: '_append_only', ledger_accounts: '_kept', events: '_append_only' }

  for (const [table, trigger] of Object.entries({ ...tables, actions: '_append_only' })) {
    await bench.pool.query(`alter table ${table} disable trigger ${table}${trigger}`)
    await bench.pool.query(`delete from ${table}`)
    const message = `${table} may not be changed this way (truncate)`
    await assert.rejects(bench.pool.query(`truncate ${table} cascade`), { message })
    await bench.pool.query(`alter table ${table} enable trigger ${table}${trigger}`)
    // That of transfers looks at each row (0074), and none is left.
    if (table === 'transfers') continue
    await assert.rejects(bench.pool.query(`delete from ${table}`), { code: '23001' })
  }
})
