// Limits on failed attempts: sign-ins of users, logins of clients and requests for password resets. The
// database counts them, so the limits are exact across processes.
//
//   none ──failure──▶ counting ──the last one allowed──▶ locked ──lock over──▶ none
//                        └──────────window over──────────────────────────────▶ none
//
// A user's attempt is counted before the password is checked and uncounted on success, so that parallel
// guesses cannot exceed the limit. A client's attempt is counted only after it failed: its secret is random,
// and its processes may log in concurrently. It is counted per client and address, so that knowing a client
// id is not enough to lock it out.

import { createHash } from 'node:crypto'
import { MINUTE_MS } from '#clock.ts'
import { isDue } from '#db/due.ts'
import type { Queryable } from '#db/pool.ts'
import type { Transaction } from '#db/transaction.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'
import { writeAuditLog } from '#records/audit-log.ts'
import { findClient } from './permissions.ts'
import { emailKey } from './users.ts'

// After `attempts` attempts within `windowMs`, the key is locked for `lockMs`.
type Limit = { attempts: number; windowMs: number; lockMs: number }

export const LOGIN_LIMITS = {
  // Well above the limit of user-here, so that attempts from a single address cannot lock the user.
  user: { attempts: 50, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'user-here': { attempts: 10, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'user-code': { attempts: 10, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'user-address': { attempts: 100, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'reset-email': { attempts: 5, windowMs: 60 * MINUTE_MS, lockMs: 60 * MINUTE_MS },
  'reset-address': { attempts: 20, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  client: { attempts: 100, windowMs: 5 * MINUTE_MS, lockMs: 5 * MINUTE_MS },
  'client-address': { attempts: 1_000, windowMs: 5 * MINUTE_MS, lockMs: 5 * MINUTE_MS },
} as const satisfies Record<string, Limit>

const LONGEST_MS = Math.max(
  ...Object.values(LOGIN_LIMITS).flatMap(({ windowMs, lockMs }) => [windowMs, lockMs]),
)

// SQL condition: the window or lock of the counter `a` is over.
const isOver = (now: string) => isDue('a.ends_at', { now, longest: LONGEST_MS })

type LimitKind = keyof typeof LOGIN_LIMITS

type AttemptKey = { kind: LimitKind; key: string }

type Attempt =
  | { isLocked: false; isLast: boolean } // isLast: this attempt starts the lock.
  | { isLocked: true; retryAfterSeconds: number }

// Counts one attempt. The last permitted attempt starts the lock. Attempts during a lock do not extend it: a
// locked counter stays at one above the limit.
export async function countAttempt(
  db: Queryable,
  now: Date,
  { kind, key }: AttemptKey,
): Promise<Attempt> {
  const limit = LOGIN_LIMITS[kind]
  const { rows } = await db.query<{ attempts: number; endsAt: Date }>({
    name: 'count-login-attempt',
    text: `insert into login_attempts as a (kind, key_hash, attempts, ends_at)
           values ($1, $2, 1, $5)
           on conflict (kind, key_hash) do update
              set attempts = case when ${isOver('$3')} then 1
                                  else least(a.attempts, $4) + 1 end,
                  ends_at = case when ${isOver('$3')} then $5
                                 when a.attempts + 1 = $4 then $6
                                 else a.ends_at end
           returning attempts, ends_at`,
    values: [
      kind,
      hashKey(kind, key),
      now,
      limit.attempts,
      new Date(now.getTime() + limit.windowMs),
      new Date(now.getTime() + limit.lockMs),
    ],
  })
  const { attempts, endsAt } = rows[0] as { attempts: number; endsAt: Date }
  if (attempts > limit.attempts) return lockedUntil(endsAt, now)
  return { isLocked: false, isLast: attempts === limit.attempts }
}

// Returns the remaining seconds of the longest lock, or undefined. Does not count an attempt.
async function findLock(
  db: Queryable,
  now: Date,
  keys: readonly AttemptKey[],
): Promise<number | undefined> {
  const { rows } = await db.query<{ endsAt: Date }>({
    name: 'find-login-lock',
    text: `select a.ends_at
             from unnest($1::text[], $2::bytea[], $3::int[]) as c (kind, key_hash, attempts)
             join login_attempts a on a.kind = c.kind and a.key_hash = c.key_hash
            where a.attempts >= c.attempts and not ${isOver('$4')}
            order by a.ends_at desc
            limit 1`,
    values: [
      keys.map(({ kind }) => kind),
      keys.map(({ kind, key }) => hashKey(kind, key)),
      keys.map(({ kind }) => LOGIN_LIMITS[kind].attempts),
      now,
    ],
  })
  return rows[0] && secondsUntil(rows[0].endsAt, now)
}

// Takes back one attempt that did not fail, and leaves the counter's window as it is.
async function uncountAttempt(db: Queryable, { kind, key }: AttemptKey): Promise<void> {
  await db.query({
    name: 'uncount-login-attempt',
    text: `update login_attempts set attempts = attempts - 1
            where kind = $1 and key_hash = $2 and attempts > 0`,
    values: [kind, hashKey(kind, key)],
  })
}

async function deleteAttempts(db: Queryable, { kind, key }: AttemptKey): Promise<void> {
  await db.query({
    name: 'delete-login-attempts',
    text: 'delete from login_attempts where kind = $1 and key_hash = $2',
    values: [kind, hashKey(kind, key)],
  })
}

// A worker calls this regularly. A counter whose window or lock is over has no effect.
export async function deleteExpiredAttempts(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'delete-expired-login-attempts',
    text: 'delete from login_attempts where ends_at <= $1',
    values: [now],
  })
}

// Hashed to bound the stored size: callers choose the text.
function hashKey(kind: LimitKind, key: string): Buffer {
  return createHash('sha256').update(`${kind}\0${key}`).digest()
}

function lockedUntil(endsAt: Date, now: Date): Attempt {
  return { isLocked: true, retryAfterSeconds: secondsUntil(endsAt, now) }
}

function secondsUntil(endsAt: Date, now: Date): number {
  return Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000))
}

// Counters of failed sign-ins. Each attempt is counted before the password is checked (I23) and
// uncounted if it succeeds:
//
//   user-address  attempts from this IP address, with any email address
//   user-here     attempts with this email address as typed, from this IP address
//   user          attempts as this user of this client, from any address
//   user-code     second-factor codes tried after this user's password, from any address
//
// `user-address` and `user-here` depend only on the input and the IP address. Their locks return 429, for
// known and unknown users. A lock of `user` looks like a wrong password, so that it does not reveal who
// exists. An email address may belong to users of several clients. Each of them has a counter, cleared only
// by signing in as that user or by a password reset. `user-address` and `user-here` only expire.

export type AttemptSource = { email: string; caller: string }

// Counts the address first, so that a locked address cannot lock users. Returns whether this was the last
// permitted attempt for this email address from this IP address.
export async function countAttemptFrom(
  db: Queryable,
  now: Date,
  source: AttemptSource,
): Promise<boolean> {
  let isLast = false
  for (const key of sourceKeys(source)) {
    const attempt = await countAttempt(db, now, key)
    if (attempt.isLocked) throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
    isLast = attempt.isLast
  }
  return isLast
}

// The key under which attempts for an unknown email address are counted.
type UnknownUser = `nobody ${string}`

// `exhausted`: users who are locked already. `last`: users whom this attempt locks.
type UserCounts = { exhausted: Set<UserId>; last: Set<UserId> }

// Counts a password attempt for each user with the email address, one per client. An attempt for an unknown
// address is counted too, so that timing does not reveal who exists.
export async function countUsers(
  db: Queryable,
  now: Date,
  { userIds, email }: { userIds: readonly UserId[]; email: string },
): Promise<UserCounts> {
  const counts: UserCounts = { exhausted: new Set(), last: new Set() }
  for (const id of userIds) {
    const attempt = await countAttempt(db, now, userKey(id))
    if (attempt.isLocked) counts.exhausted.add(id)
    else if (attempt.isLast) counts.last.add(id)
  }
  if (userIds.length === 0) await countAttempt(db, now, userKey(`nobody ${emailKey(email)}`))
  return counts
}

// Counts an attempt of a signed-in user to confirm who they are. A locked user gets 429 here: the response
// tells them nothing that they do not know.
export async function countConfirmation(
  db: Queryable,
  now: Date,
  source: AttemptSource & { userId: UserId },
): Promise<void> {
  await countAttemptFrom(db, now, source)
  const attempt = await countAttempt(db, now, userKey(source.userId))
  if (attempt.isLocked) throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
}

// Counts a second-factor code, which is checked only after the right password.
export function countCode(
  db: Queryable,
  now: Date,
  userId: UserId | UnknownUser,
): Promise<Attempt> {
  return countAttempt(db, now, { kind: 'user-code', key: userId })
}

// Uncounts an attempt that did not fail, for example because the password was right and only the code is
// missing, or because the server was too busy to check it. `userIds` are the users for whom it was counted.
// Never pass a user whose counter is exhausted: countAttempt does not count attempts during a lock.
export async function uncountSignIn(
  db: Queryable,
  source: AttemptSource,
  userIds: readonly UserId[],
): Promise<void> {
  for (const key of [...sourceKeys(source), ...userIds.map(userKey)]) {
    await uncountAttempt(db, key)
  }
}

// Clears the user's counters after a successful sign-in or a new password.
export async function unlockUser(db: Queryable, userId: UserId): Promise<void> {
  await deleteAttempts(db, userKey(userId))
  await deleteAttempts(db, { kind: 'user-code', key: userId })
}

// The counters that depend only on the request. The address comes first, see countAttemptFrom.
function sourceKeys({ email, caller }: AttemptSource): AttemptKey[] {
  return [
    { kind: 'user-address', key: caller },
    { kind: 'user-here', key: `${caller} ${emailKey(email)}` },
  ]
}

function userKey(userId: UserId | UnknownUser): AttemptKey {
  return { kind: 'user', key: userId }
}

// Failed client logins. The limit per client and address is stricter than the limit per address for all
// clients. A successful login is never counted.

// `caller` identifies the address in the counters (rateLimitKey).
type Login = { clientId: string; address: string; caller: string }

// Returns the remaining seconds of a lock on this client's logins from this address, or undefined.
export function findLoginLock(db: Queryable, now: Date, login: Login): Promise<number | undefined> {
  return findLock(db, now, attemptKeys(login))
}

// Counts a failed login of a client. Returns the remaining seconds of the lock if concurrent failures have
// locked the login in the meantime. If this attempt locks it, the client's audit log records that.
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

// The counters of a client's login: of this client from this address, and of all clients from this address.
function attemptKeys({ clientId, caller }: Login): AttemptKey[] {
  return [
    { kind: 'client', key: `${caller} ${clientId}` },
    { kind: 'client-address', key: caller },
  ]
}

// Tells the client, in its audit log, that it can no longer log in from this address.
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
