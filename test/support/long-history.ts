// Fills every growing table with enough rows that PostgreSQL has to choose between plans. Half of the rows
// belong to the sandbox client. Only for tests that inspect query plans: triggers and foreign keys are off,
// and the books do not add up.

import pg from 'pg'

// Parameters of all statements: $1 is the number of rows, $2 the current time, $3 the sandbox client's id.
// Row number k is k seconds old.
const ROWS = `generate_series(1, $1::int) as k`
const OWNER = `case k % 2 when 0 then $3::bigint else 1000000 + k end`
const ACCOUNT = `1000000 + k`
const CREDIT = `1000000 + k`
const AT = `($2::timestamptz - k * interval '1 second')`
// A UUIDv7, whose first 48 bits are its time in milliseconds.
const ID = `(lpad(to_hex((extract(epoch from $2::timestamptz) * 1000)::bigint - k), 12, '0') || '7'
             || substr(md5(k::text), 1, 3) || '8' || substr(md5(k::text), 4, 15))::uuid`
// Later than the end of any test, so that no worker sends the delivery; but within the longest Retry-After
// that the service accepts, so that no worker corrects the time.
const NEXT_ATTEMPT = `$2::timestamptz + interval '23 hours'`
const SESSION = `lpad(k::text, 30, '0')`

const TABLES: Record<string, string> = {
  clients: `insert into clients (id, client_id, name, created_at)
    overriding system value
    select 1000000 + k, 'HISTORY' || k, 'Client ' || k, ${AT} from ${ROWS}`,
  event_counters: `insert into event_counters select 1000000 + k, 1 from ${ROWS}`,
  dispatch_cursors: `insert into dispatch_cursors select 1000000 + k, 1 from ${ROWS}`,
  totals_cursors: `insert into totals_cursors select 1000000 + k, 1 from ${ROWS}`,
  ledger_accounts: `insert into ledger_accounts (id, kind, credits_kobo, opened_at)
    select ${ACCOUNT}, 'collection', 500, ${AT} from ${ROWS}
    union all select 999999, 'bank', 0, $2::timestamptz
    union all select 999998, 'suspense', 1000000000000, $2::timestamptz`,
  collection_accounts: `insert into collection_accounts
      (id, client_id, account_number, bank_code, account_name, bvn_sealed, bvn_hash, email,
       merchant_id, merchant_code, notification_url, phone_number, channel, created_at, updated_at)
    select ${ACCOUNT}, ${OWNER}, '9' || lpad(k::text, 9, '0'), '058', 'Customer ' || k,
           (select bvn_sealed from collection_accounts where id < 1000000 limit 1),
           decode(repeat(md5(k::text), 2), 'hex'), 'customer' || k || '@example.com',
           'M-' || k % 1000, 'Nai0000319', '', '+23480' || lpad(k::text, 8, '0'), 'API', ${AT},
           ${AT} from ${ROWS}`,
  collection_days: `insert into collection_days
    select ${ACCOUNT}, $2::timestamptz::date, 0 from ${ROWS}`,
  advices: `insert into advices
      (id, client_id, merchant_ref, amount_kobo, currency, call_back_url, customer, customer_name,
       amount_policy, expires_in_seconds, grace_seconds, created_at)
    select ${ID}, ${OWNER}, 'history-' || k, 500, 'NGN', 'https://shop.example.com/done',
           (select customer from advices where client_id = $3 limit 1), 'Ada Obi', 'any', 1800, 0,
           ${AT} from ${ROWS}`,
  payments: `insert into payments
      (id, advice_id, client_id, amount_kobo, amount_paid_kobo, amount_policy, status, expires_at,
       closes_at, created_at, updated_at)
    select ${ID}, ${ID}, ${OWNER}, 500, 0, 'any',
           case k % 10 when 0 then 'Processing' else 'Expired' end,
           $2::timestamptz + interval '30 days', $2::timestamptz + interval '30 days', ${AT}, ${AT}
      from ${ROWS}`,
  numbers: `insert into numbers
      (account_number, bank_code, client_id, collection_account_id, payment_id, reusable_at)
    select '9' || lpad(k::text, 9, '0'), '058', ${OWNER}, ${ACCOUNT}, null, null from ${ROWS}
    union all
    select '8' || lpad(k::text, 9, '0'), case k % 2 when 0 then '035' else '101' end, ${OWNER},
           null, ${ID}, $2::timestamptz + case k % 2 when 0 then 1 else -1 end * interval '30 days'
      from ${ROWS}`,
  payment_numbers: `insert into payment_numbers
    select ${ID}, '035', '8' || lpad(k::text, 9, '0'), ${AT} from ${ROWS}`,
  credits: `insert into credits
      (id, bank_code, session_id, account_number, client_id, collection_account_id, amount_kobo,
       currency, outcome, reason, suspended_kobo, identified_by, received_at)
    select ${CREDIT}, '058', ${SESSION}, '9' || lpad(k::text, 9, '0'), ${OWNER}, ${ACCOUNT}, 500,
           'NGN', case k % 5 when 0 then 'suspended' else 'booked' end, null,
           case k % 5 when 0 then 500 else 0 end, 'session_id', ${AT} from ${ROWS}`,
  credit_identifiers: `insert into credit_identifiers (value, bank_code, kind, credit_id, is_first)
    select ${SESSION}, '058', 'session_id', ${CREDIT}, true from ${ROWS}
    union all
    select 'S' || ${SESSION}, '058', 'settlement_id', ${CREDIT}, false from ${ROWS}
     where k % 2 = 0`,
  transfers: `insert into transfers
      (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
    select 999999, ${ACCOUNT}, 500, ${CREDIT}, 'credit', ${AT} from ${ROWS}
    union all
    select ${ACCOUNT}, 999999, 100, ${CREDIT}, 'reversal', ${AT} from ${ROWS}`,
  suspense_items: `insert into suspense_items
      (credit_id, client_id, account_id, amount_kobo, reason, opened_at)
    select ${CREDIT}, ${OWNER}, 999998, 500, 'late', ${AT} from ${ROWS}`,
  reversals: `insert into reversals (bank_code, session_id, credit_id, amount_kobo, received_at)
    select '058', ${SESSION}, ${CREDIT}, 100, ${AT} from ${ROWS}`,
  events: `insert into events
      (id, client_id, sequence, type, collection_account_id, credit_id, facts, created_at)
    select ${ID}, $3, (select sequence from event_counters where client_id = $3) + k, 'collection.received',
           ${ACCOUNT}, ${CREDIT}, '{"accountBalanceKobo":"500"}', ${AT} from ${ROWS}`,
  destinations: `insert into destinations (id, client_id, url, due_at) overriding system value
    select 1000000 + k, ${OWNER}, 'https://shop.example.com/' || k,
           case when k % 2 = 0 then ${NEXT_ATTEMPT} end from ${ROWS}`,
  deliveries: `insert into deliveries
      (event_id, destination_id, client_id, kind, state, attempts, ladder_step,
       next_attempt_at, created_at)
    select ${ID}, 1000000 + k, $3, 'notification',
           case k % 2 when 0 then 'pending' else 'delivered' end, 1, 1,
           ${NEXT_ATTEMPT}, ${AT} from ${ROWS}`,
  delivery_attempts: `insert into delivery_attempts
      (event_id, destination_id, attempt, attempted_at, status, latency_ms)
    select ${ID}, 1000000 + k, 1, ${AT}, 500, 10 from ${ROWS}`,
  idempotency_keys: `insert into idempotency_keys
    select ${OWNER}, 'history-' || k, 'account', decode(md5(k::text), 'hex'), k::text,
           $2::timestamptz - k * interval '1 millisecond' from ${ROWS}`,
  audit_log: `insert into audit_log (client_id, action, subject, detail, taken_at)
    select ${OWNER}, 'suspense.assigned', 'suspense/' || k, '{}', ${AT} from ${ROWS}`,
}

export const HISTORY_TABLES: readonly string[] = Object.keys(TABLES)

// Inserts `rows` rows into each table, or twice as many where its statement has two parts.
export async function writeLongHistory(
  connectionString: string,
  { rows, now, clientId }: { rows: number; now: Date; clientId: bigint },
): Promise<void> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    await client.query('set session_replication_role = replica')
    for (const [table, insert] of Object.entries(TABLES)) {
      const parameters = [rows, now, clientId].slice(0, highestParameter(insert))
      await client.query(insert, parameters).catch((error) => {
        throw new Error(`${table}: ${error.message}`)
      })
    }
    // Workers regard the events as dispatched and counted.
    for (const table of ['event_counters', 'dispatch_cursors', 'totals_cursors']) {
      await client.query(`update ${table} set sequence = sequence + $1 where client_id = $2`, [
        rows,
        clientId,
      ])
    }
  } finally {
    await client.end()
  }
}

// Statements use only the first parameters; PostgreSQL refuses more than a statement uses.
function highestParameter(sql: string): number {
  return Math.max(...[...sql.matchAll(/\$(\d)/g)].map(([, digit]) => Number(digit)))
}
