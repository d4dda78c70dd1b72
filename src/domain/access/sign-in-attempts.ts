// What counts as a failed sign-in of a person, and against whom. Each attempt is counted before the
// password is looked at (I23) and taken back when it was right:
//
//   address      this IP address, whatever email address it names
//   here         this email address as typed, from this IP address
//   user         this user of this client, from anywhere
//   user code    codes tried by whoever had this user's password, from anywhere
//
// The first two depend on nothing but what was typed and where, and answer 429: known or not, the
// answer is the same. The third answers as a wrong password does, so that nobody learns from it who
// is known. An email address may be a user of several clients: each has a counter of its own, and
// only signing in as that very user, or a reset of its password, clears it. Nobody clears the first
// two: they end by themselves.

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

// Where nobody is known, as much is counted all the same: the time does not tell.
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

// Of somebody who is signed in, and learns nothing from being told.
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
