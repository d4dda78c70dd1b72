// Re-authentication before a sensitive action, because the session may be hijacked. The user sends
// a password, plus a code if a second factor is enrolled, or a passkey, which replaces both.
//
// Each confirmation counts as a failed attempt until `settleConfirmation` uncounts it.

import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { Queryable } from '#db/pool.ts'
import type { UserId } from '#ids.ts'
import { checkAssertion, type RelyingParty } from './passkey-ceremonies.ts'
import type { Passkey } from './passkeys.ts'
import type { SignedInSession } from './sessions.ts'
import { matchCounted } from './sign-in.ts'
import { type AttemptSource, countConfirmation, uncountSignIn } from './sign-in-attempts.ts'

type Confirmation = AttemptSource & { userId: UserId }

export async function confirmPassword(
  db: Queryable,
  now: Date,
  who: Confirmation & { password: string },
): Promise<boolean> {
  await countConfirmation(db, now, who)
  const { rows } = await db.query<{ passwordHash: string }>({
    name: 'password-of-user',
    text: 'select password_hash as "passwordHash" from users where id = $1',
    values: [who.userId],
  })
  const [isRight = false] = await matchCounted(db, who, { users: rows, counted: [who.userId] })
  return isRight
}

type PasskeyConfirmation = {
  who: Confirmation
  session: SignedInSession
  credential: AuthenticationResponseJSON
}

// Returns the passkey and its counter, which the action must store (usePasskey). Undefined if the
// assertion is wrong.
export async function confirmPasskey(
  db: Queryable,
  ceremony: { now: Date; relyingParty: RelyingParty },
  { who, session: { sessionId }, credential }: PasskeyConfirmation,
): Promise<{ passkey: Passkey; counter: number } | undefined> {
  await countConfirmation(db, ceremony.now, who)
  const use = { purpose: 'confirm', sessionId } as const
  const { passkey, counter } = await checkAssertion(db, ceremony, { use, credential })
  if (!passkey || counter === undefined || passkey.userId !== who.userId) return undefined
  return { passkey, counter }
}

export function settleConfirmation(db: Queryable, who: Confirmation): Promise<void> {
  return uncountSignIn(db, who, [who.userId])
}
