// A long history, made with set-wise SQL: millions of accounts with two credits each, over the last
// twelve weeks, with their transfers and events. Triggers and foreign keys are off while it is
// written (they would take hours); the audit afterwards proves that the books add up all the same.
//
// It is laid out as life would have laid it out: credits in order of time, each to an account drawn
// from everywhere, session ids of two dozen institutions that grow with time; indexes grown row by
// row, not packed afterwards.

import pg from 'pg'
import { nuban } from '#banks/nuban.ts'
import { maintainPartitions } from '#db/partitions.ts'
import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import type { ClientId } from '#ids.ts'
import { INSTITUTIONS } from './bank-feed.ts'

export const HISTORY_BANK = '058' // Not the one that new accounts come from: no number meets another.
const FIRST_SERIAL = 150_000_000
const SERIALS = 25_000_000
const SERIAL_STEP = 7_919_003 // Prime to the number of serials: neighbours in time are not in number.
const ACCOUNT_STEP = 70_001 // Prime to the number of accounts.
const CREDITS_PER_ACCOUNT = 2
const WEEKS = 12
const CHUNK = 250_000

type Say = (line: string) => void

// The number of the k-th account of the history.
export function historyNumber(k: number): string {
  return nuban(HISTORY_BANK, FIRST_SERIAL + ((k * SERIAL_STEP) % SERIALS))
}

// The same in SQL; 59 is what the digits of the bank's code add to the check sum.
const numberSql = (k: string) => {
  const serial = `(${FIRST_SERIAL} + (${k}::bigint * ${SERIAL_STEP}) % ${SERIALS})`
  const weighted = [3, 7, 3, 3, 7, 3, 3, 7, 3]
    .map((weight, at) => `${weight} * (${serial} / ${10 ** (8 - at)} % 10)`)
    .join(' + ')
  return `(${serial}::text || ((10 - (59 + ${weighted}) % 10) % 10)::text)`
}

const amountSql = (j: string) => `(10050 + (${j}::bigint * 37) % 9000 * 100)`

export async function writeHistory(connectionString: string, accounts: number, say: Say) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (let week = WEEKS + 1; week >= 0; week--) {
      await maintainPartitions(client as never, new Date(Date.now() - week * 7 * 86_400_000))
    }
    await client.query(`set session_replication_role = replica; set synchronous_commit = off;
                        set statement_timeout = 0`)
    const start = await findStart(client)
    const places: Places = { ...start, accounts, credits: accounts * CREDITS_PER_ACCOUNT }
    for (const [name, sql] of accountStatements(places)) {
      await inChunks(client, accounts, sql, (done) => say(`${name}: ${done.toLocaleString('en')}`))
    }
    const { credits } = places
    for (const [name, sql] of creditStatements(places)) {
      await inChunks(client, credits, sql, (done) => say(`${name}: ${done.toLocaleString('en')}`))
    }
    await close(client, places)
    say('vacuum and analyze')
    await client.query('vacuum (analyze)')
  } finally {
    await client.end()
  }
}

type Start = { clientId: ClientId; bankId: bigint; firstAccount: bigint; firstCredit: bigint }
type Places = Start & { accounts: number; credits: number }

async function findStart(client: pg.Client): Promise<Start> {
  await client.query(
    `insert into ledger_accounts (id, kind, owner)
     values (nextval('shared_account_ids'), 'bank', $1)
     on conflict (kind, owner, currency) where kind <> 'collection' do nothing`,
    [`bank:${HISTORY_BANK}`],
  )
  const { rows } = await client.query<Start>(
    `select c.id as "clientId", b.id as "bankId", nextval('ledger_account_ids') as "firstAccount",
            nextval('credit_ids') as "firstCredit"
       from clients c, ledger_accounts b
      where c.client_id = $1 and b.kind = 'bank' and b.owner = $2`,
    [SANDBOX_CLIENT.clientId, `bank:${HISTORY_BANK}`],
  )
  return rows[0] as Start
}

// $1 and $2 are the first and the last place of a chunk. What an account holds follows from which
// credits came to it: the j-th went to account j × step modulo the number of accounts.
function accountStatements({ accounts, firstAccount, clientId }: Places): [string, string][] {
  const first = `(k * ${inverse(ACCOUNT_STEP, accounts)}::bigint) % ${accounts}`
  const id = `${firstAccount} + k`
  const from = 'from generate_series($1::bigint, $2::bigint) as k'
  return [
    [
      'ledger accounts',
      `insert into ledger_accounts (id, kind, credits_kobo, opened_at)
       select ${id}, 'collection', ${amountSql(first)} + ${amountSql(`(${first} + ${accounts})`)},
              now() - interval '${WEEKS} weeks' ${from}`,
    ],
    [
      'collection accounts',
      `insert into collection_accounts
         (id, client_id, account_number, bank_code, account_name, bvn_sealed, bvn_hash, email,
          merchant_id, merchant_code, notification_url, phone_number, channel, created_at,
          updated_at)
       select ${id}, ${clientId}, ${numberSql('k')}, '${HISTORY_BANK}', 'Customer ' || k,
              decode(md5(k::text) || repeat('00', 24), 'hex'),
              decode(md5(k::text) || md5('h' || k), 'hex'), 'customer' || k || '@example.com',
              'M-0001', 'Nai0000319', '',
              '+23480' || lpad(k::text, 8, '0'), 'API', now() - interval '${WEEKS} weeks',
              now() - interval '${WEEKS} weeks' ${from}`,
    ],
    [
      'numbers',
      `insert into numbers (account_number, bank_code, client_id, collection_account_id)
       select ${numberSql('k')}, '${HISTORY_BANK}', ${clientId}, ${id} ${from}`,
    ],
  ]
}

function creditStatements(places: Places): [string, string][] {
  const { accounts, credits, firstAccount, firstCredit, clientId, bankId } = places
  const account = `((j * ${ACCOUNT_STEP}) % ${accounts})`
  const at = `(now() - interval '${WEEKS} weeks' * (1 - j::float8 / ${credits}))`
  const institutions = INSTITUTIONS.map((code) => `'${code}'`).join(', ')
  const from = `from generate_series($1::bigint, $2::bigint) as j`
  return [
    [
      'credits',
      `insert into credits
         (id, bank_code, session_id, account_number, client_id, collection_account_id, amount_kobo,
          currency, outcome, source_account_sealed, source_account_name, source_bank_code,
          narration, transacted_at, received_at)
       select ${firstCredit} + j, '${HISTORY_BANK}',
              (array[${institutions}])[1 + (j * 7) % ${INSTITUTIONS.length}]
                || to_char(at at time zone 'Africa/Lagos', 'YYMMDDHH24MISS')
                || lpad(((j * ${SERIAL_STEP}) % 10000000000)::text, 10, '0') || '99',
              ${numberSql(account)}, ${clientId}, ${firstAccount} + ${account}, ${amountSql('j')},
              'NGN', 'booked', decode(md5(j::text) || repeat('00', 23), 'hex'),
              'Payer Number ' || j % 100000, '058', 'Transfer for order ' || j, at, at
         from (select j, ${at} as at ${from}) as each`,
    ],
    [
      'transfers',
      `insert into transfers (debit_account_id, credit_account_id, amount_kobo, credit_id, reason,
                              posted_at)
       select ${bankId}, ${firstAccount} + ${account}, ${amountSql('j')}, ${firstCredit} + j,
              'credit', ${at} ${from}`,
    ],
    [
      'events',
      `insert into events (id, client_id, sequence, type, collection_account_id, credit_id, facts,
                           created_at)
       select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7'
                || left(md5(j::text), 3) || '8' || right(md5(j::text), 15))::uuid,
              ${clientId}, base + 1 + j, 'collection.received', ${firstAccount} + ${account},
              ${firstCredit} + j, '{"accountBalanceKobo":"150050"}', at
         from (select j, ${at} as at, (select sequence from event_counters
                                              where client_id = ${clientId})
                      as base ${from}) as each`,
    ],
  ]
}

async function close(client: pg.Client, places: Places): Promise<void> {
  const { accounts, credits, firstAccount, firstCredit, clientId, bankId } = places
  await client.query(`
    update ledger_accounts set debits_kobo = debits_kobo
      + (select sum(${amountSql('j')}) from generate_series(0, ${credits - 1}) as j)
     where id = ${bankId};
    update event_counters set sequence = sequence + ${credits} where client_id = ${clientId};
    select setval('ledger_account_ids', ${firstAccount + BigInt(accounts)});
    select setval('credit_ids', ${firstCredit + BigInt(credits)})`)
}

async function inChunks(
  client: pg.Client,
  count: number,
  sql: string,
  onDone: (done: number) => void,
): Promise<void> {
  for (let from = 0; from < count; from += CHUNK) {
    const to = Math.min(from + CHUNK, count)
    await client.query(sql, [from, to - 1])
    if (to % 2_000_000 === 0 || to === count) onDone(to)
  }
}

// The x with step × x = 1 modulo `modulus`: by Euclid.
function inverse(step: number, modulus: number): bigint {
  let [previous, current] = [0n, 1n]
  let [rest, by] = [BigInt(modulus), BigInt(step) % BigInt(modulus)]
  while (by !== 0n) {
    const times = rest / by
    ;[previous, current] = [current, previous - times * current]
    ;[rest, by] = [by, rest - times * by]
  }
  return ((previous % BigInt(modulus)) + BigInt(modulus)) % BigInt(modulus)
}
