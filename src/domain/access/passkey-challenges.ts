// Challenges that passkeys sign: random, short-lived and for one purpose. Except for signing in, a
// challenge belongs to one session and ends with it. Taking a challenge deletes it, so that a
// replay fails (I71).

import { createHash, randomBytes } from 'node:crypto'
import type { Queryable } from '#db/pool.ts'

export const CHALLENGE_MS = 5 * 60_000
const CHALLENGE_BYTES = 32

export type ChallengeUse =
  | { purpose: 'sign_in' }
  | { purpose: 'register' | 'confirm'; sessionId: string }

// Replaces the session's earlier challenge for the same purpose.
export async function issueChallenge(db: Queryable, now: Date, use: ChallengeUse): Promise<Buffer> {
  const challenge = randomBytes(CHALLENGE_BYTES)
  await db.query({
    name: 'issue-passkey-challenge',
    text: `with replaced as (
             delete from passkey_challenges where session_id = $3 and purpose = $2)
           insert into passkey_challenges (challenge_hash, purpose, session_id, expires_at)
           values ($1, $2, $3, $4)`,
    values: [
      hashOf(challenge),
      use.purpose,
      sessionOf(use),
      new Date(now.getTime() + CHALLENGE_MS),
    ],
  })
  return challenge
}

// Call outside the action's transaction, so that the challenge is used up even if the action fails.
export async function takeChallenge(
  db: Queryable,
  now: Date,
  { challenge, use }: { challenge: Buffer; use: ChallengeUse },
): Promise<boolean> {
  const { rows } = await db.query<{ isGood: boolean }>({
    name: 'take-passkey-challenge',
    text: `delete from passkey_challenges where challenge_hash = $1
           returning purpose = $2 and session_id is not distinct from $3 and expires_at > $4
                     as "isGood"`,
    values: [hashOf(challenge), use.purpose, sessionOf(use), now],
  })
  return rows[0]?.isGood ?? false
}

export async function deleteExpiredChallenges(db: Queryable, now: Date): Promise<void> {
  await db.query({
    name: 'forget-passkey-challenges',
    text: 'delete from passkey_challenges where expires_at <= $1',
    values: [now],
  })
}

function sessionOf(use: ChallengeUse): string | null {
  return use.purpose === 'sign_in' ? null : use.sessionId
}

function hashOf(challenge: Buffer): Buffer {
  return createHash('sha256').update(challenge).digest()
}
