// Counters of failed sign-ins. Each attempt is counted before the password is checked (I23) and
// uncounted if it succeeds:
//
//   address      this IP address, with any email address
//   here         this email address as typed, from this IP address
//   user         this user of this client, from anywhere
//   user code    second-factor codes tried with this user's password, from anywhere
//
// The first two depend only on the input and the IP address. They return 429, equally for known and
// unknown users. The third looks like a wrong password, so that it does not reveal who exists. An
// email address may belong to users of several clients. Each has its own counter, cleared only by
// signing in as that user or by a password reset. The first two only expire.

import type { Queryable } from '#db/pool.ts'
import { Refusal } from '#errors.ts'
import type { UserId } from '#ids.ts'
import {
  type Attempt,
  type AttemptKey,
  countAttempt,
  deleteAttempts,
  uncountAttempt,
} from './login-limits.ts'
import { emailKey } from './users.ts'

export type AttemptSource = { email: string; caller: string }

// Counts the address first: a locked address must not lock users. Returns whether this was the last
// attempt for this email address from this IP address.
export async function countAttemptFrom(
  db: Queryable,
  now: Date,
  who: AttemptSource,
): Promise<boolean> {
  let isLast = false
  for (const key of sourceKeys(who)) {
    const attempt = await countAttempt(db, now, key)
    if (attempt.isLocked) throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
    isLast = attempt.isLast
  }
  return isLast
}

// Attempts for an unknown email address count like any other.
type Nobody = `nobody ${string}`

type UserCounts = { exhausted: Set<UserId>; last: Set<UserId> }

// Unknown users are counted just the same, so that timing reveals nothing.
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

// For a signed-in user, to whom the response reveals nothing.
export async function countConfirmation(
  db: Queryable,
  now: Date,
  who: AttemptSource & { userId: UserId },
): Promise<void> {
  await countAttemptFrom(db, now, who)
  const attempt = await countAttempt(db, now, userKey(who.userId))
  if (attempt.isLocked) throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
}

export function countCode(db: Queryable, now: Date, userId: UserId | Nobody): Promise<Attempt> {
  return countAttempt(db, now, { kind: 'user-code', key: userId })
}

// For attempts that were neither failures nor guesses at these users' passwords. Never pass a user
// whose counter is exhausted: countAttempt does not count attempts during a lock.
export async function uncountSignIn(
  db: Queryable,
  who: AttemptSource,
  userIds: readonly UserId[],
): Promise<void> {
  for (const key of [...sourceKeys(who), ...userIds.map(userKey)]) {
    await uncountAttempt(db, key)
  }
}

export async function unlockUser(db: Queryable, userId: UserId): Promise<void> {
  await deleteAttempts(db, userKey(userId))
  await deleteAttempts(db, { kind: 'user-code', key: userId })
}

function sourceKeys({ email, caller }: AttemptSource): AttemptKey[] {
  return [
    { kind: 'user-address', key: caller },
    { kind: 'user-here', key: `${caller} ${emailKey(email)}` },
  ]
}

function userKey(userId: UserId | Nobody): AttemptKey {
  return { kind: 'user', key: userId }
}
