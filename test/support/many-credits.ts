// Inserts many credits quickly, for tests with a large database. Each credit has a transfer from the bank
// to one of a thousand collection accounts, which the ledger's own trigger posts.

import type { Pool } from '#db/pool.ts'
import { START } from './settings.ts'

const ACCOUNTS = 1_000
const CHUNK = 50_000

// Inserts `count` credits and their transfers, CHUNK at a time.
export async function postManyCredits(db: Pool, count: number): Promise<void> {
  const { rows } = await db.query<{ bank: bigint; first: bigint }>(
    `with bank as (
       insert into ledger_accounts (id, kind, owner)
       values (nextval('shared_account_ids'), 'bank', 'bank:058') returning id
     ), collection as (
       insert into ledger_accounts (kind) select 'collection' from generate_series(1, ${ACCOUNTS})
       returning id
     )
     select (select id from bank) as bank, (select min(id) from collection) as first`,
  )
  const { bank, first } = rows[0] as { bank: bigint; first: bigint } // Ids of ledger accounts.
  for (let from = 1; from <= count; from += CHUNK) {
    await db.query(
      `with taken as (
         insert into credits (bank_code, session_id, account_number, amount_kobo, currency, outcome,
                              received_at, identified_by)
         select '058', lpad(k::text, 30, '0'), '0123456789', 100 + k::bigint * 7919 % 900000, 'NGN',
                'booked', $3::timestamptz + k * interval '1 millisecond', 'session_id'
           from generate_series($1::int, $2::int) as k order by k
         returning id, amount_kobo, received_at
       )
       insert into transfers
         (debit_account_id, credit_account_id, amount_kobo, credit_id, reason, posted_at)
       select $4, $5 + id % ${ACCOUNTS}, amount_kobo, id, 'credit', received_at
         from taken order by id`,
      [from, Math.min(from + CHUNK - 1, count), START, bank, first],
    )
  }
}
