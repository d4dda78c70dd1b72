// The mode of a database, recorded at its first use. Once the database has money, the mode is fixed:
// sandbox money, simulated or reported by a bank's test system, must never be paid out for real, and real
// money must not move with published credentials.

import type { Queryable } from '#db/pool.ts'
import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'

export type Mode = 'sandbox' | 'live'

// The mode of the money in the database. `none`: there is no money, and either mode may start.
export async function findModeOfMoney(db: Queryable): Promise<Mode | 'unknown' | 'none'> {
  const { rows } = await db.query<{ mode: Mode | null; hasMoney: boolean }>(
    `select (select mode from database_mode) as mode,
            exists (select from all_credits) as "hasMoney"`,
  )
  if (!rows[0]?.hasMoney) return 'none'
  return rows[0].mode ?? inferMode(db)
}

// For a database from before modes were recorded. A sandbox that went live long ago gives `unknown` and
// may go on.
async function inferMode(db: Queryable): Promise<Mode | 'unknown'> {
  const { rows } = await db.query<{ wasSandbox: boolean; isSimulated: boolean }>(
    `select exists (select from clients where client_id = $1) as "wasSandbox",
            not exists (select from all_credits c
                         where source <> 'sandbox'
                           and not exists (select from sandbox_reports r
                                            where r.session_id = c.session_id)) as "isSimulated"`,
    [SANDBOX_CLIENT.clientId],
  )
  if (!rows[0]?.wasSandbox) return 'live'
  return rows[0].isSimulated ? 'sandbox' : 'unknown'
}

export async function recordMode(db: Queryable, now: Date, mode: Mode): Promise<void> {
  await db.query(
    `insert into database_mode (mode, since) values ($1, $2)
     on conflict (is_only) do update set mode = excluded.mode, since = excluded.since
      where database_mode.mode <> excluded.mode`,
    [mode, now],
  )
}
