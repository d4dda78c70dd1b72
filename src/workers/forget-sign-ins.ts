// Sessions that are over and failures that no longer count: looked up by nobody, so let go.

import { deleteExpiredAttempts } from '#domain/access/login-limits.ts'
import { deleteExpiredSessions } from '#domain/access/sessions.ts'
import type { Deps } from './loop.ts'

export function forgetSignInsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  return async () => {
    await deleteExpiredSessions(db, clock())
    await deleteExpiredAttempts(db, clock())
    return { more: false }
  }
}
