// Fills a bench database with collection accounts and their history: by default two credits each
// over the last twelve weeks, with their transfers and events. Rows are inserted in bulk with triggers
// and foreign keys off, which takes minutes instead of hours. The integrity checks prove afterwards
// that the books add up. The rows lie on disk as in real use: credits in order of time, each to a
// scattered account, with growing session ids of two dozen institutions.

import pg from 'pg'
import { nuban } from '#banks/nuban.ts'
import { maintainPartitions } from '#db/migrate.ts'
import { bankOwner } from '#ledger/accounts.ts'
import type { Kobo } from '#money.ts'
import type { Sealer } from '#seal.ts'

export const BANK = '058' // Differs from the bank of new accounts, so no numbers collide.
export const INSTITUTIONS = Array.from({ length: 24 }, (_, at) => String(at + 1).padStart(6, '0'))
export const SCATTER = 7_919_003 // Coprime to 10 and to SERIALS, so that neighbours in time lie far apart.
const ACCOUNT_STEP = 70_001 // Coprime to the number of accounts.
const FIRST_SERIAL = 150_000_000
const SERIALS = 25_000_000
const CREDITS_PER_ACCOUNT = 2
const WEEKS = 12
const WEEK_MS = 7 * 86_400_000
const CHUNK = 250_000
const FIRST_ID = 1_000_000
const CLIENT = '(select id from clients)'

// Returns the number of the account that receives the j-th credit. Credits visit the accounts in a
// scattered order, each equally often.
export function accountNumber(j: number, accounts: number): string {
  const k = (j * ACCOUNT_STEP) % accounts
  return nuban(BANK, FIRST_SERIAL + ((k * SCATTER) % SERIALS))
}

// SQL scalar: the number of the k-th account, as nuban() makes it: a serial of nine digits and a check digit.
// The digits of the bank's code add 59 to the weighted sum.
const numberSql = (k: string) => {
  const serial = `(${FIRST_SERIAL} + (${k}::bigint * ${SCATTER}) % ${SERIALS})`
  const weighted = [3, 7, 3, 3, 7, 3, 3, 7, 3]
    .map((weight, at) => `${weight} * (${serial} / ${10 ** (8 - at)} % 10)`)
    .join(' + ')
  return `(${serial}::text || ((10 - (59 + ${weighted}) % 10) % 10)::text)`
}

// SQL scalar: the amount of the j-th credit in kobo, from 100.50 to 90,090.50 naira.
const amountSql = (j: string) => `(10050 + (${j}::bigint * 37) % 9000 * 100)`

// SQL query: the bank's statement lines for the $2 credits after the id $1, ordered by time.
export const STATEMENT_ROWS = `
  select id, to_char(received_at at time zone 'Africa/Lagos', 'DD-Mon-YYYY') as day,
         amount_kobo as "amountKobo", session_id as "sessionId", source_account_name as name,
         account_number as "accountNumber"
    from credits where id > $1 order by id limit $2`

export type StatementRow = {
  id: bigint
  day: string
  amountKobo: Kobo
  sessionId: string
  name: string
  accountNumber: string
}

export type HistorySize = { accounts: number; perAccount?: number | undefined }

// Writes the history into a new database, whose only client is the sandbox's.
export async function writeHistory(
  connectionString: string,
  { accounts, perAccount = CREDITS_PER_ACCOUNT }: HistorySize,
  sealer: Sealer,
) {
  const size = { accounts, perAccount, until: new Date() }
  const credits = accounts * perAccount
  // One sealed value that all rows share, as the customer's BVN and as the payer's account number.
  const sealed = `'\\x${sealer.seal('22200000000').toString('hex')}'::bytea`
  // Tables are written in parallel.
  const fill = (count: number, statements: string[]) =>
    Promise.all(statements.map((sql) => inChunks(connectionString, count, sql)))
  await using writer = await connect(connectionString)
  const { client } = writer
  // Creates the partitions of the whole period, oldest first.
  for (let week = WEEKS + 1; week >= 0; week--) {
    await maintainPartitions(client as never, new Date(size.until.getTime() - week * WEEK_MS))
  }
  await client.query(`
    insert into ledger_accounts (id, kind, owner, debits_kobo)
    select nextval('shared_account_ids'), 'bank', '${bankOwner(BANK)}', sum(${amountSql('j')})
      from generate_series(0, ${credits - 1}) as j`)
  await fill(accounts, accountStatements(size, sealed))
  await fill(credits, creditStatements(size, sealed))
  await client.query(`
    update event_counters set sequence = sequence + ${credits};
    select setval('ledger_account_ids', ${FIRST_ID + accounts});
    select setval('credit_ids', ${FIRST_ID + credits})`)
  await client.query('vacuum (analyze)')
}

// Runs a statement for the positions 0 to count - 1, in chunks, on a connection of its own.
async function inChunks(connectionString: string, count: number, sql: string): Promise<void> {
  await using writer = await connect(connectionString)
  for (let from = 0; from < count; from += CHUNK) {
    await writer.client.query(sql, [from, Math.min(from + CHUNK, count) - 1])
  }
}

// Opens a connection that skips triggers and foreign keys, and does not wait for the disk at commit.
async function connect(connectionString: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  await client.query(`
    set session_replication_role = replica; set synchronous_commit = off;
    set statement_timeout = 0`)
  return { client, [Symbol.asyncDispose]: () => client.end() }
}

type Size = { accounts: number; perAccount: number; until: Date }

// Returns the SQL that inserts the accounts from position $1 to $2, with their ledger accounts and
// numbers. The j-th credit goes to account j × ACCOUNT_STEP modulo the number of accounts, so an
// account's balance can be computed from its position before any credit is inserted.
function accountStatements({ accounts, perAccount, until }: Size, sealed: string): string[] {
  // The position of the account's first credit. The next ones follow at steps of `accounts`.
  const first = `(k * ${inverse(ACCOUNT_STEP, accounts)}::bigint) % ${accounts}`
  const id = `${FIRST_ID} + k`
  const at = `'${until.toISOString()}'::timestamptz - interval '${WEEKS} weeks'`
  const from = 'from generate_series($1::bigint, $2::bigint) as k'
  return [
    `insert into ledger_accounts (id, kind, credits_kobo, opened_at)
     select ${id}, 'collection',
            (select sum(${amountSql(`(${first} + n * ${accounts})`)})
               from generate_series(0, ${perAccount - 1}) as n), ${at} ${from}`,
    `insert into collection_accounts
       (id, client_id, account_number, bank_code, account_name, bvn_sealed, bvn_hash, email,
        merchant_id, merchant_code, notification_url, phone_number, channel, created_at, updated_at)
     select ${id}, ${CLIENT}, ${numberSql('k')}, '${BANK}', 'Customer ' || k, ${sealed},
            decode(md5(k::text) || md5('h' || k), 'hex'), 'customer' || k || '@example.com',
            'M-0001', 'Nai0000319', '', '+23480' || lpad(k::text, 8, '0'), 'API', ${at}, ${at}
            ${from}`,
    `insert into numbers (account_number, bank_code, client_id, collection_account_id)
     select ${numberSql('k')}, '${BANK}', ${CLIENT}, ${id} ${from}`,
  ]
}

// Returns the SQL that inserts the credits from position $1 to $2, with their identifiers, transfers and
// events. Credits are spread evenly over the last WEEKS weeks: `age` is 1 for the oldest and near 0 for the
// newest. An event's id is a version 7 UUID of its time.
function creditStatements({ accounts, perAccount, until }: Size, sealed: string): string[] {
  const account = `((j * ${ACCOUNT_STEP}) % ${accounts})`
  const accountId = `${FIRST_ID} + ${account}`
  const age = `(1 - j::float8 / ${accounts * perAccount})`
  const institutions = INSTITUTIONS.map((code) => `'${code}'`).join(', ')
  const end = `'${until.toISOString()}'::timestamptz`
  const from = `from (select j, ${end} - interval '${WEEKS} weeks' * ${age} as at
                        from generate_series($1::bigint, $2::bigint) as j)`
  const sessionId = `(array[${institutions}])[1 + (j * 7) % ${INSTITUTIONS.length}]
              || to_char(at at time zone 'Africa/Lagos', 'YYMMDDHH24MISS')
              || lpad(((j * ${SCATTER}) % 10000000000)::text, 10, '0') || '99'`
  return [
    `insert into credits
       (id, bank_code, session_id, account_number, client_id, collection_account_id, amount_kobo,
        currency, outcome, source_account_sealed, source_account_name, source_bank_code,
        narration, transacted_at, received_at, identified_by)
     select ${FIRST_ID} + j, '${BANK}', ${sessionId},
            ${numberSql(account)}, ${CLIENT}, ${accountId}, ${amountSql('j')}, 'NGN', 'booked',
            ${sealed}, 'Payer Number ' || j % 100000, '058', 'Transfer for order ' || j, at, at,
            'session_id' ${from}`,
    `insert into credit_identifiers (credit_id, is_first, value, bank_code, kind)
     select ${FIRST_ID} + j, true, ${sessionId}, '${BANK}', 'session_id' ${from}`,
    `insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id, reason,
                            posted_at)
     select (select id from ledger_accounts where kind = 'bank'), ${accountId}, ${amountSql('j')},
            ${FIRST_ID} + j, 'credit', at ${from}`,
    `insert into events (id, client_id, sequence, type, collection_account_id, credit_id, facts,
                         created_at)
     select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
              || left(md5(j::text), 3) || '8' || right(md5(j::text), 15))::uuid,
            ${CLIENT}, (select sequence from event_counters) + 1 + j, 'collection.received',
            ${accountId}, ${FIRST_ID} + j, '{"accountBalance":1500.5}', at ${from}`,
  ]
}

// Returns the x with step × x = 1 modulo `modulus`, which finds the first credit of an account.
function inverse(step: number, modulus: number): number {
  let x = 1
  while ((x * step) % modulus !== 1) x++
  return x
}
