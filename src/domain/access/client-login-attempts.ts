// Failed client logins (login-limits.ts). The limit per client and address is stricter than the
// limit per address for all clients. A successful login never counts.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { findClient } from './clients.ts'
import { type AttemptKey, countAttempt, findLock } from './login-limits.ts'

// `caller` is the key that counts the address.
type Login = { clientId: string; address: string; caller: string }

export function findLoginLock(db: Queryable, now: Date, login: Login): Promise<number | undefined> {
  return findLock(db, now, attemptKeys(login))
}

// Returns the remaining seconds if concurrent failures have locked it meanwhile. The client's audit
// log records the lock.
export async function countFailedLogin(
  tx: Transaction,
  now: Date,
  login: Login,
): Promise<number | undefined> {
  for (const key of attemptKeys(login)) {
    const attempt = await countAttempt(tx, now, key)
    if (attempt.isLocked) return attempt.retryAfterSeconds
    if (attempt.isLast && key.kind === 'client') await recordLock(tx, now, login)
  }
  return undefined
}

function attemptKeys({ clientId, caller }: Login): AttemptKey[] {
  return [
    { kind: 'client', key: `${caller} ${clientId}` },
    { kind: 'client-address', key: caller },
  ]
}

async function recordLock(tx: Transaction, now: Date, { clientId, address }: Login) {
  const client = await findClient(tx, clientId)
  if (!client) return
  await writeAuditLog(tx, now, {
    clientId: client.id,
    actor: `address:${address}`,
    action: 'client.login_locked',
    subject: `client/${clientId}`,
    detail: {},
  })
}
