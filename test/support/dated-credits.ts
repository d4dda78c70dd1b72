// Credits with only an id and a time of receipt.

type Database = { query: (sql: string, values: unknown[]) => Promise<unknown> }
export type DatedCredit = { id: number; ms: number }

export async function insertCredits(db: Database, credits: readonly DatedCredit[]): Promise<void> {
  await db.query(
    `insert into credits (id, bank_code, session_id, account_number, amount_kobo, currency,
                          outcome, identified_by, received_at)
     select id, '058', lpad(id::text, 30, '0'), '0123456789', 100, 'NGN', 'suspended',
            'session_id', at
       from unnest($1::bigint[], $2::timestamptz[]) as c (id, at)`,
    [credits.map(({ id }) => id), credits.map(({ ms }) => new Date(ms))],
  )
}

// Archives the credits up to an id, except every tenth.
export async function archiveCredits(db: Database, upTo: number): Promise<void> {
  await db.query(
    `insert into archived_credits (id, archive_id, client_id, collection_account_id, amount_kobo,
                                   received_at, bank_code, session_id, account_number)
     select id, 1, 1, 1, amount_kobo, received_at, bank_code, session_id, account_number
       from credits where id <= $1 and id % 10 <> 0`,
    [upTo],
  )
  await db.query('delete from credits where id in (select id from archived_credits)', [])
}

// Sandbox features that give rows dates out of id order.
export const DISORDERS = [
  'insert into test_clocks (client_id, now_at, set_at) values (1, now(), now())',
  `insert into sandbox_seeds (client_id, seed, accounts, days, ends_at, steps, begun_at)
   values (1, 1, 1, 1, now(), 1, now())`,
]
