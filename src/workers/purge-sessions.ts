// Purges expired sessions and outdated sign-in failures.

import { forgetEndedAttempts } from '#domain/access/login-limits.ts'
import { forgetSessions } from '#domain/access/sessions.ts'
import type { Deps } from './loop.ts'

export function purgeSessionsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  return async () => {
    await forgetSessions(db, clock())
    await forgetEndedAttempts(db, clock())
    return { more: false }
  }
}
