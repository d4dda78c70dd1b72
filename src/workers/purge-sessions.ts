// Purges expired sessions and passkey challenges, outdated sign-in failures and old traces of events.

import { deleteExpiredAttempts } from '#domain/access/login-limits.ts'
import { deleteExpiredChallenges } from '#domain/access/passkey-challenges.ts'
import { deleteExpiredSessions } from '#domain/access/sessions.ts'
import { deleteOldTraces } from '#domain/records/event-traces.ts'
import type { Deps } from './loop.ts'

export function purgeSessionsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  return async () => {
    await deleteExpiredSessions(db, clock())
    await deleteExpiredAttempts(db, clock())
    await deleteExpiredChallenges(db, clock())
    await deleteOldTraces(db, clock())
    return { more: false }
  }
}
