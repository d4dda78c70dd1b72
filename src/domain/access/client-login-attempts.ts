// Failed client logins (login-limits.ts): limited per client and address, and, more generously, per
// address for all clients. A successful login never counts.

import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import { findClient } from './clients.ts'
import { type AttemptKey, countAttempt, findLock } from './login-limits.ts'

// `caller` is what the address is counted under.
type Login = { clientId: string; address: string; caller: string }

// For how many more seconds it is locked.
export function findLoginLock(db: Queryable, now: Date, login: Login): Promise<number | undefined> {
  return findLock(db, now, countedFor(login))
}

// As above: what others counted meanwhile may have locked it. The lock is in the client's record.
export async function countFailedLogin(
  tx: Transaction,
  now: Date,
  login: Login,
): Promise<number | undefined> {
  for (const counted of countedFor(login)) {
    const attempt = await countAttempt(tx, now, counted)
    if (attempt.isLocked) return attempt.retryAfterSeconds
    if (attempt.isLast && counted.kind === 'client') await recordLock(tx, now, login)
  }
  return undefined
}

function countedFor({ clientId, caller }: Login): AttemptKey[] {
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
