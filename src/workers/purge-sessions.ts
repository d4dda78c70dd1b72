// Purges expired sessions and passkey challenges, and outdated sign-in failures.

import { deleteExpiredAttempts } from '#domain/access/login-limits.ts'
import { deleteExpiredChallenges } from '#domain/access/passkey-challenges.ts'
import { deleteExpiredSessions } from '#domain/access/sessions.ts'
import type { Deps } from './loop.ts'

export function purgeSessionsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  return async () => {
    await deleteExpiredSessions(db, clock())
    await deleteExpiredAttempts(db, clock())
    await deleteExpiredChallenges(db, clock())
    return { more: false }
  }
}
