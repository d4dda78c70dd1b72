// Sets up a database for sandbox or live mode: records the mode, and creates the sandbox's demo user and
// default bank account.

import { matchPassword } from '#access/passwords.ts'
import { SANDBOX_CLIENT } from '#access/secrets.ts'
import { nuban } from '#banks/nuban.ts'
import type { Queryable } from '#db/pool.ts'
import { timeOrderedId } from '#ids.ts'
import { hashAccount, newBankAccountReference } from '#payouts/bank-accounts.ts'
import type { Sealer } from '#seal.ts'

type Mode = 'sandbox' | 'live'

// Once a database has money, its mode is fixed: sandbox money, simulated or reported by a bank's test system,
// must never be paid out for real, and real money must not move with published credentials.
//
// Returns the mode of the money in the database. With two other results the service may start in either mode:
// `none` if there is no money, and `unknown` if no mode was recorded and inferMode() cannot tell it.
export async function findModeOfMoney(db: Queryable): Promise<Mode | 'unknown' | 'none'> {
  const { rows } = await db.query<{ mode: Mode | null; hasMoney: boolean }>(
    `select (select mode from database_mode) as mode,
            exists (select from credits) as has_money`,
  )
  if (!rows[0]?.hasMoney) return 'none'
  return rows[0].mode ?? inferMode(db)
}

// Infers the mode of a database of an old release, which recorded no mode:
//   live      the database has no sandbox client
//   sandbox   the database has the sandbox client, and all its credits are simulated
//   unknown   the database has the sandbox client and also real credits: the former sandbox went live
async function inferMode(db: Queryable): Promise<Mode | 'unknown'> {
  const { rows } = await db.query<{ wasSandbox: boolean; isSimulated: boolean }>(
    `select exists (select from clients where client_id = $1) as was_sandbox,
            not exists (select from credits c
                         where source <> 'sandbox'
                           and not exists (select from sandbox_reports r
                                            where r.session_id = c.session_id)) as is_simulated`,
    [SANDBOX_CLIENT.clientId],
  )
  if (!rows[0]?.wasSandbox) return 'live'
  return rows[0].isSimulated ? 'sandbox' : 'unknown'
}

// Stores the mode that the service starts in. The date stays that of the first start in this mode.
export async function recordMode(db: Queryable, now: Date, mode: Mode): Promise<void> {
  await db.query(
    `insert into database_mode (mode, since) values ($1, $2)
     on conflict (is_only) do update set mode = excluded.mode, since = excluded.since
      where database_mode.mode <> excluded.mode`,
    [mode, now],
  )
}

// The sandbox's demo user. Its password is public, so the service refuses to start in live mode with this
// user.
export const SANDBOX_USER = {
  email: 'demo@sandbox.example',
  password: 'sandbox-password',
  // The hash is precomputed, because hashing would add half a second to every start.
  passwordHash:
    'scrypt$131072$5gDQ7aHCR8JobXcyFUznqQ==$zuk0NPc90XeclMbl/52NBlbhDqwrKsa2G8YiIvB7zvg=',
  role: 'operator',
} as const

// Creates the demo user at the start of a sandbox, if it does not exist.
export async function createSandboxUser(db: Queryable, now: Date): Promise<void> {
  const { email, passwordHash, role } = SANDBOX_USER
  await db.query(
    `insert into users (id, client_id, email, role, password_hash, password_set_at,
                        is_password_temporary, created_at, own_from)
     select $1, id, $2, $3, $4, $5, false, $5, $5 from clients where client_id = $6
     on conflict do nothing`,
    [timeOrderedId(now), email, role, passwordHash, now, SANDBOX_CLIENT.clientId],
  )
}

// Whether a user with the published email and password exists. Live mode refuses to start with such a user.
export async function hasSandboxUser(db: Queryable): Promise<boolean> {
  const { email, password } = SANDBOX_USER
  const { rows } = await db.query<{ hash: string }>(
    'select password_hash as hash from users where email = $1',
    [email],
  )
  if (rows.length === 0) return false
  const matches = await matchPassword(
    password,
    rows.map(({ hash }) => hash),
  )
  return matches.includes(true)
}

const BANK_CODE = '058'
const ACCOUNT_NUMBER = nuban(BANK_CODE, 12_345_678)

// Creates the sandbox client's default bank account, so that payouts work at once. Does nothing if the client
// has any bank account.
export async function createSandboxBankAccount(
  db: Queryable,
  sealer: Sealer,
  now: Date,
): Promise<void> {
  await db.query(
    `insert into bank_accounts
       (reference, client_id, bank_code, account_number_sealed, account_number_hash, account_name,
        name_at_bank, status, is_default, created_by, created_at, enquired_at)
     select $1, c.id, $2, $3, $4, c.name, upper(c.name), 'confirmed', true, 'sandbox', $5, $5
       from clients c
      where c.client_id = $6
        and not exists (select from bank_accounts where client_id = c.id)
     on conflict do nothing`,
    [
      newBankAccountReference(),
      BANK_CODE,
      sealer.seal(ACCOUNT_NUMBER),
      hashAccount(sealer, ACCOUNT_NUMBER),
      now,
      SANDBOX_CLIENT.clientId,
    ],
  )
}
