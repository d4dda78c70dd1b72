// Workers that purge expired sessions, failed attempts, passkey challenges, sign-ins with providers, unused
// devices and old traces of events, and that mail links for password resets.

import type { MessageSettings } from '#config/message-settings.ts'
import { withTransaction } from '#db/transaction.ts'
import { mailsUsers } from '#messages/transports.ts'
import { deleteOldTraces } from '#records/events.ts'
import type { Sealer } from '#seal.ts'
import type { Deps, Round } from '#workers/loop.ts'
import { deleteExpiredAttempts } from './attempts.ts'
import { deleteExpiredChallenges } from './passkeys.ts'
import { answerResetRequests, RESET_PATH } from './password-resets.ts'
import { deleteExpiredProviderSignIns } from './provider-sign-in.ts'
import { deleteExpiredSessions, deleteOldDevices } from './sessions.ts'

// The worker deletes expired sessions, sign-in attempts and challenges, forgotten devices and old traces.
// `more: false`: the next round may wait for its usual time.
export function purgeSessionsRound({ db, clock }: Pick<Deps, 'db' | 'clock'>) {
  return async () => {
    await deleteExpiredSessions(db, clock())
    await deleteExpiredAttempts(db, clock())
    await deleteExpiredChallenges(db, clock())
    await deleteExpiredProviderSignIns(db, clock())
    await deleteOldDevices(db, clock())
    await deleteOldTraces(db, clock())
    return { more: false }
  }
}

type ResetDeps = Pick<Deps, 'db' | 'clock'> & {
  sealer: Sealer
  mode: 'sandbox' | 'live'
  publicUrl: string
  messages: MessageSettings
}

// The worker answers the requests to reset a password with mailed links. `more` asks for another round at
// once, in case there were more requests than one round answers.
export function answerResetRequestsRound(deps: ResetDeps): Round {
  const { db, clock, sealer, publicUrl } = deps
  const linkOf = (token: string) => `${publicUrl}${RESET_PATH}#${token}`
  const mail = mailsUsers(deps) ? { sealer, linkOf } : undefined
  return async () => {
    const answered = await withTransaction(db, (tx) => answerResetRequests(tx, clock(), { mail }))
    return { more: answered > 0 }
  }
}
