// The end of every kind of sign-in: a session, or a recorded refusal.

import type { Transaction } from '#db/transaction.ts'
import { writeAuditLog } from '#domain/records/audit-log.ts'
import type { RefusalCode } from '#errors.ts'
import type { UserId } from '#ids.ts'
import { endSessionOfToken, openSession } from './sessions.ts'
import { type AttemptSource, uncountSignIn, unlockUser } from './sign-in-attempts.ts'
import type { User } from './users.ts'

// Refusals are return values here, not exceptions, because their counters and audit entries must be
// committed.
export type SignInOutcome =
  | { token: string }
  | {
      refused: RefusalCode
      choices?: readonly string[] | undefined
      retryAfterSeconds?: number | undefined
    }

export type SignInCaller = {
  address: string
  caller: string // The key that counts the address.
  userAgent?: string | undefined
  oldToken?: string | undefined // The session that this one replaces.
}

type Wrong = 'invalid_sign_in' | 'invalid_code' | 'invalid_passkey'

const WRONG: Record<Wrong, string> = {
  invalid_sign_in: 'password',
  invalid_code: 'code',
  invalid_passkey: 'passkey',
}

type FailedSignIn = {
  address: string
  comparedUsers: readonly Pick<User, 'id' | 'clientId' | 'email'>[]
  locked: ReadonlySet<UserId> // The users whom this attempt locks.
  refused: Wrong
  detail?: object
}

export async function failSignIn(
  tx: Transaction,
  now: Date,
  { address, comparedUsers, locked, refused, detail }: FailedSignIn,
): Promise<SignInOutcome> {
  const actor = `address:${address}`
  for (const { id, clientId, email } of comparedUsers) {
    const about = { clientId, actor, subject: `user/${email}` }
    const failed = { wrong: WRONG[refused], ...detail }
    await writeAuditLog(tx, now, { ...about, action: 'user.sign_in_failed', detail: failed })
    if (locked.has(id))
      await writeAuditLog(tx, now, { ...about, action: 'user.locked', detail: {} })
  }
  return { refused }
}

type SuccessfulSignIn = {
  signIn: AttemptSource & SignInCaller
  user: Pick<User, 'id' | 'clientId' | 'email'>
  how: 'password' | 'totp' | 'recovery' | 'passkey'
}

export async function succeedSignIn(
  tx: Transaction,
  now: Date,
  { signIn, user, how }: SuccessfulSignIn,
): Promise<SignInOutcome> {
  const { address, userAgent, oldToken } = signIn
  await uncountSignIn(tx, signIn, [])
  await unlockUser(tx, user.id)
  if (oldToken !== undefined) await endSessionOfToken(tx, oldToken)
  await tx.query({
    name: 'mark-sign-in',
    text: 'update users set signed_in_at = $2 where id = $1',
    values: [user.id, now],
  })
  await writeAuditLog(tx, now, {
    clientId: user.clientId,
    actor: `user:${user.email}`,
    action: 'user.sign_in',
    subject: `user/${user.email}`,
    detail: { address, with: how },
  })
  return { token: await openSession(tx, now, { user, from: { address, userAgent } }) }
}
