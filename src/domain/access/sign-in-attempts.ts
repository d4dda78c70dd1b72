// Counters of failed sign-ins. Each attempt is counted before the password is checked (I23) and
// uncounted if it succeeds:
//
//   address      this IP address, with any email address
//   here         this email address as typed, from this IP address
//   user         this user of this client, from anywhere
//   user code    second-factor codes tried with this user's password, from anywhere
//
// The first two depend only on what was typed and where, and return 429, the same for known and
// unknown users. The third responds like a wrong password, so that it does not reveal who exists.
// An email address may belong to users of several clients; each has its own counter, cleared only
// by signing in as that user or by a password reset. The first two only expire.

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

// The address first: one that is locked must not go on to lock anybody. Answers whether it was the
// last for this email address from here.
export async function countAttemptFrom(
  db: Queryable,
  now: Date,
  who: AttemptSource,
): Promise<boolean> {
  let isLast = false
  for (const counted of countedHere(who)) {
    const attempt = await countAttempt(db, now, counted)
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
    const attempt = await countAttempt(db, now, countedUser(id))
    if (attempt.isLocked) counts.exhausted.add(id)
    else if (attempt.isLast) counts.last.add(id)
  }
  if (userIds.length === 0) await countAttempt(db, now, countedUser(`nobody ${emailKey(email)}`))
  return counts
}

// For a signed-in user, to whom the response reveals nothing.
export async function countConfirmation(
  db: Queryable,
  now: Date,
  who: AttemptSource & { userId: UserId },
): Promise<void> {
  await countAttemptFrom(db, now, who)
  const attempt = await countAttempt(db, now, countedUser(who.userId))
  if (attempt.isLocked) throw new Refusal('too_many_attempts', [], attempt.retryAfterSeconds)
}

export function countCode(db: Queryable, now: Date, userId: UserId | Nobody): Promise<Attempt> {
  return countAttempt(db, now, { kind: 'user-code', key: userId })
}

// It was no failure, nor a guess at these users' passwords. Never of one whose counter is exhausted:
// its attempts were not counted one by one.
export async function uncountSignIn(
  db: Queryable,
  who: AttemptSource,
  userIds: readonly UserId[],
): Promise<void> {
  for (const counted of [...countedHere(who), ...userIds.map(countedUser)]) {
    await uncountAttempt(db, counted)
  }
}

export async function unlockUser(db: Queryable, userId: UserId): Promise<void> {
  await deleteAttempts(db, countedUser(userId))
  await deleteAttempts(db, { kind: 'user-code', key: userId })
}

function countedHere({ email, caller }: AttemptSource): AttemptKey[] {
  return [
    { kind: 'user-address', key: caller },
    { kind: 'user-here', key: `${caller} ${emailKey(email)}` },
  ]
}

function countedUser(userId: UserId | Nobody): AttemptKey {
  return { kind: 'user', key: userId }
}
