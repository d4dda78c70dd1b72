// The sandbox's demo user. Its password is public, so live mode refuses to start with it.

import type { Queryable } from '#db/pool.ts'
import { SANDBOX_CLIENT } from '#domain/access/client-secrets.ts'
import { matchPassword } from '#domain/access/passwords.ts'
import { timeOrderedId } from '#ids.ts'

export const SANDBOX_USER = {
  email: 'demo@sandbox.example',
  password: 'sandbox-password',
  // Precomputed: hashing would add half a second to every start.
  passwordHash:
    'scrypt$131072$5gDQ7aHCR8JobXcyFUznqQ==$zuk0NPc90XeclMbl/52NBlbhDqwrKsa2G8YiIvB7zvg=',
  role: 'operator',
} as const

// Idempotent.
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
