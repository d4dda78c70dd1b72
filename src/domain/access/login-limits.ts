// Limits on failed logins. Counted in the database, so they are exact across processes.
//
//   none ──failure──▶ counting ──the last one allowed──▶ locked ──lock over──▶ none
//                        └──────────window over──────────────────────────────▶ none
//
// A user's attempt is counted before the password is checked and uncounted on success, so that
// parallel guesses cannot exceed the limit (sign-in-attempts.ts). A client's attempt is counted only
// after it failed: its secret is random, and its processes may log in concurrently. It is counted
// per client and address, so that knowing a client id is not enough to lock it out.

import { createHash } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'

const MINUTE_MS = 60_000

export type Limit = { attempts: number; windowMs: number; lockMs: number }

export const LOGIN_LIMITS = {
  // Well above the limit per address, so that no single stranger can exhaust it.
  user: { attempts: 50, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'user-here': { attempts: 10, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'user-code': { attempts: 10, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  'user-address': { attempts: 100, windowMs: 15 * MINUTE_MS, lockMs: 15 * MINUTE_MS },
  client: { attempts: 100, windowMs: 5 * MINUTE_MS, lockMs: 5 * MINUTE_MS },
  'client-address': { attempts: 1_000, windowMs: 5 * MINUTE_MS, lockMs: 5 * MINUTE_MS },
} as const satisfies Record<string, Limit>

type LimitKind = keyof typeof LOGIN_LIMITS

export type AttemptKey = { kind: LimitKind; key: string }

export type Attempt =
  | { isLocked: false; isLast: boolean } // The last attempt before the lock.
  | { isLocked: true; retryAfterSeconds: number }

// Counts one attempt. Attempts during a lock do not extend it.
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
              set attempts = case when a.ends_at <= $3 then 1
                                  else least(a.attempts, $4) + 1 end,
                  ends_at = case when a.ends_at <= $3 then $5
                                 when a.attempts + 1 = $4 then $6
                                 else a.ends_at end
           returning attempts, ends_at as "endsAt"`,
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

// Does not count. Returns the remaining seconds of the longest lock, or undefined.
export async function findLock(
  db: Queryable,
  now: Date,
  keys: readonly AttemptKey[],
): Promise<number | undefined> {
  const { rows } = await db.query<{ endsAt: Date }>({
    name: 'find-login-lock',
    text: `select a.ends_at as "endsAt"
             from unnest($1::text[], $2::bytea[], $3::int[]) as c (kind, key_hash, attempts)
             join login_attempts a on a.kind = c.kind and a.key_hash = c.key_hash
            where a.attempts >= c.attempts and a.ends_at > $4
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

export async function uncountAttempt(db: Queryable, { kind, key }: AttemptKey): Promise<void> {
  await db.query({
    name: 'take-back-login-attempt',
    text: `update login_attempts set attempts = attempts - 1
            where kind = $1 and key_hash = $2 and attempts > 0`,
    values: [kind, hashKey(kind, key)],
  })
}

export async function deleteAttempts(db: Queryable, { kind, key }: AttemptKey): Promise<void> {
  await db.query({
    name: 'forget-login-attempts',
    text: 'delete from login_attempts where kind = $1 and key_hash = $2',
    values: [kind, hashKey(kind, key)],
  })
}

export async function deleteExpiredAttempts(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-ended-attempts',
    text: 'delete from login_attempts where ends_at <= $1',
    values: [now],
  })
}

// Bounds the stored size: the key contains whatever the caller typed.
function hashKey(kind: LimitKind, key: string): Buffer {
  return createHash('sha256').update(`${kind}\0${key}`).digest()
}

function lockedUntil(endsAt: Date, now: Date): Attempt {
  return { isLocked: true, retryAfterSeconds: secondsUntil(endsAt, now) }
}

function secondsUntil(endsAt: Date, now: Date): number {
  return Math.max(1, Math.ceil((endsAt.getTime() - now.getTime()) / 1000))
}
