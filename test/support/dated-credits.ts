// Inserts credits of which only the id and the time of receipt matter.

type Database = { query: (sql: string, values: unknown[]) => Promise<unknown> }
export type DatedCredit = { id: number; ms: number }

// Inserts suspended credits of 1 naira at bank 058.
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

// Rows that record the use of a sandbox feature (test clock, seed). Both features write rows whose dates are
// not in the order of their ids.
export const DISORDERS = [
  'insert into sandbox_clock (frozen_at, version) values (null, 2)',
  `insert into sandbox_seeds (client_id, seed, accounts, days, ends_at, steps, begun_at)
   values (1, 1, 1, 1, now(), 1, now())`,
]
